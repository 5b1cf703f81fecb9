//! Requests whose input is a picture: how they are asked, and the first answer of a server to every input.

use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::Arc;

use super::Finding;
use crate::control::{Control, Question};
use crate::engine;
use crate::image::{Expected, FirstAnswers};
use crate::running::Running;
use crate::scenario::{ImageInput, Scenario, Sending};

/// How a scenario's pictures are asked for.
pub struct Asking<'a> {
    scenario: &'a Scenario,
    image: &'a ImageInput,
    expected: &'a Arc<Expected>,
    mime: &'static str,
}

impl<'a> Asking<'a> {
    /// `None` where the scenario sends no pictures.
    pub fn new(scenario: &'a Scenario, expected: Option<&'a Arc<Expected>>) -> Option<Self> {
        let image = scenario.request.image.as_ref()?;
        Some(Self { scenario, image, expected: expected?, mime: image.source().ok()?.mime() })
    }

    /// Every request of a load.
    pub fn request(&self) -> engine::Request {
        let inputs = self.expected.inputs();
        let upload = self.image.send == Sending::Upload;
        engine::Request {
            method: self.scenario.request.method.clone(),
            bodies: if upload { inputs.to_vec() } else { Vec::new() },
            headers: if upload { vec![("Content-Type".into(), self.mime.into())] } else { Vec::new() },
            inputs: inputs.len(),
            ..engine::Request::get(self.path())
        }
    }

    fn path(&self) -> String {
        let path = &self.scenario.request.path;
        match self.image.send {
            Sending::Upload => path.clone(),
            Sending::Store => self.place("{input}") + path,
        }
    }

    /// Where an input is stored.
    fn place(&self, input: &str) -> String {
        format!("/images/{}-{input}", self.scenario.name)
    }

    /// Leaves all inputs with the server, where requests only name them.
    ///
    /// # Errors
    /// The first input that it does not take.
    pub async fn store(&self, control: &Control, running: &Running) -> Result<(), Finding> {
        let inputs = self.expected.inputs().iter().enumerate();
        for (number, input) in inputs.filter(|_| self.image.send == Sending::Store) {
            let path = self.place(&number.to_string());
            let put = Question { body: Some((self.mime, input)), ..Question::new("PUT", &path) };
            let received = match control.send(running.address, Some(&running.host), put).await {
                Ok(reply) if matches!(reply.status, 200 | 201 | 204) => continue,
                Ok(reply) => reply.describe(),
                Err(reason) => reason,
            };
            let expected = "status 201 or 204".into();
            return Err(Finding { request: format!("PUT {path}"), expected, received });
        }
        Ok(())
    }

    /// Takes them away again from a server that outlives the run; one that refuses keeps them.
    pub async fn clean_up(&self, control: &Control, running: &Running) {
        let stored = self.image.send == Sending::Store && running.process().is_none();
        for number in (0..self.expected.inputs().len()).filter(|_| stored) {
            let _ = control
                .send(running.address, Some(&running.host), Question::new("DELETE", &self.place(&number.to_string())))
                .await;
        }
    }

    /// Asks for every input once, `at_once` of them at the same time, and judges the answers; `tell` hears how many of them
    /// were right so far.
    ///
    /// # Errors
    /// The first that is wrong.
    pub async fn first_answers(
        &self,
        control: &Control,
        running: &Running,
        at_once: usize,
        tell: impl Fn(usize),
    ) -> Result<FirstAnswers, Finding> {
        let path = self.path();
        let ask = |number: usize| self.first_answer(control, running, &path, number);
        let mut answers = stream::iter(0..self.expected.inputs().len()).map(ask).buffered(at_once.max(1));
        let mut first = FirstAnswers { status: self.scenario.expect.status, answers: Vec::new() };
        while let Some(answer) = answers.try_next().await? {
            first.answers.push(answer);
            tell(first.answers.len());
        }
        Ok(first)
    }

    async fn first_answer(
        &self,
        control: &Control,
        running: &Running,
        path: &str,
        number: usize,
    ) -> Result<Arc<[u8]>, Finding> {
        let Scenario { request, expect, .. } = self.scenario;
        let path = path.replace("{input}", &number.to_string()).replace("{salt}", "0");
        let body = self.expected.inputs().get(number).filter(|_| self.image.send == Sending::Upload);
        let question =
            Question { body: body.map(|body| (self.mime, &body[..])), ..Question::new(&request.method, &path) };
        let finding =
            |expected, received| Finding { request: format!("{} {path}", request.method), expected, received };
        let reply = control.send(running.address, Some(&running.host), question).await;
        let reply = reply.map_err(|reason| finding(self.expected.describe(number), reason))?;
        if reply.status != expect.status {
            return Err(finding(format!("status {}", expect.status), reply.describe()));
        }
        let expected = Arc::clone(self.expected);
        // Nothing is timed meanwhile, so it may take CPUs.
        let judged = tokio::task::spawn_blocking(move || expected.judge(number, &reply.body)).await;
        match judged {
            Ok(judged) => judged.map_err(|wrong| finding(wrong.expected, wrong.received)),
            Err(error) => Err(finding(self.expected.describe(number), error.to_string())),
        }
    }
}

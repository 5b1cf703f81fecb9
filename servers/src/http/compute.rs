//! `/fib` and `/atan-tan`, and how any work is done for a request.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};

use super::metrics::RequestEnd;
use super::problem::Problem;
use super::{Site, simple};
use crate::job::Job;
use crate::task::{Done, Task, TaskError};
use crate::work::{Output, Work};

pub(super) async fn fib(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    let answer = async {
        let job = Job::fib(request.match_info().query("n"), request.query_string())?;
        if let Job::Fib { n, .. } = job
            && n > site.shared.max_n
        {
            let detail = format_args!("n is {n}; this server computes at most {}", site.shared.max_n);
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail));
        }
        execute(&site, Work::Text(job)).await
    };
    counted(&site, answer).await
}

pub(super) async fn atan_tan(request: HttpRequest, site: web::Data<Site>) -> HttpResponse {
    let answer = async {
        let job = Job::atan_tan(request.match_info().query("num"), request.query_string())?;
        execute(&site, Work::Text(job)).await
    };
    counted(&site, answer).await
}

/// Counts a request for a computation, whatever becomes of it.
pub(super) async fn counted(site: &Site, answer: impl Future<Output = Result<HttpResponse, Problem>>) -> HttpResponse {
    let request = site.shared.metrics.request_started();
    match answer.await {
        Ok(response) => {
            request.ended(RequestEnd::Ok);
            response
        }
        Err(problem) => {
            request.ended(problem.end);
            problem.response()
        }
    }
}

/// The one door to the executor, where admission is decided: so far all work is admitted and none has a deadline.
///
/// When the client goes away, the server drops this future and with it the receiver, by which the task knows.
pub(super) async fn execute(site: &Site, work: Work) -> Result<HttpResponse, Problem> {
    let (task, outcome) = Task::new(work, None, Arc::clone(&site.shared.metrics));
    site.executor.execute(task);
    let ended = |_| Err(TaskError::Failed("its thread ended without an answer".into()));
    Ok(response(outcome.await.unwrap_or_else(ended)?))
}

fn response(done: Done) -> HttpResponse {
    let timing = server_timing(&done);
    let mut response = match done.output {
        Output::Text(text) => simple::text(text),
        Output::File(format, file) => HttpResponse::Ok().content_type(format.mime()).body(file),
    };
    if let Ok(value) = HeaderValue::from_str(&timing) {
        response.headers_mut().insert(HeaderName::from_static("server-timing"), value);
    }
    response
}

/// The value of `Server-Timing`, in milliseconds.
fn server_timing(done: &Done) -> String {
    let parts = [
        ("queue", Some(done.queue)),
        ("decode", done.times.decode),
        ("compute", Some(done.times.compute)),
        ("encode", done.times.encode),
        ("cpu", Some(done.cpu)),
    ];
    let part = |(name, time): (_, Option<Duration>)| Some(format!("{name};dur={:.3}", time?.as_secs_f64() * 1e3));
    parts.into_iter().filter_map(part).collect::<Vec<_>>().join(", ")
}

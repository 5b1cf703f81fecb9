//! How requests end: answered, failed, too late, or not tried.

use std::sync::atomic::Ordering::Relaxed;

use super::super::books::Ended;
use super::super::clock::Ns;
use super::super::failure::Failure;
use super::super::{Connections, ErrorKind, FailureExample, Load, Reply};
use super::client::Phase;
use super::{EventLoop, PAUSE};

/// When nothing could be reached for this long, the requests that are left are not tried.
const GIVE_UP_AFTER: Ns = 2_000_000_000;

impl EventLoop<'_> {
    /// The response is there; so many bytes of it, which may hold the body, lie in the buffer. `ended`: so is its connection.
    pub(super) fn complete(&mut self, index: usize, in_buffer: usize, ended: bool) {
        let end = self.level.clock.now();
        let client = &mut self.clients[index];
        let (asked, start, sent) = (client.asked, client.start, client.sent_at);
        let keep = self.level.load.connections == Connections::KeepAlive;
        match &mut client.connection {
            Some(connection) if keep && client.parser.is_reusable() && client.all_sent && !ended => {
                connection.used = true
            }
            _ => client.connection = None,
        }
        self.deadlines.remove(index);
        self.set_phase(index, Phase::Idle);
        // The next request goes out first: the server need not wait for the check of the last one.
        let begun = self.begin_next(index, end);
        let response = self.clients[index].parser.response(&self.buffer[..in_buffer]);
        let checked = self.level.load.check.check(asked, Reply { status: response.status, body: response.body });
        let error = checked.as_ref().err().map(|mismatch| mismatch.kind());
        let reply = Some((response.status, response.body.len()));
        self.tally.end(Ended { client: self.first_client + index, start, sent, end, reply, error });
        match checked {
            Ok(()) => {
                if let Some(timing) = response.server_timing {
                    self.tally.server_timing(timing);
                }
            }
            Err(mismatch) => self.tally.example(mismatch.kind(), || FailureExample {
                request: self.level.template.line(asked),
                kind: mismatch.kind(),
                expected: mismatch.expected().to_owned(),
                received: mismatch.received().to_owned(),
            }),
        }
        self.spare.push(self.clients[index].parser.reset());
        self.go_on(index, begun);
    }

    /// Goes on after a request was begun, or could not be: then it has ended, and the client takes the next one.
    pub(super) fn go_on(&mut self, index: usize, mut outcome: Result<(), Failure>) {
        while let Err(Failure { kind, detail }) = outcome {
            let now = self.level.clock.now();
            let client = &mut self.clients[index];
            client.connection = None;
            let memory = client.parser.reset();
            if memory.capacity() > 0 {
                self.spare.push(memory);
            }
            let (asked, start, sent) = (client.asked, client.start, client.sent_at);
            self.deadlines.remove(index);
            self.pauses.remove(index);
            self.set_phase(index, Phase::Idle);
            self.tally.end(Ended {
                client: self.first_client + index,
                start,
                sent,
                end: now,
                reply: None,
                error: Some(kind),
            });
            self.tally.example(kind, || FailureExample {
                request: self.level.template.line(asked),
                kind,
                expected: "a response".to_owned(),
                received: detail,
            });
            if kind.is_connect() && !self.requests.are_open() {
                self.give_up_if_unreachable(kind, now);
                self.clients[index].resume_at = now.saturating_add(PAUSE);
                self.set_phase(index, Phase::Pausing);
                return self.pauses.push(index);
            }
            outcome = self.begin_next(index, now);
        }
    }

    /// Ends requests whose time is up.
    pub(super) fn expire(&mut self, now: Ns) {
        while self.requests.first_waiting().is_some_and(|due| self.deadline(due) <= now) {
            let Some((_, due)) = self.requests.take_waiting() else { break };
            let (client, error) = (self.first_client, Some(ErrorKind::Timeout));
            self.tally.end(Ended { client, start: due, sent: now, end: now, reply: None, error });
        }
        while let Some(index) = self.deadlines.first().filter(|&first| self.deadline(self.clients[first].start) <= now)
        {
            let (kind, missing) = match self.clients[index].phase {
                Phase::Exchanging => (ErrorKind::Timeout, "complete response"),
                _ => (ErrorKind::ConnectTimeout, "connection"),
            };
            self.go_on(index, Err(Failure::new(kind, format!("no {missing} within the time-out"))));
        }
    }

    /// The level ends, and with it what is under way and what waits for a connection.
    pub(super) fn cut_off(&mut self, now: Ns) {
        for client in &self.clients {
            if matches!(client.phase, Phase::Connecting | Phase::Exchanging) {
                self.tally.cut_off(client.start, now);
            }
        }
        while let Some((_, due)) = self.requests.take_waiting() {
            self.tally.cut_off(due, now);
        }
    }

    /// The server can be reached.
    pub(super) fn reached(&mut self) {
        if self.unreachable_since.take().is_some() {
            self.level.unreachable.fetch_sub(1, Relaxed);
        }
    }

    /// After a failed connect: if no thread has reached anything for a while, the rest fails likewise. Not after
    /// time-outs, since a server that is only busy may answer yet, and not where it is this machine that has run out of
    /// something.
    fn give_up_if_unreachable(&mut self, kind: ErrorKind, now: Ns) {
        let limited = self.level.load.requests != Load::UNTIL_STOPPED && self.level.load.duration.is_none();
        let is_dead = matches!(kind, ErrorKind::ConnectRefused | ErrorKind::ConnectOther);
        if !is_dead || !limited || self.exchanging > 0 {
            return;
        }
        let since = *self.unreachable_since.get_or_insert_with(|| {
            self.level.unreachable.fetch_add(1, Relaxed);
            now
        });
        let all = self.level.unreachable.load(Relaxed) >= self.level.active.load(Relaxed);
        if all && now.saturating_sub(since) >= GIVE_UP_AFTER {
            let left = self.draw_rest();
            self.tally.give_up(left, kind);
        }
    }
}

//! A request goes out, its response comes in.

use std::io;

use super::super::ErrorKind;
use super::super::check::excerpt;
use super::super::failure::Failure;
use super::super::response::{ParseError, Progress};
use super::client::{Connection, Phase};
use super::{EventLoop, PAUSE, address};

/// How many reads one event may cause, so that a fast sender does not keep the others waiting.
const READS: usize = 16;

impl EventLoop<'_> {
    /// Begins the request that a client was given: on its connection, or on a new one.
    pub(super) fn begin(&mut self, index: usize) -> Result<(), Failure> {
        (self.clients[index].sent, self.clients[index].all_sent) = (0, false);
        match &self.clients[index].connection {
            Some(connection) if connection.unasked => {
                return Err(Failure::new(ErrorKind::Malformed, ParseError::Excess));
            }
            Some(_) => {
                self.set_phase(index, Phase::Exchanging);
                self.reached();
            }
            None => {
                self.set_phase(index, Phase::Connecting);
                match self.sources.connect(&self.level.address) {
                    Ok(socket) => {
                        self.poller.add(&socket, index).map_err(cannot_connect)?;
                        self.clients[index].connection = Some(Connection::new(socket));
                    }
                    // A unix socket whose queue is full: it does not tell when it has room.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.clients[index].resume_at = self.level.clock.now().saturating_add(PAUSE);
                        self.pauses.push(index);
                        return Ok(());
                    }
                    Err(error) => return Err(self.no_connection(error)),
                }
            }
        }
        self.send(index)
    }

    fn no_connection(&mut self, error: io::Error) -> Failure {
        if matches!(error.raw_os_error(), Some(nix::libc::EMFILE | nix::libc::ENFILE)) {
            self.tally.out_of_files();
            let advice = "raise the limit (`ulimit -n`) or use fewer connections";
            return Failure::new(ErrorKind::ConnectOther, format!("{error}: {advice}"));
        }
        if ErrorKind::of_connect(&error) == ErrorKind::NoPorts {
            let advice =
                "all local ports are in use or were until a minute ago; keep connections, or send fewer requests";
            return Failure::new(ErrorKind::NoPorts, format!("{error}: {advice}"));
        }
        cannot_connect(error)
    }

    /// Sends what the connection takes. Only a connection that cannot be made is a failure here.
    fn send(&mut self, index: usize) -> Result<(), Failure> {
        let client = &mut self.clients[index];
        let parts = self.level.template.render(client.asked, &mut self.text);
        let length = parts[0].len() + parts[1].len();
        let Some(connection) = &mut client.connection else { return Ok(()) };
        while client.sent < length && connection.broken.is_none() {
            match address::send(&connection.socket, parts, client.sent) {
                Ok(sent) => {
                    client.sent += sent;
                    if client.phase == Phase::Connecting {
                        return self.connected(index).and_then(|()| self.send(index));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if !connection.watches_writes {
                        connection.watches_writes = true;
                        let watched = self.poller.watch_writes(&connection.socket, index);
                        watched.map_err(|error| Failure::new(ErrorKind::Reset, error))?;
                    }
                    return Ok(());
                }
                Err(error) if client.phase == Phase::Connecting => return Err(self.no_connection(error)),
                Err(error) => connection.broken = Some(error.to_string()),
            }
        }
        client.all_sent = client.sent == length;
        Ok(())
    }

    /// The server has accepted a connection.
    fn connected(&mut self, index: usize) -> Result<(), Failure> {
        let replaces = std::mem::replace(&mut self.clients[index].connected_before, true);
        if replaces && self.level.load.connections == super::super::Connections::KeepAlive {
            self.tally.reconnected();
        }
        self.set_phase(index, Phase::Exchanging);
        self.reached();
        Ok(())
    }

    /// Something happened on a client's connection. `ended`: nothing comes after what can be read now.
    pub(super) fn event(&mut self, index: usize, writable: bool, ended: bool) {
        match self.clients[index].phase {
            Phase::Idle | Phase::Pausing => self.idle_event(index),
            Phase::Connecting | Phase::Exchanging => {
                if writable && let Err(failure) = self.send(index) {
                    return self.go_on(index, Err(failure));
                }
                if self.clients[index].phase == Phase::Exchanging {
                    self.receive(index, ended);
                }
            }
        }
    }

    /// A connection without a request: it has ended, or brings bytes that nobody asked for.
    fn idle_event(&mut self, index: usize) {
        let Some(connection) = &mut self.clients[index].connection else { return };
        match address::receive(&connection.socket, &mut [], &mut self.buffer) {
            Ok(1..) => connection.unasked = true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(0) | Err(_) => {
                self.clients[index].connection = None;
                self.requests.disconnected(index);
            }
        }
    }

    /// Reads what has come of a response.
    fn receive(&mut self, index: usize, ended: bool) {
        for _ in 0..READS {
            let client = &mut self.clients[index];
            let Some(connection) = &mut client.connection else { return };
            if !client.parser.has_begun() {
                client.parser.lend(self.spare.pop().unwrap_or_default());
            }
            let room = client.parser.room().unwrap_or_default();
            let (in_room, size) = (room.len(), room.len() + self.buffer.len());
            let count = match address::receive(&connection.socket, room, &mut self.buffer) {
                Ok(0) => return self.end_of_stream(index),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    // What went wrong in sending comes first, and is the likelier cause.
                    let reason = connection.broken.take().unwrap_or_else(|| error.to_string());
                    return self.broke(index, ErrorKind::Reset, reason);
                }
            };
            self.tally.received(count);
            let in_buffer = count.saturating_sub(in_room);
            let mut progress = Ok(Progress::Incomplete);
            if in_room > 0 {
                progress = Ok(client.parser.read_into_room(count.min(in_room)));
            }
            if in_buffer > 0 {
                progress = client.parser.feed(&self.buffer[..in_buffer]);
            }
            match progress {
                Ok(Progress::Complete) => return self.complete(index, in_buffer, ended),
                // A read that did not fill its room has left nothing behind, but for the end.
                Ok(Progress::Incomplete) if count < size && !ended => return,
                Ok(Progress::Incomplete) => {}
                Err(error) => return self.broke(index, ErrorKind::Malformed, error.to_string()),
            }
        }
        // Others first; what is left is told anew.
        if let Some(connection) = &mut self.clients[index].connection {
            connection.watches_writes = true;
            if let Err(error) = self.poller.watch_writes(&connection.socket, index) {
                self.broke(index, ErrorKind::Reset, error.to_string());
            }
        }
    }

    fn end_of_stream(&mut self, index: usize) {
        let client = &mut self.clients[index];
        match client.parser.finish() {
            Ok(()) => self.complete(index, 0, true),
            Err(ParseError::ClosedEarly) => match client.connection.as_mut().and_then(|own| own.broken.take()) {
                Some(reason) => self.broke(index, ErrorKind::Reset, reason),
                None => self.broke(index, ErrorKind::ClosedEarly, ParseError::ClosedEarly.to_string()),
            },
            Err(error) => self.broke(index, ErrorKind::Malformed, error.to_string()),
        }
    }

    /// There will be no complete response on this connection. A request that met a connection which the server had closed
    /// while it was idle is sent again, once.
    fn broke(&mut self, index: usize, kind: ErrorKind, reason: String) {
        let client = &mut self.clients[index];
        let used = client.connection.as_ref().is_some_and(|connection| connection.used);
        let closed = matches!(kind, ErrorKind::Reset | ErrorKind::ClosedEarly);
        let outcome = if closed && used && !client.resent && !client.parser.has_begun() {
            (client.connection, client.resent) = (None, true);
            self.begin(index)
        } else {
            let detail = match client.parser.so_far() {
                ([], 0, _) => reason,
                (head, 0, _) => format!("{reason}, after {}", excerpt(head)),
                (_, status, body) => format!("{reason}, after status {status} and {body} bytes of body"),
            };
            Err(Failure { kind, detail })
        };
        self.go_on(index, outcome);
    }
}

fn cannot_connect(error: io::Error) -> Failure {
    Failure::new(ErrorKind::of_connect(&error), error)
}

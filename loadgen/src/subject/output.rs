//! What a server writes: always read, so that it never blocks; a little of it kept.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// How many lines are kept from the start, for those who ask for one after it was written.
const FIRST_LINES: usize = 100;
/// How many lines are kept from the end, of each stream, and are shown of both together.
const LAST_LINES: usize = 40;
/// How much of a line is kept.
const LINE_BYTES: usize = 4096;
/// How much of a line is shown.
const SHOWN_CHARS: usize = 400;

/// The lines of a server, standard output and error together in the order of their arrival.
#[derive(Debug, Default)]
pub struct Output(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    first: Vec<String>,
    /// Of standard output and of standard error, numbered by their arrival.
    last: [VecDeque<(u64, String)>; 2],
    count: u64,
    waiting: Vec<(String, oneshot::Sender<String>)>,
    /// Nothing more will come.
    closed: bool,
}

impl Output {
    /// A panic elsewhere leaves lines as good as they were.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Splits a piece of one stream into lines.
    pub fn take_in(&self, stream: &mut Stream, bytes: &[u8]) {
        let mut lines = self.lines();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (text, whole) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = LINE_BYTES - stream.partial.len();
            stream.partial.extend_from_slice(&text[..text.len().min(room)]);
            if whole {
                lines.add(stream.kind, stream.finish());
            }
        }
    }

    /// A stream ended: what it wrote without an end of line is a line too.
    pub fn end_of(&self, stream: &mut Stream) {
        if !stream.partial.is_empty() {
            self.lines().add(stream.kind, stream.finish());
        }
    }

    /// Both streams ended: who still waits for a line waits in vain.
    pub fn close(&self) {
        let mut lines = self.lines();
        lines.closed = true;
        lines.waiting.clear();
    }

    /// The first line, past or future, that starts so. The receiver fails when none will come.
    pub fn starting_with(&self, prefix: &str) -> oneshot::Receiver<String> {
        let (sender, receiver) = oneshot::channel();
        let mut lines = self.lines();
        let latest = lines.last.iter().flatten().map(|(_, line)| line);
        let found = lines.first.iter().chain(latest).find(|line| line.starts_with(prefix)).cloned();
        match found {
            // The receiver is in this very function.
            Some(line) => drop(sender.send(line)),
            None if lines.closed => {}
            None => lines.waiting.push((prefix.to_owned(), sender)),
        }
        receiver
    }

    /// The last lines, long ones cut. Each stream has its half if it needs it: a flood on one does not hide why the
    /// server died.
    pub fn last_words(&self) -> Vec<String> {
        let lines = self.lines();
        let [out, err] = &lines.last;
        let share = |other: usize| LAST_LINES.saturating_sub(other).max(LAST_LINES / 2);
        let out_from = out.len().saturating_sub(share(err.len()));
        let err_from = err.len().saturating_sub(share(out.len()));
        let mut shown: Vec<&(u64, String)> = out.range(out_from..).chain(err.range(err_from..)).collect();
        shown.sort_by_key(|(number, _)| *number);
        shown.iter().map(|(_, line)| shorten(line)).collect()
    }
}

impl Lines {
    fn add(&mut self, kind: Kind, line: String) {
        let mut at = 0;
        while let Some((prefix, sender)) = self.waiting.get(at) {
            if sender.is_closed() {
                self.waiting.swap_remove(at);
            } else if line.starts_with(prefix.as_str()) {
                // Whoever gave up at this moment does not miss it.
                let _ = self.waiting.swap_remove(at).1.send(line.clone());
            } else {
                at += 1;
            }
        }
        if self.first.len() < FIRST_LINES {
            self.first.push(line.clone());
        }
        let last = &mut self.last[kind as usize];
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back((self.count, line));
        self.count += 1;
    }
}

/// Which of its streams a server writes on.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Output,
    Error,
}

/// The line that one stream is in the middle of.
#[derive(Debug)]
pub struct Stream {
    kind: Kind,
    partial: Vec<u8>,
}

impl Stream {
    pub fn new(kind: Kind) -> Self {
        Self { kind, partial: Vec::new() }
    }

    fn finish(&mut self) -> String {
        let text = String::from_utf8_lossy(&self.partial);
        // Control characters could do anything to a terminal.
        let line = text.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        self.partial.clear();
        line
    }
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(pieces: &[&[u8]]) -> Output {
        let (output, mut stream) = (Output::default(), Stream::new(Kind::Output));
        for piece in pieces {
            output.take_in(&mut stream, piece);
        }
        output.end_of(&mut stream);
        output
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let output = fed(&[b"on", b"e\r\ntw", b"o\n\n", b"\xff\x1b[31m\tx"]);
        assert_eq!(output.last_words(), ["one", "two", "", "\u{fffd}[31m\tx"]);
    }

    #[test]
    fn memory_is_bounded() {
        let output = fed(&[&b"x".repeat(3 * LINE_BYTES), b"\n", &b"line\n".repeat(10_000)]);
        let lines = output.lines();
        assert_eq!((lines.first.len(), lines.last[0].len()), (FIRST_LINES, LAST_LINES));
        assert_eq!(lines.first[0].len(), LINE_BYTES);
        assert_eq!(shorten(&lines.first[0]).chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn a_line_is_found_before_and_after_the_question() {
        let (output, mut stream) = (Output::default(), Stream::new(Kind::Output));
        let mut early = output.starting_with("listening");
        let mut never = output.starting_with("never");
        output.take_in(&mut stream, b"hello\nlistening on x");
        assert!(early.try_recv().is_err(), "half a line is no line");
        output.take_in(&mut stream, b"yz\n");
        output.take_in(&mut stream, &b"noise\n".repeat(1000));
        assert_eq!(early.try_recv().unwrap(), "listening on xyz");
        assert_eq!(output.starting_with("listening").try_recv().unwrap(), "listening on xyz");
        output.close();
        assert_eq!(never.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert!(output.starting_with("never").try_recv().is_err());
    }

    #[test]
    fn a_flood_on_one_stream_does_not_hide_the_other() {
        let output = Output::default();
        let (mut out, mut err) = (Stream::new(Kind::Output), Stream::new(Kind::Error));
        output.take_in(&mut err, b"why\n");
        output.take_in(&mut out, &b"noise\n".repeat(100));
        output.take_in(&mut err, b"bye\n");
        let words = output.last_words();
        assert_eq!((words.len(), words[0].as_str(), words[39].as_str()), (40, "why", "bye"));
        output.take_in(&mut err, &b"trouble\n".repeat(100));
        let words = output.last_words();
        assert_eq!((words.len(), words[19].as_str(), words[20].as_str()), (40, "noise", "trouble"));
    }
}

//! A client without conveniences.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};

use super::PATIENCE;

/// A connection.
pub struct Client {
    pub stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// The header section, names in lower case.
    pub head: String,
    pub body: String,
    /// The body where it is no text.
    pub bytes: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    /// Asserts that this is a problem of that status, and gives its detail.
    pub fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], "about:blank");
        assert!(problem["title"].as_str().is_some_and(|title| !title.is_empty()), "{self:?}");
        problem["detail"].as_str().expect("a detail").to_owned()
    }
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { stream, buffer: Vec::new() }
    }

    pub fn get(&mut self, path: &str) -> Response {
        self.send("GET", path);
        self.receive()
    }

    pub fn send(&mut self, method: &str, path: &str) {
        // In one write: the rest of a request sent in pieces would wait for the server's delayed acknowledgement.
        let request = format!("{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n");
        self.stream.write_all(request.as_bytes()).unwrap();
    }

    /// A request with a body, and its response.
    pub fn request(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Response {
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {length}\r\n{headers}\r\n");
        self.stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        self.receive()
    }

    pub fn post(&mut self, path: &str, body: &[u8]) -> Response {
        self.request("POST", path, "", body)
    }

    pub fn receive(&mut self) -> Response {
        self.try_receive(true).unwrap()
    }

    /// Reads a response; one to HEAD has no body whatever its length says.
    pub fn try_receive(&mut self, has_body: bool) -> io::Result<Response> {
        let end = loop {
            if let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more()?;
        };
        let head = String::from_utf8(self.buffer.drain(..end).collect()).unwrap();
        let (line, head) = head.split_once("\r\n").unwrap();
        let status = line.split(' ').nth(1).unwrap().parse().unwrap();
        let names_lowered = head.lines().map(|line| match line.split_once(':') {
            Some((name, value)) => format!("{}:{value}\n", name.to_ascii_lowercase()),
            None => String::new(),
        });
        let mut response = Response { status, head: names_lowered.collect(), body: String::new(), bytes: Vec::new() };
        if has_body {
            let length = if response.status == 204 {
                assert_eq!(response.header("content-length"), None);
                0
            } else {
                response.header("content-length").expect("a length").parse().unwrap()
            };
            while self.buffer.len() < length {
                self.read_more()?;
            }
            response.bytes = self.buffer.drain(..length).collect();
            response.body = String::from_utf8(response.bytes.clone()).unwrap_or_default();
        }
        Ok(response)
    }

    /// Whether the server has closed the connection, after which nothing more came.
    pub fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && matches!(self.stream.read(&mut [0]), Ok(0))
    }

    fn read_more(&mut self) -> io::Result<()> {
        let mut chunk = [0; 4096];
        match self.stream.read(&mut chunk)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => {
                self.buffer.extend_from_slice(&chunk[..length]);
                Ok(())
            }
        }
    }
}

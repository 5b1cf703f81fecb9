//! The bytes of a request, prepared once; only the salt is put in each time.

use super::{Connections, Load};

/// A request with holes where the salt goes.
#[derive(Debug)]
pub(super) struct Template {
    /// The head, cut at each `{salt}`.
    parts: Vec<Vec<u8>>,
    body: Vec<u8>,
    /// `GET /fib/40?salt={salt}`
    line: String,
}

const SALT: &str = "{salt}";

impl Template {
    pub(super) fn new(load: &Load) -> Self {
        let request = &load.request;
        let line = format!("{} {}", request.method, request.path);
        let mut parts: Vec<Vec<u8>> = line.split(SALT).map(|part| part.as_bytes().to_vec()).collect();
        let has = |name: &str| request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        let mut rest = String::from(" HTTP/1.1\r\n");
        if !has("host") {
            rest.push_str(&format!("Host: {}\r\n", load.host));
        }
        for (name, value) in &request.headers {
            rest.push_str(&format!("{name}: {value}\r\n"));
        }
        // RFC 9110, 8.6: a length even of nothing, where the method is one that has a body.
        let expects_body = matches!(request.method.as_str(), "POST" | "PUT" | "PATCH");
        if (expects_body || !request.body.is_empty()) && !has("content-length") && !has("transfer-encoding") {
            rest.push_str(&format!("Content-Length: {}\r\n", request.body.len()));
        }
        if load.connections == Connections::PerRequest && !has("connection") {
            rest.push_str("Connection: close\r\n");
        }
        rest.push_str("\r\n");
        if let Some(last) = parts.last_mut() {
            last.extend_from_slice(rest.as_bytes());
        }
        Self { parts, body: request.body.clone(), line }
    }

    /// Writes the head of the request with this salt into `head`, in place of what it held.
    pub(super) fn write_head(&self, salt: u32, head: &mut Vec<u8>) {
        head.clear();
        let salt = salt.to_string();
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                head.extend_from_slice(salt.as_bytes());
            }
            head.extend_from_slice(part);
        }
    }

    pub(super) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Method and path with this salt, for messages.
    pub(super) fn line(&self, salt: u32) -> String {
        self.line.replace(SALT, &salt.to_string())
    }
}

//! The bytes of a request, prepared once; only the salt is put in each time.

use std::sync::Arc;

use super::{Asked, Connections, Load, Request};

/// A request with holes where the salt goes.
#[derive(Debug)]
pub(super) struct Template {
    /// For each input the head, cut at each `{salt}`.
    heads: Vec<Vec<Vec<u8>>>,
    bodies: Vec<Arc<[u8]>>,
    /// `GET /fib/40?salt={salt}`
    line: String,
}

const SALT: &str = "{salt}";
const INPUT: &str = "{input}";

impl Template {
    pub(super) fn new(load: &Load) -> Self {
        let request = &load.request;
        Self {
            heads: (0..request.inputs.max(1)).map(|input| head(load, input)).collect(),
            bodies: request.bodies.clone(),
            line: format!("{} {}", request.method, request.path),
        }
    }

    /// How many inputs there are, at least one.
    pub(super) fn inputs(&self) -> usize {
        self.heads.len()
    }

    /// Writes the head of the request into `head`, in place of what it held.
    pub(super) fn write_head(&self, asked: Asked, head: &mut Vec<u8>) {
        head.clear();
        let salt = asked.salt.to_string();
        for (index, part) in self.heads[asked.input].iter().enumerate() {
            if index > 0 {
                head.extend_from_slice(salt.as_bytes());
            }
            head.extend_from_slice(part);
        }
    }

    pub(super) fn body(&self, input: usize) -> &[u8] {
        self.bodies.get(input).map_or(&[], |body| body)
    }

    /// Method and path of the request, for messages.
    pub(super) fn line(&self, asked: Asked) -> String {
        self.line.replace(SALT, &asked.salt.to_string()).replace(INPUT, &asked.input.to_string())
    }
}

/// The head for one input, cut at each `{salt}`.
fn head(load: &Load, input: usize) -> Vec<Vec<u8>> {
    let Request { method, path, headers, bodies, .. } = &load.request;
    let path = path.replace(INPUT, &input.to_string());
    let mut parts: Vec<Vec<u8>> = format!("{method} {path}").split(SALT).map(|part| part.as_bytes().to_vec()).collect();
    let has = |name: &str| headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let mut rest = String::from(" HTTP/1.1\r\n");
    if !has("host") {
        rest.push_str(&format!("Host: {}\r\n", load.host));
    }
    for (name, value) in headers {
        rest.push_str(&format!("{name}: {value}\r\n"));
    }
    // RFC 9110, 8.6: a length even of nothing, where the method is one that has a body.
    let expects_body = matches!(method.as_str(), "POST" | "PUT" | "PATCH");
    let length = bodies.get(input).map_or(0, |body| body.len());
    if (expects_body || length > 0) && !has("content-length") && !has("transfer-encoding") {
        rest.push_str(&format!("Content-Length: {length}\r\n"));
    }
    if load.connections == Connections::PerRequest && !has("connection") {
        rest.push_str("Connection: close\r\n");
    }
    rest.push_str("\r\n");
    if let Some(last) = parts.last_mut() {
        last.extend_from_slice(rest.as_bytes());
    }
    parts
}

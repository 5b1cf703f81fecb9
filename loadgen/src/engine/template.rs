//! The bytes of a request, prepared once; only what differs from request to request is put in each time.

use std::sync::Arc;

use super::{Asked, Connections, Load, Request};

/// A request with holes.
#[derive(Debug)]
pub(super) struct Template {
    /// For each input the head, and the body where that has holes too.
    texts: Vec<Vec<Piece>>,
    /// Bodies that are sent as they are.
    bodies: Vec<Arc<[u8]>>,
    /// `GET /fib/40?salt={salt}`
    line: String,
}

#[derive(Debug)]
enum Piece {
    Text(Vec<u8>),
    Salt,
    /// The length of a body of `fixed` bytes and so many salts.
    Length {
        fixed: usize,
        salts: usize,
    },
}

const SALT: &str = "{salt}";
const INPUT: &str = "{input}";

impl Template {
    pub(super) fn new(load: &Load) -> Self {
        let request = &load.request;
        Self {
            texts: (0..request.inputs.max(1)).map(|input| text(load, input)).collect(),
            bodies: if request.fill_bodies { Vec::new() } else { request.bodies.clone() },
            line: format!("{} {}", request.method, request.path),
        }
    }

    /// How many inputs there are, at least one.
    pub(super) fn inputs(&self) -> usize {
        self.texts.len()
    }

    /// The request as two parts, the second of which is a body without holes. `room` is for the first.
    pub(super) fn render<'a>(&'a self, asked: Asked, room: &'a mut Vec<u8>) -> [&'a [u8]; 2] {
        let body = self.bodies.get(asked.input).map_or(&[][..], |body| body);
        let pieces = self.texts.get(asked.input).map_or(&[][..], Vec::as_slice);
        // Nothing to fill in: nothing to copy.
        if let [Piece::Text(text)] = pieces {
            return [text, body];
        }
        room.clear();
        let mut digits = [0; 20];
        let salt = decimal(u64::from(asked.salt), &mut digits);
        for piece in pieces {
            match piece {
                Piece::Text(text) => room.extend_from_slice(text),
                Piece::Salt => room.extend_from_slice(salt),
                Piece::Length { fixed, salts } => {
                    room.extend_from_slice(decimal((fixed + salts * salt.len()) as u64, &mut [0; 20]));
                }
            }
        }
        [room, body]
    }

    /// Method and path of the request, for messages.
    pub(super) fn line(&self, asked: Asked) -> String {
        self.line.replace(SALT, &asked.salt.to_string()).replace(INPUT, &asked.input.to_string())
    }
}

/// Head and, where it is to be filled in, body for one input.
fn text(load: &Load, input: usize) -> Vec<Piece> {
    let Request { method, path, headers, bodies, fill_bodies, .. } = &load.request;
    let number = input.to_string();
    let has = |name: &str| headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !has("host") {
        head.push_str(&format!("Host: {}\r\n", load.host));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if load.connections == Connections::PerRequest && !has("connection") {
        head.push_str("Connection: close\r\n");
    }
    let mut pieces = holes(head.replace(INPUT, &number).as_bytes());
    let body = bodies.get(input).map_or(&[][..], |body| body);
    let filled = if *fill_bodies { holes(&replace(body, INPUT.as_bytes(), number.as_bytes())) } else { Vec::new() };
    // RFC 9110, 8.6: a length even of nothing, where the method is one that has a body.
    let expects_body = matches!(method.as_str(), "POST" | "PUT" | "PATCH");
    if (expects_body || !body.is_empty()) && !has("content-length") && !has("transfer-encoding") {
        let salts = filled.iter().filter(|piece| matches!(piece, Piece::Salt)).count();
        let texts = filled.iter().map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 });
        let fixed = if *fill_bodies { texts.sum() } else { body.len() };
        pieces.push(Piece::Text(b"Content-Length: ".to_vec()));
        pieces.push(match salts {
            0 => Piece::Text(fixed.to_string().into_bytes()),
            _ => Piece::Length { fixed, salts },
        });
        pieces.push(Piece::Text(b"\r\n".to_vec()));
    }
    pieces.push(Piece::Text(b"\r\n".to_vec()));
    pieces.extend(filled);
    joined(pieces)
}

/// `text` cut at each `{salt}`.
fn holes(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, SALT.as_bytes()) {
        pieces.push(Piece::Text(rest[..at].to_vec()));
        pieces.push(Piece::Salt);
        rest = &rest[at + SALT.len()..];
    }
    pieces.push(Piece::Text(rest.to_vec()));
    pieces
}

/// Neighbouring texts made one.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text(before)), Piece::Text(text)) => before.extend(text),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

/// `text` with its holes filled in, for transports that do not send the bytes prepared here.
pub(super) fn fill(text: &[u8], asked: Asked) -> Vec<u8> {
    let text = replace(text, SALT.as_bytes(), asked.salt.to_string().as_bytes());
    replace(&text, INPUT.as_bytes(), asked.input.to_string().as_bytes())
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, from) {
        replaced.extend([&rest[..at], to].concat());
        rest = &rest[at + from.len()..];
    }
    replaced.extend(rest);
    replaced
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// `number` as decimal text, without memory of its own.
pub(super) fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

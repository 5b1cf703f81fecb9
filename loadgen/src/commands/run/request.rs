//! What is sent, from the flags.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};

use crate::cli::RunArgs;
use crate::engine::Request;

use super::form::Form;

/// The request that the flags describe, for this path and query.
pub(super) fn request(arguments: &RunArgs, path: String) -> anyhow::Result<Request> {
    let mut headers = arguments.headers.iter().map(|text| header(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let body = match (&arguments.body, &arguments.body_file, arguments.form.as_slice()) {
        (Some(text), ..) => Some(text.clone().into_bytes()),
        (_, Some(file), _) => {
            Some(fs::read(file).with_context(|| format!("--body-file {}: cannot read it", file.display()))?)
        }
        (.., []) => None,
        (.., fields) => {
            let form = Form::new(fields)?;
            let clash = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            ensure!(!clash, "-H Content-Type: --form sets it, with the boundary of its parts; leave the header out");
            headers.push(("Content-Type".into(), form.content_type));
            Some(form.body)
        }
    };
    let method = method(arguments.method.as_deref(), body.is_some())?;
    let bodies = body.map(Arc::from).into_iter().collect();
    Ok(Request { method, path, headers, bodies, fill_bodies: true, inputs: 1 })
}

fn method(given: Option<&str>, with_body: bool) -> anyhow::Result<String> {
    let method = given.unwrap_or(if with_body { "POST" } else { "GET" });
    ensure!(is_token(method), "-m `{method}`: is no method; write GET, POST, PUT, …");
    ensure!(method != "CONNECT", "-m CONNECT: makes a tunnel and has no answer that could be measured");
    Ok(method.to_owned())
}

/// `Name: value`.
fn header(text: &str) -> anyhow::Result<(String, String)> {
    let Some((name, value)) = text.split_once(':') else {
        bail!("-H '{}': has no colon; write 'Name: value'", text.escape_debug());
    };
    let value = value.trim_matches([' ', '\t']);
    ensure!(is_token(name), "-H '{}': `{}` is no name of a header", text.escape_debug(), name.escape_debug());
    let control = value.chars().any(|each| each != '\t' && each.is_control());
    ensure!(!control, "-H '{}': a header holds no line breaks or control characters", text.escape_debug());
    let framing = ["content-length", "transfer-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own));
    ensure!(!framing, "-H '{text}': loadgen sets it from the body; leave it out");
    Ok((name.to_owned(), value.to_owned()))
}

/// A token of RFC 9110, 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_names_and_values() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(header("Accept: a, b;q=0.5 ").unwrap(), pair("Accept", "a, b;q=0.5"));
        assert_eq!(header("X-Time:12:30").unwrap(), pair("X-Time", "12:30"));
        assert_eq!(header("X-Empty:").unwrap(), pair("X-Empty", ""));
        for (text, named) in [
            ("Accept", "no colon"),
            (": value", "no name"),
            ("A b: value", "no name"),
            ("Name : value", "no name"),
            ("X: a\r\nEvil: b", "line breaks"),
            ("X\r\nEvil: b", "no name"),
            ("X: a\0", "control"),
            ("content-length: 3", "leave it out"),
            ("Transfer-Encoding: chunked", "leave it out"),
        ] {
            let message = header(text).unwrap_err().to_string();
            assert!(message.starts_with("-H '") && message.contains(named) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn methods() {
        assert_eq!(method(None, false).unwrap(), "GET");
        assert_eq!(method(None, true).unwrap(), "POST");
        assert_eq!(method(Some("GET"), true).unwrap(), "GET");
        for text in ["", "GET /", "G\r\nT", "CONNECT", "gé"] {
            assert!(method(Some(text), false).is_err(), "{text}");
        }
    }
}

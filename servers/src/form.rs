//! Where a field is in a body of `multipart/form-data` (RFC 7578): the body is there already, so nothing is copied.

use bytes::Bytes;
use memchr::memmem;

/// A form that cannot be read, or lacks the field, in words for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// The type says form, but not how its parts are told apart.
    #[error("the type is multipart/form-data without a usable boundary")]
    Boundary,
    /// The parts do not begin or end as they should.
    #[error("the form is cut short or malformed")]
    Malformed,
    /// The field is not there.
    #[error("the form has no field {0:?}")]
    Missing(&'static str),
}

/// The longest boundary (RFC 2046).
const MOST_BOUNDARY: usize = 70;

/// The boundary between parts that a content type names; `None` where it is of no form.
///
/// # Errors
/// It is of a form, but names none.
pub fn boundary(content_type: &str) -> Result<Option<String>, FormError> {
    let (kind, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return Ok(None);
    }
    let boundary = parameter(parameters, "boundary").ok_or(FormError::Boundary)?;
    if (1..=MOST_BOUNDARY).contains(&boundary.len()) { Ok(Some(boundary)) } else { Err(FormError::Boundary) }
}

/// What the first field of that name holds: a slice of the body.
///
/// # Errors
/// There is none, or the parts before it are malformed.
pub fn field(body: &Bytes, boundary: &str, name: &'static str) -> Result<Bytes, FormError> {
    let delimiter = format!("\r\n--{boundary}");
    let delimiter = memmem::Finder::new(&delimiter);
    // The first one may stand at the very beginning.
    let mut rest: &[u8] = match body.strip_prefix(&delimiter.needle()[2..]) {
        Some(rest) => rest,
        None => behind(body, delimiter.find(body), delimiter.needle().len())?,
    };
    while !rest.starts_with(b"--") {
        // Spaces may follow a delimiter. What follows the line is a header, or at once the empty line after all headers.
        let line = memmem::find(rest, b"\r\n").ok_or(FormError::Malformed)?;
        let part = &rest[line..];
        let end = memmem::find(part, b"\r\n\r\n").ok_or(FormError::Malformed)?;
        let (head, content) = (&part[..end], &part[end + 4..]);
        // An empty part: its empty line is also that before the delimiter.
        let from = &part[end + 2..];
        let next = delimiter.find(from).ok_or(FormError::Malformed)?;
        if has_name(head, name) {
            return Ok(body.slice_ref(&content[..next.saturating_sub(2)]));
        }
        rest = behind(from, Some(next), delimiter.needle().len())?;
    }
    Err(FormError::Missing(name))
}

/// What follows something found.
fn behind(text: &[u8], at: Option<usize>, length: usize) -> Result<&[u8], FormError> {
    at.and_then(|at| text.get(at + length..)).ok_or(FormError::Malformed)
}

/// Whether the headers of a part name it so.
fn has_name(head: &[u8], name: &str) -> bool {
    let head = String::from_utf8_lossy(head);
    let mut values = head.split("\r\n").filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case("content-disposition").then_some(value)
    });
    let parameters = values.next().and_then(|value| value.split_once(';')).map(|(_, parameters)| parameters);
    parameters.and_then(|parameters| parameter(parameters, "name")).is_some_and(|given| given == name)
}

/// A parameter of a header, `a=b; c="d;e"`: its value without quotes and backslashes.
fn parameter(parameters: &str, name: &str) -> Option<String> {
    let mut rest = parameters;
    loop {
        let (key, value) = rest.split_once('=')?;
        let (text, behind) = value_of(value.trim_start());
        if key.trim_matches([' ', '\t', ';']).eq_ignore_ascii_case(name) {
            return Some(text);
        }
        rest = behind;
    }
}

/// A value, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').unwrap_or((text, ""));
        return (value.trim().into(), rest);
    };
    let (mut value, mut escaped) = (String::new(), false);
    for (at, each) in quoted.char_indices() {
        match each {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return (value, &quoted[at + 1..]),
            _ => {
                value.push(each);
                escaped = false;
            }
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A form of whole parts, as browsers and curl write it.
    fn form(parts: &[(&str, &[u8])]) -> Bytes {
        let mut form = Vec::new();
        for (head, content) in parts {
            form.extend_from_slice(format!("--XyZ\r\n{head}\r\n\r\n").as_bytes());
            form.extend_from_slice(content);
            form.extend_from_slice(b"\r\n");
        }
        form.extend_from_slice(b"--XyZ--\r\n");
        form.into()
    }

    fn image(form: &Bytes) -> Result<Bytes, FormError> {
        field(form, "XyZ", "image")
    }

    #[test]
    fn boundaries_are_found() {
        let found = |content_type| boundary(content_type).unwrap();
        assert_eq!(found("multipart/form-data; boundary=----abc"), Some("----abc".into()));
        assert_eq!(found("Multipart/Form-Data;charset=x; BOUNDARY=\"a;b\\\"c\""), Some("a;b\"c".into()));
        for other in ["", "image/jpeg", "multipart/mixed; boundary=a", "application/x-www-form-urlencoded"] {
            assert_eq!(found(other), None);
        }
        let long = format!("multipart/form-data; boundary={}", "a".repeat(71));
        for wrong in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary", &long] {
            assert_eq!(boundary(wrong), Err(FormError::Boundary), "{wrong}");
        }
    }

    #[test]
    fn the_field_is_found_among_others() {
        let lines = b"\r\n--Xy\r\n\r\n--\0\xff".as_slice();
        for head in [
            "Content-Disposition: form-data; name=\"image\"; filename=\"a;b=\\\"c.jpg\"\r\nContent-Type: image/jpeg",
            "content-type: x\r\ncontent-disposition:form-data;filename=a.jpg;name=image",
            "CONTENT-DISPOSITION: form-data; NAME=image ; x=y",
        ] {
            let other = "Content-Disposition: form-data; name=\"image2\"";
            let form = form(&[(other, b"one"), ("X: y", b""), (head, lines), (head, b"second")]);
            assert_eq!(image(&form).unwrap(), lines, "{head}");
        }
    }

    #[test]
    fn a_preamble_spaces_and_no_headers_are_fine() {
        let form = Bytes::from_static(
            b"preamble\r\n--XyZ \t\r\n\r\nno headers\r\n--XyZ\r\nContent-Disposition: form-data; name=image\r\n\r\n\r\n--XyZ--",
        );
        assert_eq!(image(&form).unwrap(), "");
    }

    #[test]
    fn a_form_without_the_field_says_so() {
        for head in ["Content-Disposition: form-data; name=other", "Content-Disposition: form-data", "name=image", ""] {
            assert_eq!(image(&form(&[(head, b"x")])), Err(FormError::Missing("image")), "{head}");
        }
        assert_eq!(image(&form(&[])), Err(FormError::Missing("image")));
    }

    #[test]
    fn a_form_cut_short_is_malformed_wherever_it_was_cut() {
        let whole = form(&[("Content-Disposition: form-data; name=\"image\"", b"content")]);
        let enough = whole.len() - b"--\r\n".len();
        for length in 0..enough {
            assert_eq!(image(&whole.slice(..length)), Err(FormError::Malformed), "{length}");
        }
        assert_eq!(image(&whole.slice(..enough)).unwrap(), "content");
    }
}

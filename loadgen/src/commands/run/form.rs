//! `--form`: a body of type multipart/form-data (RFC 7578).

use std::fs;

use anyhow::{Context, ensure};

/// What a form is sent as.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

struct Part {
    head: String,
    content: Vec<u8>,
}

impl Form {
    /// Reads each `field=value` and `field=@file`.
    pub(super) fn new(fields: &[String]) -> anyhow::Result<Self> {
        let parts = fields.iter().map(|field| part(field)).collect::<anyhow::Result<Vec<_>>>()?;
        // The same for the same form, so that runs send the same bytes; longer where a part happens to hold it.
        let mut boundary = "loadgen-form-boundary".to_owned();
        while parts.iter().any(|part| contains(&part.content, boundary.as_bytes())) {
            boundary.push_str("-more");
        }
        let mut body = Vec::new();
        for part in parts {
            body.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.head).as_bytes());
            body.extend_from_slice(&part.content);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Ok(Self { content_type: format!("multipart/form-data; boundary={boundary}"), body })
    }
}

fn part(field: &str) -> anyhow::Result<Part> {
    let (name, value) =
        field.split_once('=').with_context(|| format!("--form {field}: write field=value or field=@file"))?;
    ensure!(!name.is_empty(), "--form {field}: the field has no name");
    let name = quoted(name);
    let Some(file) = value.strip_prefix('@') else {
        let head = format!("Content-Disposition: form-data; name=\"{name}\"\r\n");
        return Ok(Part { head, content: value.as_bytes().to_vec() });
    };
    let (path, kind) = file.split_once(";type=").unwrap_or((file, "application/octet-stream"));
    ensure!(
        !kind.is_empty() && kind.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()),
        "--form {field}: `{kind}` is no type; write ;type=image/jpeg"
    );
    let content = fs::read(path).with_context(|| format!("--form {field}: cannot read {path}"))?;
    let file_name = quoted(path.rsplit('/').next().unwrap_or(path));
    let head = format!(
        "Content-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\nContent-Type: {kind}\r\n"
    );
    Ok(Part { head, content })
}

/// What would end a quoted name, as browsers write it.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(fields: &[&str]) -> anyhow::Result<Form> {
        Form::new(&fields.iter().map(|&field| field.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_bytes_are_those_of_rfc_7578() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a \"b\".bin");
        fs::write(&path, b"\x00\r\n--\xff").unwrap();
        let form = form(&["kernel=gaussian=7", &format!("image=@{};type=image/png", path.display())]).unwrap();
        let expected: &[u8] = b"--loadgen-form-boundary\r\nContent-Disposition: form-data; name=\"kernel\"\r\n\r\n\
            gaussian=7\r\n--loadgen-form-boundary\r\n\
            Content-Disposition: form-data; name=\"image\"; filename=\"a %22b%22.bin\"\r\nContent-Type: image/png\r\n\r\n\
            \x00\r\n--\xff\r\n--loadgen-form-boundary--\r\n";
        assert_eq!(form.body, expected);
        assert_eq!(form.content_type, "multipart/form-data; boundary=loadgen-form-boundary");
    }

    #[test]
    fn the_boundary_is_in_no_part() {
        let form = form(&["a=x--loadgen-form-boundary-more", "b\r\nX: y=2"]).unwrap();
        assert!(form.content_type.ends_with("boundary=loadgen-form-boundary-more-more"));
        let text = String::from_utf8(form.body).unwrap();
        assert!(text.contains("name=\"b%0D%0AX: y\"\r\n\r\n2\r\n"), "{text}");
    }

    #[test]
    fn what_is_no_field() {
        for (field, named) in [
            ("image", "field=@file"),
            ("=x", "no name"),
            ("image=@/no/such/file", "/no/such/file"),
            ("image=@/", "cannot read /"),
            ("image=@/etc/hostname;type=", "no type"),
            ("image=@/etc/hostname;type=a\r\nb", "no type"),
        ] {
            let message = format!("{:#}", form(&[field]).unwrap_err());
            assert!(message.contains(named) && message.contains("--form"), "{message}");
        }
    }
}

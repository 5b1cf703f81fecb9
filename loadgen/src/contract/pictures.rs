//! The parts `image` and `store` of the contract: what is asked, and what is right.

use std::sync::Arc;

use codecs::{Format, Quality, View};
use futures_util::future::join_all;

use super::cases::is_problem;
use super::{AT_ONCE, Finding};
use crate::control::{Control, Question, Reply};
use crate::image::{Convolution, Expected, Size, Source, Tolerance};
use crate::running::Running;

/// What PNG keeps is exact; a sample may be rounded to the other side.
const EXACT: Tolerance = Tolerance { mean: 1.0, far: 1, share: 0.0 };
/// What JPEG loses of a small picture with many edges.
const NEAR: Tolerance = Tolerance { mean: 3.0, far: 30, share: 0.01 };

const WIDTH: usize = 64;
const HEIGHT: usize = 50;

/// A request, and what it must be answered with.
pub(super) struct Case {
    method: &'static str,
    path: String,
    body: Option<(&'static str, Vec<u8>)>,
    answer: Answer,
}

enum Answer {
    /// The picture of this file as the path has it convolved, of the same format.
    Convolved(Vec<u8>),
    /// This file.
    File(Vec<u8>),
    /// One of these, without a body that matters.
    Status(&'static [u16]),
    /// Problem details with this status, whose text begins so.
    Problem(u16, &'static str),
}

/// A picture with edges of every direction.
fn file(format: Format, channels: usize) -> Vec<u8> {
    let sample = |at: usize| {
        let (x, y, channel) = (at / channels % WIDTH, at / channels / WIDTH, at % channels);
        // Bright beside dark, not red beside green: most of what JPEG loses is colour.
        let bright = if (x / 7 + y / 5) % 3 == 0 { 200 - x } else { 20 + 2 * y };
        (bright + 16 * channel) as u8
    };
    let pixels: Vec<u8> = (0..WIDTH * HEIGHT * channels).map(sample).collect();
    let view = View { width: WIDTH, height: HEIGHT, channels, pixels: &pixels };
    // These formats hold such pictures.
    codecs::encode(view, format, Quality::new(90).unwrap_or_default()).unwrap_or_default()
}

/// A form with a file in a field of this name.
fn form(field: &str, file: &[u8]) -> (&'static str, Vec<u8>) {
    let head = format!(
        "--part\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nfirst\r\n--part\r\nContent-Disposition: form-data; \
         name=\"{field}\"; filename=\"photo\"\r\nContent-Type: application/octet-stream\r\n\r\n"
    );
    ("multipart/form-data; boundary=part", [head.as_bytes(), file, b"\r\n--part--\r\n"].concat())
}

/// The JPEG as if it had 65535 x 65535 pixels.
fn huge(mut jpeg: Vec<u8>) -> Vec<u8> {
    if let Some(frame) = jpeg.windows(2).position(|pair| pair == [0xff, 0xc0])
        && let Some(sides) = jpeg.get_mut(frame + 5..frame + 9)
    {
        sides.fill(0xff);
    }
    jpeg
}

fn post(path: impl Into<String>, body: Vec<u8>, answer: Answer) -> Case {
    Case { method: "POST", path: path.into(), body: Some(("application/octet-stream", body)), answer }
}

pub(super) fn image_cases() -> Vec<Case> {
    let (png, jpeg) = (file(Format::Png, 3), file(Format::Jpeg, 3));
    let convolved = |path: String, file: &[u8]| post(path, file.to_vec(), Answer::Convolved(file.to_vec()));
    let edges = crate::image::Edge::ALL.map(|(name, _)| format!("/convolve?size=5&sigma=1.5&edge={name}"));
    let mut cases: Vec<Case> = edges.into_iter().map(|path| convolved(path, &png)).collect();
    cases.extend([
        convolved("/convolve".into(), &jpeg),
        convolved("/convolve?size=9&sigma=2&method=separable&edge=mirror&quality=95".into(), &jpeg),
        convolved("/convolve?size=3&sigma=0.8&method=separable".into(), &png),
        convolved("/convolve?kernel=custom&weights=0,-1,0,-1,5,-1,0,-1,0&edge=nearest".into(), &png),
        convolved("/convolve?kernel=custom&weights=0,0,0%2C0,0,0.5,0,0,0&edge=wrap".into(), &file(Format::Png, 1)),
        convolved("/convolve?size=7&edge=reflect".into(), &file(Format::Png, 4)),
        convolved("/convolve?size=7".into(), &file(Format::Jpeg, 1)),
    ]);
    for file in [&png, &jpeg] {
        let answer = Answer::Convolved(file.clone());
        cases.push(Case { method: "POST", path: "/convolve?size=3".into(), body: Some(form("image", file)), answer });
    }
    let refused = |query: &str, name| post(format!("/convolve?{query}"), png.clone(), Answer::Problem(400, name));
    cases.extend([
        refused("size=4", "size"),
        refused("size=257", "size"),
        refused("size=x", "size"),
        refused("sigma=0", "sigma"),
        refused("sigma=inf", "sigma"),
        refused("kernel=box", "kernel"),
        refused("kernel=custom", "weights"),
        refused("kernel=custom&weights=1,2,3,4", "weights"),
        refused("weights=1", "weights"),
        refused("edge=black", "edge"),
        refused("method=fast", "method"),
        refused("method=separable&kernel=custom&weights=0,1,0,1,0,1,0,1,0", "method"),
        refused("quality=0", "quality"),
    ]);
    let bad = |body: &[u8], status| post("/convolve", body.to_vec(), Answer::Problem(status, ""));
    cases.extend([
        bad(b"", 400),
        bad(b"GIF89a, perhaps", 415),
        bad(&png[..png.len() / 2], 422),
        bad(&jpeg[..jpeg.len() / 2], 422),
        bad(&huge(jpeg.clone()), 413),
    ]);
    let problem = |status| Answer::Problem(status, "");
    cases.push(Case { method: "POST", path: "/convolve".into(), body: Some(form("file", &png)), answer: problem(400) });
    cases.push(Case { method: "GET", path: "/convolve".into(), body: None, answer: problem(405) });
    cases
}

/// In this order: what is put is there, until it is deleted.
pub(super) fn store_cases() -> Vec<Case> {
    let (png, jpeg) = (file(Format::Png, 3), file(Format::Jpeg, 3));
    let ask = |method, path: &str, body: Option<&[u8]>, answer| {
        let body = body.map(|body| ("application/octet-stream", body.to_vec()));
        Case { method, path: format!("/images/{path}"), body, answer }
    };
    let problem = |status| Answer::Problem(status, "");
    let long = "a".repeat(65);
    vec![
        ask("GET", "verify", None, problem(404)),
        ask("PUT", "verify", Some(&png), Answer::Status(&[201])),
        ask("GET", "verify", None, Answer::File(png.clone())),
        ask("POST", "verify/convolve?size=5", None, Answer::Convolved(png.clone())),
        ask("PUT", "verify", Some(&jpeg), Answer::Status(&[204])),
        ask("GET", "verify", None, Answer::File(jpeg.clone())),
        ask("POST", "verify/convolve?size=5", None, Answer::Convolved(jpeg)),
        ask("POST", "verify/convolve?size=4", None, Answer::Problem(400, "size")),
        ask("POST", "verify", None, problem(405)),
        ask("DELETE", "verify", None, Answer::Status(&[204])),
        ask("GET", "verify", None, problem(404)),
        ask("DELETE", "verify", None, problem(404)),
        ask("POST", "verify/convolve?size=5", None, problem(404)),
        ask("PUT", "verify", Some(b"no image"), problem(415)),
        ask("PUT", ".hidden", Some(&png), problem(400)),
        ask("PUT", "%2e%2e%2fverify", Some(&png), problem(400)),
        ask("PUT", "a%00b", Some(&png), problem(400)),
        ask("PUT", &long, Some(&png), problem(400)),
    ]
}

impl Case {
    pub(super) async fn ask(&self, control: &Control, running: &Running) -> Option<Finding> {
        let Self { method, path, body, .. } = self;
        let body = body.as_ref().map(|(media_type, body)| (*media_type, &body[..]));
        let reply = control.send(running.address, Some(&running.host), Question { method, path, body }).await;
        let (expected, received) = match reply {
            Ok(reply) => self.answer.check(path, &reply).err()?,
            Err(reason) => ("an answer".to_owned(), reason),
        };
        Some(Finding { request: format!("{method} {path}"), expected, received })
    }
}

impl Answer {
    /// Else what it should have been, and what it is.
    fn check(&self, path: &str, reply: &Reply) -> Result<(), (String, String)> {
        match self {
            Self::Status(allowed) if allowed.contains(&reply.status) => Ok(()),
            Self::Status(allowed) => Err((format!("status {allowed:?}"), reply.describe())),
            Self::File(file) if reply.status == 200 && reply.body == *file => Ok(()),
            Self::File(file) => {
                Err((format!("status 200, the {} bytes that were put there", file.len()), reply.describe()))
            }
            Self::Problem(status, begin) => {
                let body = serde_json::from_slice::<serde_json::Value>(&reply.body).unwrap_or_default();
                let told = body["detail"].as_str().is_some_and(|detail| detail.starts_with(begin));
                let begin = if begin.is_empty() { String::new() } else { format!(", detail `{begin} …`") };
                let expected = || format!("status {status}, application/problem+json{begin}");
                if is_problem(reply, *status) && told { Ok(()) } else { Err((expected(), reply.describe())) }
            }
            Self::Convolved(file) => convolved(path, file, reply),
        }
    }
}

fn convolved(path: &str, file: &[u8], reply: &Reply) -> Result<(), (String, String)> {
    let format = Format::sniff(file).unwrap_or(Format::Png);
    let tolerance = if format == Format::Png { EXACT } else { NEAR };
    if reply.status != 200 || !reply.content_type.starts_with(format.mime()) {
        let received = format!("{}, {}", reply.content_type, reply.describe());
        return Err((format!("status 200, {}", format.mime()), received));
    }
    let problem = |reason: String| ("a path and a picture that loadgen knows itself".to_owned(), reason);
    let convolution = Convolution::of_path(path).map_err(problem)?;
    let inputs = vec![Arc::from(file)];
    let expected = Expected::new(convolution, tolerance, inputs).map_err(|error| problem(error.to_string()))?;
    expected.judge(0, &reply.body).map(drop).map_err(|wrong| (wrong.expected, wrong.received))
}

/// Many requests at once, each with a picture of its own: answers must not be mixed up.
pub(super) async fn distinct_at_once(control: &Control, running: &Running) -> Vec<Finding> {
    const PATH: &str = "/convolve?size=5&sigma=2&edge=wrap";
    let finding = |received: String| Finding {
        request: format!("POST {PATH}, {AT_ONCE} at once"),
        expected: "each its own picture, convolved".into(),
        received,
    };
    let inputs = || -> Result<Expected, String> {
        let size = Size { width: WIDTH as u32, height: HEIGHT as u32 };
        let source = Source::new(file(Format::Png, 3).into(), Some(size), None);
        let photograph = source.and_then(|source| source.open()).map_err(|error| error.to_string())?;
        let count = AT_ONCE as usize;
        let inputs = (0..count).map(|number| photograph.input(number, count)).collect::<Result<_, _>>();
        let convolution = Convolution::of_path(PATH)?;
        Expected::new(convolution, EXACT, inputs.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
    };
    let expected = match inputs() {
        Ok(expected) => expected,
        Err(reason) => return vec![finding(reason)],
    };
    let ask = |number: usize| {
        let expected = &expected;
        async move {
            let input = expected.inputs().get(number)?;
            let question = Question { body: Some(("image/png", &input[..])), ..Question::new("POST", PATH) };
            let reply = match control.send(running.address, Some(&running.host), question).await {
                Ok(reply) if reply.status == 200 => reply,
                Ok(reply) => return Some(reply.describe()),
                Err(reason) => return Some(reason),
            };
            let wrong = expected.judge(number, &reply.body).err()?;
            Some(format!("{}: {}", wrong.expected, wrong.received))
        }
    };
    let wrong = join_all((0..expected.inputs().len()).map(ask)).await;
    wrong.into_iter().flatten().take(1).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, content_type: &str, body: &[u8]) -> Reply {
        Reply {
            status,
            content_type: content_type.into(),
            allow: String::new(),
            content_length: None,
            body: body.to_vec(),
        }
    }

    #[test]
    fn pictures_of_the_cases_are_what_they_should_be() {
        for (format, channels) in
            [(Format::Png, 1), (Format::Png, 3), (Format::Png, 4), (Format::Jpeg, 1), (Format::Jpeg, 3)]
        {
            let picture = codecs::decode(&file(format, channels), 1 << 20).unwrap();
            assert_eq!((picture.width, picture.height, picture.channels), (WIDTH, HEIGHT, channels));
        }
        let error = codecs::read_header(&huge(file(Format::Jpeg, 3)), 100_000_000).unwrap_err();
        assert!(matches!(error, codecs::DecodeError::TooManyPixels { .. }), "{error}");
    }

    #[test]
    fn answers_are_told_from_wrong_ones() {
        let png = file(Format::Png, 3);
        let (path, answer) = ("/convolve?kernel=custom&weights=1", Answer::Convolved(png.clone()));
        let wrong = |status, media: &str, body: &[u8]| answer.check(path, &reply(status, media, body)).unwrap_err().1;
        // Nothing is changed by this kernel, and the file itself is no answer.
        let picture = codecs::decode(&png, 1 << 20).unwrap();
        let mut other = picture.clone();
        other.pixels[0] ^= 1;
        let encoded =
            |picture: &codecs::Picture| codecs::encode(picture.view(), Format::Png, Quality::default()).unwrap();
        assert!(answer.check(path, &reply(200, "image/png", &encoded(&other))).is_ok());
        other.pixels[0] ^= 2;
        assert!(wrong(200, "image/png", &encoded(&other)).contains("off by"));
        assert!(wrong(200, "image/jpeg", &png).contains("image/jpeg"));
        assert!(wrong(404, "image/png", &png).contains("404"));

        let refused = Answer::Problem(400, "size");
        let problem = |detail: &str| {
            format!(r#"{{"type":"about:blank","title":"Bad Request","status":400,"detail":"{detail}"}}"#)
        };
        let check =
            |detail: &str| refused.check("", &reply(400, "application/problem+json", problem(detail).as_bytes()));
        assert!(check("size must be odd").is_ok() && check("sigma must be").is_err());
    }
}

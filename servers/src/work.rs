//! What a request asks for: a job as it stands, or a file whose picture is decoded, convolved and encoded around one.

use std::time::{Duration, Instant};

use bytes::Bytes;
use codecs::{DecodeError, EncodeError, Format, View};

use crate::backend::{Backend, BackendError};
use crate::image::Image;
use crate::job::{Answer, Job, JobError};
use crate::parameters::{ParameterError, Parameters};

/// What is to be done for a request, wherever its executor does it.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// A job whose answer is a text.
    Text(Job),
    /// A file to be convolved; the answer is a file of the same format.
    File(ConvolveFile),
}

/// A file and what is to be done to its picture. Only its header has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvolveFile {
    file: Bytes,
    format: Format,
    parameters: Parameters,
    max_pixels: u64,
}

/// What came of it, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// A text.
    Text(String),
    /// A picture.
    File(Format, Vec<u8>),
}

/// How long each part took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// From the file to pixels, where there was a file.
    pub decode: Option<Duration>,
    /// What the backend took.
    pub compute: Duration,
    /// From pixels to a file.
    pub encode: Option<Duration>,
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The file cannot be decoded.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The job failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The picture cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The backend answered an image with something else.
    #[error("the backend gave no image")]
    NoImage,
}

/// A request that asks for no work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWork {
    /// There is no such computation.
    #[error("{0} is no computation of the contract")]
    Route(String),
    /// A number is wrong.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A parameter of the convolution is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The body is no image that can be convolved.
    #[error(transparent)]
    File(#[from] DecodeError),
}

impl Work {
    /// The work that a request asks for, such as `GET /fib/40` without a body or `POST /convolve?size=7` with an image
    /// as its body (of an image that the server has, too). For whoever wants it done without a server, as often as it likes: it is cheap to clone.
    ///
    /// # Errors
    /// It asks for none, or wrongly.
    pub fn parse(method: &str, path_and_query: &str, body: impl Into<Bytes>) -> Result<Self, NoWork> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        match (method, path.split('/').collect::<Vec<_>>().as_slice()) {
            ("GET", ["", "fib", n]) => Ok(Self::Text(Job::fib(n, query)?)),
            ("GET", ["", "atan-tan", num]) => Ok(Self::Text(Job::atan_tan(num, query)?)),
            ("POST", ["", "convolve"] | ["", "images", _, "convolve"]) => {
                let parameters = Parameters::parse(query)?;
                Ok(Self::File(ConvolveFile::new(body.into(), parameters, u64::MAX)?))
            }
            _ => Err(NoWork::Route(format!("{method} {path}"))),
        }
    }

    /// Does all of it on this thread, and lets go of what is no longer needed as soon as it can be.
    pub fn run(self, backend: &mut dyn Backend) -> Result<(Output, Times), WorkError> {
        match self {
            Self::Text(job) => {
                let begun = Instant::now();
                let answer = backend.compute(&job)?;
                let times = Times { compute: begun.elapsed(), ..Times::default() };
                Ok((Output::Text(answer.to_string()), times))
            }
            Self::File(work) => work.run(backend),
        }
    }
}

impl ConvolveFile {
    /// Reads the header.
    pub(crate) fn new(file: Bytes, parameters: Parameters, max_pixels: u64) -> Result<Self, DecodeError> {
        let format = codecs::read_header(&file, max_pixels)?.format;
        Ok(Self { file, format, parameters, max_pixels })
    }

    fn run(self, backend: &mut dyn Backend) -> Result<(Output, Times), WorkError> {
        let Self { file, format, parameters, max_pixels } = self;
        let (image, decode) = timed(|| decode(&file, max_pixels))?;
        drop(file);
        let job = Job::Convolve(parameters.job(image));
        let (answer, compute) = timed(|| backend.compute(&job))?;
        drop(job);
        let Answer::Image(Image { width, height, channels, pixels }) = answer else {
            return Err(WorkError::NoImage);
        };
        let view = View { width, height, channels, pixels: &pixels };
        let (file, encode) = timed(|| codecs::encode(view, format, parameters.quality))?;
        Ok((Output::File(format, file), Times { decode: Some(decode), compute, encode: Some(encode) }))
    }
}

fn decode(file: &[u8], max_pixels: u64) -> Result<Image, DecodeError> {
    let codecs::Picture { width, height, channels, pixels } = codecs::decode(file, max_pixels)?;
    Ok(Image { width, height, channels, pixels: pixels.into() })
}

/// What a step gives, with how long it took.
fn timed<T, E>(step: impl FnOnce() -> Result<T, E>) -> Result<(T, Duration), E> {
    let begun = Instant::now();
    Ok((step()?, begun.elapsed()))
}

#[cfg(test)]
mod tests {
    use codecs::Quality;

    use super::*;
    use crate::backend::Native;

    fn png() -> Vec<u8> {
        let pixels: Vec<u8> = (0..5 * 4 * 3).collect();
        codecs::encode(View { width: 5, height: 4, channels: 3, pixels: &pixels }, Format::Png, Quality::default())
            .unwrap()
    }

    #[test]
    fn a_file_becomes_a_file() {
        let work = Work::parse("POST", "/convolve?kernel=custom&weights=1", png()).unwrap();
        let (output, times) = work.run(&mut Native::default()).unwrap();
        assert_eq!(output, Output::File(Format::Png, png()));
        assert!(times.decode.is_some() && times.encode.is_some());
    }

    #[test]
    fn a_job_becomes_a_text() {
        let (output, times) = Work::parse("GET", "/fib/10?salt=1", "").unwrap().run(&mut Native::default()).unwrap();
        assert_eq!(output, Output::Text("56".into()));
        assert_eq!((times.decode, times.encode), (None, None));
    }

    #[test]
    fn what_asks_for_no_work_is_told_why() {
        for (method, path, body, reason) in [
            ("GET", "/convolve", png(), "GET /convolve is no computation"),
            ("POST", "/fib/1", vec![], "no computation"),
            ("GET", "/hello", vec![], "no computation"),
            ("GET", "/fib/1/2", vec![], "no computation"),
            ("GET", "/fib/94", vec![], "n must be"),
            ("POST", "/convolve?size=2", png(), "size must be"),
            ("POST", "/convolve", b"GIF89a".to_vec(), "neither"),
        ] {
            let error = Work::parse(method, path, body).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}

//! Pictures in a scenario: what is sent, and how near to the expected picture an answer must be.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::image::{Convolution, Size, Source, Tolerance};

/// The pictures that come with the program: name and contents.
const EMBEDDED: &[(&str, &[u8])] =
    &[("deep-field-1680x1050.jpg", include_bytes!("../../../scenarios/images/deep-field-1680x1050.jpg"))];

/// The `[request.image]` table: every request has a picture as its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageInput {
    /// A photograph: one of those that come with the program, or a file, relative to the scenario's.
    pub file: String,
    /// Inputs of another size are tiled with it, or cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    /// How many bytes an input should have, where it is a JPEG; absent: as many for each pixel as the photograph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// With each request, or once beforehand.
    #[serde(default)]
    pub send: Sending,
    /// How many distinct ones there are; absent: as many as the highest level has clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<u32>,
    /// The contents of the file.
    #[serde(skip)]
    photograph: Arc<[u8]>,
}

/// How a server gets its inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Sending {
    /// Each request has its input as its body.
    #[default]
    Upload,
    /// All are stored before anything is timed, and requests name one: `/images/NAME-0/convolve?…`.
    Store,
}

/// The `[expect.image]` table: the answer is the picture that the path asks for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectImage {
    /// How near it must be: encoders differ, and what they lose as well.
    pub tolerance: Tolerance,
}

/// Most inputs: they are all kept, as files.
const INPUTS_MOST: u32 = 1000;

impl ImageInput {
    /// Reads the photograph; a relative path begins at `base`, `None` for scenarios that come with the program.
    ///
    /// # Errors
    /// It is not there, or no photograph.
    pub(super) fn load(&mut self, base: Option<&Path>) -> Result<(), String> {
        let embedded = || EMBEDDED.iter().find(|(name, _)| *name == self.file).map(|&(_, bytes)| Arc::from(bytes));
        let path = base.map(|base| base.join(&self.file));
        let read = path.as_deref().map(std::fs::read).transpose();
        let found = match read {
            Ok(Some(bytes)) => Some(bytes.into()),
            Ok(None) => embedded(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => embedded(),
            Err(error) => return Err(format!("{}: {error}", path.unwrap_or_default().display())),
        };
        let shown = path.unwrap_or_else(|| self.file.clone().into());
        self.photograph = found.ok_or_else(|| {
            let names: Vec<&str> = EMBEDDED.iter().map(|&(name, _)| name).collect();
            format!(
                "{}: there is no such file; pictures that come with the program: {}",
                shown.display(),
                names.join(", ")
            )
        })?;
        self.source().map(drop).map_err(|error| format!("{}: {error}", shown.display()))
    }

    /// What inputs are made of.
    ///
    /// # Errors
    /// It is no photograph; then it was not loaded.
    pub fn source(&self) -> Result<Source, crate::image::SourceError> {
        Source::new(Arc::clone(&self.photograph), self.size, self.bytes)
    }

    /// What is wrong with the table itself, as key and reason.
    pub(super) fn fault(&self) -> Option<(&'static str, String)> {
        let fine = |most: u64, number: u64| (1..=most).contains(&number);
        if self.inputs.is_some_and(|inputs| !fine(INPUTS_MOST.into(), inputs.into())) {
            return Some(("inputs", format!("must be 1 to {INPUTS_MOST}")));
        }
        if self.bytes.is_some_and(|bytes| !fine(1 << 30, bytes)) {
            return Some(("bytes", "must be 1 to 1073741824".into()));
        }
        None
    }
}

/// Whether pictures sent and pictures expected go together; which key does not, and why.
pub(super) fn check(
    image: Option<&ImageInput>,
    expect: Option<&ExpectImage>,
    path: &str,
    has_sizes: bool,
) -> Result<(), (&'static str, String)> {
    match (image, expect) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(("expect.image", "needs [request.image], the pictures that are sent".into())),
        (Some(_), None) => Err(("request.image", "needs [expect.image], how near the answers must be".into())),
        _ if has_sizes => Err(("sizes", "cannot be an axis of pictures: give request.image a size".into())),
        (Some(image), Some(expect)) => {
            if let Some((key, reason)) = image.fault() {
                return Err((if key == "inputs" { "request.image.inputs" } else { "request.image.bytes" }, reason));
            }
            if let Some(reason) = expect.tolerance.fault() {
                return Err(("expect.image.tolerance", reason.into()));
            }
            Convolution::of_path(path).map(drop).map_err(|reason| ("request.path", format!("`{path}`: {reason}")))
        }
    }
}

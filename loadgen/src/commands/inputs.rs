//! Makes the pictures that a scenario sends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::image::{Convolution, Expected, SourceError};
use crate::results::machine::usable_cpus;
use crate::scenario::Scenario;

/// Work that is done sooner is not told of.
const PATIENCE: Duration = Duration::from_secs(2);

/// The inputs of a scenario and what is expected of the answers; `None` where it sends no pictures.
///
/// # Errors
/// The photograph is damaged, or makes no distinct inputs.
pub(super) async fn prepare(scenario: &Scenario) -> anyhow::Result<Option<Arc<Expected>>> {
    let (Some(image), Some(expect)) = (&scenario.request.image, scenario.expect.image) else { return Ok(None) };
    let problem = || format!("scenario {}: request.image.file: {}", scenario.name, image.file);
    let (source, count) = (image.source().with_context(problem)?, scenario.inputs());
    let convolution = Convolution::of_path(&scenario.request.path).map_err(anyhow::Error::msg)?;
    let (begun, mut told) = (Instant::now(), Instant::now());
    let mut inputs = Vec::new();
    // Decoded pictures can be large: no more at once than there are CPUs.
    let opened = source.clone();
    let photograph = Arc::new(blocking(move || opened.open()).await.with_context(problem)?);
    let make = |number| {
        let photograph = Arc::clone(&photograph);
        blocking(move || photograph.input(number, count))
    };
    let mut made = stream::iter(0..count).map(make).buffered(usable_cpus().len());
    while let Some(input) = made.try_next().await.with_context(problem)? {
        inputs.push(input);
        if inputs.len() < count && begun.elapsed() > PATIENCE && told.elapsed() > PATIENCE {
            told = Instant::now();
            eprintln!("loadgen: making pictures of {} pixels: {} of {count}", source.size(), inputs.len());
        }
    }
    Ok(Some(Arc::new(Expected::new(convolution, expect.tolerance, inputs).with_context(problem)?)))
}

/// Computes on another thread, so that an interrupt is heard.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SourceError> + Send + 'static,
) -> anyhow::Result<T> {
    Ok(tokio::task::spawn_blocking(work).await??)
}

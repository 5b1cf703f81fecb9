//! What a result says of where it comes from.

use jiff::ZonedDateTime;

/// Version and commit of loadgen.
pub(super) const PROGRAM: &str = concat!("cpubound ", env!("CARGO_PKG_VERSION"), " (", env!("LOADGEN_COMMIT"), ")");

/// A time with its offset (RFC 3339).
pub(super) fn timestamp(now: &ZonedDateTime) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// The command line, whatever bytes are in it.
pub(super) fn typed() -> Vec<String> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("loadgen".to_owned()).chain(arguments).collect()
}

//! What holds for the parser whatever bytes a server sends. The fuzz target and the tests that replay its corpus share this.

use super::{ParseError, Parser, Progress};

/// What came of some bytes, and whether only the end of the connection completed them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) reusable: bool,
    pub(crate) server_timing: Option<Vec<u8>>,
    pub(crate) at_close: bool,
}

/// For `parse`.
pub(crate) const MAX_BODY: usize = 1 << 16;

/// Feeds `pieces`, then the end of the connection.
pub(crate) fn parse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Parsed, ParseError> {
    let mut parser = Parser::new(false, MAX_BODY);
    let (mut progress, mut last) = (Progress::Incomplete, &[][..]);
    for piece in pieces.into_iter().filter(|piece| !piece.is_empty()) {
        progress = feed(&mut parser, piece)?;
        last = piece;
    }
    parser.finish()?;
    let response = parser.response(last);
    Ok(Parsed {
        status: response.status,
        body: response.body.to_vec(),
        reusable: response.reusable,
        server_timing: response.server_timing.map(<[u8]>::to_vec),
        at_close: progress == Progress::Incomplete,
    })
}

/// As the engine does it: into the room for a large body, where there is one.
fn feed(parser: &mut Parser, piece: &[u8]) -> Result<Progress, ParseError> {
    let Some(room) = parser.room() else { return parser.feed(piece) };
    let (fits, more) = piece.split_at(room.len().min(piece.len()));
    room[..fits.len()].copy_from_slice(fits);
    match parser.read_into_room(fits.len()) {
        progress if more.is_empty() => Ok(progress),
        _ => parser.feed(more),
    }
}

/// Any split of any bytes gives the same; nothing panics; a body is never longer than allowed.
pub(crate) fn hold(bytes: &[u8], cuts: &[usize]) {
    let whole = parse([bytes]);
    assert_eq!(parse(split(bytes, cuts)), whole, "cut at {cuts:?}");
    assert_eq!(parse(bytes.chunks(1)), whole, "byte by byte");
    if let Ok(parsed) = whole {
        assert!(parsed.body.len() <= MAX_BODY);
        assert!(!(parsed.reusable && parsed.at_close));
    }
}

/// `bytes` cut at these places, in thousandths of the whole.
pub(crate) fn split<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| bytes.len() * (cut % 1000) / 1000).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// The same for one input of the fuzz target: its first two bytes say where to cut the others.
pub(crate) fn hold_for(input: &[u8]) {
    if let [first, second, bytes @ ..] = input {
        hold(bytes, &[usize::from(*first) * 4, usize::from(*second) * 4]);
    }
}

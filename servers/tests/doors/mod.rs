//! What strangers can send, and what must hold whatever it is. Used by a test with the corpus, and by the fuzzer.

#![allow(dead_code, reason = "no user uses both")]

use bytes::Bytes;
use codecs::{Format, Quality};
use servers::{Work, form};

/// Enough for any kind of file, and soon decoded.
const MAX_PIXELS: u64 = 1 << 16;

/// A file: it is an error, or a picture that is as its header says and can be encoded.
pub fn file(data: &[u8]) {
    let header = codecs::read_header(data, MAX_PIXELS);
    let picture = match codecs::decode(data, MAX_PIXELS) {
        Ok(picture) => picture,
        Err(_) => return,
    };
    let header = header.expect("what can be decoded has a header");
    assert_eq!((header.width as usize, header.height as usize), (picture.width, picture.height));
    assert_eq!(picture.pixels.len(), picture.width * picture.height * picture.channels);
    assert!((1..=4).contains(&picture.channels));
    assert_eq!(Format::sniff(data), Some(header.format));
    codecs::encode(picture.view(), header.format, Quality::default()).expect("it came in this format");
}

/// A query, a line with a content type, and a body: wrong or not, a field found is a part of the body.
pub fn request(data: &[u8]) {
    let mut parts = data.splitn(3, |&byte| byte == b'\n');
    let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let (query, content_type) = (text(), text());
    let body = Bytes::copy_from_slice(parts.next().unwrap_or_default());
    if let Ok(Some(boundary)) = form::boundary(&content_type)
        && let Ok(field) = form::field(&body, &boundary, "image")
    {
        assert!(field.is_empty() || body.as_ptr_range().contains(&field.as_ptr()));
        assert!(field.len() + 2 * boundary.len() <= body.len());
    }
    for (method, path) in [("POST", "/convolve"), ("GET", "/fib/1"), ("GET", "/atan-tan/1")] {
        if let Err(error) = Work::parse(method, &format!("{path}?{query}"), body.clone()) {
            assert!(error.to_string().len() < 400, "{error}");
        }
    }
}

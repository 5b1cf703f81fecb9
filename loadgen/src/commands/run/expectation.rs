//! Which answers are right.

use std::fmt;
use std::str::FromStr;

use sha2::Digest as _;

use crate::engine::{Asked, Check, Mismatch, Reply};

/// Everything that is given must hold.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The status is one of these.
    pub statuses: Statuses,
    /// The body is this.
    pub body: Option<Body>,
}

/// What is known of the right body.
#[derive(Debug, Clone)]
pub enum Body {
    /// All of it.
    Text(Salted),
    /// Its hash.
    Sha256(Sha256),
}

impl Check for Expectation {
    fn check(&self, Asked { salt, .. }: Asked, Reply { status, body }: Reply<'_>) -> Result<(), Mismatch> {
        if !self.statuses.contains(status) {
            return Err(Mismatch::status(&self.statuses, status, body));
        }
        match &self.body {
            Some(Body::Text(text)) if !text.is(salt, body) => Err(Mismatch::body(text.with(salt), body)),
            Some(Body::Sha256(wanted)) => match Sha256::of(body) {
                found if found == *wanted => Ok(()),
                found => Err(Mismatch::body(format!("SHA-256 {wanted}"), format!("SHA-256 {found}").as_bytes())),
            },
            _ => Ok(()),
        }
    }
}

/// Statuses and classes of them: `200`, `2xx`, `200,404`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statuses {
    given: String,
    ranges: Vec<(u16, u16)>,
}

impl Statuses {
    /// Whether `status` is one of them.
    pub fn contains(&self, status: u16) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&status))
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let range = |item: &str| {
            if let Some(class) = item.strip_suffix("xx").and_then(|class| class.parse::<u16>().ok()) {
                return (1..=5).contains(&class).then_some((class * 100, class * 100 + 99));
            }
            item.parse().ok().filter(|status| (100..600).contains(status)).map(|status| (status, status))
        };
        let ranges = text.split(',').map(range).collect::<Option<Vec<_>>>();
        let ranges = ranges.ok_or("is no status from 100 to 599; write 200, 2xx or 200,404")?;
        Ok(Self { given: text.to_owned(), ranges })
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.given)
    }
}

/// A text with places for the salt of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salted(Vec<String>);

impl Salted {
    /// Cuts it at each `{salt}`.
    pub fn new(text: &str) -> Self {
        Self(text.split("{salt}").map(str::to_owned).collect())
    }

    /// The text for this salt.
    pub fn with(&self, salt: u32) -> String {
        self.0.join(&salt.to_string())
    }

    fn is(&self, salt: u32, body: &[u8]) -> bool {
        match self.0.as_slice() {
            // No text is made where it is always the same.
            [whole] => body == whole.as_bytes(),
            _ => body == self.with(salt).as_bytes(),
        }
    }
}

/// A SHA-256 hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }
}

impl FromStr for Sha256 {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "is no SHA-256: 64 hex digits, as sha256sum prints them".to_owned();
        let mut hash = [0; 32];
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        for (index, byte) in hash.iter_mut().enumerate() {
            let digits = text.get(2 * index..2 * index + 2).ok_or_else(wrong)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(Self(hash))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ErrorKind;

    fn checked(statuses: &str, body: Option<Body>, status: u16, received: &[u8]) -> Option<ErrorKind> {
        let expectation = Expectation { statuses: statuses.parse().unwrap(), body };
        let asked = Asked { salt: 7, input: 0 };
        expectation.check(asked, Reply { status, body: received }).err().map(|mismatch| mismatch.kind())
    }

    #[test]
    fn statuses_are_single_or_classes() {
        for (statuses, right, wrong) in [
            ("2xx", &[200, 204, 299][..], &[199, 300, 404][..]),
            ("302", &[302], &[200, 301]),
            ("200,4xx", &[200, 404], &[201]),
        ] {
            right.iter().for_each(|&status| assert_eq!(checked(statuses, None, status, b""), None, "{status}"));
            for &status in wrong {
                assert_eq!(checked(statuses, None, status, b""), Some(ErrorKind::Status), "{status}");
            }
        }
        assert_eq!(checked("2xx", None, 503, b""), Some(ErrorKind::Shed));
        for text in ["", "200,", "99", "600", "6xx", "0xx", "xx", "+200xx", "ok", "200 404"] {
            assert!(text.parse::<Statuses>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_salted_body_is_of_its_request_alone() {
        let body = || Some(Body::Text(Salted::new("<{salt}|{salt}>")));
        assert_eq!(checked("200", body(), 200, b"<7|7>"), None);
        for wrong in [&b"<7|8>"[..], b"<{salt}|{salt}>", b"", b"<7|7> "] {
            assert_eq!(checked("200", body(), 200, wrong), Some(ErrorKind::Body));
        }
        assert_eq!(checked("200", Some(Body::Text(Salted::new(""))), 200, b""), None);
    }

    #[test]
    fn hashes_are_compared_whatever_their_case() {
        let abc = "BA7816BF8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let body = || Some(Body::Sha256(abc.parse().unwrap()));
        assert_eq!(checked("200", body(), 200, b"abc"), None);
        assert_eq!(checked("200", body(), 200, b"abd"), Some(ErrorKind::Body));
        assert_eq!(abc.parse::<Sha256>().unwrap().to_string(), abc.to_lowercase());
        for text in ["", "ab", &abc[1..], &abc.replace('8', "g"), &"ü".repeat(32)] {
            assert!(text.parse::<Sha256>().is_err(), "{text}");
        }
    }
}

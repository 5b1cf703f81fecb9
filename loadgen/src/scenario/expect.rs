//! What a right answer looks like.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::image::ExpectImage;
use super::sizes::{Base, with_size};
use crate::engine::{Asked, Check, Mismatch, Reply};

/// The `[expect]` table of a scenario. An answer is right when everything that is given holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The HTTP status.
    #[serde(default = "ok")]
    pub status: u16,
    /// The body is this number (plus the salt, with `plus_salt`) as decimal text: one number, or one for each size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Base>,
    /// The salt of the request is added to `base`, so that an answer to another request is caught.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub plus_salt: bool,
    /// How far a floating-point answer may be off, absolutely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// The whole body, to the byte; `{salt}` stands for the salt of the request, `{size}` for its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body is the picture that the path asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<ExpectImage>,
}

/// A whole number is compared to the letter, a floating-point one within the tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "not a number; write 610 or 6.5, without quotes")]
pub enum Number {
    /// Compared as text: `5` is right for 5, `5.0` is not.
    Whole(u64),
    /// Compared as doubles.
    Float(f64),
}

fn ok() -> u16 {
    200
}

impl Expect {
    /// Only the status is checked.
    pub fn status_only(status: u16) -> Self {
        Self { status, base: None, plus_salt: false, tolerance: None, body: None, image: None }
    }

    /// Whether anything but the status is checked.
    pub fn checks_body(&self) -> bool {
        self.base.is_some() || self.body.is_some() || self.image.is_some()
    }

    /// The right answer to requests of one size.
    pub fn at(&self, size: Option<u32>) -> Self {
        let base = self.base.as_ref().map(|base| base.at(size));
        Self { base, body: self.body.as_deref().map(|body| with_size(body, size)), ..self.clone() }
    }

    /// What is wrong with the table itself, as key and reason.
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let numbers = || self.base.iter().flat_map(Base::numbers);
        let floats = numbers().any(|number| matches!(number, Number::Float(_)));
        let whole = numbers().any(|number| matches!(number, Number::Whole(_)));
        match (&self.base, self.tolerance) {
            _ if !(100..600).contains(&self.status) => Some(("status", "is no HTTP status (100 to 599)")),
            (None, _) if self.plus_salt => Some(("plus_salt", "needs `base`, the number that the salt is added to")),
            _ if self.image.is_some() && (self.base.is_some() || self.body.is_some()) => {
                Some(("image", "excludes `base` and `body`: give one of them"))
            }
            (Some(_), _) if self.body.is_some() => Some(("body", "excludes `base`: give one of them")),
            _ if numbers().any(|number| matches!(number, Number::Float(base) if !base.is_finite())) => {
                Some(("base", "is not finite"))
            }
            (_, Some(_)) if whole || !floats => {
                Some(("tolerance", "goes with a floating-point `base` (write 2.0, not 2)"))
            }
            (_, Some(tolerance)) if !(tolerance >= 0.0 && tolerance.is_finite()) => {
                Some(("tolerance", "must be a finite number, 0 or more"))
            }
            _ => None,
        }
    }

    /// The right answer to the request with this salt, in words.
    pub fn describe(&self, salt: u32) -> String {
        let (asked, salt) = (salt, if self.plus_salt { salt } else { 0 });
        match (&self.base, &self.body) {
            (Some(Base::One(Number::Whole(base))), _) => (u128::from(*base) + u128::from(salt)).to_string(),
            (Some(Base::One(Number::Float(base))), _) => {
                format!("{} (within {})", base + f64::from(salt), self.tolerance.unwrap_or(0.0))
            }
            (Some(Base::BySize(_)), _) => "the number of its size".into(),
            (None, Some(text)) => Filled { text, salt: asked }.to_string(),
            (None, None) => format!("status {}", self.status),
        }
    }

    /// Without asking for memory: it takes CPU that the server may want.
    fn body_is_right(&self, asked: u32, reply: Reply<'_>) -> bool {
        let salt = if self.plus_salt { asked } else { 0 };
        match (&self.base, &self.body) {
            (Some(Base::One(Number::Whole(base))), _) => {
                reply.body_is(format_args!("{}", u128::from(*base) + u128::from(salt)))
            }
            (Some(Base::One(Number::Float(base))), _) => {
                let wanted = base + f64::from(salt);
                let found = std::str::from_utf8(reply.body).ok().and_then(|text| text.parse::<f64>().ok());
                found.is_some_and(|found| (found - wanted).abs() <= self.tolerance.unwrap_or(0.0))
            }
            // Which size was asked for is not known here: `at` comes first.
            (Some(Base::BySize(_)), _) => false,
            (None, Some(text)) => reply.body_is(format_args!("{}", Filled { text, salt: asked })),
            (None, None) => true,
        }
    }
}

/// A text whose `{salt}` is filled in.
struct Filled<'a> {
    text: &'a str,
    salt: u32,
}

impl fmt::Display for Filled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.text.split("{salt}").enumerate() {
            if index > 0 {
                write!(f, "{}", self.salt)?;
            }
            f.write_str(part)?;
        }
        Ok(())
    }
}

impl Check for Expect {
    fn check(&self, Asked { salt, .. }: Asked, reply: Reply<'_>) -> Result<(), Mismatch> {
        let Reply { status, body } = reply;
        if status != self.status {
            Err(Mismatch::status(self.status, status, body))
        } else if !self.body_is_right(salt, reply) {
            Err(Mismatch::body(self.describe(salt), body))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ErrorKind;

    fn expect(text: &str) -> Expect {
        toml::from_str(text).unwrap()
    }

    fn checked(expect: &Expect, salt: u32, status: u16, body: &[u8]) -> Result<(), Mismatch> {
        expect.check(Asked { salt, input: 0 }, Reply { status, body })
    }

    #[test]
    fn whole_numbers_are_compared_to_the_letter() {
        let fib = expect("base = 55\nplus_salt = true");
        assert!(checked(&fib, 7, 200, b"62").is_ok());
        assert_eq!(checked(&fib, 7, 200, b"62\n").unwrap_err().kind(), ErrorKind::Body);
        assert_eq!(checked(&fib, 8, 200, b"62").unwrap_err().kind(), ErrorKind::Body);
        assert_eq!(checked(&fib, 7, 500, b"62").unwrap_err().kind(), ErrorKind::Status);
        assert_eq!(checked(&fib, 7, 503, b"").unwrap_err().kind(), ErrorKind::Shed);
        assert!(checked(&fib, u32::MAX, 200, b"4294967350").is_ok());
    }

    #[test]
    fn each_size_has_an_answer_of_its_own() {
        let fib = expect("base = { 10 = 55, 11 = 89 }\nplus_salt = true");
        assert!(checked(&fib.at(Some(11)), 7, 200, b"96").is_ok());
        assert!(checked(&fib.at(Some(10)), 7, 200, b"96").is_err());
        // Nothing is right where the size is not known or has no answer.
        assert!(checked(&fib, 7, 200, b"96").is_err());
        assert!(checked(&fib.at(Some(12)), 7, 200, b"96").is_err());
        let echo = expect("body = \"{size} {salt}\"");
        assert!(checked(&echo.at(Some(11)), 7, 200, b"11 7").is_ok());
    }

    #[test]
    fn a_body_can_hold_the_salt() {
        let echo = expect("body = \"hi {salt}\"");
        assert!(checked(&echo, 7, 200, b"hi 7").is_ok());
        for wrong in ["hi 8", "hi 77", "hi ", "", "hi 7 ", "Hi 7"] {
            let mismatch = checked(&echo, 7, 200, wrong.as_bytes()).unwrap_err();
            assert_eq!(mismatch.expected(), "\"hi 7\"");
        }
        let twice = expect("body = \"{salt}-{salt}\"");
        assert!(checked(&twice, 7, 200, b"7-7").is_ok() && checked(&twice, 7, 200, b"7-8").is_err());
    }

    #[test]
    fn floats_are_compared_within_the_tolerance() {
        let sum = expect("base = -2898550.5\nplus_salt = true\ntolerance = 0.001");
        assert!(checked(&sum, 1, 200, b"-2898549.5004").is_ok());
        assert!(checked(&sum, 1, 200, b"-2898549.6").is_err());
        assert!(checked(&sum, 1, 200, b"NaN").is_err());
        assert!(checked(&sum, 1, 200, b"\xff").is_err());
    }

    #[test]
    fn contradictions_are_named() {
        for (text, key) in [
            ("status = 42", "status"),
            ("plus_salt = true", "plus_salt"),
            ("base = 1\nbody = \"1\"", "body"),
            ("base = 1\ntolerance = 0.1", "tolerance"),
            ("base = 1.0\ntolerance = -0.1", "tolerance"),
            ("base = inf", "base"),
            ("base = { 1 = 1.0, 2 = nan }", "base"),
            ("base = { 1 = 1.0, 2 = 2 }\ntolerance = 0.1", "tolerance"),
        ] {
            assert_eq!(expect(text).fault().map(|(key, _)| key), Some(key), "{text}");
        }
        assert_eq!(expect("base = 1").fault(), None);
    }
}

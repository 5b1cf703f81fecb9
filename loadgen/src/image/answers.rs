//! Which answers are right: the first to an input by its pixels, all later ones by its bytes.

use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{Asked, Check, Mismatch, Reply};

use super::{Convolution, Difference, MOST_PIXELS, SourceError, Tolerance};

/// What is expected of the first answer to every input.
#[derive(Debug)]
pub struct Expected {
    convolution: Convolution,
    tolerance: Tolerance,
    inputs: Vec<Arc<[u8]>>,
    /// Answers to each input that were found right, whoever gave them: most servers give the same, and comparing bytes is
    /// a thousand times as fast as computing.
    right: Vec<Mutex<Vec<Arc<[u8]>>>>,
}

/// An answer that is not the expected picture, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// What it should have been.
    pub expected: String,
    /// What it is.
    pub received: String,
}

impl Expected {
    /// Of these inputs.
    ///
    /// # Errors
    /// Two of them are the same.
    pub fn new(convolution: Convolution, tolerance: Tolerance, inputs: Vec<Arc<[u8]>>) -> Result<Self, SourceError> {
        let distinct: std::collections::BTreeSet<&[u8]> = inputs.iter().map(|input| &input[..]).collect();
        if distinct.len() < inputs.len() {
            return Err(SourceError::Plain);
        }
        let right = inputs.iter().map(|_| Mutex::default()).collect();
        Ok(Self { convolution, tolerance, inputs, right })
    }

    /// The inputs, as they are sent.
    pub fn inputs(&self) -> &[Arc<[u8]>] {
        &self.inputs
    }

    /// Whether this is the picture that input `number` becomes. Takes as long as decoding and convolving do, unless an answer
    /// with the same bytes was right before.
    ///
    /// # Errors
    /// It is not.
    pub fn judge(&self, number: usize, answer: &[u8]) -> Result<Arc<[u8]>, Wrong> {
        let wrong = |received: String| Wrong { expected: self.describe(number), received };
        let (Some(input), Some(right)) = (self.inputs.get(number), self.right.get(number)) else {
            return Err(wrong("an answer to nothing".into()));
        };
        let known = || right.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = known().iter().find(|same| same[..] == *answer) {
            return Ok(Arc::clone(same));
        }
        if input[..] == *answer {
            return Err(wrong("the input itself".into()));
        }
        let received = codecs::decode(answer, MOST_PIXELS).map_err(|error| wrong(error.to_string()))?;
        let picture = codecs::decode(input, MOST_PIXELS).map_err(|error| wrong(format!("input: {error}")))?;
        let shape = |picture: &codecs::Picture| (picture.width, picture.height, picture.channels);
        let (width, height, channels) = shape(&received);
        if shape(&picture) != (width, height, channels) {
            return Err(wrong(format!("a picture of {width}x{height} pixels and {channels} channels")));
        }
        let (mut difference, length) = (Difference::default(), width * channels);
        self.convolution.rows(&picture, |y, row| difference.add(row, &received.pixels[y * length..(y + 1) * length]));
        if !difference.is_within(&self.tolerance) {
            return Err(wrong(format!("a picture that is {}", difference.describe(&self.tolerance))));
        }
        let answer: Arc<[u8]> = answer.into();
        known().push(Arc::clone(&answer));
        Ok(answer)
    }

    /// What the answer to an input is, in words.
    pub fn describe(&self, number: usize) -> String {
        format!("input {number} convolved, {}", self.tolerance)
    }
}

/// The right answers that a server gave to each input when it was first asked: it is to give them again, to the byte.
#[derive(Debug, Clone)]
pub struct FirstAnswers {
    /// The HTTP status.
    pub status: u16,
    /// By input.
    pub answers: Vec<Arc<[u8]>>,
}

impl Check for FirstAnswers {
    fn check(&self, Asked { input, .. }: Asked, Reply { status, body }: Reply<'_>) -> Result<(), Mismatch> {
        if status != self.status {
            return Err(Mismatch::status(self.status, status, body));
        }
        let first = self.answers.get(input).map_or(&[][..], |first| first);
        if *first == *body {
            return Ok(());
        }
        let expected = format!("the same {} bytes as its first answer to input {input}", first.len());
        let received = match self.answers.iter().position(|other| other[..] == *body) {
            Some(other) => format!("its answer to input {other}"),
            None if codecs::Format::sniff(body).is_none() => return Err(Mismatch::body(expected, body)),
            None => {
                let same = first.iter().zip(body).take_while(|(a, b)| a == b).count();
                format!("a picture of {} bytes, other from byte {same} on", body.len())
            }
        };
        Err(Mismatch::body(expected, received.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ErrorKind;
    use crate::image::{Edge, Source};
    use codecs::{Format, Picture, Quality, View};

    const TOLERANCE: Tolerance = Tolerance { mean: 1.0, far: 16, share: 0.001 };

    /// Three inputs with edges in them, which a blur takes away.
    fn expected() -> Expected {
        let (width, height) = (48, 32);
        let pixels = (0..width * height * 3)
            .map(|at| if (at / 3 % width / 3 + at / (3 * width) / 5) % 2 == 0 { 30 } else { 190 });
        let pixels: Vec<u8> = pixels.collect();
        let file =
            codecs::encode(View { width, height, channels: 3, pixels: &pixels }, Format::Png, Quality::default());
        let source = Source::new(file.unwrap().into(), None, None).unwrap();
        let inputs = (0..3).map(|number| source.open().unwrap().input(number, 3).unwrap()).collect();
        Expected::new(Convolution::gaussian(5, 2.0, Edge::Zero), TOLERANCE, inputs).unwrap()
    }

    /// What a right server makes of an input; `change` has a hand in it.
    fn answer(expected: &Expected, number: usize, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut picture: Picture = codecs::decode(&expected.inputs[number], MOST_PIXELS).unwrap();
        let mut pixels = Vec::new();
        expected.convolution.rows(&picture, |_, row| pixels.extend_from_slice(row));
        change(&mut pixels);
        picture.pixels = pixels;
        codecs::encode(picture.view(), Format::Png, Quality::default()).unwrap()
    }

    #[test]
    fn the_right_picture_is_right_though_not_to_the_sample() {
        let expected = expected();
        let exact = answer(&expected, 1, |_| {});
        let kept = expected.judge(1, &exact).unwrap();
        assert!(Arc::ptr_eq(&kept, &expected.judge(1, &exact).unwrap()));
        let near = answer(&expected, 1, |pixels| pixels.iter_mut().step_by(2).for_each(|sample| *sample ^= 1));
        assert!(expected.judge(1, &near).is_ok());
    }

    #[test]
    fn wrong_pictures_are_told_apart() {
        let expected = expected();
        let received = |answer: &[u8]| expected.judge(1, answer).unwrap_err().received;
        assert!(received(&answer(&expected, 2, |_| {})).contains("off by"), "that of another input");
        assert_eq!(received(&expected.inputs[1]), "the input itself");
        let unprocessed = codecs::decode(&expected.inputs[1], MOST_PIXELS).unwrap().pixels;
        let but_one = |pixels: &mut Vec<u8>| {
            pixels.clone_from(&unprocessed);
            pixels[0] ^= 1;
        };
        assert!(received(&answer(&expected, 1, but_one)).contains("off by"), "unprocessed");
        assert!(received(&answer(&expected, 1, |pixels| pixels[..60].fill(255))).contains("more than 16 in 1."));
        assert!(received(b"{}").contains("neither"));
        let small =
            codecs::encode(View { width: 1, height: 1, channels: 1, pixels: &[0] }, Format::Png, Quality::default());
        assert_eq!(received(&small.unwrap()), "a picture of 1x1 pixels and 1 channels");
        let wrong = expected.judge(1, b"").unwrap_err();
        assert!(wrong.expected.starts_with("input 1 convolved, off by 1 on average at the most"), "{wrong:?}");
    }

    #[test]
    fn a_plain_picture_makes_no_inputs() {
        let same: Arc<[u8]> = b"the same"[..].into();
        let convolution = Convolution::gaussian(3, 1.0, Edge::Zero);
        assert_eq!(Expected::new(convolution, TOLERANCE, vec![same.clone(), same]).unwrap_err(), SourceError::Plain);
    }

    #[test]
    fn later_answers_are_the_same_to_the_byte() {
        let file = |last: u8| -> Arc<[u8]> { [&b"\x89PNG\r\n\x1a\n"[..], &[1, 2, last]].concat().into() };
        let first = FirstAnswers { status: 200, answers: vec![file(0), file(1)] };
        let check = |input, status, body: &[u8]| first.check(Asked { salt: 0, input }, Reply { status, body });
        assert_eq!(check(1, 200, &file(1)), Ok(()));
        let swapped = check(1, 200, &file(0)).unwrap_err();
        assert_eq!((swapped.kind(), swapped.received()), (ErrorKind::Body, "\"its answer to input 0\""));
        assert_eq!(swapped.expected(), "\"the same 11 bytes as its first answer to input 1\"");
        let other = check(1, 200, &file(9)).unwrap_err();
        assert_eq!(
            (other.kind(), other.received()),
            (ErrorKind::Body, "\"a picture of 11 bytes, other from byte 10 on\"")
        );
        assert_eq!(check(0, 200, b"oops").unwrap_err().received(), "\"oops\"");
        assert_eq!(check(0, 503, b"").unwrap_err().kind(), ErrorKind::Shed);
        assert_eq!(check(0, 422, b"{}").unwrap_err().kind(), ErrorKind::Status);
    }
}

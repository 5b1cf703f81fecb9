//! The parameters of a convolution as a query gives them: `kernel=gaussian&size=7&sigma=7&edge=zero&method=direct`.

use std::fmt::Display;
use std::str::FromStr;

use bytes::Bytes;
use codecs::Quality;
use kernels::{ConvolveError, Edge, MAX_KERNEL_SIZE, Method};

use crate::image::{Convolve, Image, Weights};

/// What is to be done to an image. There is a kernel with these weights, and the method is one for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameters {
    weights: Weights,
    edge: Edge,
    method: Method,
    /// Of the answer, where that is a JPEG.
    pub(crate) quality: Quality,
}

/// A parameter that is not as it should be, in words for the client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} {problem}")]
pub struct ParameterError {
    /// Which.
    pub name: &'static str,
    problem: String,
}

/// What each parameter is where the query does not say.
const SIZE: usize = 7;
const SIGMA: f64 = 7.0;

impl Parameters {
    /// Reads a query. Unknown parameters are ignored; of one that is given twice the first counts.
    pub(crate) fn parse(query: &str) -> Result<Self, ParameterError> {
        let query = Query(query);
        let weights = match query.get("kernel").unwrap_or("gaussian") {
            "gaussian" => query.gaussian()?,
            "custom" => query.custom()?,
            other => return Err(wrong("kernel", other, "gaussian or custom")),
        };
        let parameters = Self {
            weights,
            edge: query.one_of("edge", Edge::ALL.map(Edge::name))?.unwrap_or(Edge::Zero),
            method: query.one_of("method", Method::ALL.map(Method::name))?.unwrap_or(Method::Direct),
            quality: query.quality()?.unwrap_or_default(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// The job for an image.
    pub(crate) fn job(&self, image: Image) -> Convolve {
        Convolve { image, weights: self.weights.clone(), edge: self.edge, method: self.method }
    }

    /// Whatever can be wrong beside the image is wrong for the smallest of images too.
    fn check(&self) -> Result<(), ParameterError> {
        let one_pixel = Image { width: 1, height: 1, channels: 1, pixels: Bytes::from_static(&[0]) };
        let job = self.job(one_pixel);
        let Err(error) = job.check() else { return Ok(()) };
        let name = match error {
            ConvolveError::Sigma(_) => "sigma",
            ConvolveError::NotSeparable => "method",
            _ if matches!(self.weights, Weights::Custom { .. }) => "weights",
            _ => "size",
        };
        Err(ParameterError { name, problem: format!("cannot be as given: {error}") })
    }
}

/// A query string. It is not percent-decoded: no value that is allowed would need it, but for the comma.
struct Query<'a>(&'a str);

impl<'a> Query<'a> {
    /// The first value of that name.
    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.split('&').find_map(|pair| match pair.split_once('=') {
            Some((given, value)) if given == name => Some(value),
            None if pair == name => Some(""),
            _ => None,
        })
    }

    fn gaussian(&self) -> Result<Weights, ParameterError> {
        self.none("weights", "custom")?;
        let size = self.get("size").map(|given| {
            let digits = given.bytes().all(|byte| byte.is_ascii_digit());
            let size = given.parse().ok().filter(|size| digits && size % 2 == 1 && *size <= MAX_KERNEL_SIZE);
            size.ok_or_else(|| wrong("size", given, format_args!("an odd whole number from 1 to {MAX_KERNEL_SIZE}")))
        });
        let sigma = self.get("sigma").map(|given| {
            let sigma = decimal(given).filter(|&sigma| sigma > 0.0);
            sigma.ok_or_else(|| wrong("sigma", given, "a number above 0"))
        });
        Ok(Weights::Gaussian { size: size.transpose()?.unwrap_or(SIZE), sigma: sigma.transpose()?.unwrap_or(SIGMA) })
    }

    fn custom(&self) -> Result<Weights, ParameterError> {
        self.none("size", "gaussian")?;
        self.none("sigma", "gaussian")?;
        let problem = |problem| ParameterError { name: "weights", problem };
        let given = self.get("weights").ok_or_else(|| problem("must be given for kernel=custom".into()))?;
        let given = given.replace("%2C", ",").replace("%2c", ",");
        let one = |given: &str| {
            decimal(given).ok_or_else(|| wrong("weights", given, "finite numbers with commas between them"))
        };
        let weights: Vec<f64> = given.split(',').map(one).collect::<Result<_, _>>()?;
        let size = weights.len().isqrt();
        if size * size != weights.len() || size.is_multiple_of(2) || size > MAX_KERNEL_SIZE {
            let count = weights.len();
            return Err(problem(format!(
                "must be a square of odd size, at most {MAX_KERNEL_SIZE} x {MAX_KERNEL_SIZE}, row by row; they are {count}"
            )));
        }
        Ok(Weights::Custom { size, weights: weights.into() })
    }

    /// A parameter that means something to another kernel only is a mistake.
    fn none(&self, name: &'static str, kernel: &str) -> Result<(), ParameterError> {
        match self.get(name) {
            Some(_) => Err(ParameterError { name, problem: format!("is for kernel={kernel} only") }),
            None => Ok(()),
        }
    }

    fn one_of<T: FromStr, const N: usize>(
        &self,
        name: &'static str,
        names: [&str; N],
    ) -> Result<Option<T>, ParameterError> {
        let given = self.get(name).map(|given| given.parse().map_err(|_| wrong(name, given, names.join(" or "))));
        given.transpose()
    }

    fn quality(&self) -> Result<Option<Quality>, ParameterError> {
        let given = self.get("quality").map(|given| {
            let digits = given.bytes().all(|byte| byte.is_ascii_digit());
            let quality = given.parse().ok().filter(|_| digits).and_then(Quality::new);
            quality.ok_or_else(|| wrong("quality", given, "a whole number from 1 to 100"))
        });
        given.transpose()
    }
}

/// A finite number in decimal digits, perhaps with sign, point and exponent; Rust would take `inf` as well.
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

fn wrong(name: &'static str, given: &str, must_be: impl Display) -> ParameterError {
    let shown: String = given.chars().take(40).collect();
    ParameterError { name, problem: format!("must be {must_be}, not {shown:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Parameters {
        Parameters::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    #[test]
    fn defaults_are_the_scenario() {
        let weights = Weights::Gaussian { size: 7, sigma: 7.0 };
        let defaults = Parameters { weights, edge: Edge::Zero, method: Method::Direct, quality: Quality::default() };
        for query in ["", "kernel=gaussian&size=7&sigma=7&edge=zero&method=direct&quality=80", "x=y&&size=7&size=9&=&z"]
        {
            assert_eq!(parse(query), defaults, "{query}");
        }
    }

    #[test]
    fn every_parameter_is_taken() {
        let given = parse("edge=wrap&size=255&method=separable&sigma=1.5e-1&quality=100");
        assert_eq!(given.weights, Weights::Gaussian { size: 255, sigma: 0.15 });
        assert_eq!((given.edge, given.method, given.quality.get()), (Edge::Wrap, Method::Separable, 100));
        let weights = Weights::Custom { size: 3, weights: [0.0, -1.0, 0.5, 1e3, 5.0, 0.0, 0.0, 1.0, 0.25].into() };
        assert_eq!(parse("kernel=custom&weights=0,-1,.5,1e3,5.0,0,-0,+1,0.25").weights, weights);
        assert_eq!(parse("kernel=custom&weights=0%2C-1%2c.5,1e3,5.0,0,-0,+1,0.25").weights, weights);
    }

    #[test]
    fn wrong_parameters_are_named() {
        let many = format!("kernel=custom&weights=1{}", ",1".repeat(257 * 257 - 1));
        let huge = format!("kernel=custom&weights=1{}", ",1e308".repeat(8));
        for (name, queries) in [
            ("kernel", &["kernel=box", "kernel=", "kernel", "kernel=Gaussian", "kernel=gaussian%20"][..]),
            (
                "size",
                &[
                    "size=",
                    "size=0",
                    "size=2",
                    "size=257",
                    "size=-7",
                    "size=+7",
                    "size=7.0",
                    "size=x",
                    "size=99999999999999999999",
                ],
            ),
            ("size", &["kernel=custom&size=3&weights=1"]),
            (
                "sigma",
                &["sigma=", "sigma=0", "sigma=-1", "sigma=NaN", "sigma=inf", "sigma=1e999", "sigma=-0", "sigma=1,5"],
            ),
            ("sigma", &["kernel=custom&sigma=3&weights=1"]),
            ("edge", &["edge=", "edge=constant", "edge=ZERO"]),
            ("method", &["method=", "method=fft"]),
            ("method", &["kernel=custom&weights=1,0,0,0,1,0,0,0,1&method=separable"]),
            ("quality", &["quality=", "quality=0", "quality=101", "quality=256", "quality=-1", "quality=80.5"]),
            (
                "weights",
                &[
                    "kernel=custom",
                    "kernel=custom&weights=",
                    "kernel=custom&weights=1,2",
                    "kernel=custom&weights=1,2,3,4",
                ],
            ),
            (
                "weights",
                &[
                    "kernel=custom&weights=1,",
                    "kernel=custom&weights=x",
                    "kernel=custom&weights=NaN",
                    "kernel=custom&weights=1;2",
                ],
            ),
            ("weights", &["weights=1", &many, &huge]),
        ] {
            for query in queries {
                let error = Parameters::parse(query).expect_err(query);
                assert_eq!(error.name, name, "{query}: {error}");
                assert!(error.to_string().starts_with(name) && error.to_string().len() < 200, "{error}");
            }
        }
    }
}

//! What convolution a path asks for, as servers/CONTRACT.md has it.

/// A square kernel and what lies outside of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    /// Rows, and columns, of the kernel; odd.
    pub size: usize,
    /// Row by row.
    pub weights: Vec<f64>,
    /// What lies outside.
    pub edge: Edge,
}

/// What lies outside of the picture, by SciPy's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Zeros.
    Zero,
    /// The nearest sample.
    Nearest,
    /// The picture mirrored, its last sample twice.
    Reflect,
    /// The picture mirrored at its last sample.
    Mirror,
    /// The picture again.
    Wrap,
}

impl Edge {
    /// All, each with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("zero", Self::Zero),
        ("nearest", Self::Nearest),
        ("reflect", Self::Reflect),
        ("mirror", Self::Mirror),
        ("wrap", Self::Wrap),
    ];
}

/// The largest kernel whose answers are checked.
const LARGEST: usize = 255;

impl Convolution {
    /// A Gaussian by its formula, normalised to a sum of 1.
    pub fn gaussian(size: usize, sigma: f64, edge: Edge) -> Self {
        let radius = (size / 2) as f64;
        let bell = |at: usize| {
            let (y, x) = ((at / size) as f64 - radius, (at % size) as f64 - radius);
            (-(x * x + y * y) / (2.0 * sigma * sigma)).exp()
        };
        let mut weights: Vec<f64> = (0..size * size).map(bell).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Self { size, weights, edge }
    }

    /// The convolution that the query of a path asks for. The method, the quality and the rest make no difference here.
    ///
    /// # Errors
    /// A parameter is wrong: its name, and what it must be.
    pub fn of_path(path: &str) -> Result<Self, String> {
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let value = |name: &str| {
            query
                .split('&')
                .find_map(|pair| pair.split_once('=').filter(|(given, _)| *given == name).map(|(_, value)| value))
        };
        let edge = value("edge").unwrap_or("zero");
        let (_, edge) = Edge::ALL
            .into_iter()
            .find(|(name, _)| *name == edge)
            .ok_or_else(|| format!("edge `{edge}` must be one of {}", Edge::ALL.map(|(name, _)| name).join(", ")))?;
        match value("kernel").unwrap_or("gaussian") {
            "gaussian" => {
                let (size, sigma) = (value("size").unwrap_or("7"), value("sigma").unwrap_or("7"));
                let odd = size.parse().ok().filter(|size: &usize| size % 2 == 1 && *size <= LARGEST);
                let odd = odd.ok_or_else(|| format!("size `{size}` must be an odd number from 1 to {LARGEST}"))?;
                let positive = sigma.parse().ok().filter(|sigma: &f64| *sigma > 0.0 && sigma.is_finite());
                let positive = positive.ok_or_else(|| format!("sigma `{sigma}` must be a number above 0"))?;
                Ok(Self::gaussian(odd, positive, edge))
            }
            "custom" => {
                let given = value("weights").unwrap_or_default().replace("%2C", ",");
                let weights: Option<Vec<f64>> =
                    given.split(',').map(|one| one.parse().ok().filter(|weight: &f64| weight.is_finite())).collect();
                let weights =
                    weights.ok_or_else(|| format!("weights `{given}` must be numbers with commas between them"))?;
                let size = weights.len().isqrt();
                if size * size != weights.len() || size % 2 == 0 || size > LARGEST {
                    return Err(format!("weights must be those of a square of odd size, not {}", weights.len()));
                }
                Ok(Self { size, weights, edge })
            }
            other => Err(format!("kernel `{other}` must be gaussian or custom")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_say_what_is_asked() {
        let gaussian = Convolution::of_path("/convolve").unwrap();
        assert_eq!((gaussian.size, gaussian.edge), (7, Edge::Zero));
        assert!((gaussian.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(gaussian.weights[24] > gaussian.weights[0] && gaussian.weights[0] == gaussian.weights[48]);
        let custom =
            Convolution::of_path("/convolve?edge=wrap&kernel=custom&weights=0,-1,0,-1,5,-1,0,-1,0&method=direct");
        let weights = vec![0.0, -1.0, 0.0, -1.0, 5.0, -1.0, 0.0, -1.0, 0.0];
        assert_eq!(custom, Ok(Convolution { size: 3, weights, edge: Edge::Wrap }));
    }

    #[test]
    fn wrong_parameters_are_named() {
        for (query, name) in [
            ("edge=black", "edge"),
            ("kernel=box", "kernel"),
            ("size=4", "size"),
            ("size=x", "size"),
            ("sigma=-1", "sigma"),
            ("sigma=inf", "sigma"),
            ("kernel=custom", "weights"),
            ("kernel=custom&weights=1,2,3,4", "weights"),
        ] {
            let reason = Convolution::of_path(&format!("/convolve?{query}")).unwrap_err();
            assert!(reason.starts_with(name), "{query}: {reason}");
        }
    }
}

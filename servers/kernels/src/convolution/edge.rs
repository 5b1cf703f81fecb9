//! What lies beyond the edges of an image.

use core::str::FromStr;

/// What lies beyond the edges, with the meanings of SciPy's `mode`. For a row `a b c d`:
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// `0 0 0 0 | a b c d | 0 0 0 0` (SciPy's `constant` with `cval=0`)
    Zero,
    /// `a a a a | a b c d | d d d d`
    Nearest,
    /// `d c b a | a b c d | d c b a`
    Reflect,
    /// `c d c b | a b c d | c b a b`
    Mirror,
    /// `a b c d | a b c d | a b c d` (SciPy's `wrap` and `grid-wrap` are one for filters)
    Wrap,
}

impl Edge {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Zero, Self::Nearest, Self::Reflect, Self::Mirror, Self::Wrap];

    /// The name in requests: `zero`, `nearest`, `reflect`, `mirror` or `wrap`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Nearest => "nearest",
            Self::Reflect => "reflect",
            Self::Mirror => "mirror",
            Self::Wrap => "wrap",
        }
    }

    /// Which of `len` places (at least 1) stands for place `index`, which may lie any distance outside; `None` stands
    /// for 0.
    pub(super) fn source(self, index: isize, len: usize) -> Option<usize> {
        let len = len as isize;
        if (0..len).contains(&index) {
            return Some(index as usize);
        }
        // A reflection repeats after going there and back again.
        let back_and_forth = |period: isize, turn: isize| {
            let place = index.rem_euclid(period);
            if place < len { place } else { turn - place }
        };
        let place = match self {
            Self::Zero => return None,
            Self::Nearest => index.clamp(0, len - 1),
            Self::Reflect => back_and_forth(2 * len, 2 * len - 1),
            Self::Mirror => back_and_forth((2 * len - 2).max(1), 2 * len - 2),
            Self::Wrap => index.rem_euclid(len),
        };
        Some(place as usize)
    }
}

impl FromStr for Edge {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|edge| edge.name() == name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::Edge;

    fn check(edge: Edge, row: &str, expected: &str) {
        let places = (expected.len() - row.len()) as isize / 2;
        let seen: String = (-places..row.len() as isize + places)
            .map(|index| edge.source(index, row.len()).map_or('0', |place| row.as_bytes()[place] as char))
            .collect();
        assert_eq!(seen, expected, "{edge:?}");
    }

    #[test]
    fn as_documented_and_farther() {
        check(Edge::Zero, "abcd", "0000abcd0000");
        check(Edge::Nearest, "abcd", "aaaaabcddddd"[..].trim());
        check(Edge::Reflect, "abcd", "bcddcbaabcddcbaabc");
        check(Edge::Mirror, "abcd", "abcdcbabcdcbabcd");
        check(Edge::Wrap, "abcd", "cdabcdabcdabcdab");
    }

    #[test]
    fn a_single_place_repeats() {
        for edge in [Edge::Nearest, Edge::Reflect, Edge::Mirror, Edge::Wrap] {
            check(edge, "a", "aaaaaaa");
        }
    }
}

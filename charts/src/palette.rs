//! Colours: one for each style, for eyes of every kind, on white.
//!
//! The hues are those of Okabe and Ito, made darker until lines and markers have a contrast of about 3 to white; wine
//! stands in for their yellow, which white swallows. The tests hold contrast and distance, also as seen by people
//! who lack one kind of cone.

/// Number of styles that differ in both colour and marker; higher numbers repeat colours with other markers.
pub const STYLES: usize = COLOURS.len();

const COLOURS: [&str; 8] = ["#1F1F1F", "#0B4F94", "#C04A00", "#008A64", "#7A1F5C", "#4299E1", "#C98A00", "#C45F9E"];

/// Titles and labels.
pub(crate) const INK: &str = "#1F2328";
/// Tick labels, axis titles, notes.
pub(crate) const QUIET: &str = "#57606A";
/// Grid lines.
pub(crate) const GRID: &str = "#E6E9ED";
/// The base line of an axis.
pub(crate) const BASE: &str = "#8C959F";
/// Reference lines.
pub(crate) const REFERENCE: &str = "#6E7781";
/// The ground that everything lies on.
pub(crate) const GROUND: &str = "#FFFFFF";

/// The colour of a style, as `#RRGGBB`: for tables and reports that go with a chart.
pub fn colour(style: usize) -> &'static str {
    COLOURS[style % STYLES]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rgb = [f64; 3];

    /// What is left of linear RGB without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
    const EYES: [(&str, [Rgb; 3]); 4] = [
        ("all cones", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        ),
        (
            "deuteranopia",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        ),
        (
            "tritanopia",
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
        ),
    ];

    fn dot(a: Rgb, b: Rgb) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn linear(hex: &str) -> Rgb {
        [1, 3, 5].map(|at| {
            let c = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn lab(rgb: Rgb) -> Rgb {
        let rgb = rgb.map(|c| c.clamp(0.0, 1.0));
        let f = |t: f64| {
            if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 }
        };
        let x = f(dot([0.4124, 0.3576, 0.1805], rgb) / 0.9505);
        let y = f(dot([0.2126, 0.7152, 0.0722], rgb));
        let z = f(dot([0.0193, 0.1192, 0.9505], rgb) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn every_colour_stands_out_from_white() {
        for colour in COLOURS {
            let contrast = 1.05 / (dot([0.2126, 0.7152, 0.0722], linear(colour)) + 0.05);
            assert!(contrast > 2.9, "{colour}: contrast {contrast:.2}");
        }
    }

    #[test]
    fn any_two_colours_differ_to_every_eye() {
        for (eye, matrix) in EYES {
            let seen = COLOURS.map(|c| lab(matrix.map(|row| dot(row, linear(c)))));
            for (i, a) in seen.iter().enumerate() {
                for (j, b) in seen.iter().enumerate().skip(i + 1) {
                    let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 15.0, "{} and {} to {eye}: {distance:.1}", COLOURS[i], COLOURS[j]);
                }
            }
        }
    }
}

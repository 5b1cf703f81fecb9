//! Colours: one for each style, for eyes of every kind, on white; and what stands for each on a dark ground.
//!
//! The hues are those of Okabe and Ito, made darker until lines and markers have a contrast of about 3 to white; wine
//! stands in for their yellow, which white swallows. On a dark ground each keeps its hue and becomes lighter. The tests
//! hold contrast and distance, also as seen by people who lack one kind of cone.

/// Number of styles that differ in both colour and marker; higher numbers repeat colours with other markers.
pub const STYLES: usize = COLOURS.len();

const COLOURS: [&str; 8] = ["#1F1F1F", "#0B4F94", "#C04A00", "#008A64", "#7A1F5C", "#4299E1", "#C98A00", "#C45F9E"];

/// The same styles on [`DARK_GROUND`].
const DARK: [&str; STYLES] = ["#F0F0F0", "#3F8AE0", "#EE6A33", "#12B383", "#A9559A", "#85C8FF", "#F0C24A", "#EE90C4"];

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

const BLACK: &str = "#000000";

/// The colour of text on the colour of a style.
pub(crate) fn on(style: usize) -> &'static str {
    // The light ones of the palette stay light on a dark ground, and black stays black.
    if matches!(style % STYLES, 5..=7) { BLACK } else { GROUND }
}

/// The ground that the dark colours are chosen for.
const DARK_GROUND: &str = "#15181C";

/// Every colour that a drawing has, as `#RRGGBB` in capitals, and the colour that stands for it on a dark ground. A page
/// that shows a drawing inline can make a dark one of it by a rule of CSS for each.
pub fn on_dark() -> impl Iterator<Item = (&'static str, &'static str)> {
    let furniture = [
        (GROUND, DARK_GROUND),
        (INK, "#E8EAED"),
        (QUIET, "#A3ABB5"),
        (GRID, "#2A2F36"),
        (BASE, "#5C6570"),
        (REFERENCE, "#8C96A1"),
    ];
    furniture.into_iter().chain(COLOURS.into_iter().zip(DARK))
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

    fn luminance(hex: &str) -> f64 {
        dot([0.2126, 0.7152, 0.0722], linear(hex))
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_colour_stands_out_from_its_ground() {
        let texts = [INK, QUIET];
        for (colour, dark) in on_dark().filter(|&(colour, _)| COLOURS.contains(&colour) || texts.contains(&colour)) {
            let least = if texts.contains(&colour) { 4.5 } else { 2.9 };
            for (colour, ground) in [(colour, GROUND), (dark, DARK_GROUND)] {
                let contrast = contrast(colour, ground);
                assert!(contrast > least, "{colour} on {ground}: contrast {contrast:.2}");
            }
        }
    }

    #[test]
    fn text_can_be_read_on_every_colour() {
        let dark = |colour: &'static str| on_dark().find(|&(light, _)| light == colour).map_or(BLACK, |(_, dark)| dark);
        for style in 0..STYLES {
            let (text, ground) = (on(style), colour(style));
            for (text, ground) in [(text, ground), (dark(text), dark(ground))] {
                let contrast = contrast(text, ground);
                assert!(contrast > 3.5, "{text} on {ground}: contrast {contrast:.2}");
            }
        }
    }

    #[test]
    fn any_two_colours_differ_to_every_eye() {
        for ((eye, matrix), colours) in EYES.iter().flat_map(|eye| [(eye, COLOURS), (eye, DARK)]) {
            let seen = colours.map(|c| lab(matrix.map(|row| dot(row, linear(c)))));
            for (i, a) in seen.iter().enumerate() {
                for (j, b) in seen.iter().enumerate().skip(i + 1) {
                    let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                    assert!(distance > 15.0, "{} and {} to {eye}: {distance:.1}", colours[i], colours[j]);
                }
            }
        }
    }
}

//! Measures text with the metrics of the font that it is drawn in, and makes it fit.

use skrifa::{FontRef, MetadataProvider, instance::LocationRef, instance::Size};

/// The font's own family name: it must be what the renderer finds in the file.
pub(crate) const FAMILY: &str = "Noto Sans";

/// Thickness of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

impl Weight {
    /// The font file for this weight.
    pub(crate) fn font(self) -> &'static [u8] {
        match self {
            Self::Regular => notosans::REGULAR_TTF,
            Self::Bold => notosans::BOLD_TTF,
        }
    }
}

/// Width of `text` in one line. Kerning is left out: it makes text narrower by a hair, if at all.
pub(crate) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let Ok(font) = FontRef::new(weight.font()) else {
        return text.chars().count() as f64 * size * 0.6;
    };
    let metrics = font.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let glyphs = font.charmap();
    text.chars()
        .map(|c| glyphs.map(c).and_then(|glyph| metrics.advance_width(glyph)).map_or(size * 0.6, f64::from))
        .sum()
}

/// The text in one line of at most `limit`: where it is longer, an ellipsis stands for its middle, because names that
/// are long tend to differ at their ends.
pub(crate) fn fit(text: &str, size: f64, weight: Weight, limit: f64) -> String {
    let text = one_line(text);
    if width(&text, size, weight) <= limit {
        return text;
    }
    let chars: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| -> String {
        let tail = kept / 2;
        let head = chars[..kept - tail].iter().collect::<String>();
        let tail = chars[chars.len() - tail..].iter().collect::<String>();
        format!("{}…{}", head.trim_end(), tail.trim_start())
    };
    // The longest that fits, by bisection.
    let (mut fits, mut too_long) = (0, chars.len());
    while too_long - fits > 1 {
        let middle = (fits + too_long) / 2;
        if width(&shortened(middle), size, weight) <= limit {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    shortened(fits)
}

/// The text in as many lines of at most `limit` as it takes. A word that is too long for a line is shortened.
pub(crate) fn wrap(text: &str, size: f64, weight: Weight, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if width(&longer, size, weight) <= limit {
                *line = longer;
                continue;
            }
        }
        lines.push(fit(word, size, weight, limit));
    }
    lines
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_font() {
        let of = |text| width(text, 10.0, Weight::Regular);
        assert_eq!(of(""), 0.0);
        assert!(of("iii") < of("WWW") / 2.0);
        assert!((of("ab") - of("a") - of("b")).abs() < 1e-9);
        assert!(width("ab", 20.0, Weight::Regular) > 1.99 * of("ab"));
        assert!(width("ab", 10.0, Weight::Bold) > of("ab"));
    }

    #[test]
    fn long_text_loses_its_middle() {
        let long = "a-very-long-name-of-a-server-with-8-workers";
        let fitted = fit(long, 12.0, Weight::Regular, 120.0);
        assert!(fitted.starts_with("a-very") && fitted.contains('…') && fitted.ends_with("workers"), "{fitted}");
        assert!(width(&fitted, 12.0, Weight::Regular) <= 120.0);
        assert_eq!(fit("short\n one", 12.0, Weight::Regular, 120.0), "short one");
        assert_eq!(fit(long, 12.0, Weight::Regular, 0.0), "…");
    }

    #[test]
    fn wrapping_keeps_every_word_and_the_limit() {
        let text = "ten requests were sent before the first was answered, and ten after the last";
        let lines = wrap(text, 12.0, Weight::Regular, 150.0);
        assert!(lines.len() > 2);
        assert_eq!(lines.join(" "), text);
        assert!(lines.iter().all(|line| width(line, 12.0, Weight::Regular) <= 150.0));
        assert!(wrap(" ", 12.0, Weight::Regular, 150.0).is_empty());
    }
}

//! Writes SVG: a few shapes and text, every number short, every text escaped.

use crate::{palette, text::FAMILY, text::Weight};
use std::fmt::{self, Display, Write as _};

/// An SVG document in the making.
#[derive(Default)]
pub(crate) struct Canvas {
    body: String,
}

/// How a text is set.
#[derive(Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) weight: Weight,
    pub(crate) fill: &'static str,
}

/// Which part of a text lies at its place.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    pub(crate) dash: Option<&'static str>,
    pub(crate) opacity: f64,
}

impl Stroke {
    pub(crate) fn solid(colour: &'static str, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: None,
            opacity: 1.0,
        }
    }
}

impl Canvas {
    /// A line through all places.
    pub(crate) fn line(&mut self, places: &[(f64, f64)], stroke: Stroke) {
        self.put(format_args!(
            r#"<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round""#,
            Path(places),
            stroke.colour,
            Short(stroke.width)
        ));
        if let Some(dash) = stroke.dash {
            self.put(format_args!(r#" stroke-dasharray="{dash}""#));
        }
        if stroke.opacity < 1.0 {
            self.put(format_args!(
                r#" stroke-opacity="{}""#,
                Short(stroke.opacity)
            ));
        }
        self.put(format_args!("/>\n"));
    }

    /// A pale area.
    pub(crate) fn area(&mut self, corners: &[(f64, f64)], fill: &str, opacity: f64) {
        let opacity = Short(opacity);
        self.put(format_args!(
            "<path d=\"{}Z\" fill=\"{fill}\" fill-opacity=\"{opacity}\"/>\n",
            Path(corners)
        ));
    }

    /// A filled polygon with an edge.
    pub(crate) fn shape(&mut self, corners: &[(f64, f64)], fill: &str, edge: &str, width: f64) {
        let (path, width) = (Path(corners), Short(width));
        self.put(format_args!(
            "<path d=\"{path}Z\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>\n"
        ));
    }

    /// A filled circle with an edge.
    pub(crate) fn circle(
        &mut self,
        x: f64,
        y: f64,
        radius: f64,
        fill: &str,
        edge: &str,
        width: f64,
    ) {
        let (x, y, radius, width) = (Short(x), Short(y), Short(radius), Short(width));
        self.put(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{edge}\" stroke-width=\"{width}\"/>\n"
        ));
    }

    /// A text on its base line.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        self.write_text(x, y, anchor, font, "", text);
    }

    /// A text with a white rim, for places where lines may pass behind it.
    pub(crate) fn text_with_rim(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, text: &str) {
        let rim =
            r##" stroke="#FFFFFF" stroke-width="4" stroke-linejoin="round" paint-order="stroke""##;
        self.write_text(x, y, anchor, font, rim, text);
    }

    fn write_text(&mut self, x: f64, y: f64, anchor: Anchor, font: Font, more: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let bold = if font.weight == Weight::Bold {
            r#" font-weight="bold""#
        } else {
            ""
        };
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\"{anchor} font-size=\"{}\"{bold} fill=\"{}\"{more}>{}</text>\n",
            Short(x),
            Short(y),
            Short(font.size),
            font.fill,
            Escaped(text)
        ));
    }

    /// The whole document. The title is for screen readers.
    pub(crate) fn finish(self, width: f64, height: f64, title: &str) -> String {
        let (w, h, ground) = (Short(width), Short(height), palette::GROUND);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" font-family=\"'{FAMILY}', sans-serif\">\n<title>{}</title>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"{ground}\"/>\n{}</svg>\n",
            Escaped(title),
            self.body
        )
    }

    fn put(&mut self, what: fmt::Arguments<'_>) {
        self.body
            .write_fmt(what)
            .expect("a String takes whatever is written to it");
    }
}

/// A number with two decimals at most: a hundredth of a pixel is finer than any screen.
struct Short(f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0 into 0.
        let rounded = (self.0 * 100.0).round() / 100.0 + 0.0;
        write!(f, "{rounded}")
    }
}

struct Path<'a>(&'a [(f64, f64)]);

impl Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (x, y)) in self.0.iter().enumerate() {
            write!(
                f,
                "{}{} {}",
                if i == 0 { 'M' } else { 'L' },
                Short(*x),
                Short(*y)
            )?;
        }
        Ok(())
    }
}

/// Text as XML takes it; characters that XML has no place for become U+FFFD.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            '\t' | '\n' | '\r' => f.write_char(' '),
            '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => f.write_char('\u{FFFD}'),
            c => f.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(
            Escaped("a<b> & \"c\" 'd'").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"
        );
        assert_eq!(
            Escaped("bell\u{7}, line\nend\u{FFFF}").to_string(),
            "bell\u{FFFD}, line end\u{FFFD}"
        );
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<_> = [1.0, 0.125, -0.001, 33.333333, 1e3]
            .map(|n| Short(n).to_string())
            .to_vec();
        assert_eq!(shown, ["1", "0.13", "0", "33.33", "1000"]);
    }
}

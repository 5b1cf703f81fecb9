//! Makes a document of what `SVGBackend` has written, in one pass over it.
//!
//! What plotters has no word for is said here, once, for all shapes: a title for screen readers, the units that the
//! rest of the crate counts in (the backend drew [`FINE`] times as large), and round joins of lines. Two habits of
//! the backend are mended on the way: text between line breaks, and opacity of whole elements.

use crate::{
    canvas::{FINE, RIM},
    palette,
};
use std::fmt::{self, Display, Write as _};

/// What a text of the drawing is, in the order in which they were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// To be read.
    Plain,
    /// The ground around the text that follows.
    Rim,
}

/// The document: a root of this size, whose units are those of the layout, around everything that was drawn.
pub(crate) fn document(
    drawn: &str,
    texts: impl IntoIterator<Item = Text>,
    width: f64,
    height: f64,
    title: &str,
) -> String {
    let (mut lines, mut texts) = (drawn.lines(), texts.into_iter());
    // Replaced by a root of our own.
    lines.next();
    let mut document = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
         <g transform=\"scale({})\" stroke-linejoin=\"round\">\n",
        Escaped(title),
        1.0 / FINE
    );
    while let Some(line) = lines.next() {
        if line == "</svg>" {
            break;
        }
        // Opaque is the default. The opacity of an element calls for a layer of its own; that of its paint does not.
        let line_or_area = if line.starts_with("<polyline ") { " stroke-opacity=" } else { " fill-opacity=" };
        document.push_str(&line.replacen(" opacity=\"1\"", "", 1).replacen(" opacity=", line_or_area, 1));
        if line.starts_with("<text ") {
            if texts.next() == Some(Text::Rim) {
                let end = document.trim_end_matches('>').len();
                document.truncate(end);
                // Stroked as wide on the inside, where the text itself covers it.
                let _ = write!(document, " stroke=\"{}\" stroke-width=\"{}\">", palette::GROUND, 2.0 * RIM * FINE);
            }
            // The backend sets tags and text on lines of their own; an SVG 2 renderer may take the breaks for spaces.
            document.extend(lines.by_ref().take(2));
        }
        document.push('\n');
    }
    document.push_str("</g>\n</svg>\n");
    document
}

/// Stands in for characters that break a line, and for those that XML has no place for.
pub(crate) fn printable(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\0'..='\x1F' | '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
        c => c,
    }
}

/// Text as XML takes it.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().map(printable).try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            c => f.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(Escaped("a<b> & \"c\" 'd'").to_string(), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
        assert_eq!(Escaped("bell\u{7}, line\nend\u{FFFF}").to_string(), "bell\u{FFFD}, line end\u{FFFD}");
    }

    #[test]
    fn a_document_has_the_size_of_the_layout() {
        let drawn = "<svg width=\"900000\">\n\
             <rect opacity=\"1\" x=\"0\"/>\n<polyline opacity=\"0.5\"/>\n\
             <text x=\"0\">\n&lt;/svg>\n</text>\n</svg>\n";
        let document = document(drawn, [Text::Rim], 9.0, 4.5, "t");
        let (root, rest) = document.split_once('\n').unwrap();
        assert!(root.contains("width=\"9\" height=\"4.5\" viewBox=\"0 0 9 4.5\""), "{root}");
        assert_eq!(
            rest,
            "<title>t</title>\n<g transform=\"scale(0.01)\" stroke-linejoin=\"round\">\n\
             <rect x=\"0\"/>\n<polyline stroke-opacity=\"0.5\"/>\n<text x=\"0\" stroke=\"#FFFFFF\" stroke-width=\"320\">&lt;/svg></text>\n</g>\n</svg>\n"
        );
    }
}

//! HTML that cannot be broken by what it shows: text gets in escaped, and only [`Html`] gets in as it is.

use std::fmt::{self, Display, Write};

/// A piece of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// What is known to be sound: a constant of ours, or a drawing of the crate `charts`, which escapes by itself.
    pub fn trusted(markup: impl Into<String>) -> Self {
        Self(markup.into())
    }

    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Appends another piece.
    pub fn push(&mut self, other: &Self) {
        self.0 += &other.0;
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Data for the script of the page, in a form that no contents can break out of.
    ///
    /// # Errors
    /// It has no form in JSON.
    pub fn json(data: &impl serde::Serialize) -> serde_json::Result<Self> {
        Ok(Self(serde_json::to_string(data)?.replace('<', "\\u003c")))
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(pieces: T) -> Self {
        Self(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

/// What can be shown in a piece of a page.
pub trait Part {
    /// As markup.
    fn shown(&self) -> impl Display;
}

impl Part for Html {
    fn shown(&self) -> impl Display {
        &self.0
    }
}

impl Part for str {
    fn shown(&self) -> impl Display {
        Escaped(self)
    }
}

impl Part for String {
    fn shown(&self) -> impl Display {
        Escaped(self)
    }
}

impl<T: Part + ?Sized> Part for &T {
    fn shown(&self) -> impl Display {
        (**self).shown()
    }
}

macro_rules! numbers_are_parts {
    ($($number:ty),*) => {$(
        impl Part for $number {
            fn shown(&self) -> impl Display {
                self
            }
        }
    )*};
}
numbers_are_parts!(u32, u64, usize, f64);

/// Text between tags or in a quoted attribute.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            '\n' | '\t' => f.write_char(letter),
            // HTML has no place for them.
            letter if letter.is_control() => f.write_char('\u{FFFD}'),
            letter => f.write_char(letter),
        })
    }
}

/// Whether every placeholder of a format is `{}`: what is named in it would get in as it is.
pub const fn is_positional(format: &str) -> bool {
    let (bytes, mut at) = (format.as_bytes(), 0);
    while at < bytes.len() {
        if bytes[at] == b'{' && (at + 1 == bytes.len() || bytes[at + 1] != b'}') {
            return false;
        }
        at += 1;
    }
    true
}

/// [`format!`] for HTML: what stands at the places of `{}` is escaped, but for pieces that are HTML already.
macro_rules! html {
    ($format:literal $(, $part:expr)* $(,)?) => {{
        const { assert!($crate::report::html::markup::is_positional($format), "a placeholder of HTML has no name") }
        $crate::report::html::markup::Html::trusted(format!(
            $format $(, $crate::report::html::markup::Part::shown(&$part))*
        ))
    }};
}
pub(super) use html;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_html_is_not() {
        let text = "<script>alert(\"1\")</script> & 'x'\u{0}";
        let escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;\u{FFFD}";
        assert_eq!(
            html!("<b title=\"{}\">{}</b>", text, html!("<i>{}</i>", 7u32)).as_str(),
            format!("<b title=\"{escaped}\"><i>7</i></b>")
        );
        assert_eq!(Html::json(&["</script>"]).unwrap().as_str(), "[\"\\u003c/script>\"]");
    }

    #[test]
    fn names_in_formats_are_noticed() {
        assert!(is_positional("a {} b {}"));
        for format in ["{name}", "{0}", "{:?}", "{"] {
            assert!(!is_positional(format), "{format}");
        }
    }
}

//! Colours for people at a terminal, few of them. Text carries them always; whoever writes it takes them out where
//! they are not wanted: `--color`, then NO_COLOR and CLICOLOR_FORCE, then whether it goes to a terminal.

use std::ffi::OsStr;

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};

/// The head of a table.
pub const HEAD: Style = Style::new().bold();
/// The word before a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word before an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();

/// A text in a style.
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Obeys `--color` on a command line, before that is understood as a whole: what is wrong with it is told in colours too.
pub fn obey<Word: AsRef<OsStr>>(arguments: impl IntoIterator<Item = Word>) {
    choice(arguments).write_global();
}

fn choice<Word: AsRef<OsStr>>(arguments: impl IntoIterator<Item = Word>) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let mut arguments = arguments.into_iter();
    while let Some(word) = arguments.next() {
        let word = word.as_ref().to_string_lossy();
        let value = match word.split_once('=') {
            // What follows belongs to another program.
            None if word == "--" => break,
            None if word == "--color" => arguments.next().map(|value| value.as_ref().to_string_lossy().into_owned()),
            Some(("--color", value)) => Some(value.to_owned()),
            _ => continue,
        };
        match value.as_deref() {
            Some("always") => choice = ColorChoice::Always,
            Some("never") => choice = ColorChoice::Never,
            // What else there may be is refused later.
            _ => choice = ColorChoice::Auto,
        }
    }
    choice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_wherever_it_stands() {
        for (line, expected) in [
            ("list", ColorChoice::Auto),
            ("list --color always", ColorChoice::Always),
            ("--color=never list", ColorChoice::Never),
            ("--color never list --color always", ColorChoice::Always),
            ("--color", ColorChoice::Auto),
            ("--color=red", ColorChoice::Auto),
            ("shepherd -- ls --color=never", ColorChoice::Auto),
        ] {
            assert_eq!(choice(line.split(' ')), expected, "{line}");
        }
    }
}

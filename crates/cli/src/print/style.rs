//! The few looks a text can have.
//!
//! A look is a pair of escape codes around the text; streams without colours drop them again, so commands need not
//! know where they print to.

use anstyle::{AnsiColor, Style};

fn paint(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// A title.
pub(crate) fn heading(text: &str) -> String {
    paint(Style::new().bold(), text)
}

/// Something of little weight.
pub(crate) fn muted(text: &str) -> String {
    paint(Style::new().dimmed(), text)
}

/// A name to look for.
pub(crate) fn accent(text: &str) -> String {
    paint(AnsiColor::Cyan.on_default(), text)
}

/// All is well.
pub(crate) fn good(text: &str) -> String {
    paint(AnsiColor::Green.on_default(), text)
}

/// Worth a look.
pub(crate) fn warn(text: &str) -> String {
    paint(AnsiColor::Yellow.on_default(), text)
}

/// Wrong.
pub(crate) fn bad(text: &str) -> String {
    paint(AnsiColor::Red.on_default().bold(), text)
}

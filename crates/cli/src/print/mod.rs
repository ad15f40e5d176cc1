//! The only place that prints. Colours on a terminal, plain text when piped or when `NO_COLOR` is set.
//!
//! Commands build texts with `style` and `Table` and hand them over; whether the colours survive is decided here, by
//! the stream. Standard output carries results, standard error everything else.

mod ask;
mod style;
mod table;
mod when;

use std::io::{self, Write};

use serde::Serialize;

pub(crate) use ask::{Withdrawable, read_secret, read_text};
pub(crate) use style::{accent, bad, good, heading, muted, warn};
pub(crate) use table::TextTable;
pub(crate) use when::{ago, file_stamp, iso_local, iso_utc, local_minute, span, trash_stamp};

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// When the stream is a terminal that wants them.
    Automatic,
    /// Never.
    Never,
}

/// Decides about colours for the whole process; called once, before anything is printed.
pub(crate) fn set_colour(colour: Colour) {
    if colour == Colour::Never {
        anstream::ColorChoice::Never.write_global();
    }
}

/// Prints a result and a line break.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{text}")
}

/// Prints a text that brings its own line breaks.
pub(crate) fn text(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints a result as indented JSON.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    line(&text)
}

/// Prints one JSON value on one line.
pub(crate) fn json_line(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value)?;
    line(&text)
}

/// Tells something beside the result, on standard error.
pub(crate) fn note(text: &str) -> io::Result<()> {
    let mut out = anstream::stderr().lock();
    writeln!(out, "{text}")
}

/// Prints what stopped a command, the causes below it and further lines, on standard error.
pub(crate) fn failure(error: &anyhow::Error, lines: &[String]) {
    let mut text = format!("{} {error}", bad("error:"));
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !said.contains(&cause) {
            text.push_str(&format!("\n  {} {cause}", muted("because:")));
            said.push_str(&cause);
        }
    }
    for line in lines {
        text.push_str(&format!("\n{line}"));
    }
    if let Err(error) = note(&text) {
        // When even standard error is gone there is nobody left to tell; the exit code still says that it failed.
        tracing::trace!(%error, "nobody reads standard error");
    }
}

/// Asks a person on the terminal; anything but yes is no.
pub(crate) fn confirm(question: &str) -> io::Result<bool> {
    let mut err = anstream::stderr().lock();
    write!(err, "{question} [y/N] ")?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Whether a person sits at the terminal and can be asked.
pub(crate) fn can_ask() -> bool {
    io::IsTerminal::is_terminal(&io::stdin()) && io::IsTerminal::is_terminal(&io::stderr())
}

/// Whether a hint says more than the message it follows: `write "lan"` after `did you mean "lan"?` does not.
pub(crate) fn adds_something(hint: &str, message: &str) -> bool {
    let proposed = hint.strip_prefix("write ").unwrap_or(hint);
    !hint.is_empty() && !message.contains(&format!("did you mean {proposed}"))
}

/// Whether results go to a terminal.
pub(crate) fn to_terminal() -> bool {
    io::IsTerminal::is_terminal(&io::stdout())
}

#[cfg(test)]
pub(crate) fn without_colours(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

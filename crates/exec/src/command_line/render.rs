//! Writes a command line that was understood as shell text again: every word quoted, every program with its full path.
//!
//! What an allow-list let through runs in this form, so that the shell cannot read anything else than was checked.

use super::read::Join;
use super::resolve::{Located, LocatedStep};

/// The text for `sh -c`. Nothing when a program was not found.
pub(crate) fn render(line: &Located) -> Option<String> {
    let mut text = String::new();
    if let Some(directory) = &line.enter {
        text.push_str("cd -- ");
        text.push_str(&quoted(directory.to_str()?));
        text.push_str(" && ");
    }
    for (index, located) in line.steps.iter().enumerate() {
        if index > 0 {
            text.push_str(match located.step.join {
                Join::And => " && ",
                Join::Or => " || ",
                Join::Pipe => " | ",
                Join::Then | Join::First => " ; ",
            });
        }
        push_step(&mut text, located)?;
    }
    Some(text)
}

fn push_step(text: &mut String, located: &LocatedStep) -> Option<()> {
    text.push_str(&quoted(located.executable.as_ref()?.found.to_str()?));
    for word in located.step.words.iter().skip(1) {
        text.push(' ');
        text.push_str(&quoted(word));
    }
    for quiet in &located.step.quiet {
        text.push(' ');
        text.push_str(quiet.as_str());
    }
    Some(())
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

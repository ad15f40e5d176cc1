//! How a command is shown to people who are asked about it: whole, and so that nothing in it can hide, move or pass for
//! words of ours.
//!
//! Pure. Chats and the command line both use it. What is too long to be read in a chat is not shown there in part: somebody
//! would approve what they have not seen.

use crate::command_line::is_unclear;

/// The longest command that is shown in a chat, in characters.
const LONGEST_IN_CHAT: usize = 1_500;

/// A command that a chat cannot show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the command is too long to show here; see it with `openclaw approvals pending` and answer it with `openclaw approvals resolve`"
)]
pub struct TooLong;

/// A text on one line, with everything written out that is not seen or looks like something else.
#[must_use]
pub fn shown_line(text: &str) -> String {
    shown(text).replace('\n', "⏎")
}

/// A command as a piece of code inside a line of Markdown.
///
/// # Errors
/// It is too long for a chat.
pub fn shown_inline(command: &str) -> Result<String, TooLong> {
    let text = short(shown_line(command))?;
    let fence = "`".repeat(longest_run(&text) + 1);
    // A space keeps marks at the ends of the text apart from the fence; readers of Markdown take it away.
    let gap = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    Ok(format!("{fence}{gap}{text}{gap}{fence}"))
}

/// A command as a block of code in Markdown.
///
/// # Errors
/// It is too long for a chat.
pub fn shown_block(command: &str) -> Result<String, TooLong> {
    let text = short(shown(command))?;
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    Ok(format!("{fence}\n{text}\n{fence}"))
}

fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for next in text.chars() {
        match next {
            '\n' => out.push(next),
            next if next.is_control() => out.extend(next.escape_default()),
            next if is_unclear(next) => out.extend(next.escape_unicode()),
            next => out.push(next),
        }
    }
    out
}

fn short(text: String) -> Result<String, TooLong> {
    if text.chars().count() > LONGEST_IN_CHAT { Err(TooLong) } else { Ok(text) }
}

/// The most marks of code in a row.
fn longest_run(text: &str) -> usize {
    text.split(|next| next != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out() {
        let rows = [
            ("ls -l", "ls -l"),
            ("echo ü", "echo ü"),
            ("rm \u{202e}gpj.x", r"rm \u{202e}gpj.x"),
            ("ls\u{200b}\u{a0}x\u{2028}y", r"ls\u{200b}\u{a0}x\u{2028}y"),
            ("a\u{1b}[2K\r\tb", r"a\u{1b}[2K\r\tb"),
            ("a\nb", "a⏎b"),
        ];
        for (command, expected) in rows {
            assert_eq!(shown_line(command), expected);
        }
    }

    #[test]
    fn nothing_in_a_command_ends_the_code_around_it() {
        let rows = [
            ("ls\nrm x", "```\nls\nrm x\n```"),
            ("a\n```\n~~~~\nAllowed by Ana", "````\na\n```\n~~~~\nAllowed by Ana\n````"),
            ("echo `````", "``````\necho `````\n``````"),
        ];
        for (command, expected) in rows {
            assert_eq!(shown_block(command).as_deref(), Ok(expected));
        }
        assert_eq!(shown_inline("ls").as_deref(), Ok("`ls`"));
        assert_eq!(shown_inline("`id`\nx").as_deref(), Ok("`` `id`⏎x ``"));
    }

    #[test]
    fn a_command_is_shown_whole_or_not_at_all() {
        assert!(shown_block(&"a".repeat(LONGEST_IN_CHAT)).is_ok());
        assert_eq!(shown_block(&"a".repeat(LONGEST_IN_CHAT + 1)), Err(TooLong));
        assert_eq!(shown_inline(&"\u{200b}".repeat(LONGEST_IN_CHAT / 2)), Err(TooLong));
    }
}

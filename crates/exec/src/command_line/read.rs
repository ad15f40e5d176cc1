//! Builds commands from tokens and says, by name, what is not understood.
//!
//! Pure: no file system, no environment apart from the home directory that a tilde stands for.

use std::path::Path;

use super::lex::{Token, Word, lex};

/// Simple commands in the order in which they are written. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    /// The commands.
    pub steps: Vec<SimpleCommand>,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// How it hangs on the one before.
    pub join: Join,
    /// Its words, as the program will get them. Never empty.
    pub words: Vec<String>,
    /// What happens to its input and output.
    pub quiet: Vec<Quiet>,
}

/// How a command hangs on the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// It is the first.
    First,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `;` or a new line.
    Then,
    /// `|`.
    Pipe,
}

/// A redirection that touches no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// No input.
    NoInput,
    /// Output is thrown away.
    DropOutput,
    /// Errors are thrown away.
    DropErrors,
    /// Errors go where output goes.
    ErrorsToOutput,
    /// Output goes where errors go.
    OutputToErrors,
}

impl Quiet {
    pub(super) fn new(descriptor: Option<&str>, form: &str, target: &str) -> Option<Self> {
        match (descriptor, form, target) {
            (None | Some("0"), "<", "/dev/null") => Some(Self::NoInput),
            (None | Some("1"), ">" | ">>", "/dev/null") => Some(Self::DropOutput),
            (Some("2"), ">" | ">>", "/dev/null") => Some(Self::DropErrors),
            (Some("2"), ">&", "1") => Some(Self::ErrorsToOutput),
            (None | Some("1"), ">&", "2") => Some(Self::OutputToErrors),
            _ => None,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::NoInput => "</dev/null",
            Self::DropOutput => ">/dev/null",
            Self::DropErrors => "2>/dev/null",
            Self::ErrorsToOutput => "2>&1",
            Self::OutputToErrors => ">&2",
        }
    }
}

/// Why a command line is not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Opaque {
    /// There is no command.
    #[error("there is no command")]
    Empty,
    /// It is longer than anybody would read.
    #[error("it is too long to be checked")]
    TooLong,
    /// A quote, an escape or an operator is not finished.
    #[error("a quote or an operator is not finished")]
    Unfinished,
    /// `$`: variables, arithmetic, `$(…)`, `$'…'`.
    #[error("it expands a variable or a command with $")]
    Expansion,
    /// Backticks.
    #[error("it runs a command inside backticks")]
    Substitution,
    /// Parentheses: subshells, functions, process substitution.
    #[error("it uses parentheses")]
    Subshell,
    /// `*`, `?`, `[…]`.
    #[error("it uses a file name pattern outside quotes")]
    Pattern,
    /// Braces.
    #[error("it uses braces outside quotes")]
    Braces,
    /// `#`.
    #[error("it contains a comment")]
    Comment,
    /// A tilde that is not the home directory.
    #[error("it uses a tilde for something other than the home folder")]
    Tilde,
    /// A single `&`.
    #[error("it starts a background job with &")]
    Background,
    /// A redirection that reads or writes files, or a here-document.
    #[error("it redirects to or from something other than /dev/null")]
    Redirection,
    /// A line that goes on after a backslash.
    #[error("a line is continued with a backslash")]
    Continuation,
    /// Characters that people do not see, or lookalikes in a program's name.
    #[error("it contains characters that cannot be seen or could be mistaken")]
    UnclearCharacter,
    /// A word of the shell's grammar.
    #[error("it uses shell grammar such as if, for or a variable assignment")]
    Grammar,
    /// A change of folder that later commands may not see.
    #[error("cd is understood only as the first command, followed by &&")]
    ChangeDirectory,
}

/// Words that mean something to a shell when a command begins with them.
const RESERVED: [&str; 24] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "in",
    "function", "select", "time", "coproc", "!", "{", "}", "[[", "]]", "[", "-",
];

/// Reads a command line. The home directory is what a tilde stands for.
///
/// # Errors
/// Says what is not understood.
pub(crate) fn read(line: &str, home: &Path) -> Result<CommandLine, Opaque> {
    let mut reader =
        Reader { home, steps: Vec::new(), join: Some(Join::First), words: Vec::new(), quiet: Vec::new() };
    for token in lex(line)? {
        reader.take(token)?;
    }
    reader.finish()
}

struct Reader<'a> {
    home: &'a Path,
    steps: Vec<SimpleCommand>,
    /// How the command being read hangs on the one before; nothing after a complete one.
    join: Option<Join>,
    words: Vec<String>,
    quiet: Vec<Quiet>,
}

impl Reader<'_> {
    fn take(&mut self, token: Token) -> Result<(), Opaque> {
        match token {
            Token::Word(word) => self.word(&word),
            Token::Quiet(quiet) => {
                self.quiet.push(quiet);
                Ok(())
            }
            Token::And => self.join(Join::And),
            Token::Or => self.join(Join::Or),
            Token::Pipe => self.join(Join::Pipe),
            Token::Then => self.join(Join::Then),
            Token::Newline => self.newline(),
        }
    }

    fn word(&mut self, word: &Word) -> Result<(), Opaque> {
        let text = self.expanded(word)?;
        if self.words.is_empty() {
            check_program(&text)?;
        }
        self.words.push(text);
        Ok(())
    }

    fn expanded(&self, word: &Word) -> Result<String, Opaque> {
        if !word.tilde {
            return Ok(word.text.clone());
        }
        let home = self.home.to_str().filter(|home| home.starts_with('/')).ok_or(Opaque::Tilde)?;
        match word.text.strip_prefix('~') {
            Some("") if !word.quoted => Ok(home.to_owned()),
            // A quoted slash right after the tilde would keep it literal; such words are rare enough to refuse.
            Some(rest) if rest.starts_with('/') && !word.quoted => Ok(format!("{home}{rest}")),
            _ => Err(Opaque::Tilde),
        }
    }

    fn join(&mut self, join: Join) -> Result<(), Opaque> {
        self.end_step()?;
        self.join = Some(join);
        Ok(())
    }

    /// A new line ends a command; after an operator it is only space.
    fn newline(&mut self) -> Result<(), Opaque> {
        if self.words.is_empty() && self.quiet.is_empty() {
            return Ok(());
        }
        self.join(Join::Then)
    }

    fn end_step(&mut self) -> Result<(), Opaque> {
        let join = self.join.take().ok_or(Opaque::Grammar)?;
        if self.words.is_empty() {
            return Err(if self.quiet.is_empty() { Opaque::Unfinished } else { Opaque::Redirection });
        }
        let words = std::mem::take(&mut self.words);
        let quiet = std::mem::take(&mut self.quiet);
        self.steps.push(SimpleCommand { join, words, quiet });
        Ok(())
    }

    fn finish(mut self) -> Result<CommandLine, Opaque> {
        let nothing_left = self.words.is_empty() && self.quiet.is_empty();
        match self.join {
            Some(Join::First) if nothing_left => return Err(Opaque::Empty),
            Some(Join::Then) if nothing_left => {}
            _ => self.end_step()?,
        }
        Ok(CommandLine { steps: self.steps })
    }
}

fn check_program(text: &str) -> Result<(), Opaque> {
    if !text.is_ascii() {
        return Err(Opaque::UnclearCharacter);
    }
    if text.is_empty() || text.contains('=') || RESERVED.contains(&text) {
        return Err(Opaque::Grammar);
    }
    Ok(())
}

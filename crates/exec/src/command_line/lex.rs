//! Cuts a command line into words and operators, refusing every character whose meaning depends on the shell's state.
//!
//! Pure. `read` builds commands from what comes out. A word keeps its text without quotes, whether any of it was
//! quoted, and whether it begins with a tilde that the shell would expand.

use std::iter::Peekable;
use std::str::Chars;

use super::read::{Opaque, Quiet};

/// A piece of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    And,
    Or,
    Then,
    Newline,
    Pipe,
    Quiet(Quiet),
}

/// A literal word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether any part was quoted or escaped.
    pub(super) quoted: bool,
    /// Whether the first character is an unquoted tilde.
    pub(super) tilde: bool,
}

const MOST_BYTES: usize = 64 * 1024;

pub(super) fn lex(line: &str) -> Result<Vec<Token>, Opaque> {
    if line.len() > MOST_BYTES {
        return Err(Opaque::TooLong);
    }
    let mut lexer = Lexer { rest: line.chars().peekable(), tokens: Vec::new(), word: None };
    while let Some(next) = lexer.rest.next() {
        lexer.take(next)?;
    }
    lexer.end_word();
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    rest: Peekable<Chars<'a>>,
    tokens: Vec<Token>,
    word: Option<Word>,
}

impl Lexer<'_> {
    fn take(&mut self, next: char) -> Result<(), Opaque> {
        match next {
            ' ' | '\t' => self.end_word(),
            '\n' => self.operator(Token::Newline),
            '\'' => self.single_quoted()?,
            '"' => self.double_quoted()?,
            '\\' => self.escaped()?,
            '&' if self.follows('&') => self.operator(Token::And),
            '&' => return Err(Opaque::Background),
            '|' if self.follows('|') => self.operator(Token::Or),
            '|' if self.rest.peek() == Some(&'&') => return Err(Opaque::Redirection),
            '|' => self.operator(Token::Pipe),
            ';' if self.rest.peek() == Some(&';') => return Err(Opaque::Grammar),
            ';' => self.operator(Token::Then),
            '<' | '>' => self.redirection(next)?,
            '$' => return Err(Opaque::Expansion),
            '`' => return Err(Opaque::Substitution),
            '(' | ')' => return Err(Opaque::Subshell),
            '*' | '?' | '[' | ']' => return Err(Opaque::Pattern),
            '{' | '}' => return Err(Opaque::Braces),
            '#' if self.word.is_none() => return Err(Opaque::Comment),
            '~' => self.tilde()?,
            other => self.literal(other)?,
        }
        Ok(())
    }

    fn follows(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_with(Word::default)
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            self.tokens.push(Token::Word(word));
        }
    }

    fn operator(&mut self, token: Token) {
        self.end_word();
        self.tokens.push(token);
    }

    fn literal(&mut self, next: char) -> Result<(), Opaque> {
        self.word().text.push(printable(next)?);
        Ok(())
    }

    /// A tilde is expanded at the start of a word, and in some shells after `=` and `:`.
    fn tilde(&mut self) -> Result<(), Opaque> {
        let word = self.word();
        if word.text.is_empty() && !word.quoted {
            word.tilde = true;
        } else if word.text.ends_with(['=', ':']) {
            return Err(Opaque::Tilde);
        }
        word.text.push('~');
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), Opaque> {
        let next = self.rest.next().ok_or(Opaque::Unfinished)?;
        if next == '\n' {
            return Err(Opaque::Continuation);
        }
        let next = printable(next)?;
        let word = self.word();
        word.quoted = true;
        word.text.push(next);
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<(), Opaque> {
        self.word().quoted = true;
        loop {
            match self.rest.next().ok_or(Opaque::Unfinished)? {
                '\'' => return Ok(()),
                next => {
                    let next = quotable(next)?;
                    self.word().text.push(next);
                }
            }
        }
    }

    fn double_quoted(&mut self) -> Result<(), Opaque> {
        self.word().quoted = true;
        loop {
            let next = match self.rest.next().ok_or(Opaque::Unfinished)? {
                '"' => return Ok(()),
                '$' => return Err(Opaque::Expansion),
                '`' => return Err(Opaque::Substitution),
                '\\' => match self.rest.next().ok_or(Opaque::Unfinished)? {
                    special @ ('"' | '\\' | '$' | '`') => special,
                    '\n' => return Err(Opaque::Continuation),
                    other => {
                        self.word().text.push('\\');
                        quotable(other)?
                    }
                },
                other => quotable(other)?,
            };
            self.word().text.push(next);
        }
    }

    /// Accepts what throws output away, gives no input, or merges the two outputs.
    fn redirection(&mut self, sign: char) -> Result<(), Opaque> {
        let descriptor = self.descriptor()?;
        let form = match sign {
            '<' => "<",
            _ if self.follows('>') => ">>",
            _ if self.follows('&') => ">&",
            _ => ">",
        };
        if form != ">&" {
            while self.rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        }
        let mut target = String::new();
        while let Some(next) = self.rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '/') {
            target.push(next);
        }
        let ended = self.rest.peek().is_none_or(|next| matches!(next, ' ' | '\t' | '\n' | ';' | '|' | '&'));
        let quiet = Quiet::new(descriptor.as_deref(), form, &target).filter(|_| ended);
        self.tokens.push(Token::Quiet(quiet.ok_or(Opaque::Redirection)?));
        Ok(())
    }

    /// The number right before the sign belongs to it; any other word ends there.
    fn descriptor(&mut self) -> Result<Option<String>, Opaque> {
        let number = |word: &Word| !word.quoted && word.text.chars().all(|next| next.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            return Ok(self.word.take().map(|word| word.text));
        }
        self.end_word();
        Ok(None)
    }
}

/// A character that stands for itself outside quotes.
fn printable(next: char) -> Result<char, Opaque> {
    if next.is_control() || is_unclear(next) { Err(Opaque::UnclearCharacter) } else { Ok(next) }
}

/// A character that stands for itself inside quotes.
fn quotable(next: char) -> Result<char, Opaque> {
    if matches!(next, '\n' | '\t') { Ok(next) } else { printable(next) }
}

/// Characters that people do not see, or that look like a space: they could hide what is approved.
pub(crate) fn is_unclear(next: char) -> bool {
    (next.is_whitespace() && next != ' ' && next != '\t')
        || matches!(next,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

//! Reads the envelope of a patch. Pure; says on which line of the patch something is wrong.

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// Makes it.
    Add { path: String, content: String },
    /// Removes it.
    Delete { path: String },
    /// Changes it, and perhaps gives it another name.
    Update { path: String, moved_to: Option<String>, hunks: Vec<Hunk> },
}

/// One place of a file that changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Lines that come before the place, somewhere above it.
    pub(super) anchors: Vec<String>,
    /// What is there.
    pub(super) old: Vec<String>,
    /// What comes there.
    pub(super) new: Vec<String>,
    /// Whether the place is at the end of the file.
    pub(super) at_end: bool,
}

/// Reads a patch.
pub(super) fn parse(input: &str) -> Result<Vec<FileChange>, String> {
    let lines: Vec<&str> = input.lines().map(|line| line.trim_end_matches('\r')).collect();
    let (first, body) = envelope(&lines)?;
    let mut reader = Reader { lines: body, at: 0, first };
    let mut changes = Vec::new();
    while let Some(line) = reader.peek() {
        if line.trim().is_empty() {
            reader.at += 1;
            continue;
        }
        changes.push(reader.change()?);
    }
    if changes.is_empty() {
        return Err(
            "The patch changes no file: nothing stands between its first and its last line.".to_owned()
        );
    }
    Ok(changes)
}

/// What is inside, and the number of its first line. A heredoc around the patch is looked through.
fn envelope<'l>(lines: &'l [&'l str]) -> Result<(usize, &'l [&'l str]), String> {
    let begin = lines.iter().position(|line| !line.trim().is_empty());
    let begin = match begin {
        Some(at) if lines[at].trim_start().starts_with("<<") => Some(at + 1),
        other => other,
    };
    let Some(begin) = begin.filter(|at| lines.get(*at).is_some_and(|line| line.trim() == BEGIN)) else {
        return Err(format!("The first line of a patch must be `{BEGIN}`."));
    };
    match lines.iter().rposition(|line| line.trim() == END) {
        Some(end) if end > begin => Ok((begin + 2, &lines[begin + 1..end])),
        _ => Err(format!("The last line of a patch must be `{END}`.")),
    }
}

struct Reader<'l> {
    lines: &'l [&'l str],
    at: usize,
    first: usize,
}

impl<'l> Reader<'l> {
    fn peek(&self) -> Option<&'l str> {
        self.lines.get(self.at).copied()
    }

    fn number(&self) -> usize {
        self.first + self.at
    }

    fn change(&mut self) -> Result<FileChange, String> {
        let line = self.peek().unwrap_or_default().trim();
        let number = self.number();
        let path = |header: &str| {
            let path = line.strip_prefix(header).map(str::trim)?;
            Some(if path.is_empty() {
                Err(format!("Line {number} of the patch names no file."))
            } else {
                Ok(path.to_owned())
            })
        };
        if let Some(path) = path(ADD) {
            self.at += 1;
            return Ok(FileChange::Add { path: path?, content: self.added()? });
        }
        if let Some(path) = path(DELETE) {
            self.at += 1;
            return Ok(FileChange::Delete { path: path? });
        }
        if let Some(path) = path(UPDATE) {
            self.at += 1;
            let moved_to = self.moved_to();
            let hunks = self.hunks()?;
            if hunks.is_empty() && moved_to.is_none() {
                return Err(format!("The update at line {number} of the patch has no hunk."));
            }
            return Ok(FileChange::Update { path: path?, moved_to, hunks });
        }
        Err(format!(
            "Line {number} of the patch, `{}`, is none of `{ADD}`, `{DELETE}`, `{UPDATE}`.",
            line.chars().take(80).collect::<String>()
        ))
    }

    fn moved_to(&mut self) -> Option<String> {
        let path = self.peek()?.trim().strip_prefix(MOVE)?.trim().to_owned();
        self.at += 1;
        Some(path)
    }

    fn added(&mut self) -> Result<String, String> {
        let mut content = String::new();
        while let Some(line) = self.peek() {
            if line.starts_with("*** ") {
                break;
            }
            match line.strip_prefix('+') {
                Some(text) => content.push_str(text),
                None if line.trim().is_empty() => {}
                None => {
                    return Err(format!(
                        "Line {} of the patch must begin with +: it is part of a new file.",
                        self.number()
                    ));
                }
            }
            content.push('\n');
            self.at += 1;
        }
        Ok(content)
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, String> {
        let mut hunks = Vec::new();
        while let Some(line) = self.peek() {
            if line.starts_with("*** ") && line.trim() != END_OF_FILE {
                break;
            }
            if line.trim().is_empty() && hunks.is_empty() {
                self.at += 1;
                continue;
            }
            hunks.push(self.hunk(hunks.is_empty())?);
        }
        Ok(hunks)
    }

    fn hunk(&mut self, is_first: bool) -> Result<Hunk, String> {
        let mut hunk = Hunk::default();
        let begins_at = self.number();
        let mut marked = false;
        while let Some(rest) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            marked = true;
            let anchor = rest.trim_end_matches("@@").trim();
            // Line numbers as diffs have them say nothing here.
            if !anchor.is_empty() && !is_line_numbers(anchor) {
                hunk.anchors.push(anchor.to_owned());
            }
            self.at += 1;
        }
        if !marked && !is_first {
            return Err(format!("Line {begins_at} of the patch must begin a hunk with @@."));
        }
        self.body(&mut hunk)?;
        if hunk.old.is_empty() && hunk.new.is_empty() {
            return Err(format!("The hunk at line {begins_at} of the patch is empty."));
        }
        Ok(hunk)
    }

    fn body(&mut self, hunk: &mut Hunk) -> Result<(), String> {
        while let Some(line) = self.peek() {
            if line.trim() == END_OF_FILE {
                hunk.at_end = true;
                self.at += 1;
                return Ok(());
            }
            if line.starts_with("*** ") || line.starts_with("@@") {
                return Ok(());
            }
            let mut letters = line.chars();
            let (mark, text) = (letters.next(), letters.as_str());
            if matches!(mark, None | Some(' ' | '-')) {
                hunk.old.push(text.to_owned());
            }
            if matches!(mark, None | Some(' ' | '+')) {
                hunk.new.push(text.to_owned());
            }
            if !matches!(mark, None | Some(' ' | '-' | '+')) {
                return Err(format!("Line {} of the patch must begin with a space, - or +.", self.number()));
            }
            self.at += 1;
        }
        Ok(())
    }
}

fn is_line_numbers(anchor: &str) -> bool {
    anchor.starts_with('-') && anchor.chars().all(|letter| letter.is_ascii_digit() || "-+, ".contains(letter))
}

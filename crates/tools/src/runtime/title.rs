//! What a command does, in a few words for people who watch.
//!
//! Well-known programs have words of their own; below them stands the command itself. Where one of the steps is not
//! known the command alone is the title: a wrong word would say less. This is no reading of a shell: whether a command
//! may run is decided elsewhere.

use std::path::Path;

use super::shortened;

/// How much of a command is shown.
const LONGEST: usize = 120;

/// How many steps of a command are put into words.
const MOST_STEPS: usize = 3;

/// The title of a command.
pub(super) fn title(command: &str, workdir: Option<&Path>) -> String {
    let shown = shortened(command, LONGEST);
    let read = read(command);
    let place = workdir.map(|place| place.display().to_string()).or(read.place);
    let place = place.map(|place| format!(" (in {place})")).unwrap_or_default();
    match read.words {
        Some(words) => format!("{words}{place}\n\n`{shown}`"),
        None => format!("{shown}{place}"),
    }
}

/// What is understood of a command.
#[derive(Default)]
struct Read {
    words: Option<String>,
    /// Where it goes first.
    place: Option<String>,
}

fn read(command: &str) -> Read {
    let Some(steps) = steps(command) else { return Read::default() };
    let mut steps = steps.as_slice();
    let mut place = None;
    while let [first, rest @ ..] = steps {
        match words_of(first).as_slice() {
            ["cd", to] => place = Some((*to).to_owned()),
            _ => break,
        }
        steps = rest;
    }
    if steps.is_empty() || steps.len() > MOST_STEPS {
        return Read { words: None, place: None };
    }
    let words: Option<Vec<String>> = steps.iter().map(|step| phrase(&words_of(step))).collect();
    // Where the command alone is shown, it says itself where it goes.
    let place = place.filter(|_| words.is_some());
    Read { words: words.map(|words| words.join(", then ")), place }
}

/// The words of a step, without variables and programs that only start another.
fn words_of(step: &[String]) -> Vec<&str> {
    let starts = |word: &&str| {
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        assigns || ["sudo", "env", "time", "nohup", "command"].contains(word)
    };
    step.iter().map(String::as_str).skip_while(starts).collect()
}

/// What one step does; nothing for programs without words of their own.
fn phrase(words: &[&str]) -> Option<String> {
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let plain: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let first = plain.first().copied();
    let last = plain.last().copied().filter(|word| !word.bytes().all(|letter| letter.is_ascii_digit()));
    let with = |verb: &str, what: Option<&str>| what.map(|what| format!("{verb} {what}"));
    match program {
        "echo" | "printf" => Some("print text".to_owned()),
        "pwd" => Some("print the working folder".to_owned()),
        "date" => Some("tell the time".to_owned()),
        "ls" | "tree" => Some(with("list files in", first).unwrap_or_else(|| "list files".to_owned())),
        "cat" | "less" | "bat" => with("show", first),
        "head" => {
            Some(with("show the beginning of", last).unwrap_or_else(|| "take the beginning".to_owned()))
        }
        "tail" => Some(with("show the end of", last).unwrap_or_else(|| "take the end".to_owned())),
        "wc" => Some(with("count", first).unwrap_or_else(|| "count".to_owned())),
        "sort" => Some(with("sort", first).unwrap_or_else(|| "sort".to_owned())),
        "grep" | "rg" => with("search for", first),
        "find" | "fd" => Some(with("find files in", first).unwrap_or_else(|| "find files".to_owned())),
        "mkdir" => with("make folder", first),
        "rm" | "rmdir" => with("remove", first),
        "touch" => with("touch", first),
        "cp" => with("copy", first),
        "mv" => with("move", first),
        "curl" | "wget" => {
            plain.iter().find(|word| word.contains("://")).map(|address| format!("fetch {address}"))
        }
        "git" | "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "make" | "go" => {
            with(program, first).map(|what| format!("run {what}"))
        }
        "python" | "python3" | "node" | "sh" | "bash" => match rest.first() {
            Some(word) if !word.starts_with('-') => Some(format!("run {word}")),
            _ => None,
        },
        "which" => with("look for", first),
        "sleep" => Some("wait".to_owned()),
        _ => None,
    }
}

/// The steps of a command as words; nothing where it is more than a row of simple steps.
fn steps(command: &str) -> Option<Vec<Vec<String>>> {
    let mut steps = Vec::new();
    let mut step: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = command.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '`' | '$' if letter == '"' => return None,
                        '\\' if letter == '"' => word.push(letters.next()?),
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '`' | '$' | '(' | ')' | '{' | '}' | '<' | '>' | '#' => return None,
            ';' | '|' | '&' | '\n' => {
                let twice = letters.next_if_eq(&letter).is_some();
                if letter == '&' && !twice {
                    return None;
                }
                step.extend(word.take());
                steps.push(std::mem::take(&mut step));
            }
            space if space.is_whitespace() => step.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    step.extend(word);
    steps.push(step);
    steps.retain(|step| !step.is_empty());
    (!steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_commands_have_words_and_others_are_their_own_title() {
        for (command, expected) in [
            ("echo hello-tool", "print text\n\n`echo hello-tool`"),
            ("  printf   '%s' \"a; b\" ", "print text\n\n`printf '%s' \"a; b\"`"),
            ("ls -la src", "list files in src\n\n`ls -la src`"),
            ("LANG=C sudo /bin/cat notes.md", "show notes.md\n\n`LANG=C sudo /bin/cat notes.md`"),
            ("git status --short", "run git status\n\n`git status --short`"),
            ("cd web && npm test", "run npm test (in web)\n\n`cd web && npm test`"),
            (
                "cat a.txt | sort | head -5",
                "show a.txt, then sort, then take the beginning\n\n`cat a.txt | sort | head -5`",
            ),
            ("frobnicate --all", "frobnicate --all"),
            ("echo one && frobnicate", "echo one && frobnicate"),
            ("cd web && frobnicate", "cd web && frobnicate"),
            ("head -n 5", "take the beginning\n\n`head -n 5`"),
            ("echo $(rm -rf x)", "echo $(rm -rf x)"),
            ("echo \"$HOME\"", "echo \"$HOME\""),
            ("echo hi > file", "echo hi > file"),
            ("echo 'open", "echo 'open"),
            ("sleep 5 &", "sleep 5 &"),
            ("", ""),
            (";;", ";;"),
        ] {
            assert_eq!(title(command, None), expected, "{command}");
        }
    }

    #[test]
    fn a_folder_that_was_asked_for_is_told_and_long_commands_are_shortened() {
        let place = Some(Path::new("/srv/site"));
        assert_eq!(title("cd x && ls", place), "list files (in /srv/site)\n\n`cd x && ls`");
        assert_eq!(title("frobnicate", place), "frobnicate (in /srv/site)");
        let long = title(&format!("echo {}", "word ".repeat(100)), None);
        assert!(long.starts_with("print text\n\n`echo word") && long.chars().count() < 140, "{long}");
    }
}

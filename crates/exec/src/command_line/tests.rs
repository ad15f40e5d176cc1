//! What is read, what is not, and that a real shell agrees.

use std::path::Path;
use std::process::Command;

use openclaw_testkit::Random;
use proptest::prelude::*;

use super::read::{CommandLine, Join, Quiet, SimpleCommand};
use super::*;

fn understood(line: &str) -> CommandLine {
    read(line, Path::new("/home/ana")).unwrap_or_else(|opaque| panic!("{line:?} is opaque: {opaque}"))
}

fn step(join: Join, words: &[&str], quiet: &[Quiet]) -> SimpleCommand {
    SimpleCommand {
        join,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        quiet: quiet.to_vec(),
    }
}

#[test]
fn words_are_read_as_the_shell_reads_them() {
    let rows: [(&str, &[&str]); 10] = [
        ("ls -la", &["ls", "-la"]),
        ("  ls\t-l  ", &["ls", "-l"]),
        (r#"echo 'a b' "c d" e\ f"#, &["echo", "a b", "c d", "e f"]),
        (r#"echo "a\"b\\c\d""#, &["echo", r#"a"b\c\d"#]),
        ("echo ''", &["echo", ""]),
        ("echo a'b'\"c\"d", &["echo", "abcd"]),
        ("echo '$HOME `id` * ?'", &["echo", "$HOME `id` * ?"]),
        ("ls ~ ~/notes a~b", &["ls", "/home/ana", "/home/ana/notes", "a~b"]),
        ("echo a#b c=d e:f %g @h !i", &["echo", "a#b", "c=d", "e:f", "%g", "@h", "!i"]),
        ("echo 'zwei\nzeilen' grüße", &["echo", "zwei\nzeilen", "grüße"]),
    ];
    for (line, words) in rows {
        assert_eq!(understood(line), CommandLine { steps: vec![step(Join::First, words, &[])] }, "{line:?}");
    }
}

#[test]
fn commands_are_joined_by_operators() {
    let expected = vec![
        step(Join::First, &["a", "1"], &[Quiet::ErrorsToOutput]),
        step(Join::Pipe, &["b"], &[Quiet::DropErrors]),
        step(Join::And, &["c"], &[]),
        step(Join::Or, &["d"], &[Quiet::DropOutput, Quiet::NoInput]),
        step(Join::Then, &["e"], &[Quiet::OutputToErrors]),
        step(Join::Then, &["f"], &[]),
    ];
    let line = "a 1 2>&1|b 2> /dev/null &&\n c || d >/dev/null </dev/null; e >&2\n\nf;";
    assert_eq!(understood(line), CommandLine { steps: expected });
}

#[test]
fn what_depends_on_the_shell_is_opaque() {
    let rows = [
        ("", Opaque::Empty),
        ("  \n ", Opaque::Empty),
        ("echo $HOME", Opaque::Expansion),
        ("echo \"$(id)\"", Opaque::Expansion),
        ("echo $'\\x41'", Opaque::Expansion),
        ("echo `id`", Opaque::Substitution),
        ("echo \"`id`\"", Opaque::Substitution),
        ("(id)", Opaque::Subshell),
        ("cat <(id)", Opaque::Redirection),
        ("f() { id; }", Opaque::Subshell),
        ("{ id; }", Opaque::Braces),
        ("ls *.rs", Opaque::Pattern),
        ("ls a?c", Opaque::Pattern),
        ("ls [ab]", Opaque::Pattern),
        ("echo {a,b}", Opaque::Braces),
        ("ls # rm", Opaque::Comment),
        ("ls ~root/x", Opaque::Tilde),
        ("ls ~\"/x\"", Opaque::Tilde),
        ("ls a=~/x", Opaque::Tilde),
        ("sleep 1 & id", Opaque::Background),
        ("ls &> x", Opaque::Background),
        ("ls > out", Opaque::Redirection),
        ("ls >> out", Opaque::Redirection),
        ("ls 2> out", Opaque::Redirection),
        ("ls >| out", Opaque::Redirection),
        ("ls 3>&1", Opaque::Redirection),
        ("cat < /etc/passwd", Opaque::Redirection),
        ("cat << EOF\nx\nEOF", Opaque::Redirection),
        ("cat <<< x", Opaque::Redirection),
        ("ls |& cat", Opaque::Redirection),
        ("> /dev/null", Opaque::Redirection),
        ("ls \\\n-l", Opaque::Continuation),
        ("ls \"a\\\nb\"", Opaque::Continuation),
        ("ls 'a", Opaque::Unfinished),
        ("ls \"a", Opaque::Unfinished),
        ("ls a\\", Opaque::Unfinished),
        ("ls &&", Opaque::Unfinished),
        ("ls |", Opaque::Unfinished),
        ("&& ls", Opaque::Unfinished),
        ("; ls", Opaque::Unfinished),
        ("ls ;; id", Opaque::Grammar),
        ("A=1 ls", Opaque::Grammar),
        ("if true; then id; fi", Opaque::Grammar),
        ("while true; do id; done", Opaque::Grammar),
        ("! ls", Opaque::Grammar),
        ("time ls", Opaque::Grammar),
        ("'' ls", Opaque::Grammar),
        ("ls\r", Opaque::UnclearCharacter),
        ("ls\u{a0}x", Opaque::UnclearCharacter),
        ("ls \u{202e}x", Opaque::UnclearCharacter),
        ("ls \u{200b}", Opaque::UnclearCharacter),
        ("l\u{455} x", Opaque::UnclearCharacter),
        ("ls \u{0}", Opaque::UnclearCharacter),
        ("ls \u{1b}[2K", Opaque::UnclearCharacter),
    ];
    for (line, expected) in rows {
        assert_eq!(read(line, Path::new("/home/ana")), Err(expected), "{line:?}");
    }
    assert_eq!(read(&"a".repeat(70_000), Path::new("/home/ana")), Err(Opaque::TooLong));
}

/// A line made of pieces that a shell may read in surprising ways.
fn random_line(random: &mut Random) -> String {
    const PIECES: [&str; 64] = [
        "a",
        "b-c",
        "/x",
        ".",
        "..",
        "-n",
        "--x=y",
        "1",
        "2",
        "=",
        ":",
        ",",
        "+",
        "@",
        "%",
        "^",
        "!",
        "#",
        "~",
        "~/",
        "~root",
        " ",
        " ",
        " ",
        "\t",
        "\n",
        "'",
        "\"",
        "\\",
        "\\ ",
        "\\\\",
        "\\'",
        "\\\"",
        "\\n",
        "\\$",
        "$",
        "$HOME",
        "${A}",
        "$(b)",
        "`",
        "*",
        "?",
        "[a]",
        "]",
        "{a,b}",
        "{",
        "}",
        ";",
        "&",
        "&&",
        "|",
        "||",
        "(",
        ")",
        "<",
        ">",
        "2>&1",
        ">/dev/null",
        "2>/dev/null",
        "</dev/null",
        "'q $x'",
        "\"d e\"",
        "é",
        "if",
    ];
    let count = 1 + random.below(9);
    let mut line = String::from("printf '%s\\0'");
    for _ in 0..count {
        let index = usize::try_from(random.below(64)).unwrap();
        if random.below(3) == 0 {
            line.push(' ');
        }
        line.push_str(PIECES[index]);
    }
    line
}

fn shell(text: &str) -> Vec<u8> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", "--", text])
        .env_clear()
        .env("HOME", "/home/ana")
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/");
    command.output().unwrap().stdout
}

/// What a line of `printf '%s\0' …` commands prints, when every one of them is such a command.
fn predicted(line: &CommandLine) -> Option<Vec<u8>> {
    let mut printed = Vec::new();
    for step in &line.steps {
        let plain = matches!(step.join, Join::First | Join::And | Join::Then) && step.quiet.is_empty();
        if !plain || !step.words.starts_with(&["printf".to_owned(), "%s\\0".to_owned()]) {
            return None;
        }
        let words = if step.words.len() == 2 { vec![String::new()] } else { step.words[2..].to_vec() };
        words.iter().for_each(|word| printed.extend([word.as_bytes(), b"\0"].concat()));
    }
    Some(printed)
}

#[test]
fn a_real_shell_runs_exactly_the_words_that_were_predicted() {
    let mut random = Random::new();
    let (mut accepted, mut tried) = (0, 0);
    while accepted < 1_500 && tried < 60_000 {
        tried += 1;
        let mut text = random_line(&mut random);
        if random.below(4) == 0 {
            text = format!("{text} ; {}", random_line(&mut random));
        }
        let Ok(line) = read(&text, Path::new("/home/ana")) else { continue };
        let Some(expected) = predicted(&line) else { continue };
        accepted += 1;
        assert_eq!(shell(&text), expected, "{text:?}");
    }
    assert!(accepted >= 1_000, "only {accepted} of {tried} lines were understood");
}

#[test]
fn the_checked_form_runs_the_same_words() {
    let mut random = Random::new();
    let place = SearchPlace {
        path: "/usr/bin:/bin".into(),
        directory: "/".into(),
        base: "/".into(),
        input: LineInput::Closed,
        git_configs: Vec::new(),
    };
    let mut accepted = 0;
    for _ in 0..20_000 {
        let Ok(line) = read(&random_line(&mut random), Path::new("/home/ana")) else { continue };
        let Some(expected) = predicted(&line) else { continue };
        accepted += 1;
        let located = locate(line.clone(), &place).unwrap();
        let text = render(&located).unwrap();
        assert_eq!(shell(&text), expected, "{text:?}");
        if accepted == 200 {
            return;
        }
    }
    panic!("only {accepted} lines were understood");
}

proptest! {
    #[test]
    fn reading_never_panics(line in ".*", tail in proptest::collection::vec(any::<char>(), 0..40)) {
        let all: String = line.chars().chain(tail).collect();
        let place = SearchPlace { path: "/usr/bin".into(), directory: "/".into(), base: "/".into(), input: LineInput::Closed, git_configs: Vec::new() };
        if let Ok(read) = read(&all, Path::new("/home/ana")) {
            prop_assert!(!read.steps.is_empty());
            prop_assert!(read.steps.iter().all(|step| !step.words.is_empty()));
            drop(locate(read, &place));
        }
    }
}

#[test]
fn programs_are_found_where_the_child_would_find_them() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let folders = ["first", "second", "work"].map(|name| root.join(name));
    folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let make = |path: &Path, mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    make(&folders[0].join("plain"), 0o644);
    make(&folders[1].join("plain"), 0o755);
    make(&folders[2].join("here"), 0o755);
    std::os::unix::fs::symlink(folders[1].join("plain"), folders[0].join("link")).unwrap();
    let path = format!("{}::.:work:{}", folders[0].display(), folders[1].display());
    let found = |line: &str| {
        let place = SearchPlace {
            path: path.clone(),
            directory: folders[2].clone(),
            base: folders[2].clone(),
            input: LineInput::Closed,
            git_configs: Vec::new(),
        };
        locate(read(line, &root).unwrap(), &place).unwrap().steps[0].executable.clone()
    };
    let executable = |found: &Path, real: &Path| Some(Executable { found: found.into(), real: real.into() });
    let second = folders[1].join("plain");
    assert_eq!(found("plain x"), executable(&second, &second));
    assert_eq!(found("link x"), executable(&folders[0].join("link"), &second));
    assert_eq!(found("here"), None, "the current folder is not searched");
    assert_eq!(found("./here"), executable(&folders[2].join("here"), &folders[2].join("here")));
    assert_eq!(found("~/work/here"), executable(&folders[2].join("here"), &folders[2].join("here")));
    assert_eq!(found("missing"), None);
}

#[test]
fn a_leading_change_of_folder_is_followed_and_any_other_is_opaque() {
    let place = SearchPlace {
        path: "/usr/bin:/bin".into(),
        directory: "/".into(),
        base: "/".into(),
        input: LineInput::Closed,
        git_configs: Vec::new(),
    };
    let located = |line: &str| locate(read(line, Path::new("/")).unwrap(), &place);
    let followed = located("cd usr && ls").unwrap();
    assert_eq!((followed.directory.as_path(), followed.steps.len()), (Path::new("/usr"), 1));
    for line in [
        "cd usr",
        "cd usr; ls",
        "cd usr && ls; id",
        "cd usr || ls",
        "ls && cd usr && id",
        "cd - && ls",
        "cd && ls",
    ] {
        assert_eq!(located(line), Err(Opaque::ChangeDirectory), "{line:?}");
    }
}

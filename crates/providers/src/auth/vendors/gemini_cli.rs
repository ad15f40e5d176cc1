//! Gemini's command line: in the browser, in the name of the installed command line.
//!
//! Its client has a secret that is not ours to ship: it is taken from variables, or from where the person installed
//! the command line. Finding it reads a few files; nothing is kept.

use std::path::{Path, PathBuf};

use openclaw_config::Environment;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::Secret;

use super::{ClientName, Renewal, SignInVendor, SignInWay, VendorUrls};

/// Larger files are not the one we look for.
const MAX_BYTES: u64 = 1024 * 1024;
/// How deep below the installation the file may be, and how many directories are looked through for it.
const MAX_DEPTH: usize = 10;
const MAX_DIRECTORIES: usize = 4_000;

pub(super) fn vendor() -> SignInVendor {
    SignInVendor {
        provider: "google-gemini-cli",
        name: "Google (Gemini CLI)",
        client: ClientName::GeminiCli,
        scope: "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile",
        way: Some(SignInWay::Browser {
            callback_path: "/oauth2callback",
            extra: &[("access_type", "offline"), ("prompt", "consent")],
        }),
        renewal: Renewal::Form,
        urls: VendorUrls {
            authorize: "https://accounts.google.com/o/oauth2/v2/auth".to_owned(),
            token: "https://oauth2.googleapis.com/token".to_owned(),
            account: "https://www.googleapis.com/oauth2/v1/userinfo?alt=json".to_owned(),
            project: [
                "https://cloudcode-pa.googleapis.com",
                "https://daily-cloudcode-pa.sandbox.googleapis.com",
                "https://autopush-cloudcode-pa.sandbox.googleapis.com",
            ]
            .map(str::to_owned)
            .to_vec(),
            callback_port: 8085,
            ..VendorUrls::default()
        },
    }
}

/// The client's name, and its secret where there is one.
///
/// # Errors
/// Reason `Auth` with what to install or set.
pub(in crate::auth) fn client(
    environment: &Environment,
) -> Result<(String, Option<Secret<String>>), ModelFault> {
    let first = |names: [&str; 2]| names.into_iter().find_map(|name| environment.get_trimmed(name));
    if let Some(name) = first(["OPENCLAW_GEMINI_OAUTH_CLIENT_ID", "GEMINI_CLI_OAUTH_CLIENT_ID"]) {
        let secret = first(["OPENCLAW_GEMINI_OAUTH_CLIENT_SECRET", "GEMINI_CLI_OAUTH_CLIENT_SECRET"]);
        return Ok((name.to_owned(), secret.map(|secret| Secret::new(secret.to_owned()))));
    }
    installed(environment).ok_or_else(|| {
        ModelFault::new(
            FaultReason::Auth,
            "the Gemini command line was not found; install it (npm install -g @google/gemini-cli) or set \
             OPENCLAW_GEMINI_OAUTH_CLIENT_ID and OPENCLAW_GEMINI_OAUTH_CLIENT_SECRET",
        )
    })
}

fn installed(environment: &Environment) -> Option<(String, Option<Secret<String>>)> {
    let program = environment
        .get("PATH")?
        .split(':')
        .filter(|directory| !directory.is_empty())
        .map(|directory| Path::new(directory).join("gemini"))
        .find(|path| path.is_file())?;
    roots(&program).into_iter().find_map(|root| {
        let text = source_of(&root)?;
        let name = name_in(&text)?;
        Some((name.to_owned(), Some(Secret::new(secret_in(&text)?.to_owned()))))
    })
}

/// Where the package may be, from where its program is.
fn roots(program: &Path) -> Vec<PathBuf> {
    let package = Path::new("node_modules/@google/gemini-cli");
    let mut roots = Vec::new();
    if let Ok(real) = std::fs::canonicalize(program) {
        roots.extend(real.parent().and_then(Path::parent).map(Path::to_owned));
        roots.extend(real.parent().map(|directory| directory.join(package)));
    }
    if let Some(directory) = program.parent() {
        roots.push(directory.join(package));
        if let Some(prefix) = directory.parent() {
            roots.push(prefix.join(package));
            roots.push(prefix.join("lib").join(package));
        }
    }
    roots
}

fn source_of(root: &Path) -> Option<String> {
    let core = root.join("node_modules/@google/gemini-cli-core/dist");
    let usual = [core.join("src/code_assist/oauth2.js"), core.join("code_assist/oauth2.js")];
    usual.iter().find_map(|path| text_of(path)).or_else(|| search(root))
}

/// Looks for the file below the package, level by level.
fn search(root: &Path) -> Option<String> {
    let mut level = vec![root.to_owned()];
    let mut left = MAX_DIRECTORIES;
    for _ in 0..MAX_DEPTH {
        let mut below = Vec::new();
        for directory in level {
            left = left.checked_sub(1)?;
            let Ok(entries) = std::fs::read_dir(&directory) else { continue };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_file() && entry.file_name() == "oauth2.js" {
                    return text_of(&entry.path());
                }
                if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                    below.push(entry.path());
                }
            }
        }
        level = below;
    }
    None
}

fn text_of(path: &Path) -> Option<String> {
    let size = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?.len();
    if size > MAX_BYTES { None } else { std::fs::read_to_string(path).ok() }
}

/// `<digits>-<letters and digits>.apps.googleusercontent.com`
fn name_in(text: &str) -> Option<&str> {
    const END: &str = ".apps.googleusercontent.com";
    text.match_indices(END).find_map(|(end, _)| {
        let before = &text[..end];
        let letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let dash = before.trim_end_matches(letter);
        let start = dash.strip_suffix('-')?.trim_end_matches(|digit: char| digit.is_ascii_digit()).len();
        (start + 1 < dash.len() && dash.len() < end).then(|| &text[start..end + END.len()])
    })
}

/// `GOCSPX-<letters, digits, _ and ->`
fn secret_in(text: &str) -> Option<&str> {
    const MARK: &str = "GOCSPX-";
    let start = text.find(MARK)?;
    let rest = &text[start + MARK.len()..];
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let length = rest.find(|found| !letter(found)).unwrap_or(rest.len());
    (length > 0).then(|| &text[start..start + MARK.len() + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_taken_from_variables_first() {
        let variables = [
            ("OPENCLAW_GEMINI_OAUTH_CLIENT_ID", "ours"),
            ("GEMINI_CLI_OAUTH_CLIENT_ID", "theirs"),
            ("GEMINI_CLI_OAUTH_CLIENT_SECRET", "hidden"),
        ];
        let found = client(&Environment::fake(variables, "/nowhere")).unwrap();
        assert_eq!(found, ("ours".to_owned(), Some(Secret::new("hidden".to_owned()))));
    }

    #[test]
    fn the_client_is_found_in_an_installed_command_line() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("lib/node_modules/@google/gemini-cli/dist/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(home.path().join("bin")).unwrap();
        std::fs::write(home.path().join("bin/gemini"), "#!/bin/sh\n").unwrap();
        let id = format!("12345-abc9.apps.{}", "googleusercontent.com");
        let secret = ["GOC", "SPX-Ab_9-x"].concat();
        std::fs::write(deep.join("oauth2.js"), format!("const A = '{id}';\nconst B = '{secret}';\n"))
            .unwrap();
        let path = home.path().join("bin").display().to_string();
        let found = client(&Environment::fake([("PATH", format!("/nowhere:{path}"))], home.path())).unwrap();
        assert_eq!(found, (id, Some(Secret::new(secret))));
    }

    #[test]
    fn without_either_the_person_is_told_what_to_do() {
        let fault = client(&Environment::fake([("PATH", "/nowhere")], "/nowhere")).unwrap_err();
        assert_eq!(fault.reason, FaultReason::Auth);
        assert!(fault.message.contains("npm install -g @google/gemini-cli"), "{fault}");
    }
}

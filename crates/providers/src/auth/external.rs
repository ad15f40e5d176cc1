//! Finds the sign-ins of other programs on this machine, so that a person can be offered to take one over.
//!
//! Their files are read and never written. Nothing is taken over by itself: two programs that renew the same sign-in
//! log each other out.

use std::io::Read;
use std::path::{Path, PathBuf};

use openclaw_config::Environment;
use openclaw_ports::stores::{OauthTokens, StoredCredential, StoredProfile};
use openclaw_types::{AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::oauth::{email_of, expiry_of};
use super::sign_ins::{RESOURCE_URL, chatgpt_account};

/// Larger files are not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Another program with sign-ins of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherProgram {
    /// Anthropic's command line.
    ClaudeCode,
    /// OpenAI's command line.
    CodexCli,
    /// Qwen's command line.
    QwenCli,
}

impl OtherProgram {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::ClaudeCode, Self::CodexCli, Self::QwenCli];

    /// The name of the profile that a sign-in of it becomes.
    #[must_use]
    pub fn profile_name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "anthropic:claude-cli",
            Self::CodexCli => "openai-codex:codex-cli",
            Self::QwenCli => "qwen-portal:qwen-cli",
        }
    }

    fn provider(self) -> &'static str {
        match self {
            Self::ClaudeCode => "anthropic",
            Self::CodexCli => "openai-codex",
            Self::QwenCli => "qwen-portal",
        }
    }

    fn file(self, environment: &Environment) -> PathBuf {
        let home = environment.home();
        match self {
            Self::ClaudeCode => home.join(".claude/.credentials.json"),
            Self::CodexCli => environment
                .get_trimmed("CODEX_HOME")
                .map_or_else(|| home.join(".codex"), |text| environment.user_path(text))
                .join("auth.json"),
            Self::QwenCli => home.join(".qwen/oauth_creds.json"),
        }
    }
}

/// The sign-ins of other programs, as the profiles they would become.
#[must_use]
pub fn find_other_sign_ins(environment: &Environment) -> Vec<(OtherProgram, StoredProfile)> {
    OtherProgram::ALL
        .into_iter()
        .filter_map(|program| Some((program, profile(program, &read(&program.file(environment))?)?)))
        .collect()
}

fn read(path: &Path) -> Option<Value> {
    let file = std::fs::File::open(path).ok()?;
    let mut bytes = Zeroizing::new(Vec::new());
    if let Err(error) = file.take(MAX_BYTES).read_to_end(&mut bytes) {
        tracing::debug!(path = %path.display(), %error, "a sign-in of another program cannot be read");
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}

fn profile(program: OtherProgram, value: &Value) -> Option<StoredProfile> {
    let mut extra = Map::new();
    let mut email = None;
    let tokens = match program {
        OtherProgram::ClaudeCode => {
            let fields = value.get("claudeAiOauth")?;
            tokens(fields, ["accessToken", "refreshToken"], fields.get("expiresAt").and_then(Value::as_i64))?
        }
        OtherProgram::CodexCli => {
            let fields = value.get("tokens")?;
            let mut tokens = tokens(fields, ["access_token", "refresh_token"], None)?;
            tokens.expires = expiry_of(&tokens.access).unwrap_or(UnixMillis(0));
            let named = fields.get("account_id").and_then(Value::as_str).map(str::to_owned);
            tokens.account_id = named.or_else(|| chatgpt_account(&tokens.access));
            email = email_of(&tokens.access);
            tokens
        }
        OtherProgram::QwenCli => {
            if let Some(resource) = value.get("resource_url").and_then(Value::as_str) {
                extra.insert(RESOURCE_URL.to_owned(), resource.into());
            }
            tokens(
                value,
                ["access_token", "refresh_token"],
                value.get("expiry_date").and_then(Value::as_i64),
            )?
        }
    };
    Some(StoredProfile {
        id: AuthProfileId::new(program.profile_name()).ok()?,
        provider: ProviderId::new(program.provider()).ok()?,
        email,
        credential: StoredCredential::Oauth(tokens),
        extra,
    })
}

fn tokens(fields: &Value, [access, refresh]: [&str; 2], expires: Option<i64>) -> Option<OauthTokens> {
    let token = |name: &str| {
        let text = fields.get(name)?.as_str().filter(|text| !text.trim().is_empty())?;
        Some(Secret::new(text.to_owned()))
    };
    Some(OauthTokens {
        access: token(access)?,
        refresh: token(refresh),
        expires: UnixMillis(expires.unwrap_or(0)),
        account_id: None,
        project_id: None,
        enterprise_url: None,
        client_id: None,
    })
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use openclaw_testkit::planted_secret;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_sign_ins_of_other_programs_are_found_and_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let claims = r#"{"exp":1900000000,"https://api.openai.com/auth":{"chatgpt_account_id":"acc"}}"#;
        let jwt = format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        let refresh = planted_secret("codex");
        let files = [
            (".claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"a1","refreshToken":"r1","expiresAt":5}}"#.to_owned()),
            (".codex/auth.json", format!(r#"{{"tokens":{{"access_token":"{jwt}","refresh_token":"{refresh}"}}}}"#)),
            (".qwen/oauth_creds.json", r#"{"access_token":"a3","refresh_token":"r3","expiry_date":7,"resource_url":"portal.qwen.ai"}"#.to_owned()),
        ];
        for (path, text) in &files {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = find_other_sign_ins(&Environment::fake([("A", "b")], home.path()));
        let shown: Vec<(String, i64, Option<String>, Option<String>)> = found
            .iter()
            .map(|(_, profile)| match &profile.credential {
                StoredCredential::Oauth(tokens) => (
                    profile.id.to_string(),
                    tokens.expires.0,
                    tokens.account_id.clone(),
                    tokens.refresh.as_ref().map(|token| token.reveal().clone()),
                ),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("anthropic:claude-cli".to_owned(), 5, None, Some("r1".to_owned())),
                (
                    "openai-codex:codex-cli".to_owned(),
                    1_900_000_000_000,
                    Some("acc".to_owned()),
                    Some(refresh)
                ),
                ("qwen-portal:qwen-cli".to_owned(), 7, None, Some("r3".to_owned())),
            ]
        );
        for (path, text) in &files {
            assert_eq!(std::fs::read_to_string(home.path().join(path)).unwrap(), *text);
        }
    }

    #[test]
    fn what_other_programs_hold_is_not_shown() {
        let (access, refresh) = (planted_secret("access"), planted_secret("refresh"));
        let flat = json!({ "access_token": access, "refresh_token": refresh, "expiry_date": 7 });
        let files = [
            (
                OtherProgram::ClaudeCode,
                json!({ "claudeAiOauth": { "accessToken": access, "refreshToken": refresh, "expiresAt": 5 } }),
            ),
            (OtherProgram::CodexCli, json!({ "tokens": flat })),
            (OtherProgram::QwenCli, flat),
        ];
        for (program, file) in files {
            let found = profile(program, &file);
            let StoredCredential::Oauth(tokens) = &found.as_ref().unwrap().credential else {
                panic!("{found:?}")
            };
            assert_eq!(tokens.access.reveal(), &access, "{program:?}");
            assert!(!format!("{found:?}").contains("planted-"), "{found:?}");
        }
    }

    #[test]
    fn broken_files_of_other_programs_are_passed_over() {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in
            [(".claude/.credentials.json", "{"), (".qwen/oauth_creds.json", r#"{"access_token":4}"#)]
        {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(find_other_sign_ins(&Environment::fake([("A", "b")], home.path())), []);
    }
}

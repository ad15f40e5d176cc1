//! Takes a key or token that a person pasted and makes a profile of it. Pure.

use std::time::Duration;

use openclaw_ports::stores::{StoredCredential, StoredProfile, StoredSecret};
use openclaw_types::{AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::Map;

use super::LoginError;

/// How setup tokens of Anthropic begin, and the shortest there are.
const SETUP_PREFIX: &str = "sk-ant-oat01-";
const SETUP_MIN_LENGTH: usize = 80;
/// The longest key or token that is taken.
const MAX_LENGTH: usize = 32 * 1024;

/// A profile with a key.
///
/// # Errors
/// When there is no key in what was pasted.
pub fn api_key_profile(
    id: AuthProfileId,
    provider: ProviderId,
    key: &Secret<String>,
) -> Result<StoredProfile, LoginError> {
    let key = StoredSecret::Text(pasted(key)?);
    Ok(StoredProfile {
        id,
        provider,
        email: None,
        credential: StoredCredential::ApiKey { key },
        extra: Map::new(),
    })
}

/// A profile with a token that may run out.
///
/// # Errors
/// When there is no token in what was pasted.
pub fn paste_token_profile(
    id: AuthProfileId,
    provider: ProviderId,
    token: &Secret<String>,
    expires: Option<(UnixMillis, Duration)>,
) -> Result<StoredProfile, LoginError> {
    let token = StoredSecret::Text(pasted(token)?);
    let expires = expires.map(|(now, lifetime)| now.plus(lifetime));
    let credential = StoredCredential::Token { token, expires };
    Ok(StoredProfile { id, provider, email: None, credential, extra: Map::new() })
}

/// A profile with a setup token of Anthropic.
///
/// # Errors
/// When what was pasted is no whole setup token.
pub fn setup_token_profile(
    id: AuthProfileId,
    provider: ProviderId,
    token: &Secret<String>,
) -> Result<StoredProfile, LoginError> {
    let clean = pasted(token)?;
    if !clean.reveal().starts_with(SETUP_PREFIX) {
        return Err(unusable(
            "this is no setup token, which begins with sk-ant-oat01-; run: claude setup-token",
        ));
    }
    if clean.reveal().len() < SETUP_MIN_LENGTH {
        return Err(unusable("this is only a part of a setup token; paste all of it"));
    }
    paste_token_profile(id, provider, &clean, None)
}

/// The usual id of a pasted token: the vendor and a name a person chose.
///
/// # Errors
/// When the vendor's name cannot be part of an id.
pub fn token_profile_id(provider: &ProviderId, name: &str) -> Result<AuthProfileId, LoginError> {
    let mut plain = String::new();
    for letter in name.trim().to_lowercase().chars() {
        let fits = letter.is_ascii_lowercase() || letter.is_ascii_digit() || "._".contains(letter);
        if fits {
            plain.push(letter);
        } else if !plain.ends_with('-') {
            plain.push('-');
        }
    }
    let plain = plain.trim_matches('-');
    let plain = if plain.is_empty() { "default" } else { plain };
    AuthProfileId::new(format!("{provider}:{plain}")).map_err(|error| unusable(&error.to_string()))
}

/// What was pasted, without line ends and space around it.
fn pasted(text: &Secret<String>) -> Result<Secret<String>, LoginError> {
    let whole = Secret::new(text.reveal().replace(['\r', '\n'], ""));
    let clean = whole.reveal().trim();
    if clean.is_empty() {
        return Err(unusable("nothing was pasted; paste the key or token"));
    }
    if clean.len() > MAX_LENGTH || clean.chars().any(char::is_control) {
        return Err(unusable("what was pasted is no key or token; copy it again"));
    }
    Ok(Secret::new(clean.to_owned()))
}

fn unusable(problem: &str) -> LoginError {
    LoginError::Unusable { problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> (AuthProfileId, ProviderId) {
        (AuthProfileId::new("anthropic:default").unwrap(), ProviderId::new("anthropic").unwrap())
    }

    #[test]
    fn a_setup_token_must_begin_rightly_and_be_whole() {
        let whole = format!("sk-ant-oat01-{}", "a".repeat(67));
        let (id, provider) = ids();
        let profile =
            setup_token_profile(id.clone(), provider.clone(), &Secret::new(format!(" {whole}\n"))).unwrap();
        let token = StoredSecret::Text(Secret::new(whole.clone()));
        assert_eq!(profile.credential, StoredCredential::Token { token, expires: None });
        for (wrong, hint) in
            [("sk-ant-api03-key", "claude setup-token"), (&whole[..79], "only a part"), ("", "nothing")]
        {
            let error = setup_token_profile(id.clone(), provider.clone(), &Secret::new(wrong.to_owned()))
                .unwrap_err();
            assert!(error.to_string().contains(hint), "{error}");
            assert!(wrong.is_empty() || !format!("{error} {error:?}").contains(wrong), "{error}");
        }
    }

    #[test]
    fn a_pasted_token_runs_out_after_its_lifetime() {
        let (id, provider) = ids();
        let expires = Some((UnixMillis(1_000), Duration::from_secs(60)));
        let profile = paste_token_profile(id, provider, &Secret::new("tok\nen".to_owned()), expires).unwrap();
        let token = StoredSecret::Text(Secret::new("token".to_owned()));
        assert_eq!(profile.credential, StoredCredential::Token { token, expires: Some(UnixMillis(61_000)) });
    }

    #[test]
    fn the_id_of_a_token_is_made_of_plain_letters() {
        let provider = ProviderId::new("anthropic").unwrap();
        let rows = [
            ("", "anthropic:default"),
            ("  My Work! ", "anthropic:my-work"),
            ("a.b_c-d", "anthropic:a.b_c-d"),
        ];
        for (name, expected) in rows {
            assert_eq!(token_profile_id(&provider, name).unwrap().as_str(), expected);
        }
    }
}

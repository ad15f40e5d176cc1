//! Reads what a person pasted: the address their browser ended on, its query, `code#state`, or the bare code. Pure.

use openclaw_types::Secret;

use super::LoginError;
use crate::auth::oauth::field_of;

/// Longer pastes are not what was asked for.
const MAX_BYTES: usize = 16 * 1024;

/// The code in what was pasted, which must not belong to another sign-in.
pub(super) fn code(pasted: &Secret<String>, state: &str) -> Result<Secret<String>, LoginError> {
    let text = pasted.reveal().trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return Err(LoginError::NoCode);
    }
    let (code, found) = if text.contains("://") || text.contains("code=") || text.contains("error=") {
        let query = text.split_once('?').map_or(text, |(_, query)| query);
        let query = query.split('#').next().unwrap_or(query);
        if field_of(query, "error").as_deref() == Some("access_denied") {
            return Err(LoginError::Declined);
        }
        (field_of(query, "code"), field_of(query, "state"))
    } else if let Some((code, state)) = text.split_once('#') {
        (Some(code.to_owned()), Some(state.to_owned()))
    } else {
        (Some(text.to_owned()), None)
    };
    if found.is_some_and(|found| found.trim() != state) {
        return Err(LoginError::WrongState);
    }
    let code = code.map(Secret::new).filter(|code| !code.reveal().trim().is_empty());
    let code = code.ok_or(LoginError::NoCode)?;
    if code.reveal().chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(LoginError::NoCode);
    }
    Ok(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_paste_gives_the_code() {
        let rows = [
            ("http://localhost:1455/auth/callback?code=ab%2Bc&state=st", Ok("ab+c")),
            ("  code=abc&state=st \n", Ok("abc")),
            ("?code=abc&state=st", Ok("abc")),
            ("abc#st", Ok("abc")),
            ("abc", Ok("abc")),
            ("http://localhost:1455/auth/callback?code=abc", Ok("abc")),
            ("http://localhost:1455/auth/callback?code=abc&state=other", Err(LoginError::WrongState)),
            ("abc#other", Err(LoginError::WrongState)),
            ("http://localhost:1455/auth/callback?state=st", Err(LoginError::NoCode)),
            ("http://localhost:1455/auth/callback?error=access_denied&state=st", Err(LoginError::Declined)),
            ("two words", Err(LoginError::NoCode)),
            ("", Err(LoginError::NoCode)),
        ];
        for (pasted, expected) in rows {
            let expected = expected.map(|code: &str| Secret::new(code.to_owned()));
            assert_eq!(code(&Secret::new(pasted.to_owned()), "st"), expected, "{pasted}");
        }
    }
}

//! Who speaks behind a message that PluralKit wrote in the name of somebody: several people can share one account.
//!
//! Such a message is a webhook's, so that the platform does not know who wrote it; PluralKit's own API does. Lists hold
//! `pk:<member>` or `pk:<system>`, or the account itself.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_types::{PeerId, Person, Secret};
use serde_json::Value;

use crate::shared::{Body, Http, HttpRequest, Method};

/// Where the API is, unless a variable says otherwise.
pub(super) const ROOT: &str = "https://api.pluralkit.me/v2";
/// Names another place for the API.
pub(super) const ROOT_VARIABLE: &str = "OPENCLAW_PLURALKIT_API";
/// Stands before ids of PluralKit in lists.
const PREFIX: &str = "pk:";
const PATIENCE: Duration = Duration::from_secs(5);
/// A message is written first and known there a moment later.
const MOMENT: Duration = Duration::from_millis(700);

/// What asking needs.
pub(super) struct PluralLogin {
    /// Where the API is.
    pub(super) root: String,
    /// Lets us ask about systems that are not public.
    pub(super) token: Option<Secret<String>>,
}

/// Asks who speaks.
pub(super) struct PluralKit<'a> {
    pub(super) http: &'a Http,
    pub(super) clock: &'a Arc<dyn Clock>,
    pub(super) login: &'a PluralLogin,
}

impl PluralKit<'_> {
    /// Who wrote a message; nothing when PluralKit did not write it, or does not say.
    pub(super) async fn speaker(&self, message: &str) -> Option<Person> {
        if let Some(found) = self.ask(message).await {
            return person(&found);
        }
        self.clock.sleep(MOMENT).await;
        person(&self.ask(message).await?)
    }

    async fn ask(&self, message: &str) -> Option<Value> {
        let token = self.login.token.as_ref();
        let request = HttpRequest {
            method: Method::GET,
            address: format!("{}/messages/{message}", self.login.root),
            headers: token.map(|token| ("authorization", token.reveal().clone())).into_iter().collect(),
            body: Body::Empty,
            deadline: PATIENCE,
        };
        match self.http.call(request).await {
            Ok(answer) if answer.status == 200 => answer.json(),
            // It is another program's.
            Ok(answer) if answer.status == 404 => None,
            Ok(answer) => {
                tracing::warn!(
                    subsystem = "channels",
                    status = answer.status,
                    "PluralKit does not say who wrote a message"
                );
                None
            }
            Err(error) => {
                tracing::warn!(subsystem = "channels", %error, "PluralKit cannot be asked who wrote a message");
                None
            }
        }
    }
}

/// Somebody as PluralKit knows them. Without a member nobody can be told apart, and nobody is let in.
fn person(found: &Value) -> Option<Person> {
    let id = |value: &Value| value["id"].as_str().and_then(named);
    let member = &found["member"];
    let also = id(&found["system"]).into_iter().chain(found["sender"].as_str().map(str::to_owned));
    let names = [&member["display_name"], &member["name"]];
    let name = names.into_iter().filter_map(Value::as_str).map(str::trim).find(|name| !name.is_empty());
    Some(Person {
        also: also.collect(),
        name: name.map(str::to_owned),
        ..Person::new(PeerId::new(id(member)?).ok()?)
    })
}

/// An entry of a list that names somebody of PluralKit.
pub(super) fn listed(entry: &str) -> Option<String> {
    let entry = entry.trim();
    let head = entry.get(..PREFIX.len()).filter(|head| head.eq_ignore_ascii_case(PREFIX))?;
    named(&entry[head.len()..])
}

fn named(id: &str) -> Option<String> {
    let id = id.trim().to_lowercase();
    let sound = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    sound.then(|| format!("{PREFIX}{id}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn somebody_is_told_by_their_own_id_that_of_their_system_and_their_account() {
        let found = json!({
            "sender": "1000000000000000001", "system": { "id": "sysab", "name": "We" },
            "member": { "id": "MEMab", "name": "rose", "display_name": "Rose" },
        });
        let expected = Person {
            also: vec!["pk:sysab".to_owned(), "1000000000000000001".to_owned()],
            name: Some("Rose".to_owned()),
            ..Person::new(PeerId::new("pk:memab").unwrap())
        };
        assert_eq!(person(&found), Some(expected));
        assert_eq!(person(&json!({ "sender": "1", "system": { "id": "sysab" }, "member": null })), None);
    }

    #[test]
    fn lists_name_people_of_pluralkit_with_its_sign_in_front() {
        for (entry, expected) in [
            ("pk:abcde", Some("pk:abcde")),
            (" PK: ABCDE ", Some("pk:abcde")),
            ("pk:", None),
            ("pk:a/b", None),
            ("abcde", None),
            ("123", None),
        ] {
            assert_eq!(listed(entry).as_deref(), expected, "{entry}");
        }
    }
}

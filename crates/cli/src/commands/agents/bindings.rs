//! What bindings become when an agent gets or loses a channel. Pure.
//!
//! Two bindings are the same when they name the same place: channel, account, conversation, server, team and roles. A
//! binding that is not understood stays in the file as it is.

use openclaw_types::AgentId;
use serde_json::{Value, json};

/// The account that counts when a binding names none.
const USUAL_ACCOUNT: &str = "default";

/// A channel an agent should get or lose, as a person wrote it: `channel` or `channel:account`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    channel: String,
    account: Option<String>,
}

impl Wanted {
    /// Reads it.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (channel, account) = match text.split_once(':') {
            Some((channel, account)) => (channel, Some(account.trim())),
            None => (text, None),
        };
        let channel = channel.trim().to_ascii_lowercase();
        let word = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if channel.is_empty() || !channel.chars().all(word) {
            return Err(format!(
                "--bind {text}: name a channel, as in --bind <channel> or --bind <channel>:<account>"
            ));
        }
        match account {
            Some("") => Err(format!(
                "--bind {text}: an account follows the colon; leave the colon out for the usual one"
            )),
            account => Ok(Self { channel, account: account.map(str::to_owned) }),
        }
    }

    fn binding(&self, agent: &AgentId) -> Value {
        let mut place = json!({ "channel": self.channel });
        if let Some(account) = &self.account {
            place["accountId"] = json!(account);
        }
        json!({ "agentId": agent, "match": place })
    }
}

/// What came of giving an agent channels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Joined {
    /// All bindings afterwards.
    pub(super) next: Vec<Value>,
    /// Those that are new.
    pub(super) added: Vec<String>,
    /// Those that name an account now.
    pub(super) updated: Vec<String>,
    /// Those that were there.
    pub(super) skipped: Vec<String>,
    /// Those that another agent has.
    pub(super) conflicts: Vec<String>,
}

impl Joined {
    /// Whether the file changes.
    pub(super) fn changes(&self) -> bool {
        !(self.added.is_empty() && self.updated.is_empty())
    }
}

/// Gives an agent channels.
pub(super) fn join(existing: &[Value], agent: &AgentId, wanted: &[Wanted]) -> Joined {
    let mut done = Joined { next: existing.to_vec(), ..Joined::default() };
    for binding in wanted.iter().map(|wanted| wanted.binding(agent)) {
        let words = describe(&binding);
        if let Some(owner) = done.next.iter().find(|known| same_place(known, &binding)).map(owner) {
            match owner == *agent {
                true => done.skipped.push(words),
                false => done.conflicts.push(format!("{words} (agent={owner})")),
            }
            continue;
        }
        // A binding for the whole channel becomes one for the account that is named now.
        let account = &binding["match"]["accountId"];
        let wider = done.next.iter_mut().find(|known| {
            !account.is_null()
                && text(&known["match"]["accountId"]).is_empty()
                && owner(known) == *agent
                && same_conversation(known, &binding)
        });
        match wider {
            Some(wider) => {
                wider["match"]["accountId"] = account.clone();
                done.updated.push(describe(wider));
            }
            None => {
                done.next.push(binding);
                done.added.push(words);
            }
        }
    }
    done
}

/// What came of taking channels away from an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parted {
    /// All bindings afterwards.
    pub(super) next: Vec<Value>,
    /// Those that went.
    pub(super) removed: Vec<String>,
    /// Those that were not there.
    pub(super) missing: Vec<String>,
    /// Those that another agent has.
    pub(super) conflicts: Vec<String>,
}

/// Takes channels away from an agent.
pub(super) fn part(existing: &[Value], agent: &AgentId, wanted: &[Wanted]) -> Parted {
    let mut done = Parted { next: existing.to_vec(), ..Parted::default() };
    for binding in wanted.iter().map(|wanted| wanted.binding(agent)) {
        let own = done.next.iter().position(|known| same_place(known, &binding) && owner(known) == *agent);
        let other = done.next.iter().find(|known| same_place(known, &binding)).map(owner);
        match (own, other) {
            (Some(at), _) => done.removed.push(describe(&done.next.remove(at))),
            (None, Some(owner)) => done.conflicts.push(format!("{} (agent={owner})", describe(&binding))),
            (None, None) => done.missing.push(describe(&binding)),
        }
    }
    done
}

/// Takes all channels away from an agent.
pub(super) fn part_all(existing: &[Value], agent: &AgentId) -> Parted {
    let (removed, next): (Vec<Value>, Vec<Value>) =
        existing.iter().cloned().partition(|binding| owner(binding) == *agent);
    Parted { next, removed: removed.iter().map(describe).collect(), ..Parted::default() }
}

/// The agent a binding names.
pub(super) fn owner(binding: &Value) -> AgentId {
    AgentId::sanitized(text(&binding["agentId"]))
}

/// The place a binding names, in words.
pub(super) fn describe(binding: &Value) -> String {
    let place = &binding["match"];
    let mut words = vec![text(&place["channel"]).to_owned()];
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            words.push(format!("{name}={value}"));
        }
    };
    add("accountId", text(&place["accountId"]));
    if place["peer"].is_object() {
        add("peer", &format!("{}:{}", text(&place["peer"]["kind"]), text(&place["peer"]["id"])));
    }
    add("guild", text(&place["guildId"]));
    add("team", text(&place["teamId"]));
    let roles: Vec<&str> =
        place["roles"].as_array().into_iter().flatten().map(text).filter(|role| !role.is_empty()).collect();
    add("roles", &roles.join(","));
    words.join(" ")
}

fn same_place(one: &Value, two: &Value) -> bool {
    let account = |binding: &Value| match text(&binding["match"]["accountId"]) {
        "" => USUAL_ACCOUNT.to_owned(),
        account => account.to_owned(),
    };
    same_conversation(one, two) && account(one) == account(two)
}

fn same_conversation(one: &Value, two: &Value) -> bool {
    conversation(one) == conversation(two)
}

fn conversation(binding: &Value) -> (Vec<&str>, Vec<&str>) {
    let place = &binding["match"];
    let parts = [
        &place["channel"],
        &place["peer"]["kind"],
        &place["peer"]["id"],
        &place["guildId"],
        &place["teamId"],
    ];
    let mut roles: Vec<&str> =
        place["roles"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    roles.sort_unstable();
    roles.dedup();
    (parts.map(text).to_vec(), roles)
}

fn text(value: &Value) -> &str {
    value.as_str().map_or("", str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(texts: &[&str]) -> Vec<Wanted> {
        texts.iter().map(|text| Wanted::read(text).unwrap()).collect()
    }

    fn agent(text: &str) -> AgentId {
        AgentId::new(text).unwrap()
    }

    fn sample() -> Vec<Value> {
        vec![
            json!({ "agentId": "Ops", "comment": "mine", "match": { "channel": "one" } }),
            json!({ "agentId": "home", "match": { "channel": "two", "accountId": "work" } }),
            json!({ "agentId": "home", "match": { "channel": "one", "peer": { "kind": "group", "id": "g" } } }),
        ]
    }

    #[test]
    fn channels_are_added_named_closer_left_alone_or_refused() {
        let done =
            join(&sample(), &agent("ops"), &wanted(&["one:default", "one:second", "two:work", "three"]));
        assert_eq!(
            (done.added, done.updated, done.skipped, done.conflicts),
            (
                vec!["three".to_owned()],
                vec!["one accountId=second".to_owned()],
                vec!["one accountId=default".to_owned()],
                vec!["two accountId=work (agent=home)".to_owned()],
            )
        );
        assert_eq!(done.next.len(), 4);
        assert_eq!(done.next[0]["comment"], json!("mine"));
    }

    #[test]
    fn channels_are_taken_away_one_by_one_or_all() {
        let done = part(&sample(), &agent("home"), &wanted(&["two:work", "one", "nine"]));
        assert_eq!(
            (done.removed, done.missing, done.conflicts),
            (
                vec!["two accountId=work".to_owned()],
                vec!["nine".to_owned()],
                vec!["one (agent=ops)".to_owned()]
            )
        );
        let all = part_all(&sample(), &agent("home"));
        assert_eq!(all.removed, ["two accountId=work", "one peer=group:g"]);
        assert_eq!(all.next, sample()[..1]);
    }

    #[test]
    fn a_channel_needs_a_name_and_a_colon_an_account() {
        assert!(Wanted::read("one:").is_err() && Wanted::read(":x").is_err() && Wanted::read("a b").is_err());
        assert_eq!(
            Wanted::read(" One:Work "),
            Ok(Wanted { channel: "one".into(), account: Some("Work".into()) })
        );
    }
}

//! The section `channels.discord` as accounts. The default account may take its token from `DISCORD_BOT_TOKEN`.
//!
//! Who may talk is read in `rules`, what is done by itself in `habits`.

mod form;
mod habits;
mod rules;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use openclaw_ports::channel::{AccountPlan, ConfigFault, Readiness, Resolver};
use openclaw_types::{Coalesce, ReactionNotices, RoomName, Secret, WritingRules};
use serde_json::{Value, json};

use super::TEXT_LIMIT;
use super::connection::DiscordAccount;
use super::pluralkit::{self, PluralLogin};
use crate::shared::{AccountSection, Owners, account_sections, manner};
pub(super) use form::form;
pub(super) use habits::Habits;
pub(super) use rules::slug;
use rules::{named, rules};

/// Where the API is, unless a variable says otherwise.
const ROOT: &str = "https://discord.com/api/v10";
/// Names another place for the API: a proxy that speaks it, or a fake for tests.
const ROOT_VARIABLE: &str = "OPENCLAW_DISCORD_API";
/// The most lines of a message where nothing is said: longer ones are hard to read there.
const LINES: usize = 17;
/// How many messages of a room the agent is told where nothing is said.
const HISTORY: usize = 20;
/// The biggest file where nothing is said, in bytes.
const MEDIA_BYTES: u64 = 8 * 1024 * 1024;

/// The keys that make the section itself an account beside others.
pub(super) const OWN: [&str; 1] = ["token"];

/// What a line needs.
pub(super) struct DiscordLogin {
    /// Our token.
    pub(super) token: Secret<String>,
    /// Where the API is.
    pub(super) root: String,
    /// The address of a proxy.
    pub(super) proxy: Option<String>,
    /// What we want to be told of beyond the usual.
    pub(super) wants: Wants,
    /// What people see us do.
    pub(super) presence: Option<Value>,
    /// Whether only who gave a command sees its answer.
    pub(super) ephemeral: bool,
    /// The guilds and rooms that rules go by name for, guild by guild.
    pub(super) named: Vec<(RoomName, Vec<String>)>,
    /// What is done by itself.
    pub(super) habits: Habits,
    /// Which actions are switched on or off.
    pub(super) actions: BTreeMap<String, bool>,
    /// The colour of the box around words with buttons; without one they stand alone.
    pub(super) accent: Option<u32>,
    /// Asks who speaks behind shared accounts, where that is wanted.
    pub(super) plural: Option<PluralLogin>,
}

/// What we want to be told of beyond the usual.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wants {
    /// Who is there.
    pub(super) presences: bool,
    /// Who joins and leaves.
    pub(super) members: bool,
}

impl fmt::Debug for DiscordLogin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login")
            .field("root", &self.root)
            .field("wants", &self.wants)
            .finish_non_exhaustive()
    }
}

/// The accounts of the section.
pub(super) fn accounts(section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
    let mut faults = Vec::new();
    let mut owners = Owners::default();
    let plans = account_sections(section, &OWN)
        .iter()
        .map(|account| plan(account, &mut owners, resolver, &mut faults))
        .collect();
    (plans, faults)
}

fn plan(
    account: &AccountSection,
    owners: &mut Owners,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> AccountPlan {
    let (token, source) = token(account, resolver, faults);
    let missing = match &token {
        Some(token) => owners.claim(token, account, "discord", "token").err(),
        None => Some(format!(
            "set channels.discord.{} to the bot token from the Discord developer portal",
            account.place("token")
        )),
    };
    let plural = plural(account, resolver, faults);
    let login = token.filter(|_| missing.is_none()).map(|token| login(account, (token, plural), resolver));
    let ready = missing.map_or(Readiness::Ready, Readiness::Missing);
    AccountPlan {
        id: account.id.clone(),
        name: account.name(),
        is_default: account.is_default,
        enabled: account.enabled,
        ready,
        door: rules(account),
        manner: how(account),
        default_to: account.text("defaultTo").map(str::to_owned),
        facts: BTreeMap::from([("tokenSource".to_owned(), json!(source))]),
        fingerprint: login.as_ref().map(fingerprint).unwrap_or_default(),
        account: login.map(|login| Box::new(DiscordAccount::new(Arc::new(login))) as _),
    }
}

/// How an account writes.
fn how(account: &AccountSection) -> WritingRules {
    let usual = WritingRules {
        line_limit: Some(LINES),
        coalesce: Some(Coalesce { least: 1500, most: TEXT_LIMIT, idle: std::time::Duration::from_secs(1) }),
        media_bytes: MEDIA_BYTES,
        threads_inherit: true,
        // Only where the account itself asks for them, whatever agents are set to.
        blocks: Some(false),
        ..WritingRules::with_limit(TEXT_LIMIT)
    };
    let lines = account.number("maxLinesPerMessage").and_then(|lines| usize::try_from(lines).ok());
    let mut manner = manner(account, usual);
    manner.line_limit = lines.filter(|lines| *lines > 0).or(manner.line_limit);
    manner.history.group = manner.history.group.or(Some(HISTORY));
    // Each guild has its own say about reactions; `habits` sorts them out before they come in.
    manner.reactions = ReactionNotices::All;
    manner
}

/// The token: its own, for the default account the section's or that of the environment; and where it comes from.
fn token(
    account: &AccountSection,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> (Option<Secret<String>>, &'static str) {
    let is_said = |value: &&Value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    };
    let found = match account.login_settings().find_map(|settings| settings.get("token").filter(is_said)) {
        Some(value) => resolver.secret(value).map(|token| (token, "config")),
        None if account.is_default => match resolver.variable("DISCORD_BOT_TOKEN") {
            Some(token) => Ok((token, "env")),
            None => return (None, "none"),
        },
        None => return (None, "none"),
    };
    match found {
        Ok((token, source)) => {
            // People copy the token with the word that stands before it in headers.
            let bare = token.reveal().trim();
            let after =
                bare.strip_prefix("Bot").filter(|rest| !rest.starts_with(|next: char| !next.is_whitespace()));
            let bare = after.unwrap_or(bare).trim().to_owned();
            if bare.is_empty() { (None, "none") } else { (Some(Secret::new(bare)), source) }
        }
        Err(message) => {
            faults.push(ConfigFault { path: account.place("token"), message });
            (None, "none")
        }
    }
}

/// `pluralkit`: whether to ask who speaks, and as whom we ask.
fn plural(
    account: &AccountSection,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> Option<PluralLogin> {
    let written = account.settings.get("pluralkit").filter(|written| written["enabled"] == true)?;
    let is_said =
        |token: &&Value| !token.is_null() && token.as_str().is_none_or(|text| !text.trim().is_empty());
    let token = match written.get("token").filter(is_said).map(|token| resolver.secret(token)).transpose() {
        Ok(token) => token,
        Err(message) => {
            faults.push(ConfigFault { path: account.place("pluralkit.token"), message });
            None
        }
    };
    let root = resolver
        .variable(pluralkit::ROOT_VARIABLE)
        .map(|root| root.reveal().trim_end_matches('/').to_owned());
    let root = root.filter(|root| !root.is_empty()).unwrap_or_else(|| pluralkit::ROOT.to_owned());
    Some(PluralLogin { root, token })
}

fn login(
    account: &AccountSection,
    (token, plural): (Secret<String>, Option<PluralLogin>),
    resolver: &dyn Resolver,
) -> DiscordLogin {
    let switch = |path: &str| account.at(path).and_then(Value::as_bool);
    let root = resolver.variable(ROOT_VARIABLE).map(|root| root.reveal().trim_end_matches('/').to_owned());
    let actions = account.settings.get("actions").and_then(Value::as_object);
    DiscordLogin {
        token,
        root: root.filter(|root| !root.is_empty()).unwrap_or_else(|| ROOT.to_owned()),
        proxy: account.text("proxy").map(str::to_owned),
        wants: Wants {
            presences: switch("intents.presence").unwrap_or(false),
            members: switch("intents.guildMembers").unwrap_or(false),
        },
        presence: presence(account),
        ephemeral: switch("slashCommand.ephemeral").unwrap_or(true),
        named: named(account),
        habits: Habits::read(account.settings.get("guilds")),
        actions: actions
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_bool()?)))
            .collect(),
        plural,
        accent: account.at("ui.components.accentColor").and_then(Value::as_str).and_then(colour),
    }
}

/// A colour as people write it: `#5865F2`, with or without the sign.
fn colour(written: &str) -> Option<u32> {
    let digits = written.trim().trim_start_matches('#');
    (digits.len() == 6).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

/// What people see us do; nothing where the section says nothing.
fn presence(account: &AccountSection) -> Option<Value> {
    let (activity, status) = (account.text("activity"), account.text("status"));
    if activity.is_none() && status.is_none() {
        return None;
    }
    let kind = account.number("activityType").filter(|kind| *kind <= 5);
    Some(shown(activity, kind, account.text("activityUrl"), status))
}

/// A presence as the gateway takes it. An activity without a kind is a line of our own.
pub(super) fn shown(
    activity: Option<&str>,
    kind: Option<u64>,
    address: Option<&str>,
    status: Option<&str>,
) -> Value {
    let activities: Vec<Value> = activity
        .map(|words| match (kind.unwrap_or(4), address) {
            (4, _) => json!({ "name": "Custom Status", "type": 4, "state": words }),
            (1, Some(address)) => json!({ "name": words, "type": 1, "url": address }),
            (kind, _) => json!({ "name": words, "type": kind }),
        })
        .into_iter()
        .collect();
    json!({ "since": null, "activities": activities, "status": status.unwrap_or("online"), "afk": false })
}

fn fingerprint(login: &DiscordLogin) -> String {
    use sha2::{Digest as _, Sha256};
    let text = format!(
        "{}\0{}\0{:?}\0{:?}\0{:?}\0{}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}",
        login.token.reveal(),
        login.root,
        login.proxy,
        login.wants,
        login.presence,
        login.ephemeral,
        login.habits,
        login.named,
        login.actions,
        login.accent,
        login.plural.as_ref().map(|plural| (&plural.root, plural.token.as_ref().map(Secret::reveal)))
    );
    hex::encode(Sha256::digest(text.as_bytes()))
}

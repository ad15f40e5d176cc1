//! The section `channels.telegram` as accounts. The default account may take its token from `TELEGRAM_BOT_TOKEN`.
//!
//! Tokens are not inherited: one bot is one account. With `webhookUrl` an account is told by the platform and must have a
//! `webhookSecret`; without it asks for itself. `webhookHost` and `webhookPort` belong to a listener that the gateway's
//! own replaces, so they change nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::{AccountPlan, ConfigFault, Readiness, Resolver};
use openclaw_types::{DraftMode, RoomName, RoomRule, Secret, WritingRules};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::connect::TelegramAccount;
use super::target::person;
use super::{TEXT_LIMIT, target};
use crate::shared::{
    AccountSection, AddressFamily, HttpSettings, Owners, account_sections, door, manner, room_common,
};

/// Where the platform is.
const ROOT: &str = "https://api.telegram.org";
/// How long a call may take where nothing is said.
const PATIENCE: Duration = Duration::from_secs(60);
/// Where the platform brings updates where nothing is said.
const WEBHOOK_PATH: &str = "/telegram-webhook";

/// The keys that make the section itself an account beside others.
pub(super) const OWN: [&str; 2] = ["botToken", "tokenFile"];

/// What a line needs.
#[derive(Clone)]
pub(super) struct TelegramLogin {
    /// The bot's token.
    pub(super) token: Secret<String>,
    /// The address of the API, without a slash at its end.
    pub(super) root: String,
    /// How its calls travel.
    pub(super) network: HttpSettings,
    /// How long a call may take.
    pub(super) patience: Duration,
    /// How updates come in where the platform brings them.
    pub(super) push: Option<Push>,
    /// Where buttons are used.
    pub(super) buttons: ButtonScope,
    /// Commands a person added to the menu: the name and what it does.
    pub(super) commands: Vec<(String, String)>,
    /// Which deeds of the platform's own kind are allowed.
    pub(super) deeds: Deeds,
    /// Whether links show a preview where a call cannot say.
    pub(super) link_preview: bool,
    /// The rooms with rules of their own, by number.
    pub(super) rooms: Vec<i64>,
    /// Whether a room is to be heard where nobody names us.
    pub(super) hears_all: bool,
}

/// How the platform brings updates.
#[derive(Clone)]
pub(super) struct Push {
    /// The address the platform calls.
    pub(super) url: String,
    /// The path below the gateway's address.
    pub(super) path: String,
    /// What the platform proves itself with.
    pub(super) secret: Secret<String>,
}

/// Where buttons are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ButtonScope {
    /// Nowhere.
    Off,
    /// With one person.
    Private,
    /// In groups.
    Groups,
    /// Everywhere; who may press them is decided as for words.
    Everywhere,
}

/// Which deeds of the platform's own kind are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deeds {
    /// Sending stickers and looking for them.
    pub(super) stickers: bool,
    /// Making topics.
    pub(super) topics: bool,
}

impl ButtonScope {
    /// Whether buttons are used in a chat of that kind.
    pub(super) fn covers(self, private: bool) -> bool {
        match self {
            Self::Off => false,
            Self::Private => private,
            Self::Groups => !private,
            Self::Everywhere => true,
        }
    }
}

impl fmt::Debug for TelegramLogin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login").field("root", &self.root).finish_non_exhaustive()
    }
}

/// The accounts of the section.
pub(super) fn accounts(section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
    let mut faults = Vec::new();
    let mut plans = Vec::new();
    let mut owners = Owners::default();
    for account in &account_sections(section, &OWN) {
        let found = token(account, resolver, &mut faults);
        let missing = match &found {
            Some((token, _)) => owners.claim(token, account, "telegram", "botToken").err(),
            None => Some(format!(
                "set channels.telegram.{} to the token that @BotFather gave you",
                account.place("botToken")
            )),
        };
        let found = found.filter(|_| missing.is_none());
        plans.push(plan(account, found, missing, resolver, &mut faults));
    }
    same_paths(&mut plans, &mut faults);
    (plans.into_iter().map(|(plan, _)| plan).collect(), faults)
}

type Token = (Secret<String>, &'static str);

fn plan(
    account: &AccountSection,
    token: Option<Token>,
    mut missing: Option<String>,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> (AccountPlan, Option<String>) {
    let push = push(account, resolver, faults);
    if push.is_err() && missing.is_none() {
        missing = Some(format!(
            "set channels.telegram.{} to a secret of your own: without it anybody could bring messages",
            account.place("webhookSecret")
        ));
    }
    let push = push.ok().flatten();
    let path = push.as_ref().map(|push| push.path.clone());
    let mut facts = BTreeMap::from([
        ("tokenSource".to_owned(), json!(token.as_ref().map_or("none", |(_, source)| source))),
        ("mode".to_owned(), json!(if push.is_some() { "webhook" } else { "polling" })),
    ]);
    if let Some(push) = &push {
        facts.insert("webhookPath".to_owned(), json!(push.path));
    }
    let login = token.map(|(token, _)| login(account, token, push, resolver, faults));
    if let Some(login) = login.as_ref().filter(|login| login.root != ROOT) {
        facts.insert("apiRoot".to_owned(), json!(login.root));
    }
    let ready = missing.map_or(Readiness::Ready, Readiness::Missing);
    let is_ready = ready == Readiness::Ready;
    let plan = AccountPlan {
        id: account.id.clone(),
        name: account.name(),
        is_default: account.is_default,
        enabled: account.enabled,
        ready,
        door: rules(account),
        manner: how(account),
        default_to: default_to(account),
        facts,
        fingerprint: login.as_ref().map(fingerprint).unwrap_or_default(),
        account: login.filter(|_| is_ready).map(|login| Box::new(TelegramAccount::new(Arc::new(login))) as _),
    };
    (plan, path)
}

fn login(
    account: &AccountSection,
    token: Secret<String>,
    push: Option<Push>,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> TelegramLogin {
    let groups = account.settings.get("groups").and_then(Value::as_object);
    let silent = |rule: &Value| {
        rule.get("requireMention") == Some(&Value::Bool(false))
            && rule.get("enabled") != Some(&Value::Bool(false))
    };
    TelegramLogin {
        token,
        root: root(account, faults),
        network: HttpSettings {
            proxy: account.text("proxy").map(str::to_owned),
            family: family(account, resolver),
        },
        patience: account
            .number("timeoutSeconds")
            .filter(|seconds| *seconds > 0)
            .map_or(PATIENCE, Duration::from_secs),
        push,
        buttons: buttons(account.settings.get("capabilities")),
        commands: commands(account, faults),
        deeds: Deeds {
            stickers: account.at("actions.sticker").and_then(Value::as_bool).unwrap_or(false),
            topics: account.at("actions.createForumTopic").and_then(Value::as_bool).unwrap_or(true),
        },
        link_preview: account.switch("linkPreview").unwrap_or(false),
        rooms: groups.into_iter().flatten().filter_map(|(room, _)| room.trim().parse().ok()).collect(),
        hears_all: groups.into_iter().flatten().any(|(_, rule)| silent(rule)),
    }
}

/// The token: a file, the value itself, and for the default account what the section says, then the variable.
fn token(account: &AccountSection, resolver: &dyn Resolver, faults: &mut Vec<ConfigFault>) -> Option<Token> {
    for settings in account.login_settings() {
        let file = settings.get("tokenFile").and_then(Value::as_str).map(str::trim);
        let value = settings.get("botToken").filter(|value| !value.is_null() && *value != "");
        let found = match (file.filter(|file| !file.is_empty()), value) {
            (Some(file), _) => Some(("tokenFile", "tokenFile", resolver.file(file))),
            (None, Some(value)) => Some(("botToken", "config", resolver.secret(value))),
            (None, None) => None,
        };
        match found {
            Some((_, source, Ok(token))) if !token.reveal().trim().is_empty() => {
                return Some((trimmed(&token), source));
            }
            Some((_, _, Ok(_))) => {}
            Some((key, _, Err(message))) => {
                faults.push(ConfigFault { path: account.place(key), message });
                return None;
            }
            None => {}
        }
    }
    let variable = account.is_default.then(|| resolver.variable("TELEGRAM_BOT_TOKEN")).flatten();
    variable.filter(|token| !token.reveal().trim().is_empty()).map(|token| (trimmed(&token), "env"))
}

fn trimmed(token: &Secret<String>) -> Secret<String> {
    Secret::new(token.reveal().trim().to_owned())
}

/// How the platform brings updates; nothing where we ask for them. An error where the secret is missing or unusable.
fn push(
    account: &AccountSection,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> Result<Option<Push>, ()> {
    let Some(url) = account.text("webhookUrl") else { return Ok(None) };
    let fault = |key: &str, message: String| ConfigFault { path: account.place(key), message };
    let secret = account.settings.get("webhookSecret").filter(|value| !value.is_null());
    let secret = secret.map(|value| resolver.secret(value)).transpose();
    let secret = match secret {
        Ok(Some(secret)) if is_secret(secret.reveal()) => secret,
        Ok(_) => {
            faults.push(fault(
                "webhookSecret",
                "a webhook needs a secret of 1 to 256 letters, digits, _ and -".to_owned(),
            ));
            return Err(());
        }
        Err(message) => {
            faults.push(fault("webhookSecret", message));
            return Err(());
        }
    };
    if !url.starts_with("https://") && !url.starts_with("http://") {
        faults.push(fault("webhookUrl", "write the whole address, beginning with https://".to_owned()));
        return Err(());
    }
    let path = account.text("webhookPath").unwrap_or(WEBHOOK_PATH);
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok(Some(Push { url: url.to_owned(), path, secret }))
}

fn is_secret(text: &str) -> bool {
    (1..=256).contains(&text.len())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
}

/// Two accounts cannot be brought updates under one path: which of them is meant could not be told.
fn same_paths(plans: &mut [(AccountPlan, Option<String>)], faults: &mut Vec<ConfigFault>) {
    let mut taken: Vec<String> = Vec::new();
    for (plan, path) in plans.iter_mut() {
        let Some(path) = path.take().filter(|_| plan.account.is_some()) else { continue };
        if taken.contains(&path) {
            let message = format!("another account is brought its messages under {path}: set webhookPath");
            faults.push(ConfigFault {
                path: format!("accounts.{}.webhookPath", plan.id),
                message: message.clone(),
            });
            plan.ready = Readiness::Missing(message);
            plan.account = None;
        } else {
            taken.push(path);
        }
    }
}

fn root(account: &AccountSection, faults: &mut Vec<ConfigFault>) -> String {
    match account.text("apiRoot").map(|root| root.trim_end_matches('/')) {
        None => ROOT.to_owned(),
        Some(root) if root.starts_with("https://") || root.starts_with("http://") => root.to_owned(),
        Some(_) => {
            faults.push(ConfigFault {
                path: account.place("apiRoot"),
                message: "write the whole address, beginning with https://".to_owned(),
            });
            ROOT.to_owned()
        }
    }
}

/// Which kinds of address are used. Without the search for the one that works, the older kind is the safe choice.
fn family(account: &AccountSection, resolver: &dyn Resolver) -> AddressFamily {
    let is_set = |name: &str| {
        resolver
            .variable(name)
            .is_some_and(|value| matches!(value.reveal().trim(), "1" | "true" | "yes" | "on"))
    };
    let selects = if is_set("OPENCLAW_TELEGRAM_DISABLE_AUTO_SELECT_FAMILY") {
        Some(false)
    } else if is_set("OPENCLAW_TELEGRAM_ENABLE_AUTO_SELECT_FAMILY") {
        Some(true)
    } else {
        account.at("network.autoSelectFamily").and_then(Value::as_bool)
    };
    let order = resolver
        .variable("OPENCLAW_TELEGRAM_DNS_RESULT_ORDER")
        .map(|value| value.reveal().trim().to_owned())
        .or_else(|| account.at("network.dnsResultOrder").and_then(Value::as_str).map(str::to_owned));
    match (selects, order.as_deref()) {
        (Some(false), _) => AddressFamily::Ipv4Only,
        (_, Some("verbatim")) => AddressFamily::AsNamed,
        _ => AddressFamily::Ipv4First,
    }
}

/// `capabilities` is a list of words in older files.
fn buttons(capabilities: Option<&Value>) -> ButtonScope {
    match capabilities {
        Some(Value::Array(words)) => {
            let named = words.iter().filter_map(Value::as_str);
            match named.into_iter().any(|word| word.trim().eq_ignore_ascii_case("inlineButtons")) {
                true => ButtonScope::Everywhere,
                false => ButtonScope::Off,
            }
        }
        Some(Value::Object(rules)) => match rules.get("inlineButtons").and_then(Value::as_str) {
            Some("off") => ButtonScope::Off,
            Some("dm") => ButtonScope::Private,
            Some("group") => ButtonScope::Groups,
            _ => ButtonScope::Everywhere,
        },
        _ => ButtonScope::Everywhere,
    }
}

/// The commands a person added to the menu, in the form the platform takes.
fn commands(account: &AccountSection, faults: &mut Vec<ConfigFault>) -> Vec<(String, String)> {
    let listed = account.settings.get("customCommands").and_then(Value::as_array);
    let mut commands: Vec<(String, String)> = Vec::new();
    for (number, entry) in listed.into_iter().flatten().enumerate() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let name = text("command").trim_start_matches('/').to_lowercase();
        let message = if !is_command(&name) {
            Some("a command has 1 to 32 letters a-z, digits or _")
        } else if text("description").is_empty() {
            Some("say what the command does in description")
        } else if commands.iter().any(|(each, _)| *each == name) {
            Some("the command is listed twice")
        } else {
            None
        };
        match message {
            Some(message) => faults.push(ConfigFault {
                path: account.place(&format!("customCommands[{number}]")),
                message: message.to_owned(),
            }),
            None => commands.push((name, text("description").to_owned())),
        }
    }
    commands
}

/// Whether the platform takes a name as a command.
pub(super) fn is_command(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

fn rules(account: &AccountSection) -> openclaw_types::DoorRules {
    let names = account.switch("dangerouslyAllowNameMatching").unwrap_or(false);
    let mut rules = door(account, &person);
    let groups = account.settings.get("groups").and_then(Value::as_object);
    rules.rooms = groups
        .into_iter()
        .flatten()
        .map(|(room, rule)| {
            let topics = rule.get("topics").and_then(Value::as_object);
            let children = topics.into_iter().flatten().map(|(topic, rule)| RoomRule {
                room: room_name(topic),
                ..room_common(rule, names, &person)
            });
            RoomRule {
                room: room_name(room),
                children: children.collect(),
                ..room_common(rule, names, &person)
            }
        })
        .collect();
    rules
}

fn room_name(room: &str) -> RoomName {
    match room.trim() {
        "*" => RoomName::Any,
        other => RoomName::Id(person(other).unwrap_or_else(|| other.to_owned())),
    }
}

fn how(account: &AccountSection) -> WritingRules {
    let mut how = manner(account, WritingRules::with_limit(TEXT_LIMIT));
    // A message that says what is being done looks like one that grows here.
    if how.draft == DraftMode::Progress {
        how.draft = DraftMode::Partial;
    }
    how
}

fn default_to(account: &AccountSection) -> Option<String> {
    let text = match account.settings.get("defaultTo")? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    target::target(&text).ok().or(Some(text))
}

/// A fingerprint of everything a line depends on.
fn fingerprint(login: &TelegramLogin) -> String {
    let push = login
        .push
        .as_ref()
        .map(|push| (push.url.as_str(), push.path.as_str(), push.secret.reveal().as_str()));
    let text = format!(
        "{}\0{}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{}\0{:?}\0{}",
        login.token.reveal(),
        login.root,
        login.network,
        login.patience,
        push,
        login.buttons,
        login.commands,
        login.deeds,
        login.link_preview,
        login.rooms,
        login.hears_all,
    );
    hex::encode(Sha256::digest(text.as_bytes()))
}

//! The section `channels.slack` as accounts. The default account may take its tokens from `SLACK_*` variables.
//!
//! Who may talk and how an account writes is in `rules`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use openclaw_ports::channel::{AccountPlan, ConfigFault, Readiness, Resolver};
use openclaw_types::{ChatKind, ReplyToMode, Secret};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::account::SlackAccount;
use super::rules;
use crate::shared::{AccountSection, Owners, account_sections};

/// Where Slack's Web API is. A variable names another place for those who stand between.
const ROOT: &str = "https://slack.com/api/";
const ROOT_VARIABLE: &str = "SLACK_API_URL";
/// Where signed requests come in unless an account says otherwise.
pub(super) const WEBHOOK_PATH: &str = "/slack/events";
/// How many messages of a thread are told when we come to it.
const THREAD_HISTORY: usize = 20;

/// How messages come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Over a socket of ours.
    Socket,
    /// Over signed requests of Slack's.
    Http,
}

/// The keys that make the section itself an account beside others.
pub(super) const OWN: [&str; 3] = ["botToken", "appToken", "signingSecret"];

/// What a line needs.
#[derive(Clone)]
pub(super) struct SlackLogin {
    /// How messages come in.
    pub(super) mode: Mode,
    /// Where calls go; ends with a slash.
    pub(super) root: String,
    /// The app's token in the workspace.
    pub(super) bot: Option<Secret<String>>,
    /// The token for connections.
    pub(super) app: Option<Secret<String>>,
    /// The token of a person, to read with.
    pub(super) user: Option<Secret<String>>,
    /// Whether that token only reads.
    pub(super) user_reads_only: bool,
    /// What requests are signed with.
    pub(super) signing: Option<Secret<String>>,
    /// Where signed requests come in.
    pub(super) path: String,
    /// The rooms that rules go by name for.
    pub(super) named: Vec<String>,
    /// What else decides how the line behaves.
    pub(super) habits: Habits,
}

/// What decides how a line behaves, beside its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Habits {
    /// The one command whose words are a message.
    pub(super) slash: Option<String>,
    /// Begins the names of the sessions of those who talk by that command.
    pub(super) slash_session: String,
    /// Whether only the person sees what a command is answered.
    pub(super) slash_only_for_them: bool,
    /// Whether other commands of the app are heard.
    pub(super) commands: bool,
    /// Whether what was heard in a room counts in its threads.
    pub(super) threads_hear_room: bool,
    /// How many messages of a thread are told when we come to it.
    pub(super) thread_history: usize,
    /// Whether answers are shown with Slack's own streams while they are made.
    pub(super) native_streams: bool,
    /// Which messages of an answer go into a thread, by kind of conversation.
    pub(super) reply_to: Vec<(ChatKind, ReplyToMode)>,
    /// The actions that are switched off.
    pub(super) off: Vec<&'static str>,
}

impl SlackLogin {
    /// The token that writes: the app's own, else that of a person who allows it.
    pub(super) fn writer(&self) -> Option<&Secret<String>> {
        self.bot.as_ref().or_else(|| self.user.as_ref().filter(|_| !self.user_reads_only))
    }
}

impl Habits {
    /// Which messages of an answer go into a thread there.
    pub(super) fn reply_mode(&self, kind: ChatKind) -> ReplyToMode {
        self.reply_to.iter().find(|(each, _)| *each == kind).map_or(ReplyToMode::Off, |(_, mode)| *mode)
    }
}

impl fmt::Debug for SlackLogin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login")
            .field("mode", &self.mode)
            .field("path", &self.path)
            .field("habits", &self.habits)
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
    let manner = rules::manner(account);
    let (login, sources) = login(account, resolver, faults);
    // Secrets of an app may be shared by its accounts; who writes may not.
    let missing = missing(account, &login).or_else(|| {
        login.writer().and_then(|writer| owners.claim(writer, account, "slack", "botToken").err())
    });
    let facts = BTreeMap::from([
        ("mode".to_owned(), json!(if login.mode == Mode::Http { "http" } else { "socket" })),
        ("botTokenSource".to_owned(), json!(sources.bot)),
        ("appTokenSource".to_owned(), json!(sources.app)),
        ("webhookPath".to_owned(), json!((login.mode == Mode::Http).then_some(&login.path))),
    ]);
    AccountPlan {
        id: account.id.clone(),
        name: account.name(),
        is_default: account.is_default,
        enabled: account.enabled,
        ready: missing.clone().map_or(Readiness::Ready, Readiness::Missing),
        door: rules::door(account),
        manner,
        default_to: account.text("defaultTo").map(str::to_owned),
        facts,
        fingerprint: fingerprint(&login),
        account: missing.is_none().then(|| Box::new(SlackAccount::new(Arc::new(login))) as _),
    }
}

/// What an account still needs, and how to give it.
fn missing(account: &AccountSection, login: &SlackLogin) -> Option<String> {
    let needed = match login.mode {
        Mode::Socket => [("botToken", login.writer().is_some()), ("appToken", login.app.is_some())],
        Mode::Http => [("botToken", login.writer().is_some()), ("signingSecret", login.signing.is_some())],
    };
    let (key, _) = needed.into_iter().find(|(_, is_there)| !is_there)?;
    let variable = match (key, account.is_default) {
        ("botToken", true) => " or SLACK_BOT_TOKEN",
        ("appToken", true) => " or SLACK_APP_TOKEN",
        _ => "",
    };
    Some(format!("set channels.slack.{}{variable}", account.place(key)))
}

/// Where tokens come from.
struct Sources {
    bot: &'static str,
    app: &'static str,
}

fn login(
    account: &AccountSection,
    resolver: &dyn Resolver,
    faults: &mut Vec<ConfigFault>,
) -> (SlackLogin, Sources) {
    let mut secret = |key: &str, variable: Option<&str>| {
        let written = account.settings.get(key).filter(|value| !value.is_null());
        let found = match written.map(|value| resolver.secret(value)) {
            Some(Ok(secret)) => Some(secret),
            Some(Err(message)) => {
                faults.push(ConfigFault { path: account.place(key), message });
                return (None, "config");
            }
            None => None,
        };
        let some = |secret: Secret<String>| Some(secret).filter(|secret| !secret.reveal().trim().is_empty());
        if let Some(secret) = found.and_then(some) {
            return (Some(secret), "config");
        }
        let variable = variable.filter(|_| account.is_default).and_then(|name| resolver.variable(name));
        match variable.and_then(some) {
            Some(secret) => (Some(secret), "env"),
            None => (None, "none"),
        }
    };
    let (bot, bot_source) = secret("botToken", Some("SLACK_BOT_TOKEN"));
    let (app, app_source) = secret("appToken", Some("SLACK_APP_TOKEN"));
    let (user, _) = secret("userToken", None);
    let (signing, _) = secret("signingSecret", None);
    let login = SlackLogin {
        mode: if account.text("mode") == Some("http") { Mode::Http } else { Mode::Socket },
        root: root(resolver),
        bot,
        app,
        user,
        user_reads_only: account.switch("userTokenReadOnly").unwrap_or(true),
        signing,
        path: path(account.text("webhookPath")),
        named: rules::named(account),
        habits: habits(account),
    };
    (login, Sources { bot: bot_source, app: app_source })
}

fn habits(account: &AccountSection) -> Habits {
    let slash = |key: &str| account.at(&format!("slashCommand.{key}"));
    let name = slash("name").and_then(Value::as_str).map(|name| name.trim().trim_start_matches('/'));
    let name = name.filter(|name| !name.is_empty()).unwrap_or("openclaw").to_lowercase();
    let session = slash("sessionPrefix").and_then(Value::as_str).map(str::trim);
    let limit = account.at("thread.initialHistoryLimit").and_then(Value::as_u64);
    Habits {
        slash_session: session.filter(|prefix| !prefix.is_empty()).unwrap_or("slack:slash").to_owned(),
        slash: slash("enabled").and_then(Value::as_bool).unwrap_or(false).then_some(name),
        slash_only_for_them: slash("ephemeral").and_then(Value::as_bool).unwrap_or(true),
        commands: account.at("commands.native").and_then(Value::as_bool).unwrap_or(true),
        threads_hear_room: account.at("thread.historyScope").and_then(Value::as_str) == Some("channel"),
        thread_history: limit
            .map_or(THREAD_HISTORY, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
            .min(200),
        native_streams: rules::native_streams(account),
        reply_to: rules::reply_to(account),
        off: GROUPS
            .into_iter()
            .filter(|group| account.at(&format!("actions.{group}")) == Some(&Value::Bool(false)))
            .collect(),
    }
}

/// The groups of actions that can be switched off.
pub(super) const GROUPS: [&str; 8] =
    ["reactions", "messages", "pins", "search", "permissions", "memberInfo", "channelInfo", "emojiList"];

fn root(resolver: &dyn Resolver) -> String {
    let named = resolver.variable(ROOT_VARIABLE).map(|value| value.reveal().trim().to_owned());
    let root = named.filter(|root| !root.is_empty()).unwrap_or_else(|| ROOT.to_owned());
    if root.ends_with('/') { root } else { format!("{root}/") }
}

fn path(written: Option<&str>) -> String {
    match written {
        None => WEBHOOK_PATH.to_owned(),
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some(path) => format!("/{path}"),
    }
}

fn fingerprint(login: &SlackLogin) -> String {
    let shown = |secret: &Option<Secret<String>>| secret.as_ref().map(|secret| secret.reveal().clone());
    let text = format!(
        "{:?}\0{}\0{:?}\0{:?}\0{:?}\0{}\0{:?}\0{}\0{:?}\0{:?}",
        login.mode,
        login.root,
        shown(&login.bot),
        shown(&login.app),
        shown(&login.user),
        login.user_reads_only,
        shown(&login.signing),
        login.path,
        login.named,
        login.habits
    );
    hex::encode(Sha256::digest(text.as_bytes()))
}

//! The section `channels.irc` as accounts. The default account may take what is missing from `IRC_*` variables.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use openclaw_ports::channel::{AccountPlan, ConfigFault, Readiness, Resolver};
use openclaw_types::{Coalesce, RoomName, RoomRule, Secret, WritingRules};
use serde_json::{Value, json};

use super::connection::IrcAccount;
use super::normalize::listed;
use super::{LINE_LIMIT, TEXT_LIMIT};
use crate::shared::{AccountSection, account_sections, door, manner, room_common};

/// The keys that make the section itself an account beside others.
pub(super) const OWN: [&str; 2] = ["host", "nick"];

/// What a line needs.
#[derive(Clone)]
pub(super) struct IrcLogin {
    /// The server.
    pub(super) host: String,
    /// Its port.
    pub(super) port: u16,
    /// Whether the line is encrypted.
    pub(super) tls: bool,
    /// Our nick.
    pub(super) nick: String,
    /// The name of our login.
    pub(super) username: String,
    /// Our name.
    pub(super) realname: String,
    /// The server's password.
    pub(super) password: Option<Secret<String>>,
    /// Whether the account signs in with SASL where the server can.
    pub(super) sasl: bool,
    /// The nick of the service that knows accounts.
    pub(super) service: String,
    /// The account's password.
    pub(super) account: Option<Secret<String>>,
    /// The address to register the nick with.
    pub(super) register_email: Option<String>,
    /// The rooms to be in.
    pub(super) rooms: Vec<String>,
}

impl IrcLogin {
    pub(super) fn server_password(&self) -> Option<&str> {
        self.password.as_ref().map(|password| password.reveal().as_str())
    }

    pub(super) fn account_password(&self) -> Option<&str> {
        self.account.as_ref().map(|password| password.reveal().as_str())
    }
}

impl fmt::Debug for IrcLogin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login").field("host", &self.host).field("nick", &self.nick).finish_non_exhaustive()
    }
}

/// The accounts of the section.
pub(super) fn accounts(section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>) {
    let mut faults = Vec::new();
    let plans =
        account_sections(section, &OWN).iter().map(|account| plan(account, resolver, &mut faults)).collect();
    (plans, faults)
}

fn plan(account: &AccountSection, resolver: &dyn Resolver, faults: &mut Vec<ConfigFault>) -> AccountPlan {
    let login = login(account, resolver, faults);
    let missing = [("host", login.host.is_empty()), ("nick", login.nick.is_empty())]
        .into_iter()
        .find(|(_, is_missing)| *is_missing)
        .map(|(key, _)| format!("set channels.irc.{}", account.place(key)));
    let mut door = door(account, &listed);
    let names = account.switch("dangerouslyAllowNameMatching").unwrap_or(false);
    let rooms = account.settings.get("groups").and_then(Value::as_object);
    door.rooms = rooms
        .into_iter()
        .flatten()
        .map(|(room, rule)| RoomRule { room: room_name(room), ..room_common(rule, names, &listed) })
        .collect();
    let usual = WritingRules {
        coalesce: Some(Coalesce { least: 300, most: TEXT_LIMIT, idle: std::time::Duration::from_secs(1) }),
        line_limit: Some(LINE_LIMIT),
        // Only where the account itself asks for them, whatever agents are set to.
        blocks: Some(false),
        ..WritingRules::with_limit(TEXT_LIMIT)
    };
    let facts = BTreeMap::from([
        ("host".to_owned(), json!(login.host)),
        ("port".to_owned(), json!(login.port)),
        ("tls".to_owned(), json!(login.tls)),
        ("nick".to_owned(), json!(login.nick)),
    ]);
    AccountPlan {
        id: account.id.clone(),
        name: account.name(),
        is_default: account.is_default,
        enabled: account.enabled,
        ready: missing.clone().map_or(Readiness::Ready, Readiness::Missing),
        door,
        manner: manner(account, usual),
        default_to: account.text("defaultTo").map(str::to_owned),
        facts,
        fingerprint: fingerprint(&login),
        account: missing.is_none().then(|| Box::new(IrcAccount::new(Arc::new(login))) as _),
    }
}

fn login(account: &AccountSection, resolver: &dyn Resolver, faults: &mut Vec<ConfigFault>) -> IrcLogin {
    let variable = |name: &str| if account.is_default { resolver.variable(name) } else { None };
    let words = |key: &str, name: &str| {
        let written = account.text(key).map(str::to_owned);
        written.or_else(|| variable(name).map(|value| value.reveal().trim().to_owned())).unwrap_or_default()
    };
    let tls = account
        .switch("tls")
        .or_else(|| {
            variable("IRC_TLS").map(|value| matches!(value.reveal().trim(), "1" | "true" | "yes" | "on"))
        })
        .unwrap_or(true);
    let port = account
        .number("port")
        .or_else(|| variable("IRC_PORT").and_then(|value| value.reveal().trim().parse().ok()))
        .and_then(|port| u16::try_from(port).ok())
        .unwrap_or(if tls { 6697 } else { 6667 });
    let nick = words("nick", "IRC_NICK");
    let username = Some(words("username", "IRC_USERNAME")).filter(|name| !name.is_empty());
    let realname = Some(words("realname", "IRC_REALNAME")).filter(|name| !name.is_empty());
    let nickserv = account.settings.get("nickserv").and_then(Value::as_object);
    let nickserv_text = |key: &str| {
        nickserv?.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let wanted =
        nickserv.and_then(|nickserv| nickserv.get("enabled")).and_then(Value::as_bool).unwrap_or(true);
    let places = Password {
        value: account.settings.get("password"),
        file: account.text("passwordFile"),
        variable: variable("IRC_PASSWORD"),
        at: account.place("password"),
    };
    let password = places.find(resolver, faults);
    let file = nickserv_text("passwordFile");
    let places = Password {
        value: nickserv.and_then(|nickserv| nickserv.get("password")),
        file: file.as_deref(),
        variable: variable("IRC_NICKSERV_PASSWORD"),
        at: account.place("nickserv.password"),
    };
    let own = places.find(resolver, faults).filter(|_| wanted);
    let registers =
        nickserv.and_then(|nickserv| nickserv.get("register")).and_then(Value::as_bool).unwrap_or(false);
    let email = nickserv_text("registerEmail")
        .or_else(|| variable("IRC_NICKSERV_REGISTER_EMAIL").map(|value| value.reveal().trim().to_owned()));
    IrcLogin {
        host: words("host", "IRC_HOST"),
        port,
        tls,
        username: username
            .unwrap_or_else(|| if nick.is_empty() { "openclaw".to_owned() } else { nick.clone() }),
        realname: realname.unwrap_or_else(|| "OpenClaw".to_owned()),
        nick,
        password,
        sasl: own.is_some(),
        service: nickserv_text("service").unwrap_or_else(|| "NickServ".to_owned()),
        account: own,
        register_email: email.filter(|_| registers),
        rooms: rooms(account, &variable),
    }
}

/// Where a password may be: the variable, a file, or the value itself, in this order.
struct Password<'a> {
    value: Option<&'a Value>,
    file: Option<&'a str>,
    variable: Option<Secret<String>>,
    at: String,
}

impl Password<'_> {
    fn find(self, resolver: &dyn Resolver, faults: &mut Vec<ConfigFault>) -> Option<Secret<String>> {
        let found = match (self.variable, self.file, self.value.filter(|value| !value.is_null())) {
            (Some(variable), _, _) => Ok(variable),
            (None, Some(file), _) => resolver.file(file),
            (None, None, Some(value)) => resolver.secret(value),
            (None, None, None) => return None,
        };
        match found {
            Ok(secret) => Some(secret).filter(|secret| !secret.reveal().is_empty()),
            Err(message) => {
                faults.push(ConfigFault { path: self.at, message });
                None
            }
        }
    }
}

/// The rooms to be in: those that are listed. Rules alone do not bring us into a room.
fn rooms(account: &AccountSection, variable: &dyn Fn(&str) -> Option<Secret<String>>) -> Vec<String> {
    let listed = account.settings.get("channels").and_then(Value::as_array);
    let mut rooms: Vec<String> =
        listed.into_iter().flatten().filter_map(Value::as_str).map(|room| room.trim().to_owned()).collect();
    if listed.is_none()
        && let Some(value) = variable("IRC_CHANNELS")
    {
        rooms.extend(value.reveal().split([',', ';', ' ']).map(|room| room.trim().to_owned()));
    }
    rooms.retain(|room| super::normalize::is_room(room));
    rooms.dedup();
    rooms
}

fn room_name(room: &str) -> RoomName {
    match room.trim() {
        "*" => RoomName::Any,
        other => RoomName::Id(other.to_lowercase()),
    }
}

fn fingerprint(login: &IrcLogin) -> String {
    use sha2::{Digest as _, Sha256};
    let text = format!(
        "{}\0{}\0{}\0{}\0{}\0{}\0{:?}\0{:?}\0{}\0{:?}\0{:?}",
        login.host,
        login.port,
        login.tls,
        login.nick,
        login.username,
        login.realname,
        login.server_password(),
        login.account_password(),
        login.service,
        login.register_email,
        login.rooms
    );
    hex::encode(Sha256::digest(text.as_bytes()))
}

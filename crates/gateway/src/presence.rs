//! Who is here: clients that connected, machines that sent a beacon, and the gateway itself.
//!
//! Pure: time is passed in and nothing is sent; the server broadcasts. An entry lives five minutes after its last
//! update, at most 200 are kept, and the command line is not tracked. A machine is one entry, found by its device id
//! or its instance id, whether it connects or only sends beacons.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use openclaw_protocol::methods::system::SystemEventParams;
use openclaw_protocol::{ClientInfo, ClientMode, PresenceEntry};
use openclaw_types::{ConnectionId, UnixMillis};

use crate::auth::Principal;

/// How long an entry lives without an update.
const LIFE: Duration = Duration::from_secs(300);
/// How many entries are kept.
const MAX_ENTRIES: usize = 200;
/// How much of a text without a name serves as one.
const TEXT_KEY_CHARS: usize = 64;

/// What the gateway says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GatewayFacts {
    /// The name of its machine.
    pub(crate) host: String,
    /// The machine's address in the local network.
    pub(crate) ip: Option<String>,
    /// The version it runs.
    pub(crate) version: String,
    /// The machine's operating system.
    pub(crate) platform: String,
    /// The machine's family.
    pub(crate) device_family: String,
    /// The machine's model or processor.
    pub(crate) model_identifier: Option<String>,
}

/// Names an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PresenceKey(String);

/// Everybody who is here.
#[derive(Debug)]
pub(crate) struct PresenceBoard {
    rows: BTreeMap<PresenceKey, Row>,
    myself: PresenceKey,
    facts: GatewayFacts,
    version: u64,
}

#[derive(Debug, Clone)]
struct Row {
    entry: PresenceEntry,
    /// The instance that wrote it, also when the entry shows the device instead.
    instance: Option<String>,
}

impl PresenceBoard {
    /// A list with the gateway alone.
    pub(crate) fn new(facts: GatewayFacts, now: UnixMillis) -> Self {
        let myself = PresenceKey(facts.host.trim().to_ascii_lowercase());
        let mut board = Self { rows: BTreeMap::new(), myself, facts, version: 1 };
        board.touch_myself(now);
        board
    }

    /// Counts the changes that clients are told about.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Notes a client that connected. `None` when its kind is not tracked.
    pub(crate) fn connected(
        &mut self,
        principal: &Principal,
        client: &ClientInfo,
        connection: &ConnectionId,
        now: UnixMillis,
    ) -> Option<PresenceKey> {
        if client.mode == ClientMode::Cli {
            return None;
        }
        let device = principal.device.as_ref().map(|device| device.as_str());
        let instance = client.instance_id.as_ref().map(|instance| instance.as_str());
        let key = self.key_of(device, instance).unwrap_or_else(|| key(connection.as_str()));
        self.adopt(&key, instance);
        let host = client.display_name.as_ref().map_or(client.id.as_str(), |name| name.as_str());
        let row = self.row(&key, now);
        let entry = &mut row.entry;
        entry.host = Some(host.to_owned());
        entry.ip = principal.client_ip.map(|address| address.to_string());
        entry.version = Some(client.version.as_str().to_owned());
        entry.platform = Some(client.platform.as_str().to_owned());
        entry.device_family = client.device_family.as_ref().map(|family| family.as_str().to_owned());
        entry.model_identifier = client.model_identifier.as_ref().map(|model| model.as_str().to_owned());
        entry.mode = Some(client.mode.to_string());
        entry.device_id = device.map(str::to_owned);
        entry.instance_id = device.or(instance).map(str::to_owned);
        entry.reason = Some("connect".to_owned());
        entry.roles = merged(entry.roles.take(), [principal.role.to_string()]);
        entry.scopes = merged(entry.scopes.take(), principal.scopes.iter().map(|scope| scope.to_string()));
        entry.text.get_or_insert_with(|| format!("Node: {host} · mode {}", client.mode));
        row.instance = instance.map(str::to_owned);
        self.version += 1;
        Some(key)
    }

    /// Notes that a client left. Its entry stays until it expires.
    pub(crate) fn disconnected(&mut self, key: &PresenceKey, now: UnixMillis) {
        self.row(key, now).entry.reason = Some("disconnect".to_owned());
        self.version += 1;
    }

    /// Notes what a machine says about itself, in fields or in its text.
    pub(crate) fn beacon(&mut self, event: &SystemEventParams, now: UnixMillis) {
        let text = event.text.as_str().trim();
        let said = Beacon::parse(text).unwrap_or_default();
        let key = self
            .key_of(event.device_id.as_deref(), event.instance_id.as_deref())
            .or_else(|| [&said.host, &said.ip].into_iter().flatten().find_map(|name| named(name)))
            .unwrap_or_else(|| PresenceKey(text.chars().take(TEXT_KEY_CHARS).collect()));
        self.adopt(&key, event.instance_id.as_deref());
        let row = self.row(&key, now);
        let entry = &mut row.entry;
        replace(&mut entry.host, event.host.as_ref().or(said.host.as_ref()));
        replace(&mut entry.ip, event.ip.as_ref().or(said.ip.as_ref()));
        replace(&mut entry.version, event.version.as_ref().or(said.version.as_ref()));
        replace(&mut entry.platform, event.platform.as_ref());
        replace(&mut entry.device_family, event.device_family.as_ref());
        replace(&mut entry.model_identifier, event.model_identifier.as_ref());
        replace(&mut entry.mode, event.mode.as_ref().or(said.mode.as_ref()));
        replace(&mut entry.reason, event.reason.as_ref().or(said.reason.as_ref()));
        replace(&mut entry.device_id, event.device_id.as_ref());
        replace(&mut entry.tags, event.tags.as_ref());
        if entry.instance_id.is_none() || row.instance.is_none() {
            replace(&mut entry.instance_id, event.instance_id.as_ref());
        }
        let seconds =
            event.last_input_seconds.map(|seconds| whole_seconds(seconds.0)).or(said.last_input_seconds);
        entry.last_input_seconds = seconds.or(entry.last_input_seconds);
        entry.roles = merged(entry.roles.take(), event.roles.iter().flatten().cloned());
        entry.scopes = merged(entry.scopes.take(), event.scopes.iter().flatten().cloned());
        entry.text = Some(text.to_owned());
        replace(&mut row.instance, event.instance_id.as_ref());
        self.version += 1;
    }

    /// Everybody, newest first. Forgets who has not been heard of for too long.
    pub(crate) fn list(&mut self, now: UnixMillis) -> Vec<PresenceEntry> {
        self.touch_myself(now);
        self.rows.retain(|_, row| now.since(row.entry.ts) <= LIFE);
        while self.rows.len() > MAX_ENTRIES {
            let oldest = self.rows.iter().min_by_key(|(_, row)| row.entry.ts).map(|(key, _)| key.clone());
            match oldest {
                Some(key) => self.rows.remove(&key),
                None => break,
            };
        }
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(key, row)| (std::cmp::Reverse(row.entry.ts), **key != self.myself));
        rows.into_iter().map(|(_, row)| row.entry.clone()).collect()
    }

    fn touch_myself(&mut self, now: UnixMillis) {
        let facts = &self.facts;
        let address = facts.ip.as_ref().map(|ip| format!(" ({ip})")).unwrap_or_default();
        let entry = PresenceEntry {
            host: Some(facts.host.clone()),
            ip: facts.ip.clone(),
            version: Some(facts.version.clone()),
            platform: Some(facts.platform.clone()),
            device_family: Some(facts.device_family.clone()),
            model_identifier: facts.model_identifier.clone(),
            mode: Some("gateway".to_owned()),
            reason: Some("self".to_owned()),
            text: Some(format!(
                "Gateway: {}{address} · app {} · mode gateway · reason self",
                facts.host, facts.version
            )),
            ..PresenceEntry::at(now)
        };
        self.rows.insert(self.myself.clone(), Row { entry, instance: None });
    }

    /// The entry of a device or instance: the one that is there under either name, else a new name.
    fn key_of(&self, device: Option<&str>, instance: Option<&str>) -> Option<PresenceKey> {
        let device = device.and_then(named);
        let instance = instance.and_then(named);
        let by_instance = || {
            let instance = instance.as_ref()?;
            let same = |row: &Row| row.instance.as_deref().and_then(named).as_ref() == Some(instance);
            self.rows.iter().find(|(_, row)| same(row)).map(|(key, _)| key.clone())
        };
        device.or_else(by_instance).or(instance)
    }

    /// Hands an entry that a mere instance wrote to the device it turns out to belong to.
    fn adopt(&mut self, key: &PresenceKey, instance: Option<&str>) {
        let written_as = self.key_of(None, instance).filter(|written_as| written_as != key);
        let Some(written_as) = written_as.filter(|_| !self.rows.contains_key(key)) else { return };
        if self.rows.get(&written_as).is_some_and(|row| row.entry.device_id.is_none())
            && let Some(row) = self.rows.remove(&written_as)
        {
            self.rows.insert(key.clone(), row);
        }
    }

    fn row(&mut self, key: &PresenceKey, now: UnixMillis) -> &mut Row {
        let new = || Row { entry: PresenceEntry::at(now), instance: None };
        let row = self.rows.entry(key.clone()).or_insert_with(new);
        row.entry.ts = now;
        row
    }
}

fn key(text: &str) -> PresenceKey {
    PresenceKey(text.trim().to_lowercase())
}

fn named(text: &str) -> Option<PresenceKey> {
    let key = key(text);
    (!key.0.is_empty()).then_some(key)
}

fn replace<T: Clone>(old: &mut Option<T>, new: Option<&T>) {
    if let Some(new) = new {
        *old = Some(new.clone());
    }
}

fn merged(old: Option<Vec<String>>, new: impl IntoIterator<Item = String>) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let all: Vec<String> = old
        .into_iter()
        .flatten()
        .chain(new)
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty() && seen.insert(word.clone()))
        .collect();
    (!all.is_empty()).then_some(all)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float turns into the nearest whole number of the target's range"
)]
fn whole_seconds(seconds: f64) -> u64 {
    seconds as u64
}

/// What a beacon's text says: `Node: host (ip) · app version · last input 5s ago · mode local · reason periodic`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Beacon {
    host: Option<String>,
    ip: Option<String>,
    version: Option<String>,
    last_input_seconds: Option<u64>,
    mode: Option<String>,
    reason: Option<String>,
}

impl Beacon {
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(5, '·').map(str::trim);
        let (host, ip) = after(parts.next()?, "node:")?.strip_suffix(')')?.rsplit_once('(')?;
        let version = after(parts.next()?, "app ")?;
        let input = after(parts.next()?, "last input ")?;
        let seconds = input.to_ascii_lowercase().strip_suffix("s ago")?.trim().parse().ok()?;
        let mode = after(parts.next()?, "mode ")?;
        let reason = after(parts.next()?, "reason ")?;
        let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(Self {
            host: Some(said(host)?),
            ip: Some(said(ip)?),
            version: Some(said(version)?),
            last_input_seconds: Some(seconds),
            mode: Some(said(mode)?),
            reason: Some(said(reason)?),
        })
    }
}

fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| text[word.len()..].trim())
}

#[cfg(test)]
mod tests;

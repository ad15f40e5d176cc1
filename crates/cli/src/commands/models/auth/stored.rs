//! `auth list`, `remove`, `import` and `export`: what is stored of an agent's sign-ins.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use openclaw_config::BaseHash;
use openclaw_ports::stores::{StoredCredential, StoredProfile};
use openclaw_providers::{
    AuthFile, ImportError, read_auth_map, read_auth_profiles, read_oauth_file, write_auth_profiles,
};
use openclaw_types::{AgentId, AuthProfileId, UnixMillis};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::super::desk::{ModelCommand, counted, session};
use super::super::secrets::described;
use super::super::status::vendor_of;
use super::keep::kind_of;
use super::profile_of;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};

/// `openclaw models auth list`.
pub(super) fn list(context: &Context, agent: Option<&str>, json: bool) -> anyhow::Result<Exit> {
    answering(Output::of(json), || {
        session(context, agent, async |session| {
            let profiles = session.desk.profiles().list(&session.agent).await?;
            let now = session.context.clock.now();
            if json {
                let shown: Vec<Value> = profiles.iter().map(|profile| as_json(profile, now)).collect();
                print::json(&json!({ "agentId": session.agent, "profiles": shown }))?;
            } else if profiles.is_empty() {
                print::line(&format!(
                    "The agent {} has no sign-ins stored; `openclaw models auth add` or `login` makes one.",
                    session.agent
                ))?;
            } else {
                let mut table = TextTable::new(&["Sign-in", "Vendor", "Kind", "Credential", "Runs out"]);
                for profile in &profiles {
                    table.row(row(profile, now));
                }
                print::line(&table.render())?;
            }
            Ok(Exit::Done)
        })
    })
}

fn row(profile: &StoredProfile, now: UnixMillis) -> [String; 5] {
    let runs_out = match (expires(profile), &profile.credential) {
        (_, StoredCredential::Oauth(tokens)) if tokens.refresh.is_some() => "renewed by itself".to_owned(),
        (Some(at), _) if at > now => format!("in {}", print::span(at.since(now))),
        (Some(_), _) => print::bad("has run out"),
        (None, _) => "-".to_owned(),
    };
    [
        profile.id.to_string(),
        vendor_of(profile).to_string(),
        kind_of(profile).to_owned(),
        described(profile),
        runs_out,
    ]
}

fn as_json(profile: &StoredProfile, now: UnixMillis) -> Value {
    let left = expires(profile).map(|at| at.0.saturating_sub(now.0));
    json!({
        "profileId": profile.id,
        "provider": vendor_of(profile),
        "type": kind_of(profile),
        "email": profile.email,
        "credential": described(profile),
        "expiresAt": expires(profile).map(|at| at.0),
        "remainingMs": left,
    })
}

fn expires(profile: &StoredProfile) -> Option<UnixMillis> {
    let at = match &profile.credential {
        StoredCredential::ApiKey { .. } => None,
        StoredCredential::Token { expires, .. } => *expires,
        StoredCredential::Oauth(tokens) => Some(tokens.expires),
    };
    at.filter(|at| at.0 > 0)
}

/// `openclaw models auth remove`.
pub(super) fn remove(context: &Context, agent: Option<&str>, written: &str) -> anyhow::Result<Exit> {
    let id = profile_of(written)?;
    session(context, agent, async |session| {
        let store = session.desk.profiles();
        if !session.desk.credentials.forget(&session.agent, &id).await? {
            anyhow::bail!(
                "the agent {} has no sign-in called {id}; `openclaw models auth list` shows them",
                session.agent
            );
        }
        for (provider, mut order) in store.order(&session.agent).await? {
            if order.contains(&id) {
                order.retain(|other| *other != id);
                store.set_order(&session.agent, &provider, order).await?;
            }
        }
        session.desk.models.clear_health(&session.agent, Some(&id)).await?;
        unname(session, &id).await?;
        print::line(&format!("Forgot {id}. At the vendor it is good until you take it back there."))?;
        Ok(Exit::Done)
    })
}

/// Takes a sign-in that no agent has any more out of the configuration.
async fn unname(session: &ModelCommand<'_>, id: &AuthProfileId) -> anyhow::Result<()> {
    let store = session.desk.profiles();
    for agent in store.agents().await? {
        if store.list(&agent).await?.iter().any(|profile| profile.id == *id) {
            return Ok(());
        }
    }
    let rules = &session.snapshot.config.models.sign_in;
    let mut auth = Map::new();
    if rules.profiles.contains_key(id.as_str()) {
        auth.insert("profiles".to_owned(), json!({ id.as_str(): null }));
    }
    let orders: Map<String, Value> = rules
        .order
        .iter()
        .filter(|(_, order)| order.iter().any(|name| name == id.as_str()))
        .map(|(vendor, order)| {
            let rest: Vec<&String> = order.iter().filter(|name| *name != id.as_str()).collect();
            (vendor.clone(), if rest.is_empty() { Value::Null } else { json!(rest) })
        })
        .collect();
    if !orders.is_empty() {
        auth.insert("order".to_owned(), Value::Object(orders));
    }
    if !auth.is_empty() && session.snapshot.valid {
        let base = BaseHash::Given(session.snapshot.hash.clone());
        session.context.config_file().patch(&json!({ "auth": auth }).to_string(), &base)?;
    }
    Ok(())
}

/// `openclaw models auth import`.
pub(super) fn import(context: &Context, agent: Option<&str>, file: Option<&Path>) -> anyhow::Result<Exit> {
    session(context, agent, async |session| {
        let Some(path) = file else {
            if session.imported == 0 {
                print::line("There is nothing new to take over.")?;
            }
            return Ok(Exit::Done);
        };
        let read = read(path, &session.agent)?;
        for problem in &read.problems {
            let warning = print::warn("warning:");
            print::note(&format!("{warning} {} is left out, it {}", problem.entry, problem.problem))?;
        }
        let count = read.profiles.len();
        for profile in read.profiles {
            session.desk.credentials.keep(&session.agent, profile).await?;
        }
        for (provider, order) in read.order {
            session.desk.profiles().set_order(&session.agent, &provider, order).await?;
        }
        print::line(&format!("Took over {} for the agent {}.", counted(count, "sign-in"), session.agent))?;
        print::note(
            "They are sealed here, and still in plain text in that file; delete it when nothing needs it.",
        )?;
        Ok(if count == 0 { Exit::NotInOrder } else { Exit::Done })
    })
}

fn read(path: &Path, agent: &AgentId) -> anyhow::Result<AuthFile> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let text = Zeroizing::new(text);
    let forms = [read_auth_profiles(&text, agent), read_auth_map(&text), read_oauth_file(&text)];
    let mut best = Err(ImportError::NoSignIns);
    for form in forms {
        match form {
            Ok(file) if !file.profiles.is_empty() => return Ok(file),
            Ok(file) if best.is_err() => best = Ok(file),
            Err(error) if best == Err(ImportError::NoSignIns) => best = Err(error),
            _ => {}
        }
    }
    best.with_context(|| path.display().to_string())
}

/// `openclaw models auth export`.
pub(super) fn export(
    context: &Context,
    agent: Option<&str>,
    to: Option<PathBuf>,
    yes: bool,
) -> anyhow::Result<Exit> {
    session(context, agent, async |session| {
        let usual = session.agent_dir().join("auth-profiles.json");
        let path = to.unwrap_or(usual);
        if path.exists() && !yes && !may_replace(&path)? {
            print::line("Nothing was written.")?;
            return Ok(Exit::Done);
        }
        let store = session.desk.profiles();
        let health = session.desk.models.status().health;
        let file = AuthFile {
            profiles: store.list(&session.agent).await?,
            order: store.order(&session.agent).await?,
            health: health.into_iter().filter(|record| record.key.agent == session.agent).collect(),
            ..AuthFile::default()
        };
        let count = file.profiles.len();
        write(&path, write_auth_profiles(&file).reveal().as_bytes())
            .with_context(|| format!("{} cannot be written", path.display()))?;
        print::line(&format!("Wrote {} to {}.", counted(count, "sign-in"), session.context.short(&path)))?;
        print::note(&format!(
            "{} the file holds every key and token in plain text; only your user may read it. Delete it when nothing needs it.",
            print::warn("warning:")
        ))?;
        Ok(Exit::Done)
    })
}

fn may_replace(path: &Path) -> anyhow::Result<bool> {
    if !print::can_ask() {
        return Err(misuse(format!("{} is there already; say --yes to replace it", path.display())));
    }
    Ok(print::confirm(&format!("{} is there already. Replace it?", path.display()))?)
}

/// Writes a file that only its owner may read, all or nothing.
fn write(path: &Path, text: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let written =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside).and_then(|mut file| {
            file.write_all(text)?;
            file.sync_all()
        });
    match written.and_then(|()| fs::rename(&beside, path)) {
        Ok(()) => Ok(()),
        Err(error) => {
            if let Err(left) = fs::remove_file(&beside) {
                tracing::debug!(%left, "a half-written file is left behind");
            }
            Err(error)
        }
    }
}

//! Stores a sign-in and makes sure that it is used: where the configuration or an agent's order names what may be
//! tried, a new sign-in would be left out silently.

use openclaw_config::BaseHash;
use openclaw_ports::model::normal_provider;
use openclaw_ports::stores::{StoredCredential, StoredProfile};
use serde_json::{Map, Value, json};

use super::super::desk::ModelCommand;
use super::super::status::vendor_of;
use crate::print;

/// Stores it and says so.
pub(super) async fn keep(session: &ModelCommand<'_>, profile: StoredProfile) -> anyhow::Result<()> {
    let (id, vendor, kind) = (profile.id.clone(), vendor_of(&profile), kind_of(&profile));
    session.desk.credentials.keep(&session.agent, profile).await?;
    session.desk.models.clear_health(&session.agent, Some(&id)).await?;
    if let Some(patch) = naming(session, id.as_str(), vendor.as_str(), kind) {
        let base = BaseHash::Given(session.snapshot.hash.clone());
        session.context.config_file().patch(&patch.to_string(), &base)?;
    }
    print::line(&format!(
        "Stored {} ({vendor}, {kind}) for the agent {}.",
        print::accent(id.as_str()),
        session.agent
    ))?;
    let orders = session.desk.profiles().order(&session.agent).await?;
    let left_out = orders.get(&vendor).filter(|order| !order.contains(&id));
    if let Some(order) = left_out {
        let mut whole: Vec<&str> = order.iter().map(|id| id.as_str()).collect();
        whole.push(id.as_str());
        print::note(&format!(
            "{} the order of {vendor} leaves it out; `openclaw models auth order set --provider {vendor} {}` adds it",
            print::warn("warning:"),
            whole.join(" ")
        ))?;
    }
    Ok(())
}

/// The kind of a sign-in, as the configuration writes it.
pub(super) fn kind_of(profile: &StoredProfile) -> &'static str {
    match profile.credential {
        StoredCredential::ApiKey { .. } => "api_key",
        StoredCredential::Token { .. } => "token",
        StoredCredential::Oauth(_) => "oauth",
    }
}

/// The edit that lets a new sign-in be used where the configuration lists those of its vendor; nothing where it does
/// not, because then all are used.
fn naming(session: &ModelCommand<'_>, id: &str, vendor: &str, kind: &str) -> Option<Value> {
    let rules = &session.snapshot.config.models.sign_in;
    let same = |written: &str| normal_provider(written) == vendor;
    let mut auth = Map::new();
    if rules.profiles.values().any(|written| same(written)) {
        auth.insert("profiles".to_owned(), json!({ id: { "provider": vendor, "mode": kind } }));
    }
    let ordered = rules.order.iter().find(|(written, order)| same(written) && !order.is_empty());
    if let Some((written, order)) = ordered.filter(|(_, order)| !order.iter().any(|name| name == id)) {
        let mut order = order.clone();
        order.push(id.to_owned());
        auth.insert("order".to_owned(), json!({ written: order }));
    }
    (!auth.is_empty() && session.snapshot.valid).then(|| json!({ "auth": auth }))
}

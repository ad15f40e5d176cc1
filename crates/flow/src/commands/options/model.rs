//! `/model`: which model answers in the session: shown, listed, chosen, taken back.

use openclaw_agent::SelectionError;
use openclaw_inbound::commands::ModelDirective;
use openclaw_session::{ModelPick, SessionPatch};
use openclaw_types::{AuthProfileId, ModelRef, SessionEntry};

use super::models::{choices, numbered};
use crate::commands::status::{profile_text, sign_in};
use crate::commands::{CommandCall, CommandTrouble};

/// Shows or chooses the model.
pub(super) async fn model(call: &CommandCall<'_>, wanted: &ModelDirective) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    match wanted {
        ModelDirective::Show => Ok(current(call, &entry)),
        ModelDirective::List => numbered(call, &call.model(&entry.facts)).await,
        ModelDirective::Status => status(call, &entry).await,
        ModelDirective::Number(number) => {
            let listed = choices(call).await?;
            match number.checked_sub(1).and_then(|place| listed.get(place)) {
                Some(model) => choose(call, &entry, &model.model.clone(), None).await,
                None => Ok(format!("⚠️ There is no model {number} in the list. /model list shows them.")),
            }
        }
        ModelDirective::Set { model, profile } => set(call, &entry, model, profile.as_deref()).await,
    }
}

fn current(call: &CommandCall<'_>, entry: &SessionEntry) -> String {
    let usual = call.usual_model(&entry.facts);
    let now = call.model(&entry.facts);
    let note = if now == usual { " (default)".to_owned() } else { format!(" (default: {usual})") };
    format!(
        "🧠 Model: {now}{note}\nChoose: /model <provider/model>, an alias or a number of /model list\nLook around: \
         /models\nSign-ins: /model status"
    )
}

/// The model with every way to sign in there.
async fn status(call: &CommandCall<'_>, entry: &SessionEntry) -> Result<String, CommandTrouble> {
    let model = call.model(&entry.facts);
    let used = sign_in(call.flow, call.agent(), &model, &entry.facts).await?;
    let mut lines = vec![
        current(call, entry),
        format!("Signs in with: {}", used.unwrap_or_else(|| "nothing; add a key first".to_owned())),
    ];
    if let Some(window) = call.models().window(&model) {
        lines.push(format!("Reads up to: {} tokens", window.tokens));
    }
    if let Some(credentials) = &call.handles().credentials {
        for profile in credentials.profiles(call.agent(), model.provider()).await? {
            lines.push(format!("• {}: {}", profile.id.as_str(), profile_text(&profile)));
        }
    }
    let switches = call.models().status().switches;
    if let Some(last) =
        switches.iter().rev().find(|switch| switch.session.as_deref() == Some(call.key().as_str()))
    {
        lines.push(format!("Last switch: {}", last.message));
    }
    Ok(lines.join("\n"))
}

async fn set(
    call: &CommandCall<'_>,
    entry: &SessionEntry,
    written: &str,
    profile: Option<&str>,
) -> Result<String, CommandTrouble> {
    if written.eq_ignore_ascii_case("default") {
        return choose(call, entry, &call.usual_model(&entry.facts), None).await;
    }
    match call.models().resolve(call.agent(), written) {
        Ok(resolved) => {
            let profile = profile.map(AuthProfileId::new).transpose();
            match profile {
                Ok(profile) => {
                    choose(call, entry, &resolved.reference.model, profile.or(resolved.reference.profile))
                        .await
                }
                Err(_) => Ok("⚠️ That is no name of a sign-in. /model status lists them.".to_owned()),
            }
        }
        Err(refused @ (SelectionError::Invalid(_) | SelectionError::NotAllowed(_))) => {
            Ok(refused.to_string())
        }
    }
}

async fn choose(
    call: &CommandCall<'_>,
    entry: &SessionEntry,
    model: &ModelRef,
    profile: Option<AuthProfileId>,
) -> Result<String, CommandTrouble> {
    if call.models().facts(model).is_none() {
        return Ok(format!(
            "⚠️ Nobody here knows the provider {}. /models lists those that are known.",
            model.provider()
        ));
    }
    if let Some(profile) = &profile
        && !has_profile(call, model, profile).await?
    {
        return Ok(format!(
            "⚠️ There is no sign-in {profile} for {}. /model status lists them.",
            model.provider()
        ));
    }
    let is_usual = *model == call.usual_model(&entry.facts);
    let pick = if is_usual { ModelPick::Default } else { ModelPick::Model(model.clone()) };
    call.patch(SessionPatch { model: Some(pick), ..SessionPatch::default() }, model).await?;
    let signed = match &profile {
        Some(profile) => {
            let kept = profile.as_str().to_owned();
            let changed = call.sessions().change(call.key(), move |entry| {
                entry.facts.auth_profile_override = Some(kept);
                entry.facts.auth_profile_override_source = Some("user".to_owned());
            });
            changed.await?;
            format!(" Sign-in: {profile}.")
        }
        None => String::new(),
    };
    let line = format!("The model of this session is now {model}.");
    call.flow.notes.add(call.key(), &line, call.flow.now());
    Ok(match is_usual {
        true => format!("🧠 Model reset to default ({model}).{signed}"),
        false => format!("🧠 Model: {model}.{signed}"),
    })
}

async fn has_profile(
    call: &CommandCall<'_>,
    model: &ModelRef,
    wanted: &AuthProfileId,
) -> Result<bool, CommandTrouble> {
    let Some(credentials) = &call.handles().credentials else { return Ok(true) };
    let known = credentials.profiles(call.agent(), model.provider()).await?;
    Ok(known.iter().any(|profile| profile.id == *wanted))
}

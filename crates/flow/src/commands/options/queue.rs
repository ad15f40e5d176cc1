//! `/queue`: what becomes of messages while an answer is made.

use openclaw_config::sections::QueueDrop;
use openclaw_config::{QueueMode, QueueOverrides, QueueSettings};
use openclaw_inbound::commands::QueueDirective;
use openclaw_inbound::queue::session_choices;
use openclaw_types::SessionFacts;

use super::exec::wrong;
use crate::commands::wording::span;
use crate::commands::{CommandCall, CommandTrouble};

/// Shows or sets what becomes of messages.
pub(super) async fn queue(call: &CommandCall<'_>, wanted: &QueueDirective) -> Result<String, CommandTrouble> {
    let entry = call.open().await?;
    match wanted {
        QueueDirective::Show => {
            let modes = QueueMode::ALL.map(QueueMode::as_str).join(", ");
            Ok(format!(
                "🪢 {} Modes: {modes}. Options: debounce:<time> cap:<n> drop:old|new|summarize, or reset.",
                current(call, &entry.facts)
            ))
        }
        QueueDirective::Set { wrong: mistakes, .. } if !mistakes.is_empty() => {
            let modes = QueueMode::ALL.map(QueueMode::as_str).join(", ");
            Ok(format!("⚠️ {} Modes: {modes}. Drop: old, new, summarize.", wrong(mistakes)))
        }
        QueueDirective::Set { choices, .. } => keep(call, *choices).await,
        QueueDirective::Reset => {
            let changed = call.sessions().change(call.key(), |entry| {
                let facts = &mut entry.facts;
                (facts.queue_mode, facts.queue_debounce_ms) = (None, None);
                (facts.queue_cap, facts.queue_drop) = (None, None);
            });
            let facts = changed.await?.facts;
            Ok(format!("🪢 The configuration decides again. {}", current(call, &facts)))
        }
    }
}

async fn keep(call: &CommandCall<'_>, choices: QueueOverrides) -> Result<String, CommandTrouble> {
    let changed = call.sessions().change(call.key(), move |entry| {
        let facts = &mut entry.facts;
        if let Some(mode) = choices.mode {
            facts.queue_mode = Some(mode.as_str().to_owned());
        }
        if let Some(debounce) = choices.debounce {
            facts.queue_debounce_ms = Some(u64::try_from(debounce.as_millis()).unwrap_or(u64::MAX));
        }
        if let Some(cap) = choices.cap {
            facts.queue_cap = u64::try_from(cap).ok();
        }
        if let Some(drop) = choices.drop {
            facts.queue_drop = Some(drop_word(drop).to_owned());
        }
    });
    let facts = changed.await?.facts;
    Ok(format!("🪢 {}", current(call, &facts)))
}

fn current(call: &CommandCall<'_>, facts: &SessionFacts) -> String {
    let settings = QueueSettings::resolve(&call.settings().raw, Some(call.channel()), session_choices(facts));
    format!(
        "Messages while I am busy: {}, debounce {}, cap {}, drop {}.",
        settings.mode.as_str(),
        span(settings.debounce),
        settings.cap,
        drop_word(settings.drop)
    )
}

fn drop_word(drop: QueueDrop) -> &'static str {
    match drop {
        QueueDrop::Old => "old",
        QueueDrop::New => "new",
        QueueDrop::Summarize => "summarize",
    }
}

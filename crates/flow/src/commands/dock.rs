//! `/dock-<channel>`: what is answered in this session goes to another platform, where the same person has an identity.
//!
//! Who is who is said in `session.identityLinks`. Without an identity there, the words are for the model. A session of a
//! room stays in its room: others read there too. `/dock-off` ends it.

use openclaw_inbound::route::identity_on;
use openclaw_ports::channel::Capability;
use openclaw_types::{ChannelId, SendTarget};

use super::{CommandCall, CommandTrouble, Effect};

/// The word that ends a dock.
const OFF: &str = "off";

/// Sends answers elsewhere from now on.
pub(super) async fn dock(call: &CommandCall<'_>, platform: &str) -> Result<Effect, CommandTrouble> {
    if platform == OFF {
        keep(call, None).await?;
        return Ok(Effect::Say("⚓ I answer where you write again.".to_owned()));
    }
    let Some((target, label)) = place(call, platform) else {
        return Ok(Effect::Ask(call.submission.text.clone()));
    };
    if call.submission.from.group || call.key().is_group() {
        let refusal =
            "⚠️ This is a room: what is said here is answered here. Write it in a direct chat with me.";
        return Ok(Effect::Say(refusal.to_owned()));
    }
    keep(call, Some(target)).await?;
    Ok(Effect::Say(format!(
        "⚓ From now on I answer you on {label}, whatever you write over. /dock-off ends it."
    )))
}

async fn keep(call: &CommandCall<'_>, place: Option<SendTarget>) -> Result<(), CommandTrouble> {
    call.sessions().change(call.key(), move |entry| openclaw_session::dock(entry, place)).await?;
    Ok(())
}

/// Where the author can be answered on a platform, with its name for people; nothing without an identity there.
fn place(call: &CommandCall<'_>, platform: &str) -> Option<(SendTarget, &'static str)> {
    let channel_accounts = &call.flow.parts.channels;
    let kind = channel_accounts.kind(platform)?;
    let descriptor = kind.descriptor();
    if !descriptor.capabilities.contains(&Capability::NativeCommands) {
        return None;
    }
    let names: Vec<&str> = std::iter::once(descriptor.id).chain(descriptor.aliases.iter().copied()).collect();
    let from = &call.submission.from;
    let writes = from.channel.as_ref().zip(from.peer.as_ref());
    let id = identity_on(&call.settings().session.identity_links, writes, call.key(), &names)?;
    let channel = ChannelId::new(descriptor.id).ok()?;
    let here = from.account.clone().filter(|_| from.channel.as_ref() == Some(&channel));
    let account = here.or_else(|| channel_accounts.accounts_of(&channel).into_iter().next())?;
    // With the platform in front an id is that of a person.
    let to = kind.target(&format!("{}:{id}", descriptor.id)).ok()?;
    Some((SendTarget { channel, account, to, thread: None }, descriptor.label))
}

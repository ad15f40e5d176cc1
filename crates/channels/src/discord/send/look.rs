//! Looks for a piece whose fate is unknown: by its name, as far as the gateway told it, else among our messages since then.

use openclaw_ports::channel::{ChannelError, Sent};
use openclaw_types::{Outgoing, PiecePayload, UnixMillis};
use serde_json::Value;

use super::super::destination::{Aside, DiscordDestination, Home};
use super::super::format::format;
use super::super::known::DiscordKnown;
use super::super::normalize::id_at;
use super::super::rest::{ApiFault, Call};
use super::body::{nonce, title, words};
use super::receipt;

/// How many pages of a hundred messages are looked through.
const PAGES: usize = 5;
const PAGE: usize = 100;
/// How far our clock may be ahead of the platform's, in milliseconds.
const AHEAD: i64 = 60_000;
/// There is no such room: a thread that was to be made was not.
const NO_ROOM: u64 = 10_003;

/// Looks for a piece. Nobody can say where we may not read.
pub(super) async fn look(
    known: &DiscordKnown,
    piece: &Outgoing,
    destination: &DiscordDestination,
    since: UnixMillis,
) -> Result<Sent, ChannelError> {
    let nonce = nonce(&piece.key);
    let told = known.rooms().own_named(&nonce).map(str::to_owned);
    if let Some(message) = told {
        return Ok(Sent::Yes(receipt(&serde_json::json!({ "id": message }), None)?));
    }
    let room = match &destination.aside {
        Aside::ThreadAt(message) => message.clone(),
        Aside::None | Aside::Interaction { .. } => known.room_of(&destination.home).await?,
    };
    let begin = id_at(UnixMillis(since.0.saturating_sub(AHEAD)));
    let found = match &destination.home {
        Home::Channel(_) if known.channel(&room).await?.is_forum() => post(known, piece, &room, begin).await,
        _ => message(known, piece, &room, begin).await,
    };
    match found {
        Err(ApiFault { code: NO_ROOM, .. }) => Ok(Sent::No),
        Err(ApiFault { error: ChannelError::Refused { .. }, .. }) => Ok(Sent::Unknown),
        other => Ok(other?),
    }
}

async fn message(known: &DiscordKnown, piece: &Outgoing, room: &str, begin: u64) -> Result<Sent, ApiFault> {
    let wanted = Wanted::of(piece).await;
    let mut after = begin;
    for _ in 0..PAGES {
        let path = format!("/channels/{room}/messages?limit={PAGE}&after={after}");
        let page = known.api.call(Call::get(path)).await?;
        let page = page.as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(found) = page.iter().find(|message| wanted.is(message, known)) {
            return Ok(Sent::Yes(receipt(found, None)?));
        }
        if page.len() < PAGE {
            return Ok(Sent::No);
        }
        after = page.iter().filter_map(number).max().unwrap_or(after);
    }
    Ok(Sent::Unknown)
}

/// A post is a thread of ours with that name.
async fn post(known: &DiscordKnown, piece: &Outgoing, room: &str, begin: u64) -> Result<Sent, ApiFault> {
    let Some(guild) = known.channel(room).await?.guild_id else { return Ok(Sent::Unknown) };
    let active = known.api.call(Call::get(format!("/guilds/{guild}/threads/active"))).await?;
    let title = title(&piece.payload);
    let mut posts = active["threads"].as_array().into_iter().flatten();
    let found = posts.find(|thread| {
        thread["parent_id"] == room
            && thread["owner_id"] == known.us.as_str()
            && thread["name"] == title.as_str()
            && number(thread).is_some_and(|id| id >= begin)
    });
    match found.and_then(|thread| thread["id"].as_str()) {
        // The first message of a post has its id.
        Some(id) => Ok(Sent::Yes(receipt(&serde_json::json!({ "id": id }), Some(format!("channel:{id}")))?)),
        None => Ok(Sent::No),
    }
}

/// What a message of ours must be to be that piece.
struct Wanted {
    nonce: String,
    content: String,
    question: Option<String>,
    /// How many files hang on it, and how large the first is.
    files: usize,
    bytes: Option<u64>,
}

impl Wanted {
    async fn of(piece: &Outgoing) -> Self {
        let files = piece.payload.files();
        let bytes = match files.first() {
            Some(file) => tokio::fs::metadata(&file.path).await.ok().map(|found| found.len()),
            None => None,
        };
        let question = match &piece.payload {
            PiecePayload::Poll(poll) => Some(poll.question.clone()),
            PiecePayload::Text { .. }
            | PiecePayload::Media { .. }
            | PiecePayload::Album { .. }
            | PiecePayload::Panel(_) => None,
        };
        let content = words(&piece.payload).map(format).unwrap_or_default().trim().to_owned();
        Self { nonce: nonce(&piece.key), content, question, files: files.len(), bytes }
    }

    fn is(&self, message: &Value, known: &DiscordKnown) -> bool {
        if message["author"]["id"] != known.us.as_str() {
            return false;
        }
        let id = message["id"].as_str().unwrap_or_default();
        let named = message["nonce"].as_str().map(str::to_owned);
        if let Some(named) = named.or_else(|| known.rooms().name_of(id).map(str::to_owned)) {
            return named == self.nonce;
        }
        // The platform shows names only to those who hear the message: what says the same is the same.
        said(message).trim() == self.content
            && message["poll"]["question"]["text"].as_str() == self.question.as_deref()
            && message["attachments"].as_array().map_or(0, Vec::len) == self.files
            && message["attachments"][0]["size"].as_u64() == self.bytes
    }
}

/// The words of a message, also where they stand in a box.
fn said(message: &Value) -> &str {
    let plain = message["content"].as_str().filter(|words| !words.is_empty());
    plain.or_else(|| message["components"][0]["components"][0]["content"].as_str()).unwrap_or_default()
}

fn number(thing: &Value) -> Option<u64> {
    thing["id"].as_str()?.parse().ok()
}

//! Brings files to Slack: an address is asked for each, the bytes go there, and then all are put into the conversation at
//! once. Buttons cannot stand below files: they follow in a message with the words.

use std::path::Path;

use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::{MediaFile, MediaKind, MessageId, Outgoing, Receipt, RichText};
use serde_json::{Value, json};

use super::super::api::{As, SlackArguments};
use super::super::format::format;
use super::super::target::SlackDestination;
use super::desk::{Desk, receipt_of};
use super::{blocks, metadata, thread_of};

/// The list of pieces whose files were sent and whose buttons follow.
const HALVES: &str = "halves";

/// Sends files with words below them, as one message, or as two where buttons follow.
pub(super) async fn send(
    desk: &Desk,
    piece: &Outgoing,
    files: &[&MediaFile],
    caption: &RichText,
) -> Result<Receipt, ChannelError> {
    // A file cannot be shown to one person of a conversation alone, so they get it in their direct chat.
    let room = match desk.place(&piece.target)? {
        SlackDestination::OnlyFor { person, .. } => desk.chat(&person).await?,
        SlackDestination::Room(name) if name.starts_with('#') => {
            return Err(ChannelError::Wrong {
                reason: format!("files need the id of the channel {name}; use channel:<id>"),
            });
        }
        _ => desk.room(&piece.target).await?,
    };
    if piece.buttons.iter().all(Vec::is_empty) {
        return share(desk, piece, (files, &room), &format(caption)).await;
    }
    // That the files were sent is remembered, so that a piece that is tried again does not bring them twice.
    if !is_half_sent(desk, piece).await {
        let first = share(desk, piece, (files, &room), "").await?;
        desk.kept.remember(HALVES, &piece.key, json!(first.message.as_str())).await;
    }
    let words = format(caption);
    let fallback = files.first().map_or("", |file| name(&file.name));
    let arguments = SlackArguments::default()
        .with("channel", &room)
        // Shown where there is only room for words.
        .with("text", if words.trim().is_empty() { fallback } else { words.as_str() })
        .maybe("thread_ts", thread_of(piece))
        .json("blocks", &blocks::with_buttons(&words, &piece.buttons))
        .json("metadata", &metadata(&piece.key));
    receipt_of(&desk.api.call(As::Us, "chat.postMessage", arguments).await?)
}

/// Whether the files of a piece were sent, so that only the message with its buttons can be missing.
pub(super) async fn is_half_sent(desk: &Desk, piece: &Outgoing) -> bool {
    desk.kept.recall::<String>(HALVES, &piece.key).await.is_some()
}

/// Puts files into a conversation, with words.
async fn share(
    desk: &Desk,
    piece: &Outgoing,
    (files, room): (&[&MediaFile], &str),
    words: &str,
) -> Result<Receipt, ChannelError> {
    let mut brought = Vec::with_capacity(files.len());
    for file in files {
        brought.push(json!({ "id": bring(desk, file).await?, "title": name(&file.name) }));
    }
    let arguments = SlackArguments::default()
        .json("files", &json!(brought))
        .with("channel_id", room)
        .maybe("thread_ts", thread_of(piece))
        .maybe("initial_comment", Some(words).filter(|words| !words.trim().is_empty()));
    let answer = desk.api.call(As::Us, "files.completeUploadExternal", arguments).await?;
    let message = shared(&answer, room).or_else(|| brought.first()?["id"].as_str()).unwrap_or_default();
    let message =
        MessageId::new(message).map_err(|_wrong| unclear("files.completeUploadExternal", Landed::Maybe))?;
    Ok(Receipt { message, moved_to: None })
}

/// Brings the bytes of a file, which nobody sees yet. Gives its id.
async fn bring(desk: &Desk, file: &MediaFile) -> Result<String, ChannelError> {
    let length = size(Path::new(&file.path)).await?;
    let arguments =
        SlackArguments::default().with("filename", name(&file.name)).with("length", length.to_string());
    let answer = desk.api.call(As::Us, "files.getUploadURLExternal", arguments).await?;
    let (Some(address), Some(id)) = (answer["upload_url"].as_str(), answer["file_id"].as_str()) else {
        return Err(unclear("files.getUploadURLExternal", Landed::No));
    };
    let unsent = |error: ChannelError| match error {
        // Bytes that nobody put into a conversation are seen by nobody.
        ChannelError::Unreachable { reason, .. } => ChannelError::Unreachable { reason, landed: Landed::No },
        other => other,
    };
    desk.api.bring(address.to_owned(), Path::new(&file.path)).await.map_err(unsent)?;
    Ok(id.to_owned())
}

/// What a file goes together with: everything.
pub(in super::super) fn family(_kind: MediaKind, _media_type: &str) -> Option<&'static str> {
    Some("files")
}

/// The message a file was put into the conversation with. Slack often does not know it yet; then the file stands for it.
fn shared<'a>(answer: &'a Value, room: &str) -> Option<&'a str> {
    let shares = &answer["files"][0]["shares"];
    ["public", "private"].iter().find_map(|kind| shares[*kind][room][0]["ts"].as_str())
}

async fn size(path: &Path) -> Result<u64, ChannelError> {
    let metadata = tokio::fs::metadata(path).await.map_err(|error| ChannelError::Wrong {
        reason: format!("the file to send cannot be read: {error}"),
    })?;
    Ok(metadata.len())
}

fn name(name: &str) -> &str {
    if name.trim().is_empty() { "file" } else { name }
}

fn unclear(method: &str, landed: Landed) -> ChannelError {
    ChannelError::Unreachable { reason: format!("{method}: the answer makes no sense"), landed }
}

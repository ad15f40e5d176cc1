//! Brings a file to Slack: an address is asked for, the bytes go there, and then the file is put into the conversation.

use std::path::Path;

use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::{MediaFile, MessageId, Outgoing, Receipt, RichText};
use serde_json::{Value, json};

use super::super::api::{Arguments, As};
use super::super::format::format;
use super::super::target::Place;
use super::desk::Desk;
use super::thread_of;

/// Sends a file with words below it.
pub(super) async fn send(
    desk: &Desk,
    piece: &Outgoing,
    file: &MediaFile,
    caption: &RichText,
) -> Result<Receipt, ChannelError> {
    // A file cannot be shown to one person of a conversation alone, so they get it in their direct chat.
    let room = match desk.place(&piece.target)? {
        Place::OnlyFor { person, .. } => desk.chat(&person).await?,
        Place::Room(name) if name.starts_with('#') => {
            return Err(ChannelError::Wrong {
                reason: format!("files need the id of the channel {name}; use channel:<id>"),
            });
        }
        _ => desk.room(&piece.target).await?,
    };
    let length = size(Path::new(&file.path)).await?;
    let arguments =
        Arguments::default().with("filename", name(&file.name)).with("length", length.to_string());
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
    let words = format(caption);
    let arguments = Arguments::default()
        .json("files", &json!([{ "id": id, "title": name(&file.name) }]))
        .with("channel_id", &room)
        .maybe("thread_ts", thread_of(piece))
        .maybe("initial_comment", Some(words).filter(|words| !words.trim().is_empty()));
    let answer = desk.api.call(As::Us, "files.completeUploadExternal", arguments).await?;
    let message = shared(&answer, &room).unwrap_or(id);
    let message =
        MessageId::new(message).map_err(|_wrong| unclear("files.completeUploadExternal", Landed::Maybe))?;
    Ok(Receipt { message, moved_to: None })
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

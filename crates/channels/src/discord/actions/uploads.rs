//! Signs and stickers of a guild's own: a file that was had before, in the form and size the platform takes.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_ports::channel::ChannelError;
use openclaw_types::MediaFile;
use serde_json::json;

use super::super::rest::Call;
use super::{Parameters, wrong};
use crate::shared::{Method, UploadField};

/// The largest sign and the largest sticker, in bytes.
const LARGEST_SIGN: u64 = 256 * 1024;
const LARGEST_STICKER: u64 = 512 * 1024;
/// What they may be.
const SIGNS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const STICKERS: [&str; 4] = ["image/png", "image/apng", "image/gif", "application/json"];

/// The call that brings a sign or a sticker.
pub(super) async fn call(name: &str, given: &Parameters<'_>) -> Result<Call, ChannelError> {
    let guild = given.id("guildId")?;
    match name {
        "emoji-upload" => sign(&guild, given).await,
        _ => sticker(&guild, given).await,
    }
}

async fn sign(guild: &str, given: &Parameters<'_>) -> Result<Call, ChannelError> {
    let name = given.text("emojiName").map_or_else(|| given.must("name"), Ok)?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !(2..=32).contains(&name.len()) || !name.chars().all(is_name) {
        return Err(wrong("emojiName has 2 to 32 letters, digits or underscores"));
    }
    let file = file(given, &SIGNS, LARGEST_SIGN).await?;
    let bytes = tokio::fs::read(&file.path).await.map_err(|error| unread(&error))?;
    let image = format!("data:{};base64,{}", file.media_type, STANDARD.encode(bytes));
    let mut body = json!({ "name": name, "image": image });
    let roles: Vec<String> =
        given.list("roleIds").iter().filter_map(|id| super::super::destination::listed(id)).collect();
    if !roles.is_empty() {
        body["roles"] = json!(roles);
    }
    Ok(Call::with(Method::POST, format!("/guilds/{guild}/emojis"), body).because(given.text("reason")))
}

async fn sticker(guild: &str, given: &Parameters<'_>) -> Result<Call, ChannelError> {
    let name = given.text("stickerName").map_or_else(|| given.must("name"), Ok)?;
    if !(2..=30).contains(&name.chars().count()) {
        return Err(wrong("stickerName has 2 to 30 characters"));
    }
    let file = file(given, &STICKERS, LARGEST_STICKER).await?;
    let words =
        |field: &str, value: &str| UploadField::Text { name: field.to_owned(), value: value.to_owned() };
    let parts = vec![
        words("name", name),
        words("description", given.text("stickerDesc").unwrap_or_default()),
        words("tags", given.must("stickerTags")?),
        UploadField::File {
            name: "file".to_owned(),
            file_name: file.name,
            media_type: file.media_type,
            path: PathBuf::from(file.path),
        },
    ];
    let path = format!("/guilds/{guild}/stickers");
    Ok(Call::with_files(Method::POST, path, parts).because(given.text("reason")))
}

/// The file that is named in `media`, had by the host.
async fn file(given: &Parameters<'_>, kinds: &[&str], most: u64) -> Result<MediaFile, ChannelError> {
    let had = given.fields.get("media").cloned().unwrap_or_default();
    let file: MediaFile = serde_json::from_value(had).map_err(|_no_file| wrong("media names no file"))?;
    if !kinds.contains(&file.media_type.as_str()) {
        return Err(wrong(&format!(
            "the file is {}; Discord takes {} there",
            file.media_type,
            kinds.join(", ")
        )));
    }
    let size = tokio::fs::metadata(&file.path).await.map_err(|error| unread(&error))?.len();
    match size <= most {
        true => Ok(file),
        false => Err(wrong(&format!("the file has {size} bytes; Discord takes {most} at most there"))),
    }
}

fn unread(error: &std::io::Error) -> ChannelError {
    wrong(&format!("the file cannot be read: {error}"))
}

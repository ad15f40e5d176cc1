//! Fetches files: asks where one lies, then reads it, at most so much.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, FetchMedia, Fetched, Landed};
use openclaw_types::MediaRef;
use serde_json::{Map, json};
use sha2::{Digest as _, Sha256};

use super::super::wire::File;
use super::TelegramSlots;
use crate::shared::Downloaded;

#[async_trait]
impl FetchMedia for TelegramSlots {
    async fn fetch(&self, media: &MediaRef, limit: u64) -> Result<Fetched, ChannelError> {
        if media.bytes.is_some_and(|bytes| bytes > limit) {
            return Err(too_large());
        }
        let fields = Map::from_iter([("file_id".to_owned(), json!(media.handle))]);
        let file: File = match self.api.call("getFile", fields).await {
            Err(fault) if fault.says(&["file is too big"]) => {
                let reason = "the file is larger than the 20 MB that Telegram gives to bots";
                return Err(ChannelError::Refused { reason: reason.to_owned() });
            }
            other => other?,
        };
        let place = file.file_path.as_deref().filter(|path| is_below(path)).ok_or_else(|| {
            let reason = "the Bot API server keeps the file on its own disk; run it without --local";
            ChannelError::Refused { reason: reason.to_owned() }
        })?;
        let path = self.context.media.join(own_name(&media.handle, place));
        tokio::fs::create_dir_all(&self.context.media).await.map_err(|error| ChannelError::Unreachable {
            reason: format!("the folder for files cannot be made: {error}"),
            landed: Landed::No,
        })?;
        match self.api.http().download(self.api.file_request(place), &path, limit).await? {
            Downloaded::File { bytes, media_type } => {
                // The platform calls everything a stream of bytes here; what the message said is better.
                let said = media_type.filter(|said| said != "application/octet-stream");
                let name = media.name.clone().or_else(|| place.rsplit('/').next().map(str::to_owned));
                Ok(Fetched { path, bytes, media_type: media.media_type.clone().or(said), name })
            }
            Downloaded::TooLarge => Err(too_large()),
            Downloaded::Refused(answer) if answer.status >= 500 => Err(ChannelError::Unreachable {
                reason: format!("the file was not given (HTTP {})", answer.status),
                landed: Landed::No,
            }),
            Downloaded::Refused(answer) => Err(ChannelError::Refused {
                reason: format!("the file was not given (HTTP {})", answer.status),
            }),
        }
    }
}

fn too_large() -> ChannelError {
    ChannelError::Refused { reason: "the file is larger than allowed (mediaMaxMb)".to_owned() }
}

/// Whether a path stays below the place for files and is nothing else than one.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with('/')
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && path.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
}

/// A name of our own on disk, with the ending the platform gave.
fn own_name(handle: &str, place: &str) -> String {
    let digest = hex::encode(Sha256::digest(handle.as_bytes()));
    let file = place.rsplit('/').next().unwrap_or_default();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= 8);
    match ending {
        Some(ending) => format!("{}.{ending}", &digest[..32]),
        None => digest[..32].to_owned(),
    }
}

//! Fetches files: only from where the platform keeps them. An address in a message could lead anywhere.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, FetchMedia, Fetched, Landed};
use openclaw_types::MediaRef;
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use super::known::DiscordKnown;
use crate::shared::Downloaded;

/// Where the platform keeps files.
const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// Fetches files.
pub(super) struct DiscordMedia {
    known: Arc<DiscordKnown>,
    folder: std::path::PathBuf,
}

impl DiscordMedia {
    pub(super) fn new(known: Arc<DiscordKnown>, folder: std::path::PathBuf) -> Self {
        Self { known, folder }
    }
}

#[async_trait]
impl FetchMedia for DiscordMedia {
    async fn fetch(&self, media: &MediaRef, limit: u64) -> Result<Fetched, ChannelError> {
        let address = allowed(&media.handle, self.known.api.root()).ok_or_else(|| ChannelError::Refused {
            reason: "the file is not where Discord keeps files".to_owned(),
        })?;
        if media.bytes.is_some_and(|bytes| bytes > limit) {
            return Err(too_large(limit));
        }
        tokio::fs::create_dir_all(&self.folder).await.map_err(|error| disk(&error))?;
        let path = self.folder.join(file_name(media));
        match self.known.api.download(address, &path, limit).await? {
            Downloaded::File { bytes, media_type } => Ok(Fetched {
                path,
                bytes,
                media_type: media_type.or_else(|| media.media_type.clone()),
                name: media.name.clone(),
            }),
            Downloaded::TooLarge => Err(too_large(limit)),
            Downloaded::Refused(answer) if answer.status >= 500 || answer.status == 429 => {
                Err(ChannelError::Unreachable {
                    reason: format!("the file cannot be fetched now (status {})", answer.status),
                    landed: Landed::No,
                })
            }
            Downloaded::Refused(answer) => Err(ChannelError::Refused {
                reason: format!("the file is not there any more (status {})", answer.status),
            }),
        }
    }
}

/// The address, where it leads to the platform. A place of the API that is not the usual one keeps its own files.
pub(super) fn allowed(handle: &str, root: &str) -> Option<String> {
    let address = Url::parse(handle).ok()?;
    let host = address.host_str()?;
    if address.scheme() == "https" && HOSTS.contains(&host) {
        return Some(handle.to_owned());
    }
    let root = Url::parse(root).ok()?;
    let same = address.origin() == root.origin() && root.host_str().is_none_or(|host| host != "discord.com");
    same.then(|| handle.to_owned())
}

/// A name of our own: that of the platform may hold anything. The end is kept where it is plain.
fn file_name(media: &MediaRef) -> String {
    let name = hex::encode(&Sha256::digest(media.handle.as_bytes())[..12]);
    let end = media.name.as_deref().and_then(|name| Path::new(name).extension()?.to_str());
    let plain = end.filter(|end| end.len() <= 8 && end.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    plain.map_or(name.clone(), |end| format!("{name}.{}", end.to_lowercase()))
}

fn too_large(limit: u64) -> ChannelError {
    ChannelError::Refused { reason: format!("the file is larger than {} MB", limit / (1024 * 1024)) }
}

fn disk(error: &std::io::Error) -> ChannelError {
    ChannelError::Unreachable { reason: format!("the file cannot be kept: {error}"), landed: Landed::No }
}

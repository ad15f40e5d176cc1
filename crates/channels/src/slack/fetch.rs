//! Fetches files: with the token from Slack's own addresses, and never from others.

use std::path::PathBuf;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, FetchMedia, Fetched};
use openclaw_types::MediaRef;
use sha2::{Digest as _, Sha256};

use super::api::{As, SlackApi, SlackArguments, WithToken};
use crate::shared::{Downloaded, HttpResponse};

/// Fetches files of one account.
pub(super) struct SlackFetch {
    api: SlackApi,
    folder: PathBuf,
}

impl SlackFetch {
    /// Fetches into a folder.
    pub(super) fn new(api: SlackApi, folder: PathBuf) -> Self {
        Self { api, folder }
    }

    /// Where a file is. Files of other workspaces are asked for by their id.
    async fn address(&self, handle: &str) -> Result<String, ChannelError> {
        let Some(id) = handle.strip_prefix("file:") else { return Ok(handle.to_owned()) };
        let answer = self.api.call(As::Us, "files.info", SlackArguments::default().with("file", id)).await?;
        let file = &answer["file"];
        let address = file["url_private_download"].as_str().or(file["url_private"].as_str());
        address.map(str::to_owned).ok_or_else(|| refused("Slack does not say where the file is"))
    }

    async fn download(
        &self,
        address: &str,
        with_token: WithToken,
        (path, limit): (&PathBuf, u64),
    ) -> Result<Downloaded, ChannelError> {
        let request = self
            .api
            .file_request(address, with_token)
            .ok_or_else(|| refused("the file is not on a server of Slack's"))?;
        Ok(self.api.http().download(request, path, limit).await?)
    }
}

#[async_trait]
impl FetchMedia for SlackFetch {
    async fn fetch(&self, media: &MediaRef, limit: u64) -> Result<Fetched, ChannelError> {
        let address = self.address(&media.handle).await?;
        tokio::fs::create_dir_all(&self.folder).await.map_err(|error| disk(&error))?;
        let path = self.folder.join(file_name(media));
        let mut got = self.download(&address, WithToken::Yes, (&path, limit)).await?;
        // Slack leads to where the bytes are; the token does not go there.
        if let Downloaded::Refused(answer) = &got
            && let Some(next) = led_to(answer, &address)
        {
            got = self.download(&next, WithToken::No, (&path, limit)).await?;
        }
        match got {
            Downloaded::File { media_type, .. } if is_sign_in_page(media, media_type.as_deref()) => {
                tokio::fs::remove_file(&path).await.map_err(|error| disk(&error))?;
                Err(refused(
                    "Slack shows a sign-in page instead of the file; the app needs the scope files:read",
                ))
            }
            Downloaded::File { bytes, media_type } => Ok(Fetched {
                path,
                bytes,
                media_type: media.media_type.clone().or(media_type),
                name: media.name.clone(),
            }),
            Downloaded::TooLarge => Err(refused(&format!("the file is larger than {limit} bytes"))),
            Downloaded::Refused(answer) if answer.status >= 500 => Err(ChannelError::Unreachable {
                reason: format!("the file: status {}", answer.status),
                landed: openclaw_ports::channel::Landed::No,
            }),
            Downloaded::Refused(answer) => Err(refused(&format!("the file: status {}", answer.status))),
        }
    }
}

fn led_to(answer: &HttpResponse, from: &str) -> Option<String> {
    if !(300..400).contains(&answer.status) {
        return None;
    }
    let next = reqwest::Url::parse(from).ok()?.join(&answer.header("location")?).ok()?;
    Some(next.into())
}

/// Without the right to read files, Slack sends people to sign in.
fn is_sign_in_page(media: &MediaRef, media_type: Option<&str>) -> bool {
    let is_page = |told: &str| told.trim().to_ascii_lowercase().starts_with("text/html");
    media_type.is_some_and(is_page) && !media.media_type.as_deref().is_some_and(is_page)
}

/// A name that no other file has, with the ending people gave it.
fn file_name(media: &MediaRef) -> String {
    let digest = hex::encode(Sha256::digest(media.handle.as_bytes()));
    let ending = media.name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    let ending = ending.filter(|ending| {
        (1..=10).contains(&ending.len()) && ending.chars().all(|letter| letter.is_ascii_alphanumeric())
    });
    match ending {
        Some(ending) => format!("{}.{}", &digest[..24], ending.to_ascii_lowercase()),
        None => digest[..24].to_owned(),
    }
}

fn refused(reason: &str) -> ChannelError {
    ChannelError::Refused { reason: reason.to_owned() }
}

fn disk(error: &std::io::Error) -> ChannelError {
    ChannelError::Wrong { reason: format!("the file could not be written: {error}") }
}

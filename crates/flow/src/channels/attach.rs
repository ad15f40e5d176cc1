//! Stage: has the files of an admitted submission. Pictures go to the model; other files are named, with where they lie.
//!
//! Only submissions that were accepted come here, so nothing of a stranger is ever fetched. A file that cannot be had is
//! named as missing; the submission is answered all the same.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_ports::Deadline;
use openclaw_ports::channel::{FetchMedia, Fetched};
use openclaw_types::{AccountId, ChannelId, Inbound, MediaRef};

use crate::flow::Inner;
use crate::intake::Accepted;
use crate::outbox::{head, or_told, sniffed};
use crate::submission::Picture;

/// How much of a sender's name for a file is kept, in submissions.
const LONGEST_STEM: usize = 60;
/// How long one file may take.
const FETCHING: Duration = Duration::from_secs(60);
/// How long the line is waited for.
const LINE: Duration = Duration::from_secs(20);
/// The biggest picture that is shown to a model, in bytes.
const LARGEST_PICTURE: u64 = 10 * 1024 * 1024;

/// The pictures that models take.
const SEEN_BY_MODELS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// How long the lines of accounts that are down are still waited for. All files of an account wait together.
#[derive(Default)]
pub(crate) struct LineWaits(Mutex<HashMap<(ChannelId, AccountId), Deadline>>);

/// Gives a submission its files. False when it was stopped meanwhile, or the gateway stops: then it goes no further.
pub(crate) async fn attach(flow: &Arc<Inner>, accepted: &mut Accepted) -> bool {
    let inbound = match &accepted.submission().channel_origin {
        Some(channel_origin) if !channel_origin.inbound.media.is_empty() => channel_origin.inbound.clone(),
        _ => return true,
    };
    let stopping = flow.runs.stopping(accepted.run());
    // What was fetched so far is left behind; a start after a crash fetches it again.
    tokio::select! {
        (pictures, notes) = files(flow, &inbound) => accepted.attached(pictures, notes),
        () = stopping.cancelled() => return !flow.without_stopped(vec![accepted.clone()]).await.is_empty(),
        () = flow.parts.tasks.cancelled() => return false,
    }
    true
}

/// Its pictures, and a line about each file.
async fn files(flow: &Inner, inbound: &Inbound) -> (Vec<Picture>, Vec<String>) {
    let fetch = line(flow, inbound).await;
    let most = flow
        .parts
        .channels
        .view(&inbound.channel, &inbound.account)
        .map_or(LARGEST_PICTURE, |view| view.manner.media_bytes);
    let mut pictures = Vec::new();
    let mut notes = Vec::new();
    for each in &inbound.media {
        match have(flow, fetch.as_deref(), each, most).await {
            Ok(Had::Picture(picture, note)) => {
                pictures.push(picture);
                notes.push(note);
            }
            Ok(Had::File(note)) => notes.push(note),
            Err(why) => {
                tracing::warn!(subsystem = "channels", channel = %inbound.channel, "a file could not be fetched: {why}");
                notes.push(format!("[{} could not be fetched: {why}]", named(each)));
            }
        }
    }
    (pictures, notes)
}

enum Had {
    Picture(Picture, String),
    File(String),
}

async fn have(
    flow: &Inner,
    fetch: Option<&dyn FetchMedia>,
    media: &MediaRef,
    most: u64,
) -> Result<Had, String> {
    let fetch = fetch.ok_or("the channel cannot fetch files now")?;
    if let Some(bytes) = media.bytes.filter(|bytes| *bytes > most) {
        return Err(format!("it has {bytes} bytes, and {most} are taken"));
    }
    let clock = flow.parts.clock.as_ref();
    let fetched = Deadline::after(clock, FETCHING).bound(clock, fetch.fetch(media, most)).await;
    let mut fetched = fetched.map_err(|late| late.to_string())?.map_err(|error| error.to_string())?;
    let settings = flow.settings();
    if settings.raw.media.as_ref().and_then(|media| media.preserve_filenames) == Some(true) {
        fetched = under_its_name(fetched, media).await;
    }
    let (media_type, picture) = tokio::task::spawn_blocking({
        let fetched = fetched.clone();
        move || look(&fetched)
    })
    .await
    .map_err(|error| error.to_string())?
    .map_err(|error| error.to_string())?;
    let note = format!("[media attached: {} ({media_type})]", fetched.path.display());
    Ok(match picture {
        Some(data) => Had::Picture(Picture { media_type, data }, note),
        None => Had::File(note),
    })
}

/// The file under the name its sender gave it, before the one that tells it from others. One that cannot be moved stays.
async fn under_its_name(fetched: Fetched, media: &MediaRef) -> Fetched {
    let Some(path) = fetched.name.as_deref().or(media.name.as_deref()).and_then(|name| {
        let own = fetched.path.file_name()?.to_str()?;
        Some(fetched.path.with_file_name(kept_name(name, own)?))
    }) else {
        return fetched;
    };
    match tokio::fs::rename(&fetched.path, &path).await {
        Ok(()) => Fetched { path, ..fetched },
        Err(error) => {
            tracing::warn!(subsystem = "channels", %error, "a file could not be given its name");
            fetched
        }
    }
}

/// A name in letters that are safe in any folder, with what tells the file from others behind it.
fn kept_name(name: &str, own: &str) -> Option<String> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, Some(ending)),
        _ => (name, None),
    };
    let safe = |text: &str, most: usize| -> String {
        let letters = text.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'));
        letters.take(most).collect()
    };
    let stem = Some(safe(stem, LONGEST_STEM)).filter(|stem| !stem.is_empty())?;
    let own = own.split('.').next().unwrap_or(own);
    let ending = ending.map(|ending| safe(ending, 16)).filter(|ending| !ending.is_empty());
    Some(format!("{stem}---{own}{}", ending.map(|ending| format!(".{ending}")).unwrap_or_default()))
}

/// What a fetched file is, and its bytes where a model can see it.
fn look(fetched: &Fetched) -> std::io::Result<(String, Option<String>)> {
    let path: &Path = &fetched.path;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (found, _) = sniffed(&head(path)?, &name);
    let media_type = or_told(found, fetched.media_type.as_deref());
    let shown =
        SEEN_BY_MODELS.contains(&media_type.as_str()) && std::fs::metadata(path)?.len() <= LARGEST_PICTURE;
    let data = if shown { Some(STANDARD.encode(std::fs::read(path)?)) } else { None };
    Ok((media_type, data))
}

fn named(media: &MediaRef) -> String {
    media.name.clone().unwrap_or_else(|| media.kind.placeholder().to_owned())
}

/// What fetches files of an account. Right after a start its line may not be up yet; one that stays down is waited for
/// once, not by every file again.
async fn line(flow: &Inner, inbound: &Inbound) -> Option<Arc<dyn FetchMedia>> {
    let clock = flow.parts.clock.as_ref();
    let account = (inbound.channel.clone(), inbound.account.clone());
    let mut changes = flow.parts.channels.changes();
    loop {
        changes.borrow_and_update();
        if let Some(surface) = flow.parts.channels.surface(&inbound.channel, &inbound.account) {
            flow.line_waits.all().remove(&account);
            return surface.fetch.clone();
        }
        let begun = Deadline::after(clock, LINE);
        let deadline = *flow.line_waits.all().entry(account.clone()).or_insert(begun);
        deadline.bound(clock, changes.changed()).await.ok()?.ok()?;
    }
}

impl LineWaits {
    fn all(&self) -> MutexGuard<'_, HashMap<(ChannelId, AccountId), Deadline>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::kept_name;

    #[test]
    fn names_of_files_are_kept_in_letters_that_are_safe_anywhere() {
        let rows = [
            ("report final.pdf", "ab12.pdf", Some("reportfinal---ab12.pdf")),
            ("../../etc/passwd", "ab12", Some("passwd---ab12")),
            ("суп.txt", "x.txt", Some("суп---x.txt")),
            ("???", "x", None),
        ];
        for (name, own, expected) in rows {
            assert_eq!(kept_name(name, own).as_deref(), expected, "{name}");
        }
    }
}

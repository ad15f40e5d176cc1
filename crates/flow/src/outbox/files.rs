//! Has the files of an answer: copied to a place of ours before the piece is kept, so that it can be sent later as it was.
//!
//! Only files below the agent's workspace and our own media folder are taken, opened by the one door that the file tools
//! use: links cannot lead out, and the gateway's own files are refused. What an address names is fetched through the one
//! door to the outside, which refuses private places; what cannot be fetched is written as words.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_delivery::{MediaRefusal, MediaRoots, MediaSource, PlannedMedia, contained, media_source};
use openclaw_ports::tool::{FileDoor, NamedBy, NoFile, WebRequest};
use openclaw_types::{AgentId, MediaFile, MediaKind, Outgoing};

use super::sniff::{head, sniffed};
use crate::flow::Inner;

/// How long fetching may take.
const FETCHING: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 3;
/// The longest name of a copy, in characters.
const LONGEST_NAME: usize = 80;

/// The piece with its file; an address that cannot be fetched is named in words.
///
/// # Errors
/// The file cannot be had: the piece without it, and why.
pub(super) async fn have(
    flow: &Inner,
    agent: &AgentId,
    media: PlannedMedia,
    most: u64,
) -> Result<Outgoing, (PlannedMedia, MediaRefusal)> {
    let had = match media_source(&media.source) {
        Ok(MediaSource::Address(address)) => match fetch(flow, &address, media.key(), most).await {
            Ok(had) => Ok(had),
            Err(why) => {
                tracing::warn!(subsystem = "outbox", %agent, "a file of an answer is named instead of sent: {why}");
                return Ok(media.telling(&address));
            }
        },
        Ok(source) => copy(flow, agent, &source, media.key(), most).await,
        Err(why) => Err(why),
    };
    match had {
        Ok((file, kind)) => Ok(media.with_file(file, kind)),
        Err(why) => {
            tracing::warn!(subsystem = "outbox", %agent, ?why, "a file is left out of a message");
            Err((media, why))
        }
    }
}

/// A file that a call names, in our own folder; what is wrong with it, for people.
///
/// # Errors
/// It cannot be had.
pub(crate) async fn file_of(
    flow: &Inner,
    (agent, key): (&AgentId, &str),
    source: &str,
    most: u64,
) -> Result<MediaFile, String> {
    let refused =
        |reason| openclaw_delivery::NoticeText::FileLeftOut { name: source.to_owned(), reason }.text();
    match media_source(source).map_err(refused)? {
        MediaSource::Address(address) => fetch(flow, &address, key, most).await.map(|(file, _)| file),
        place => copy(flow, agent, &place, key, most).await.map(|(file, _)| file).map_err(refused),
    }
}

/// Fetches what an address names into our own folder.
async fn fetch(flow: &Inner, address: &str, key: &str, most: u64) -> Result<(MediaFile, MediaKind), String> {
    let web = flow.parts.handles.web.as_ref().ok_or("nothing can be fetched here")?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let request = WebRequest {
        url: address.to_owned(),
        method: "GET",
        headers: BTreeMap::new(),
        secret_headers: BTreeMap::new(),
        body: None,
        timeout: FETCHING,
        most_bytes: most,
        redirects: REDIRECTS,
        named_by: NamedBy::Others,
        hosts: None,
    };
    let answer = web.fetch(request).await.map_err(|error| error.to_string())?;
    if answer.status != 200 || answer.body.is_empty() {
        return Err(format!("the server answered {}", answer.status));
    }
    if answer.cut {
        return Err(format!("it has more than {most} bytes"));
    }
    let name = name_in(&answer.url);
    let (media_type, kind) = sniffed(&answer.body, &name);
    let path = lay_down(flow, key, &name, answer.body).await?;
    Ok((MediaFile { path, name, media_type }, kind))
}

/// Lays bytes down where files may be sent from. Gives the path.
pub(crate) async fn lay_down(flow: &Inner, stem: &str, name: &str, bytes: Vec<u8>) -> Result<String, String> {
    let path = kept(flow, stem, name);
    let shown = path.display().to_string();
    let written = tokio::task::spawn_blocking(move || write(&path, &bytes));
    written.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    Ok(shown)
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// The name of a file in its address.
fn name_in(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    safe(path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default())
}

/// A name in letters that are safe anywhere, and not too long.
fn safe(name: &str) -> String {
    let safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let letters: Vec<char> = name.chars().filter(|letter| safe(*letter)).collect();
    // The end says what kind of file it is.
    let name: String = letters[letters.len().saturating_sub(LONGEST_NAME)..].iter().collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// Where a copy is kept until it was sent.
fn kept(flow: &Inner, key: &str, name: &str) -> PathBuf {
    let media = flow.parts.agent.parts().surroundings.state_dir.join("media");
    media.join("outbound").join(format!("{}-{}", key.replace(['/', ':'], "_"), safe(name)))
}

async fn copy(
    flow: &Inner,
    agent: &AgentId,
    source: &MediaSource,
    key: &str,
    most: u64,
) -> Result<(MediaFile, MediaKind), MediaRefusal> {
    let door = flow.parts.handles.files.clone().ok_or(MediaRefusal::Absent)?;
    let surroundings = &flow.parts.agent.parts().surroundings;
    let workspace = openclaw_agent::workspace::workspace_dir(&flow.settings(), surroundings, agent);
    let own = surroundings.state_dir.join("media");
    let allowed = [workspace.display().to_string(), own.display().to_string()];
    let home = surroundings.home.display().to_string();
    let roots = MediaRoots { allowed: &allowed, workspace: &allowed[0], home: &home };
    let place = contained(source, &roots)?;
    let name = place.below.rsplit('/').next().unwrap_or("file").to_owned();
    let kept = kept(flow, key, &name);
    let job = Copy { root: PathBuf::from(place.root), below: PathBuf::from(place.below), kept, most };
    let copied = tokio::task::spawn_blocking(move || job.run(door.as_ref())).await;
    let (path, head) = copied.map_err(|error| {
        tracing::error!(subsystem = "outbox", %error, "copying a file broke off");
        MediaRefusal::Absent
    })??;
    let (media_type, kind) = sniffed(&head, &name);
    Ok((MediaFile { path: path.display().to_string(), name, media_type }, kind))
}

struct Copy {
    root: PathBuf,
    below: PathBuf,
    kept: PathBuf,
    most: u64,
}

impl Copy {
    /// Copies what the door opens. Gives where the copy is, and its first bytes.
    fn run(self, door: &dyn FileDoor) -> Result<(PathBuf, Vec<u8>), MediaRefusal> {
        let file = door.open(&self.root, &self.below).map_err(|why| {
            tracing::debug!(subsystem = "outbox", "a file is not opened: {why}");
            match why {
                NoFile::Refused(_) => MediaRefusal::Guarded,
                NoFile::Absent(_) => MediaRefusal::Absent,
            }
        })?;
        match self.written(file) {
            Ok(Some(head)) => Ok((self.kept, head)),
            Ok(None) => Err(MediaRefusal::TooLarge),
            Err(error) => {
                tracing::warn!(subsystem = "outbox", %error, "a file could not be copied");
                Err(MediaRefusal::Absent)
            }
        }
    }

    /// Nothing when the file is too large. It may grow while it is copied.
    fn written(&self, file: File) -> std::io::Result<Option<Vec<u8>>> {
        if file.metadata()?.len() > self.most {
            return Ok(None);
        }
        if let Some(folder) = self.kept.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let copied =
            std::io::copy(&mut file.take(self.most.saturating_add(1)), &mut File::create(&self.kept)?)?;
        if copied > self.most {
            std::fs::remove_file(&self.kept)?;
            return Ok(None);
        }
        head(&self.kept).map(Some)
    }
}

//! Has the files of an answer: copied to a place of ours before the piece is kept, so that it can be sent later as it was.
//!
//! Only files below the agent's workspace and our own media folder are taken, and links cannot lead out: the file is
//! looked for again with real paths. What an address names is fetched through the one door to the outside, which refuses
//! private places; what cannot be fetched is written as words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openclaw_delivery::{MediaRoots, MediaSource, PlannedMedia, contained, media_source};
use openclaw_ports::tool::WebRequest;
use openclaw_types::{AgentId, MediaFile, MediaKind, Outgoing, Payload, RichText};

use crate::flow::Inner;

/// How long fetching may take.
const FETCHING: Duration = Duration::from_secs(30);
const REDIRECTS: usize = 3;
/// The longest name of a fetched file, in characters.
const LONGEST_NAME: usize = 80;

/// The piece with its file; its words alone where the file cannot be had.
pub(super) async fn have(flow: &Inner, agent: &AgentId, media: PlannedMedia, most: u64) -> Option<Outgoing> {
    match media_source(&media.source) {
        Ok(MediaSource::Address(address)) => Some(match fetch(flow, &address, media.key(), most).await {
            Ok((file, kind)) => media.with_file(file, kind),
            Err(why) => {
                tracing::warn!(subsystem = "outbox", %agent, "a file of an answer is named instead of sent: {why}");
                with_address(media, &address)
            }
        }),
        Ok(source) => match copy(flow, agent, &source, media.key(), most).await {
            Ok((file, kind)) => Some(media.with_file(file, kind)),
            Err(why) => {
                tracing::warn!(subsystem = "outbox", %agent, "a file of an answer is left out: {why}");
                media.without_file()
            }
        },
        Err(why) => {
            tracing::warn!(subsystem = "outbox", %agent, ?why, "a file of an answer is left out");
            media.without_file()
        }
    }
}

/// The words with an address below them.
fn with_address(media: PlannedMedia, address: &str) -> Outgoing {
    let text = match media.caption.text() {
        "" => address.to_owned(),
        words => format!("{words}\n\n{address}"),
    };
    let empty = MediaFile { path: String::new(), name: String::new(), media_type: String::new() };
    let piece = media.with_file(empty, MediaKind::Document);
    Outgoing { payload: Payload::Text { text: RichText::plain(text) }, ..piece }
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
        configured: false,
    };
    let answer = web.fetch(request).await.map_err(|error| error.to_string())?;
    if answer.status != 200 || answer.body.is_empty() {
        return Err(format!("the server answered {}", answer.status));
    }
    if answer.cut {
        return Err(format!("it has more than {most} bytes"));
    }
    let name = name_in(&answer.url);
    let folder = flow.parts.agent.parts().surroundings.state_dir.join("media").join("outbound");
    let kept = folder.join(format!("{}-{name}", key.replace(['/', ':'], "_")));
    let (media_type, kind) = sniffed(&answer.body, &name);
    let path = kept.display().to_string();
    let written = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(&kept, &answer.body)
    });
    written.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    Ok((MediaFile { path, name, media_type }, kind))
}

/// The name of a file in its address, in letters that are safe anywhere.
fn name_in(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or(address);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let last = path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
    let safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let name: String = last.chars().filter(|letter| safe(*letter)).take(LONGEST_NAME).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

async fn copy(
    flow: &Inner,
    agent: &AgentId,
    source: &MediaSource,
    key: &str,
    most: u64,
) -> Result<(MediaFile, MediaKind), String> {
    let surroundings = &flow.parts.agent.parts().surroundings;
    let workspace = openclaw_agent::workspace::workspace_dir(&flow.settings(), surroundings, agent);
    let own = surroundings.state_dir.join("media");
    let allowed = [workspace.display().to_string(), own.display().to_string()];
    let home = surroundings.home.display().to_string();
    let roots = MediaRoots { allowed: &allowed, workspace: &allowed[0], home: &home };
    let place = contained(source, &roots).map_err(|why| format!("{why:?}"))?;
    let folder = own.join("outbound");
    let name = place.below.rsplit('/').next().unwrap_or("file").to_owned();
    let kept = folder.join(format!("{}-{}", key.replace(['/', ':'], "_"), name));
    let job =
        Copy { root: PathBuf::from(&place.root), below: PathBuf::from(&place.below), folder, kept, most };
    let head = tokio::task::spawn_blocking(move || job.run()).await.map_err(|error| error.to_string())??;
    let (media_type, kind) = sniffed(&head.bytes, &name);
    Ok((MediaFile { path: head.path.display().to_string(), name, media_type }, kind))
}

struct Copy {
    root: PathBuf,
    below: PathBuf,
    folder: PathBuf,
    kept: PathBuf,
    most: u64,
}

struct Head {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Copy {
    fn run(self) -> Result<Head, String> {
        let text = |error: std::io::Error| error.to_string();
        let root = self.root.canonicalize().map_err(text)?;
        let file = root.join(&self.below).canonicalize().map_err(text)?;
        if !file.starts_with(&root) {
            return Err("it leads out of its folder".to_owned());
        }
        let facts = std::fs::metadata(&file).map_err(text)?;
        if !facts.is_file() {
            return Err("it is no file".to_owned());
        }
        if facts.len() > self.most {
            return Err(format!("it has {} bytes, and {} are taken", facts.len(), self.most));
        }
        std::fs::create_dir_all(&self.folder).map_err(text)?;
        std::fs::copy(&file, &self.kept).map_err(text)?;
        Ok(Head { bytes: head(&self.kept).map_err(text)?, path: self.kept })
    }
}

/// The first bytes of a file.
pub(crate) fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file is, by its first bytes; by its name only where they say nothing.
pub(crate) fn sniffed(bytes: &[u8], name: &str) -> (String, MediaKind) {
    let known = match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'O', b'g', b'g', b'S', ..] => Some("audio/ogg"),
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => Some("audio/mpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        [b'f', b'L', b'a', b'C', ..] => Some("audio/flac"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A', ..] => Some("audio/mp4"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("video/mp4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("video/webm"),
        [b'%', b'P', b'D', b'F', ..] => Some("application/pdf"),
        [b'P', b'K', 3, 4, ..] => Some("application/zip"),
        _ => None,
    };
    let by_name = || match name.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
        Some("txt" | "md" | "log") => "text/plain",
        Some("json") => "application/json",
        Some("csv") => "text/csv",
        _ => "application/octet-stream",
    };
    let media_type = known.unwrap_or_else(by_name);
    let kind = match media_type.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::Document,
    };
    (media_type.to_owned(), kind)
}

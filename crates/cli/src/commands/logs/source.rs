//! Fetches pieces of the log: from the gateway, or from its file when the gateway on this machine cannot be reached.
//!
//! Both sources speak in cursors, so following works the same way for both. While following, a gateway that restarts
//! is waited for.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use openclaw_app::observe::LogTarget;
use openclaw_client::ClientProfile;
use openclaw_config::LogFile;
use serde::Deserialize;
use serde_json::json;

use super::LogsArgs;
use crate::call::{CommandReach, GatewayConnection, GatewayQuestion, millis, scopes_for};
use crate::context::{Context, VERSION};
use crate::print;
use crate::target::GatewayTarget;

/// A piece of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Batch {
    /// The file.
    pub(super) file: String,
    /// Where to go on.
    #[serde(default)]
    pub(super) cursor: u64,
    /// How large the file is.
    #[serde(default)]
    pub(super) size: u64,
    /// The lines.
    #[serde(default)]
    pub(super) lines: Vec<String>,
    /// Whether earlier lines were left out.
    #[serde(default)]
    pub(super) truncated: bool,
    /// Whether the file was replaced since.
    #[serde(default)]
    pub(super) reset: bool,
}

/// Where the log comes from.
pub(super) struct LogSource {
    kind: Kind,
    cursor: Option<u64>,
}

enum Kind {
    Gateway { target: Box<GatewayTarget>, line: Option<GatewayConnection> },
    File(LogTarget),
}

impl LogSource {
    /// Connects; when the gateway of this machine cannot be reached, its file is read instead.
    pub(super) async fn open(context: &Context, arguments: &LogsArgs) -> anyhow::Result<Self> {
        let config = context.read_config();
        let target = GatewayTarget::resolve_with(context, &arguments.target, &config)?;
        match connect(context, &target, arguments).await {
            Ok(line) => {
                Ok(Self { kind: Kind::Gateway { target: Box::new(target), line: Some(line) }, cursor: None })
            }
            Err(error) if target.source.is_local() => {
                print::note(&print::muted(&format!("{error:#}; reading the log file instead")))?;
                let file = match &config.config.logging.file {
                    LogFile::Daily(folder) => LogTarget::Daily(folder.clone()),
                    LogFile::Fixed(path) => LogTarget::Fixed(path.clone()),
                };
                Ok(Self { kind: Kind::File(file), cursor: None })
            }
            Err(error) => Err(error),
        }
    }

    /// The next piece. While following, a lost connection is made anew.
    pub(super) async fn next(&mut self, context: &Context, arguments: &LogsArgs) -> anyhow::Result<Batch> {
        let batch = match &mut self.kind {
            Kind::File(target) => {
                let limits = Limits { lines: piece_lines(arguments), bytes: arguments.max_bytes };
                read_piece(&newest(target, context), self.cursor, &limits)?
            }
            Kind::Gateway { target, line } => {
                let mut params = json!({ "limit": piece_lines(arguments), "maxBytes": arguments.max_bytes.clamp(1, 1_000_000) });
                if let Some(cursor) = self.cursor {
                    params["cursor"] = json!(cursor);
                }
                let question = GatewayQuestion::new("logs.tail", params, millis(arguments.timeout));
                let open = match line.take() {
                    Some(line) => line,
                    None => connect(context, target, arguments).await?,
                };
                match open.ask(&question).await {
                    Ok(answer) => {
                        *line = Some(open);
                        serde_json::from_value(answer)
                            .context("the gateway's answer to logs.tail is not understood")?
                    }
                    Err(error) if arguments.follow => {
                        wait_for_gateway(context, target, arguments, &error).await?;
                        let open = connect(context, target, arguments).await?;
                        let answer = open.ask(&question).await?;
                        *line = Some(open);
                        serde_json::from_value(answer)
                            .context("the gateway's answer to logs.tail is not understood")?
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        self.cursor = Some(batch.cursor);
        Ok(batch)
    }

    /// Says goodbye to the gateway.
    pub(super) async fn close(self) {
        if let Kind::Gateway { line: Some(line), .. } = self.kind {
            line.close().await;
        }
    }
}

/// How many lines one piece may have. No old line is wanted with 0, but all that are added.
fn piece_lines(arguments: &LogsArgs) -> u64 {
    const MOST: u64 = 5_000;
    if arguments.limit == 0 { MOST } else { arguments.limit.min(MOST) }
}

async fn connect(
    context: &Context,
    target: &GatewayTarget,
    arguments: &LogsArgs,
) -> anyhow::Result<GatewayConnection> {
    let reach = CommandReach {
        profile: ClientProfile::command_line(VERSION),
        scopes: scopes_for(["logs.tail"]),
        limit: millis(arguments.timeout),
    };
    Ok(GatewayConnection::open(context, target, reach).await?)
}

/// A gateway that restarts is back in a moment; one that stays away ends the command.
async fn wait_for_gateway(
    context: &Context,
    target: &GatewayTarget,
    arguments: &LogsArgs,
    error: &anyhow::Error,
) -> anyhow::Result<()> {
    print::note(&print::muted(&format!("{error:#}; waiting for the gateway")))?;
    let mut last = None;
    for _ in 0..30 {
        match connect(context, target, arguments).await {
            Ok(line) => {
                line.close().await;
                return Ok(());
            }
            Err(error) => last = Some(error),
        }
        context.clock.sleep(Duration::from_secs(1)).await;
    }
    Err(last.unwrap_or_else(|| anyhow::anyhow!("the gateway did not come back")))
}

/// Today's file, or the newest one there is.
fn newest(target: &LogTarget, context: &Context) -> PathBuf {
    let today = target.path_at(context.clock.now());
    let LogTarget::Daily(folder) = target else { return today };
    if today.exists() {
        return today;
    }
    let Ok(entries) = fs::read_dir(folder) else { return today };
    let dated = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("openclaw-") && name.ends_with(".log")
    });
    dated.max().unwrap_or(today)
}

struct Limits {
    lines: u64,
    bytes: u64,
}

/// Reads what was added since `cursor`, or the end of the file; only whole lines.
fn read_piece(path: &Path, cursor: Option<u64>, limits: &Limits) -> anyhow::Result<Batch> {
    let mut file = fs::File::open(path).with_context(|| {
        format!("there is no log at {}; the gateway writes it when it runs", path.display())
    })?;
    let size = file.metadata()?.len();
    let reset = cursor.is_some_and(|cursor| cursor > size);
    let known = cursor.filter(|_| !reset);
    let window = size.saturating_sub(limits.bytes);
    let start = known.unwrap_or(window).max(window);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(size - start).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let text = String::from_utf8_lossy(&bytes[..end]);
    let cut = start > 0 && known != Some(start);
    let mut lines: Vec<String> =
        text.lines().skip(usize::from(cut)).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let most = usize::try_from(limits.lines).unwrap_or(usize::MAX);
    let surplus = lines.len().saturating_sub(most);
    lines.drain(..surplus);
    let cursor = start + u64::try_from(end).unwrap_or(0);
    Ok(Batch {
        file: path.display().to_string(),
        cursor,
        size,
        lines,
        truncated: cut && known.is_some(),
        reset,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(path: &Path, cursor: Option<u64>) -> Batch {
        read_piece(path, cursor, &Limits { lines: 2, bytes: 20 }).unwrap()
    }

    #[test]
    fn the_end_of_the_file_is_read_in_whole_lines_and_followed_from_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openclaw.log");
        fs::write(&path, "one\ntwo\nthree\nfour\nhal").unwrap();
        let first = piece(&path, None);
        assert_eq!(
            (first.lines, first.cursor, first.truncated),
            (vec!["three".to_owned(), "four".to_owned()], 19, false)
        );
        fs::write(&path, "one\ntwo\nthree\nfour\nhalf\nnew\n").unwrap();
        let second = piece(&path, Some(19));
        assert_eq!((second.lines, second.cursor), (vec!["half".to_owned(), "new".to_owned()], 28));
        fs::write(&path, "fresh\n").unwrap();
        let third = piece(&path, Some(28));
        assert_eq!((third.lines, third.cursor, third.reset), (vec!["fresh".to_owned()], 6, true));
    }

    #[test]
    fn a_file_that_is_not_there_is_told_with_its_name() {
        let error =
            read_piece(Path::new("/nowhere/openclaw.log"), None, &Limits { lines: 1, bytes: 1 }).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no log at /nowhere/openclaw.log; the gateway writes it when it runs"
        );
    }
}

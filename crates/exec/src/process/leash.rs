//! The leash: a small process beside the gateway that ends every command should the gateway die without a word.
//!
//! It reads which groups run from a pipe that only the gateway holds. When the pipe ends, however the gateway died, it
//! ends what is left. It is started with the first command, in a group of its own, and is not started again: without a
//! leash commands still run and are ended in an orderly shutdown.

use std::process::Stdio;
use std::sync::{Mutex, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};

const SCRIPT: &str = r#"
trap '' INT TERM HUP
set --
while read -r sign group; do
  case "$sign" in
    +) set -- "$@" "$group" ;;
    -) left=; for other in "$@"; do [ "$other" = "$group" ] || left="$left $other"; done; set -- $left ;;
  esac
done
[ "$#" -gt 0 ] || exit 0
for group in "$@"; do kill -s TERM -- "-$group"; done
sleep 2
for group in "$@"; do kill -s KILL -- "-$group"; done
"#;

/// The leash of a gateway.
#[derive(Debug, Default)]
pub(super) struct Leash {
    pipe: tokio::sync::Mutex<Option<ChildStdin>>,
    begun: Mutex<bool>,
}

impl Leash {
    /// Puts a group on the leash.
    pub(super) async fn hold(&self, group: Option<i32>) {
        self.tell('+', group).await;
    }

    /// Takes a group off the leash: it has ended.
    pub(super) async fn release(&self, group: Option<i32>) {
        self.tell('-', group).await;
    }

    async fn tell(&self, sign: char, group: Option<i32>) {
        let Some(group) = group else { return };
        let mut pipe = self.pipe.lock().await;
        if self.is_first() {
            *pipe = begin();
        }
        let Some(open) = pipe.as_mut() else { return };
        if let Err(error) = open.write_all(format!("{sign} {group}\n").as_bytes()).await {
            tracing::warn!(%error, "commands would outlive a gateway that is killed: the process that ends them is gone");
            *pipe = None;
        }
    }

    fn is_first(&self) -> bool {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut *begun, true)
    }
}

fn begin() -> Option<ChildStdin> {
    let child = Command::new("/bin/sh")
        .args(["-c", SCRIPT])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match child {
        Ok(mut child) => child.stdin.take(),
        Err(error) => {
            tracing::warn!(%error, "commands would outlive a gateway that is killed: no process could be started to end them");
            None
        }
    }
}

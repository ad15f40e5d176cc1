//! Brings updates to a webhook, one after the other; one that is not taken is brought again.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Hook, Inside};

/// The pause before an update is brought again.
const AGAIN: Duration = Duration::from_millis(50);

pub(super) fn start(inside: &Arc<Inside>) {
    let shared = Arc::clone(inside);
    inside.tasks.start_cancellable("bring updates", async move {
        loop {
            let changed = shared.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let next = {
                let world = shared.world();
                world.webhook.clone().zip(world.updates.first(1).pop())
            };
            match next {
                Some((hook, update)) => {
                    if bring(&hook, &update).await == Some(200) {
                        let number = update["update_id"].as_i64().unwrap_or_default();
                        shared.world().updates.brought(number);
                        shared.changed.notify_waiters();
                    } else {
                        shared.clock.sleep(AGAIN).await;
                    }
                }
                None => changed.await,
            }
        }
    });
}

/// Brings one update. Gives the status; nothing where nobody answers.
async fn bring(hook: &Hook, update: &Value) -> Option<u16> {
    let rest = hook.url.strip_prefix("http://")?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let body = update.to_string();
    let secret = hook.secret.as_ref().map(|secret| format!("X-Telegram-Bot-Api-Secret-Token: {secret}\r\n"));
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        secret.unwrap_or_default(),
        body.len()
    );
    let mut line = TcpStream::connect(host).await.ok()?;
    line.write_all(request.as_bytes()).await.ok()?;
    let mut answer = Vec::new();
    line.read_to_end(&mut answer).await.ok()?;
    String::from_utf8_lossy(&answer).split_whitespace().nth(1)?.parse().ok()
}

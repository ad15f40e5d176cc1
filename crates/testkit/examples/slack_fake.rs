//! The fake Slack for a client that others wrote: three messages over Socket Mode, each after the one before was
//! acknowledged, with a line that is announced to end between them. `cargo xtask peers` lets the official client meet it.

use std::io::Write as _;

use openclaw_testkit::SlackFake;
use serde_json::json;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let fake = SlackFake::start().await;
    writeln!(std::io::stdout(), "listening on {}", fake.root())?;
    for number in 1..=3_usize {
        fake.lines(number.min(2)).await;
        let ts = format!("1800000000.00000{number}");
        let event = json!({
            "type": "message", "channel": "D0ANA", "channel_type": "im", "user": "U0ANA", "text": format!("message {number}"),
            "ts": ts, "event_ts": ts,
        });
        let callback = json!({
            "type": "event_callback", "team_id": "T0FAKE", "api_app_id": "A0FAKE", "event_id": format!("Ev{number}"),
            "event_time": 1_800_000_000, "event": event,
        });
        let envelope = fake.send("events_api", callback).await;
        fake.acknowledged(&envelope).await;
        if number == 1 {
            fake.announce_end("refresh_requested");
        }
    }
    std::future::pending().await
}

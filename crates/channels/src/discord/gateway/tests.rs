//! What is asked for, what a close means, and when a line beats.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::channel::ChannelError;
use openclaw_testkit::SimClock;
use openclaw_testkit::discord_fake::{DiscordFake, TOKEN, ids};

use super::super::config::Wants;
use super::line::{DiscordConnection, GatewayMessage};
use super::session::{Intents, Next, after_close, before_new, limited};

const CONTENT: u64 = 1 << 15;
const MEMBERS: u64 = 1 << 1;

#[test]
fn only_what_is_switched_on_is_asked_for() {
    let wants = Wants { members: true, presences: false };
    let (all, missing) = Intents::choose(wants, 1 << 15 | 1 << 18);
    assert_eq!((all.0 & (CONTENT | MEMBERS), missing), (CONTENT | MEMBERS, Vec::new()));
    let (less, missing) = Intents::choose(wants, 0);
    assert_eq!((less.0 & (CONTENT | MEMBERS), missing.len()), (0, 2));
    assert!(limited(&missing).contains("Server Members Intent, Message Content Intent"));
    assert_eq!((all.unguarded(), less.unguarded()), (Some(less), None));
}

#[test]
fn a_new_session_waits_one_to_five_seconds() {
    let seconds = [0.0, 0.5, 1.0].map(|chance| before_new(chance).as_secs());
    assert_eq!(seconds, [1, 3, 5]);
}

#[tokio::test]
async fn a_line_with_much_to_read_beats_when_it_is_due() {
    let fake = DiscordFake::start().await;
    let clock = Arc::new(SimClock::new());
    let url = fake.root().replace("http://", "ws://").replace("/api/v10", "/gateway");
    let mut line = DiscordConnection::open(&url, None, Arc::clone(&clock) as _).await.unwrap();
    line.identify(TOKEN, Intents(1), None).await.unwrap();
    fake.until(|fake| fake.sessions() == 1).await;
    fake.say(ids::GENERAL, ids::ANA, "one of many");
    clock.advance(Duration::from_secs(42)).await;
    assert!(matches!(line.next().await, GatewayMessage::Event { name, .. } if name == "READY"));
    fake.until(|fake| fake.said().iter().any(|said| said["op"] == 1)).await;
}

#[test]
fn closes_mean_what_they_mean() {
    let resumes = |code: u16| matches!(after_close(code, ""), Next::Resume { .. });
    assert!([1000, 1001, 1006, 4000, 4001, 4002, 4005, 4008].into_iter().all(resumes));
    let begins = |code: u16| matches!(after_close(code, ""), Next::Fresh { .. });
    assert!([4003, 4007, 4009].into_iter().all(begins));
    assert_eq!(after_close(4014, ""), Next::Less);
    assert!(matches!(after_close(4004, ""), Next::End(ChannelError::Unauthorized { .. })));
    for code in [4010, 4011, 4012, 4013] {
        assert!(matches!(after_close(code, ""), Next::End(ChannelError::Refused { .. })), "{code}");
    }
    let Next::Resume { reason } = after_close(4000, "an error") else { panic!("it resumes") };
    assert_eq!(reason, "Discord closed the line: an error (code 4000)");
}

//! Every mode in every state for every event; the prompts; the lanes; and chance against a simple model.

mod chance;
mod decisions;
mod lanes;
mod prompts;
mod sessions;

use std::time::Duration;

use openclaw_config::sections::QueueDrop;
use openclaw_config::{QueueMode, QueueSettings};
use openclaw_types::{ChannelId, UnixMillis};

use super::*;

fn settings(mode: QueueMode) -> QueueSettings {
    QueueSettings { mode, debounce: Duration::from_millis(1000), cap: 3, drop: QueueDrop::Summarize }
}

fn at(millis: i64) -> UnixMillis {
    UnixMillis(millis)
}

fn item(id: u32) -> Item<u32> {
    Item { id, route: ReplyRoute::default(), text: format!("text {id}"), gist: format!("gist {id}") }
}

fn routed(id: u32, channel: &str) -> Item<u32> {
    let route = ReplyRoute { channel: Some(ChannelId::new(channel).unwrap()), ..ReplyRoute::default() };
    Item { route, ..item(id) }
}

fn arrived(item: Item<u32>, settings: QueueSettings) -> QueueEvent<u32> {
    QueueEvent::Arrived { item: Box::new(item), settings }
}

fn start(items: &[u32]) -> QueueAction<u32> {
    QueueAction::Start(Batch { items: items.to_vec(), summed: Vec::new(), prompt: None })
}

fn dropped(items: &[u32], reason: DropReason) -> QueueAction<u32> {
    QueueAction::Drop { items: items.to_vec(), reason }
}

//! Remembers answers for a while, within bounds.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openclaw_ports::Clock;
use serde_json::Value;

/// How many answers are kept, and how many bytes they have together.
const MOST_ANSWERS: usize = 100;
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// Answers that are still good. When it is full, the oldest one goes.
#[derive(Debug, Default)]
pub(super) struct Cache {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    key: String,
    until: Duration,
    bytes: usize,
    value: Value,
}

impl Cache {
    /// The answer for a key, if one is still good.
    pub(super) fn get(&self, clock: &dyn Clock, key: &str) -> Option<Value> {
        let now = clock.elapsed();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.until > now);
        kept.iter().find(|entry| entry.key == key).map(|entry| entry.value.clone())
    }

    /// Keeps an answer.
    pub(super) fn put(&self, clock: &dyn Clock, key: String, value: Value, span: Duration) {
        if span.is_zero() {
            return;
        }
        let bytes = key.len() + value.to_string().len();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.key != key);
        kept.push_back(Kept { key, until: clock.elapsed().saturating_add(span), bytes, value });
        while kept.len() > MOST_ANSWERS || kept.iter().map(|entry| entry.bytes).sum::<usize>() > MOST_BYTES {
            kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use openclaw_testkit::SimClock;
    use serde_json::json;

    use super::{Cache, MOST_ANSWERS};

    #[tokio::test]
    async fn an_answer_is_good_for_its_time_and_the_oldest_makes_room() {
        let clock = SimClock::new();
        let cache = Cache::default();
        let minute = Duration::from_secs(60);
        cache.put(&clock, "a".to_owned(), json!(1), minute);
        assert_eq!(cache.get(&clock, "a"), Some(json!(1)));
        clock.advance(minute).await;
        assert_eq!(cache.get(&clock, "a"), None);
        for number in 0..=MOST_ANSWERS {
            cache.put(&clock, number.to_string(), json!(number), minute);
        }
        assert_eq!((cache.get(&clock, "0"), cache.get(&clock, "1")), (None, Some(json!(1))));
        cache.put(&clock, "large".to_owned(), json!("x".repeat(5_000_000)), minute);
        assert_eq!(cache.get(&clock, "large"), None);
        cache.put(&clock, "never".to_owned(), json!(1), Duration::ZERO);
        assert_eq!(cache.get(&clock, "never"), None);
    }
}

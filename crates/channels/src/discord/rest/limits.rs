//! How much may still be asked, as the platform says with every answer. Pure: moments come as arguments.
//!
//! Routes share buckets whose names only answers tell, and a bucket counts for each room, guild or webhook by itself.
//! Whoever asks too much is refused here already, with the time to wait, so that the platform need not.

use std::collections::HashMap;
use std::time::Duration;

/// How many routes and buckets are remembered before those that are full again are forgotten.
const MOST: usize = 2048;
/// How long to wait when the platform says that it is too much, and not how long.
const UNSAID: Duration = Duration::from_secs(5);

/// What is asked, as far as limits go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// The method and the path without the ids that do not count.
    shape: String,
    /// The id that counts: of a room, a guild or a webhook. Each interaction counts by itself too.
    major: String,
}

/// What an answer says about limits.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Learned {
    bucket: Option<String>,
    remaining: Option<u64>,
    reset_after: Option<Duration>,
    limited: Option<Limited>,
}

/// It was too much.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limited {
    after: Duration,
    global: bool,
}

#[derive(Debug, Default)]
pub(super) struct Limits {
    buckets: HashMap<Route, String>,
    states: HashMap<(String, String), Left>,
    /// Until when nothing at all may be asked.
    closed_until: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Left {
    remaining: u64,
    until: Duration,
}

impl Route {
    /// The route of a path.
    pub(super) fn of(method: &str, path: &str) -> Self {
        let bare = path.split('?').next().unwrap_or(path);
        let parts: Vec<&str> = bare.split('/').filter(|part| !part.is_empty()).collect();
        let mut shape = method.to_owned();
        let mut major = String::new();
        for (at, part) in parts.iter().enumerate() {
            let before = if at == 0 { "" } else { parts[at - 1] };
            let counts = at == 1 && matches!(before, "channels" | "guilds" | "webhooks" | "interactions")
                || at == 2 && parts[0] == "webhooks";
            shape.push('/');
            if counts {
                major.push_str(part);
                shape.push(':');
            } else if before == "reactions" || at == 2 && parts[0] == "interactions" || is_id(part) {
                shape.push(':');
            } else {
                shape.push_str(part);
            }
        }
        Self { shape, major }
    }
}

fn is_id(part: &str) -> bool {
    part.len() >= 15 && part.bytes().all(|byte| byte.is_ascii_digit())
}

impl Learned {
    /// Reads the headers, and the body of a refusal.
    pub(super) fn from(header: &dyn Fn(&str) -> Option<String>, status: u16, body: &[u8]) -> Self {
        let seconds = |text: String| text.trim().parse::<f64>().ok().and_then(span);
        let limited = (status == 429).then(|| {
            let told: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
            let after = told["retry_after"].as_f64().and_then(span);
            let global = told["global"].as_bool() == Some(true)
                || header("x-ratelimit-global").is_some()
                // Whoever stands before the platform sends no such words; then all is closed.
                || told["retry_after"].is_null();
            let after = after.or_else(|| header("retry-after").and_then(seconds)).unwrap_or(UNSAID);
            Limited { after, global }
        });
        Self {
            bucket: header("x-ratelimit-bucket"),
            remaining: header("x-ratelimit-remaining").and_then(|text| text.trim().parse().ok()),
            reset_after: header("x-ratelimit-reset-after").and_then(seconds),
            limited,
        }
    }

    /// How long the platform wants us to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        self.limited.map(|limited| limited.after)
    }
}

fn span(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

impl Limits {
    /// Takes one of what is left for a route, or says how long to wait.
    pub(super) fn reserve(&mut self, route: &Route, now: Duration) -> Result<(), Duration> {
        if now < self.closed_until && !route.shape.starts_with("POST/interactions/") {
            return Err(self.closed_until - now);
        }
        let Some(bucket) = self.buckets.get(route) else { return Ok(()) };
        let Some(left) = self.states.get_mut(&(bucket.clone(), route.major.clone())) else { return Ok(()) };
        if now >= left.until {
            return Ok(());
        }
        match left.remaining.checked_sub(1) {
            Some(remaining) => {
                left.remaining = remaining;
                Ok(())
            }
            None => Err(left.until - now),
        }
    }

    /// Notes what an answer said.
    pub(super) fn learn(&mut self, route: &Route, learned: &Learned, now: Duration) {
        if let Some(Limited { after, global: true }) = learned.limited {
            self.closed_until = self.closed_until.max(now + after);
            return;
        }
        // A route whose bucket is not told has one of its own.
        let bucket = learned.bucket.clone().unwrap_or_else(|| route.shape.clone());
        let state = match (learned.limited, learned.remaining, learned.reset_after) {
            (Some(limited), _, _) => Left { remaining: 0, until: now + limited.after },
            (None, Some(remaining), Some(after)) => Left { remaining, until: now + after },
            _ => return,
        };
        self.forget(now);
        self.states
            .entry((bucket.clone(), route.major.clone()))
            .and_modify(|left| {
                // Answers may come in another order than the questions went: within a window the lower number is true.
                let same_window = left.until.abs_diff(state.until) < Duration::from_millis(500);
                let remaining =
                    if same_window { left.remaining.min(state.remaining) } else { state.remaining };
                *left = Left { remaining, until: state.until };
            })
            .or_insert(state);
        self.buckets.insert(route.clone(), bucket);
    }

    fn forget(&mut self, now: Duration) {
        if self.states.len() >= MOST || self.buckets.len() >= MOST {
            self.states.retain(|_, left| left.until > now);
            let states = &self.states;
            self.buckets.retain(|route, bucket| states.contains_key(&(bucket.clone(), route.major.clone())));
        }
    }
}

//! What a platform gives the suite: its kind, what its settings mean, recorded events, and the other side of a line.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelKind, WebhookRequest};
use openclaw_types::{Inbound, MediaRef};
use serde_json::Value;

/// What a platform claims, for the suite to hold it to.
#[async_trait]
pub trait ChannelProof: Send + Sync {
    /// The platform.
    fn kind(&self) -> Box<dyn ChannelKind>;

    /// Its section with one account, the settings of which stand at the top: ready to connect, as many keys as make
    /// sense. Credentials are `planted_secret`s, so that the suite can see that none is told to anybody.
    fn section(&self) -> Value;

    /// What a second account needs of its own, over the same section: its token, its nick.
    fn second_login(&self) -> Value;

    /// Settings (a name for people, keys to put over `section`) that the line depends on: each changes the fingerprint.
    fn line_settings(&self) -> Vec<(&'static str, Value)>;

    /// Settings that it does not depend on: who may talk, how we write. None changes the fingerprint.
    fn other_settings(&self) -> Vec<(&'static str, Value)>;

    /// Sections with something wrong, and a word that what is said about it must hold.
    fn broken_sections(&self) -> Vec<(Value, &'static str)>;

    /// Targets as people write them, and as `Outgoing` takes them.
    fn targets(&self) -> Vec<(&'static str, &'static str)>;

    /// What people write that is no target.
    fn wrong_targets(&self) -> Vec<&'static str>;

    /// The names of the recorded events: one at least for every kind of event that can come in.
    fn recordings(&self) -> Vec<&'static str>;

    /// A recorded event in neutral words, as the account `default` hears it.
    fn hear(&self, recording: &str, names: Names) -> Vec<Inbound>;

    /// Reads markup as strictly as the platform does.
    ///
    /// # Errors
    /// What the platform would not accept.
    fn accepts(&self, markup: &str) -> Result<(), String>;

    /// Starts the other side, fresh: a server that others wrote where there is one, else a fake of ours.
    async fn peer(&self) -> Box<dyn Peer>;
}

/// The other side of a line: the platform, and somebody on it.
#[async_trait]
pub trait Peer: Send + Sync {
    /// The section of an account whose line goes there.
    fn section(&self) -> Value;

    /// Variables of the environment that lead to it, for platforms whose section has no place for an address.
    fn variables(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Where somebody is reached, in the words `Outgoing` takes.
    fn to(&self) -> String;

    /// A room in which threads can be made and messages pinned, where that is not the place above.
    fn room(&self) -> String {
        self.to()
    }

    /// A file that somebody sent us, and its bytes. Nothing, where files cannot be fetched.
    async fn file(&self) -> Option<(MediaRef, Vec<u8>)> {
        None
    }

    /// Somebody writes to us. Returns when the platform has it.
    async fn say(&self, text: &str);

    /// Waits until somebody is shown these words, and gives how often they were shown so far.
    async fn seen(&self, text: &str) -> usize;

    /// Makes something go wrong. Nothing, where the platform has no such trouble.
    async fn arrange(&self, trouble: Trouble) -> Option<Arranged>;

    /// A request by which the platform brings these words over HTTP, and the section of an account that takes it.
    /// Nothing, where the platform has no such thing.
    async fn request(&self, text: &str) -> Option<(Value, WebhookRequest)>;
}

/// How a recorded event names people and places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// As it was recorded.
    Recorded,
    /// Everything that people can change (names, handles, titles) reads otherwise.
    Changed,
}

/// What can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The credentials are not accepted.
    Unauthorized,
    /// Too much at once.
    RateLimited,
    /// The platform refuses a message for good.
    Refused,
}

/// How to meet trouble.
#[derive(Debug, Clone, PartialEq)]
pub struct Arranged {
    /// The section to connect with.
    pub section: Value,
    /// Where to send; nothing when connecting is what fails.
    pub to: Option<String>,
}

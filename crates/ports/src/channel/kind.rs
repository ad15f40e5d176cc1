//! A platform and its accounts, before anything is connected.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_types::{
    AccountId, ChatKind, ChatPlace, DoorRules, MediaKind, RichText, Secret, SendTarget, WritingRules,
};
use serde_json::Value;

use super::{ChannelError, HealthSink, Surface};
use crate::stores::StateStore;
use crate::{Clock, TaskScope};

/// A platform.
pub trait ChannelKind: Send + Sync {
    /// What it is. The same for the whole life of the process.
    fn descriptor(&self) -> &'static ChannelDescriptor;

    /// Reads its section of the configuration into accounts. A section that is not understood in part gives the accounts
    /// that are, and says what is wrong with the rest.
    fn accounts(&self, section: &Value, resolver: &dyn Resolver) -> (Vec<AccountPlan>, Vec<ConfigFault>);

    /// The form of its section as JSON Schema: every key it knows. Keys that are not in it are told as unknown and left
    /// out; values of another form keep a configuration from being used.
    fn form(&self) -> Value;

    /// What contradicts itself in a section whose values have the right form. Asks nobody and looks nothing up.
    fn contradictions(&self, section: &Value) -> Vec<ConfigFault>;

    /// A target as a person writes it (`@name`, `#room`, `telegram:123`), in the words `Outgoing` takes, or what is wrong.
    fn target(&self, text: &str) -> Result<String, String>;

    /// What an account signs in with, so that it can be signed out.
    fn credentials(&self) -> AccountCredentials;

    /// The conversation that a target is, under the id that events from there have; nothing where its words do not say.
    fn place(&self, target: &SendTarget) -> Option<ChatPlace>;
}

/// What accounts of a platform sign in with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AccountCredentials {
    /// The keys of an account that hold them, or say where they are. Without one of these it cannot sign in.
    pub keys: &'static [&'static str],
    /// The variables of the environment that stand in for them in the default account.
    pub variables: &'static [&'static str],
}

/// Finds what a section only refers to.
pub trait Resolver: Send + Sync {
    /// A variable of the environment.
    fn variable(&self, name: &str) -> Option<Secret<String>>;

    /// The words of a small file (`tokenFile`), without space at its ends.
    fn file(&self, path: &str) -> Result<Secret<String>, String>;

    /// A secret as the configuration writes one: the value itself, or a reference to where it is.
    fn secret(&self, value: &Value) -> Result<Secret<String>, String>;
}

/// What a platform is.
#[derive(Debug)]
pub struct ChannelDescriptor {
    /// Its id, which is the name of its section.
    pub id: &'static str,
    /// Other names people use for it.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub label: &'static str,
    /// One line about it.
    pub blurb: &'static str,
    /// The kinds of conversation it has.
    pub chats: &'static [ChatKind],
    /// What it can do; proven equal to the slots that are filled.
    pub capabilities: &'static [Capability],
    /// What counts as the length of a message.
    pub measure: Measure,
    /// The most the platform takes in one message, in that measure.
    pub most: usize,
    /// The most it takes as the words below a file.
    pub caption_most: usize,
    /// How several files go into one message; nothing where each is a message of its own.
    pub albums: Option<Albums>,
    /// Whether sending the same piece again is safe.
    pub repeats: RepeatSafety,
    /// What the model should know about writing there: markup, limits, habits.
    pub hints: &'static str,
    /// Writes words in the platform's markup. Never produces markup that the platform rejects.
    pub format: fn(&RichText) -> String,
}

impl ChannelDescriptor {
    /// Whether a name in lower case means this platform.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.aliases.contains(&name)
    }
}

/// How several files go into one message.
#[derive(Debug)]
pub struct Albums {
    /// The most files in one, two at least.
    pub most: usize,
    /// Names what a file goes together with, by how it is to be shown and its media type: files of one name share an
    /// album. Nothing for a file that stands alone.
    pub family: fn(MediaKind, &str) -> Option<&'static str>,
}

/// What counts as the length of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The words without markup, as UTF-16 counts them.
    PlainUtf16,
    /// The markup, in characters.
    MarkupChars,
    /// The markup, in bytes.
    MarkupBytes,
}

/// Whether the same piece can be sent twice without people seeing it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RepeatSafety {
    /// The platform drops a piece whose key it has seen.
    Dropped,
    /// Nobody notices; a piece whose fate is unknown is looked for first (`SendMessage::find`).
    Findable,
    /// A piece whose fate is unknown is sent again and may be seen twice.
    Visible,
}

/// Something a platform can do beside receiving and sending words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Capability {
    /// Messages come in over a line of ours.
    Receive,
    /// Messages come in over HTTP.
    Webhook,
    /// Messages can be sent.
    Send,
    /// Sent messages can be changed.
    Edit,
    /// Sent messages can be taken back.
    Delete,
    /// Messages can be reacted to.
    React,
    /// People see that we write.
    Typing,
    /// An answer can be shown while it is made, in a form that is not a message yet.
    Draft,
    /// Threads can be made.
    Threads,
    /// Questions with answers to choose from can be sent.
    Polls,
    /// Files can be sent.
    SendMedia,
    /// Files can be fetched.
    FetchMedia,
    /// Buttons can hang below a message.
    Buttons,
    /// Menus, forms and buttons with a look of their own below messages.
    Panels,
    /// A message can be shown as the answer to another.
    Reply,
    /// People and rooms can be looked up.
    Directory,
    /// The platform has a menu of commands.
    NativeCommands,
    /// It can do things of its own kind (pin, moderate, …).
    Actions,
    /// Its line can be tested.
    Probe,
}

/// An account as the configuration describes it.
pub struct AccountPlan {
    /// Its id.
    pub id: AccountId,
    /// Its name for people.
    pub name: Option<String>,
    /// Whether it is meant where nobody says which account.
    pub is_default: bool,
    /// Whether it is to run.
    pub enabled: bool,
    /// Whether everything it needs is there.
    pub ready: Readiness,
    /// Who may talk to it.
    pub door: DoorRules,
    /// How it writes.
    pub manner: WritingRules,
    /// Where things are sent when nobody says where.
    pub default_to: Option<String>,
    /// Facts for those who look at its status: where the token comes from, the address. Never a secret.
    pub facts: BTreeMap<String, Value>,
    /// A fingerprint of everything `connect` depends on: the same means that a reload leaves the line alone.
    pub fingerprint: String,
    /// Makes the line. Absent when it is not ready.
    pub account: Option<Box<dyn Account>>,
}

/// Whether an account has what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// Yes.
    Ready,
    /// No; says what is missing and how to give it.
    Missing(String),
}

/// What is wrong in a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFault {
    /// Where, below the section: `accounts.work.botToken`.
    pub path: String,
    /// What, for people, with what to do.
    pub message: String,
}

/// An account that can be connected.
#[async_trait]
pub trait Account: Send + Sync {
    /// Makes the line: checks the credentials and gives what the platform can do. Called again after every failure, so it
    /// keeps nothing of the last line. Cancelled by dropping.
    async fn connect(&self, context: ChannelContext) -> Result<Surface, ChannelError>;
}

/// What the host gives an account.
#[derive(Clone)]
pub struct ChannelContext {
    /// Which account.
    pub account: AccountId,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where tasks of the line hang. Cancelled when the line is to end.
    pub tasks: TaskScope,
    /// Keeps small things of the account: offsets, resume points. Use the namespace `namespace`.
    pub state: Arc<dyn StateStore>,
    /// The namespace of the account in `state`.
    pub namespace: String,
    /// Is told how the line is.
    pub health: Arc<dyn HealthSink>,
    /// A folder of the account for what is fetched.
    pub media: PathBuf,
    /// The address under which the gateway can be reached from outside, where webhooks are configured.
    pub public_url: Option<String>,
}

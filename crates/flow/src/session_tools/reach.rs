//! The `message` tool on platforms: sends, asks, reacts, changes and takes back messages where people are, and does what
//! only that platform can.
//!
//! What is sent goes through the outbox under a name made from the call, so that it is there once. The rest acts on
//! messages that are there already, at once, and again where the platform says when (`again`). What may be done at all is
//! in `offers`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_delivery::{Sound, Videos};
use openclaw_ports::channel::{ActionRequest, Capability, ChannelError, Requester};
use openclaw_ports::tool::{
    MessageAction, MessageFault, MessageReceipt, ToolArguments, ToolContext, ToolMessage,
};
use openclaw_types::{
    AccountId, Button, ChannelId, MediaFile, MessageId, Outgoing, Panel, PiecePayload, Poll, ReplyPlace,
    RichText, SendTarget, ThreadId,
};
use serde_json::{Value, json};

use super::crossing::Crossing;
use super::messenger::ActionRights;
use super::offers::{can, forbidden, offered};
use super::panel;
use crate::channels::AccountSlots;
use crate::flow::Inner;
use crate::outbox::{self, OrderFault, SendOrder, Twice, again};

/// What only a platform knows to do that brings a file along.
const BRINGING: [&str; 2] = ["emoji-upload", "sticker-upload"];

/// What only a platform knows to do that says something to people.
const SAYING: [&str; 1] = ["sticker"];

/// A message on a platform.
pub(super) struct PlatformMessage<'a> {
    pub(super) flow: &'a Inner,
    pub(super) context: &'a ToolContext,
    pub(super) hands: ActionRights,
    pub(super) action: &'a MessageAction,
    pub(super) arguments: ToolArguments,
}

impl PlatformMessage<'_> {
    /// Does what is asked for on a platform.
    pub(super) async fn act(&self, channel: &ChannelId) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_platform(channel)?;
        let account = self.account(channel)?;
        let action = self.action.name.as_str();
        if let Some(key) = forbidden(self.flow, channel, &account, action) {
            return Err(MessageFault::Refused(format!("'{action}' is turned off on {channel} ({key}).")));
        }
        if !can(self.flow, channel, &account, action) {
            return Err(self.cannot(channel, &account));
        }
        if action == "broadcast" {
            return self.broadcast(channel, account).await;
        }
        let place = self.place(channel, &account);
        match (action, place) {
            ("send" | "reply" | "thread-reply", place) => {
                self.send(&self.target(channel, account, place?)?).await
            }
            ("poll", place) => self.poll(&self.target(channel, account, place?)?).await,
            ("react", place) => self.react(&self.target(channel, account, place?)?).await,
            ("edit", place) => self.edit(&self.target(channel, account, place?)?).await,
            ("delete" | "unsend", place) => self.delete(&self.target(channel, account, place?)?).await,
            ("thread-create", place) => self.create_thread(&self.target(channel, account, place?)?).await,
            (_, place) => {
                let target = place.ok().map(|to| self.target(channel, account.clone(), to)).transpose()?;
                self.own_action(channel, &account, target).await
            }
        }
    }

    /// What an account cannot do, with what it can.
    fn cannot(&self, channel: &ChannelId, account: &AccountId) -> MessageFault {
        let able = offered(self.flow);
        let able: Vec<&str> =
            able.into_iter().filter(|action| can(self.flow, channel, account, action)).collect();
        MessageFault::Wrong(format!(
            "'{}' is not something that {channel} can do. It can do: {}.",
            self.action.name,
            able.join(", ")
        ))
    }

    /// Sends the same to several places.
    async fn broadcast(
        &self,
        channel: &ChannelId,
        account: AccountId,
    ) -> Result<MessageReceipt, MessageFault> {
        let config = self.flow.settings();
        let message = config.raw.tools.as_ref().and_then(|tools| tools.message.as_ref());
        if message.and_then(|message| message.broadcast.as_ref()?.enabled) == Some(false) {
            return Err(MessageFault::Refused(
                "'broadcast' is turned off (tools.message.broadcast.enabled).".to_owned(),
            ));
        }
        let places = self.words("targets")?;
        if places.is_empty() {
            return Err(MessageFault::Wrong("Say where to in `targets`.".to_owned()));
        }
        let (mut reports, mut said) = (Vec::new(), Vec::new());
        for (number, place) in places.iter().enumerate() {
            let sent = match self.read_place(channel, place) {
                Ok(to) => {
                    let target =
                        SendTarget { channel: channel.clone(), account: account.clone(), to, thread: None };
                    self.send_named(&target, &format!("/{number}")).await
                }
                Err(fault) => Err(fault),
            };
            match sent {
                Ok(receipt) => {
                    reports.push(receipt.report);
                    said.extend(receipt.said);
                }
                Err(fault) => reports.push(json!({ "ok": false, "to": place, "error": fault.to_string() })),
            }
        }
        Ok(MessageReceipt { report: json!({ "results": reports }), said })
    }

    async fn send(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.send_named(target, "").await
    }

    fn crossing(&self) -> Crossing<'_> {
        Crossing::of(self.flow, &self.context.sender)
    }

    /// Sends a message. The name tells messages of one call apart.
    async fn send_named(&self, target: &SendTarget, name: &str) -> Result<MessageReceipt, MessageFault> {
        let crossing = self.crossing();
        crossing.check_place(target)?;
        if let Some(written) = self.action.parameters.get("components").filter(|one| !one.is_null()) {
            return self.panel(target, name, written).await;
        }
        let text = self.word(&["message", "text", "caption"])?.unwrap_or_default();
        let mut media: Vec<String> = self.word(&["media", "path", "filePath"])?.into_iter().collect();
        let bytes = self.bytes()?;
        if text.is_empty() && media.is_empty() && bytes.is_none() {
            return Err(MessageFault::Wrong(
                "Say something in `message`, or name a file in `media`.".to_owned(),
            ));
        }
        let buttons = buttons(self.action.parameters.get("buttons"))?;
        let dry = self.flag("dryRun")?;
        let stem = format!("{}{name}", outbox::tool_stem(&self.context.run, &self.context.call));
        if !dry {
            if let Some(bytes) = bytes {
                let name = self.word(&["filename"])?.unwrap_or_else(|| "file".to_owned());
                let path = outbox::lay_down(self.flow, &stem, &name, bytes).await;
                media.push(path.map_err(MessageFault::Failed)?);
            }
            let order = SendOrder {
                target: target.clone(),
                agent: self.context.agent.clone(),
                stem,
                source: self.context.run.as_str().to_owned(),
                text: crossing.marked(target, &text),
                media: media.clone(),
                reply: self.reply()?,
                quote: self.word(&["quoteText"])?,
                buttons,
                sound: if self.flag("silent")? { Sound::Silent } else { Sound::Usual },
                voice: self.flag("asVoice")?,
                videos: match (self.flag("asVideoNote")?, self.flag("gifPlayback")?) {
                    (true, _) => Videos::Notes,
                    (false, true) => Videos::Loops,
                    (false, false) => Videos::Usual,
                },
            };
            outbox::order(self.flow, order).await.map_err(|fault| match fault {
                OrderFault::File(why) => MessageFault::Wrong(why),
                OrderFault::Store(error) => MessageFault::Failed(error.to_string()),
            })?;
        }
        let report = json!({
            "ok": true, "channel": target.channel, "accountId": target.account, "to": target.to, "dryRun": dry,
            "status": if dry { "nothing was sent" } else { "kept for sending" },
        });
        let said = if dry { Vec::new() } else { vec![said(target, text, media)] };
        Ok(MessageReceipt { report, said })
    }

    /// Sends words with something to press, choose or fill in below them.
    async fn panel(
        &self,
        target: &SendTarget,
        name: &str,
        written: &Value,
    ) -> Result<MessageReceipt, MessageFault> {
        let view = self.flow.parts.channels.view(&target.channel, &target.account);
        if view.as_ref().is_none_or(|view| !view.descriptor.capabilities.contains(&Capability::Panels)) {
            let why =
                format!("{} has no menus and forms below messages; leave `components` out.", target.channel);
            return Err(MessageFault::Wrong(why));
        }
        let panel::PanelRequest { text, rows, form } = panel::read(written).map_err(MessageFault::Wrong)?;
        let said_beside = self.word(&["message", "text"])?.unwrap_or_default();
        let text = if text.is_empty() { said_beside } else { text };
        if text.is_empty() {
            return Err(MessageFault::Wrong("Say something in `message`, above what is pressed.".to_owned()));
        }
        let tables = view.map(|view| view.manner.tables).unwrap_or_default();
        let words = openclaw_delivery::read_markdown(&self.crossing().marked(target, &text), tables).text;
        let piece = Outgoing {
            key: format!("{}{name}", outbox::tool_stem(&self.context.run, &self.context.call)),
            target: target.clone(),
            payload: PiecePayload::Panel(Panel { text: words, rows, form }),
            reply: self.reply()?.map(|message| ReplyPlace { message, quote: None }),
            silent: self.flag("silent")?,
            link_preview: false,
            buttons: Vec::new(),
        };
        let dry = self.flag("dryRun")?;
        if !dry {
            let kept = outbox::keep(self.flow, vec![piece], self.context.run.as_str()).await;
            kept.map_err(|error| MessageFault::Failed(error.to_string()))?;
        }
        let report = json!({
            "ok": true, "channel": target.channel, "accountId": target.account, "to": target.to, "dryRun": dry,
            "status": if dry { "nothing was sent" } else { "kept for sending" },
        });
        let said = if dry { Vec::new() } else { vec![said(target, text, Vec::new())] };
        Ok(MessageReceipt { report, said })
    }

    /// The message that this one answers.
    fn reply(&self) -> Result<Option<MessageId>, MessageFault> {
        let names: &[&str] =
            if self.action.name == "reply" { &["replyTo", "messageId"] } else { &["replyTo"] };
        Ok(self.word(names)?.and_then(|id| MessageId::new(id).ok()))
    }

    /// Asks a question with answers to choose from.
    async fn poll(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_place(target)?;
        let question = self
            .word(&["pollQuestion", "question", "message"])?
            .ok_or_else(|| MessageFault::Wrong("Ask something in `pollQuestion`.".to_owned()))?;
        let options = self.words("pollOption")?;
        if options.len() < 2 {
            return Err(MessageFault::Wrong("Give at least two answers in `pollOption`.".to_owned()));
        }
        let many = self.flag("pollMulti")?;
        let hours = self.arguments.number("pollDurationHours")?;
        let most = if many { u32::try_from(options.len()).unwrap_or(u32::MAX) } else { 1 };
        let poll = Poll {
            question: question.clone(),
            options,
            most,
            seconds: hours.filter(|hours| *hours > 0.0).map(|hours| (hours * 3600.0) as u64),
            anonymous: self.arguments.flag("pollAnonymous")?,
        };
        let piece = Outgoing {
            key: outbox::tool_stem(&self.context.run, &self.context.call),
            target: target.clone(),
            payload: PiecePayload::Poll(poll),
            reply: self.reply()?.map(|message| ReplyPlace { message, quote: None }),
            silent: self.flag("silent")?,
            link_preview: false,
            buttons: Vec::new(),
        };
        let kept = outbox::keep(self.flow, vec![piece], self.context.run.as_str()).await;
        kept.map_err(|error| MessageFault::Failed(error.to_string()))?;
        let report =
            json!({ "ok": true, "channel": target.channel, "to": target.to, "status": "kept for sending" });
        Ok(MessageReceipt { report, said: vec![said(target, question, Vec::new())] })
    }

    async fn create_thread(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_place(target)?;
        let slots = self.slots(target)?;
        let threads = slots.threads.as_ref().ok_or_else(|| self.cannot(&target.channel, &target.account))?;
        let name = self
            .word(&["threadName", "name"])?
            .ok_or_else(|| MessageFault::Wrong("Name the thread in `threadName`.".to_owned()))?;
        let at = self.word(&["messageId"])?.and_then(|id| MessageId::new(id).ok());
        let rests = self.arguments.whole("autoArchiveMin")?;
        let login = (&target.channel, &target.account);
        let made = again(self.flow, login, Twice::Adds, || async {
            match rests {
                Some(minutes) => threads.create_resting(target, &name, at.as_ref(), minutes).await,
                None => threads.create(target, &name, at.as_ref()).await,
            }
        });
        let thread = made.await.map_err(|error| match error {
            ChannelError::Wrong { .. } => MessageFault::Wrong(error.to_string()),
            error => MessageFault::Failed(error.to_string()),
        })?;
        let report =
            json!({ "ok": true, "channel": target.channel, "to": target.to, "threadId": thread.clone() });
        let inside = SendTarget { thread: Some(thread), ..target.clone() };
        // The first words of the thread. It is there whatever becomes of them.
        let said = match self.word(&["message", "text"])? {
            Some(_) => self.send_named(&inside, "/first").await?.said,
            None => Vec::new(),
        };
        Ok(MessageReceipt { report, said })
    }

    /// Does what only the platform knows.
    async fn own_action(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        target: Option<SendTarget>,
    ) -> Result<MessageReceipt, MessageFault> {
        if self.action.name == "read" && self.flag("includeThread")? {
            let how = "`includeThread` is not there: threads are read one by one. Name the thread itself.";
            return Err(MessageFault::Wrong(how.to_owned()));
        }
        let actions = self.slots_of(channel, account)?.actions.clone();
        let actions = actions.ok_or_else(|| self.cannot(channel, account))?;
        if let Some(target) = target.as_ref().filter(|_| SAYING.contains(&self.action.name.as_str())) {
            self.crossing().check_place(target)?;
        }
        let mut parameters = self.action.parameters.clone();
        if BRINGING.contains(&self.action.name.as_str()) {
            let file = self.file(channel, account).await?;
            parameters.insert("media".to_owned(), json!(file));
        }
        let request = ActionRequest {
            name: self.action.name.clone(),
            target,
            requester: match self.hands {
                ActionRights::Free => Some(Requester::Operator),
                ActionRights::Bound => {
                    let alone = !self.flow.runs.is_shared(&self.context.run);
                    let person = self.context.sender.peer.clone().filter(|_| alone && self.is_here(channel));
                    person.map(Requester::Person)
                }
            },
            parameters,
        };
        match again(self.flow, (channel, account), Twice::Adds, || actions.act(request.clone())).await {
            Ok(report) => Ok(MessageReceipt { report, said: Vec::new() }),
            Err(error @ (ChannelError::Wrong { .. } | ChannelError::Refused { .. })) => {
                Err(MessageFault::Wrong(error.to_string()))
            }
            Err(error) => Err(MessageFault::Failed(error.to_string())),
        }
    }

    /// The file that the call names, copied to where an adapter may read it.
    async fn file(&self, channel: &ChannelId, account: &AccountId) -> Result<MediaFile, MessageFault> {
        let named = self.word(&["media", "path", "filePath"])?;
        let named = named.ok_or_else(|| MessageFault::Wrong("Name the file in `media`.".to_owned()))?;
        let view = self.flow.parts.channels.view(channel, account);
        let most = view.map(|view| view.manner.media_bytes).unwrap_or_default();
        let stem = outbox::tool_stem(&self.context.run, &self.context.call);
        outbox::file_of(self.flow, (&self.context.agent, &stem), &named, most)
            .await
            .map_err(MessageFault::Wrong)
    }

    async fn react(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_place(target)?;
        let slots = self.slots(target)?;
        let react = slots.react.as_ref().ok_or_else(|| self.cannot(&target.channel, &target.account))?;
        let message = self.message()?;
        let emoji = self.word(&["emoji"])?;
        let remove = self.flag("remove")?;
        let done = self.settle(target, || async {
            match (&emoji, remove) {
                (Some(emoji), false) => react.react(target, &message, emoji).await,
                (emoji, _) => react.unreact(target, &message, emoji.as_deref()).await,
            }
        });
        report(target, done.await)
    }

    async fn edit(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_place(target)?;
        let slots = self.slots(target)?;
        let edit = slots.edit.as_ref().ok_or_else(|| self.cannot(&target.channel, &target.account))?;
        let Some(text) = self.word(&["message", "text"])? else {
            return Err(MessageFault::Wrong("Say the new words in `message`.".to_owned()));
        };
        let view = self.flow.parts.channels.view(&target.channel, &target.account);
        let tables = view.map(|view| view.manner.tables).unwrap_or_default();
        let words: RichText = openclaw_delivery::read_markdown(&text, tables).text;
        let message = self.message()?;
        report(target, self.settle(target, || edit.edit(target, &message, &words)).await)
    }

    async fn delete(&self, target: &SendTarget) -> Result<MessageReceipt, MessageFault> {
        self.crossing().check_place(target)?;
        let slots = self.slots(target)?;
        let delete = slots.delete.as_ref().ok_or_else(|| self.cannot(&target.channel, &target.account))?;
        let message = self.message()?;
        report(target, self.settle(target, || delete.delete(target, &message)).await)
    }

    /// Does something that is the same done twice.
    async fn settle<D: Future<Output = Result<(), ChannelError>>>(
        &self,
        target: &SendTarget,
        deed: impl Fn() -> D,
    ) -> Result<(), ChannelError> {
        again(self.flow, (&target.channel, &target.account), Twice::Harmless, deed).await
    }

    /// Which of our logins does it: what the call names, else the one of this conversation.
    fn account(&self, channel: &ChannelId) -> Result<AccountId, MessageFault> {
        let channel_accounts = &self.flow.parts.channels;
        let own = || self.context.sender.account.clone().filter(|_| self.is_here(channel));
        let account = match self.word(&["accountId"])? {
            Some(id) => Some(
                AccountId::new(id.to_lowercase()).map_err(|error| MessageFault::Wrong(error.to_string()))?,
            ),
            None => own().or_else(|| channel_accounts.accounts_of(channel).into_iter().next()),
        };
        let account = account.filter(|account| channel_accounts.view(channel, account).is_some());
        account.ok_or_else(|| MessageFault::Wrong(format!("No such account of '{channel}' is configured.")))
    }

    /// Where the message goes: what the call names, else where this conversation is.
    fn place(&self, channel: &ChannelId, account: &AccountId) -> Result<String, MessageFault> {
        let default_to = || self.flow.parts.channels.view(channel, account).and_then(|view| view.default_to);
        match self.word(&["target", "to"])? {
            Some(text) => self.read_place(channel, &text),
            None => {
                let here = self.context.sender.to.clone().filter(|_| self.is_here(channel));
                here.or_else(default_to)
                    .ok_or_else(|| MessageFault::Wrong("Say where to in `target`.".to_owned()))
            }
        }
    }

    fn read_place(&self, channel: &ChannelId, text: &str) -> Result<String, MessageFault> {
        let kind = self.flow.parts.channels.kind(channel.as_str());
        let kind = kind.ok_or_else(|| MessageFault::Wrong(format!("There is no channel '{channel}'.")))?;
        kind.target(text).map_err(MessageFault::Wrong)
    }

    fn target(
        &self,
        channel: &ChannelId,
        account: AccountId,
        to: String,
    ) -> Result<SendTarget, MessageFault> {
        let same_place = self.is_here(channel) && self.context.sender.to.as_deref() == Some(to.as_str());
        let thread = match self.word(&["threadId"])? {
            Some(id) => ThreadId::new(id).ok(),
            None => self.context.sender.thread.clone().filter(|_| same_place),
        };
        Ok(SendTarget { channel: channel.clone(), account, to, thread })
    }

    fn is_here(&self, channel: &ChannelId) -> bool {
        self.context.sender.channel.as_ref() == Some(channel)
    }

    fn slots(&self, target: &SendTarget) -> Result<std::sync::Arc<AccountSlots>, MessageFault> {
        self.slots_of(&target.channel, &target.account)
    }

    fn slots_of(
        &self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Result<std::sync::Arc<AccountSlots>, MessageFault> {
        let slots = self.flow.parts.channels.surface(channel, account);
        slots.ok_or_else(|| MessageFault::Failed(format!("{channel} is not connected now; try again later.")))
    }

    fn message(&self) -> Result<MessageId, MessageFault> {
        let id = self
            .word(&["messageId", "message_id"])?
            .ok_or_else(|| MessageFault::Wrong("Say which message in `messageId`.".to_owned()))?;
        MessageId::new(id).map_err(|error| MessageFault::Wrong(error.to_string()))
    }

    /// A file that stands in the call itself.
    fn bytes(&self) -> Result<Option<Vec<u8>>, MessageFault> {
        let Some(written) = self.word(&["buffer"])? else { return Ok(None) };
        let data = match written.strip_prefix("data:") {
            Some(address) => address.split_once(',').map_or("", |(_, data)| data),
            None => written.as_str(),
        };
        let wrong = |error| MessageFault::Wrong(format!("`buffer` is a file in base64: {error}."));
        STANDARD.decode(data).map(Some).map_err(wrong)
    }

    fn flag(&self, name: &str) -> Result<bool, MessageFault> {
        Ok(self.arguments.flag(name)? == Some(true))
    }

    fn words(&self, name: &str) -> Result<Vec<String>, MessageFault> {
        let texts = self.arguments.texts(name)?;
        Ok(texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect())
    }

    fn word(&self, names: &[&str]) -> Result<Option<String>, MessageFault> {
        Ok(self.arguments.word(names)?)
    }
}

fn said(target: &SendTarget, text: String, media: Vec<String>) -> ToolMessage {
    ToolMessage { to: outbox::place_line(target), thread: target.thread.clone(), text, media }
}

/// Reads rows of buttons, as a list or as text that holds one.
fn buttons(written: Option<&Value>) -> Result<Vec<Vec<Button>>, MessageFault> {
    let wrong = || {
        let form = "`buttons` is a list of rows, each a list of { text, callback_data }.";
        MessageFault::Wrong(form.to_owned())
    };
    let read: Value;
    let written = match written {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) => {
            read = serde_json::from_str(text).map_err(|_not_json| wrong())?;
            &read
        }
        Some(written) => written,
    };
    let button = |one: &Value| {
        let word =
            |name: &str| one.get(name).and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty());
        Some(Button { text: word("text")?.to_owned(), data: word("callback_data")?.to_owned() })
    };
    let row = |row: &Value| row.as_array()?.iter().map(button).collect::<Option<Vec<Button>>>();
    let rows = written.as_array().and_then(|rows| rows.iter().map(row).collect::<Option<Vec<_>>>());
    rows.ok_or_else(wrong)
}

fn report(target: &SendTarget, done: Result<(), ChannelError>) -> Result<MessageReceipt, MessageFault> {
    match done {
        Ok(()) => Ok(MessageReceipt {
            report: json!({ "ok": true, "channel": target.channel, "to": target.to }),
            said: Vec::new(),
        }),
        Err(error) => Err(MessageFault::Failed(error.to_string())),
    }
}

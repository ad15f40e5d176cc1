//! `send`, `poll` and `message.action`: messages to a chat without an agent, and what is done with them there.
//!
//! Only the shapes: a message leaves through the outbox like every other. What a channel cannot do is refused by the
//! handler, not here.

use serde_json::{Map, Value};

use crate::method::methods;
use crate::shape::{Int, List, NonEmpty, Positive, object};

methods! {
    /// Sends a text or media to a chat.
    Send = "send": SendParams => SendResult;
    /// Sends a poll to a chat.
    Poll = "poll": PollParams => PollResult;
    /// Does something with messages on a platform. Known since protocol 4.
    MessageAction = "message.action": MessageActionParams => Value;
}

object! {
    /// Params of `send`.
    closed SendParams {
        to: NonEmpty,
        message?: String,
        media_url?: String,
        media_urls?: Vec<String>,
        gif_playback?: bool,
        channel?: String,
        account_id?: String,
        agent_id?: String,
        thread_id?: String,
        session_key?: String,
        idempotency_key: NonEmpty,
    }
    /// Result of `send`.
    open SendResult {
        run_id: String,
        message_id: String,
        channel: String,
        chat_id?: String,
        channel_id?: String,
        to_jid?: String,
        conversation_id?: String,
    }
    /// Params of `poll`.
    closed PollParams {
        to: NonEmpty,
        question: NonEmpty,
        options: List<NonEmpty, 2, 12>,
        max_selections?: Int<1, 12>,
        duration_seconds?: Int<1, 604_800>,
        duration_hours?: Positive,
        silent?: bool,
        is_anonymous?: bool,
        thread_id?: String,
        channel?: String,
        account_id?: String,
        idempotency_key: NonEmpty,
    }
    /// Params of `message.action`. The result is what the platform says.
    closed MessageActionParams {
        /// The platform; the only configured one where it is not named.
        channel?: String,
        /// What is done, as the tool `message` names it.
        action: NonEmpty,
        /// What that needs.
        params: Map<String, Value>,
        account_id?: String,
        agent_id?: String,
        idempotency_key: NonEmpty,
    }
    /// Result of `poll`.
    open PollResult {
        run_id: String,
        message_id: String,
        channel: String,
        to_jid?: String,
        channel_id?: String,
        conversation_id?: String,
        poll_id?: String,
    }
}

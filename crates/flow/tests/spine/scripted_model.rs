//! A model that does what the words of people say: `do:x` changes something, `look:x` looks, `hold:x` waits at the gate,
//! `spawn:#x+do=y` hands `#x do:y` to a sub-agent, `tell:x` writes to somebody, `endless` never ends, `essay` is answered at length and
//! takes its time, `picture=x+y` shows what addresses name, `count` counts what people said, `fail` is not answered, `fail-later` only until the orders are carried out, `slow=x,y` is answered with `xy` and long pauses, `say=x+y` is answered with `x y`, `think=x+y` with `Thought about it, at some length.` after thinking `x y` for long. When nothing is left to do it answers with every
//! `#name` it was given; who hears `Heard #bye` ends the talk.
//!
//! It goes by the conversation alone, so that a conversation that is cut off and resumed has the same end.

use std::sync::{Arc, Mutex};

use openclaw_ports::Clock;
use openclaw_ports::model::{ModelLine, ModelRequest, ModelRoute, ModelStream};
use openclaw_providers::{Script, ScriptedLine};
use openclaw_types::Message;
use serde_json::json;

pub(crate) struct ScriptedModel {
    pub(crate) clock: Arc<dyn Clock>,
    /// What it was told about itself and its situation, call by call.
    pub(crate) told: Arc<Mutex<Vec<Vec<String>>>>,
}

impl ModelLine for ScriptedModel {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        self.told.lock().unwrap().push(request.system.iter().map(|part| part.to_string()).collect());
        let script = answer(&request.messages);
        ScriptedLine::new(script, Arc::clone(&self.clock)).open(request, route)
    }
}

/// The words and the tool of each order.
const ORDERS: [(&str, &str); 5] = [
    ("do:", "change"),
    ("look:", "look"),
    ("hold:", "held"),
    ("spawn:", "sessions_spawn"),
    ("tell:", "message"),
];

fn answer(conversation: &[Arc<Message>]) -> Script {
    let stretch = unanswered(conversation);
    let words: Vec<String> = stretch
        .iter()
        .filter(|message| matches!(***message, Message::User(_)))
        .flat_map(|message| message.plain_text().split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    if words.iter().any(|word| word == "count") {
        let asked = conversation.iter().filter(|message| matches!(***message, Message::User(_))).count();
        return Script::new().say(format!("Seen {asked}."));
    }
    if words.iter().any(|word| word == "endless") {
        return Script::new().say("It goes on").endless();
    }
    if words.iter().any(|word| word == "fail") {
        return Script::new().status(400);
    }
    if let Some(parts) = words.iter().find_map(|word| word.strip_prefix("slow=")) {
        let pause = std::time::Duration::from_secs(100);
        return parts.split(',').fold(Script::new(), |script, part| script.say(part).pause(pause));
    }
    if let Some(thoughts) = words.iter().find_map(|word| word.strip_prefix("think=")) {
        let pause = std::time::Duration::from_secs(3);
        let script = thoughts
            .split('+')
            .fold(Script::new(), |script, part| script.think(format!("{part} ").repeat(20)).pause(pause));
        return match words.iter().any(|word| word == "quietly") {
            true => script.say("NO_REPLY"),
            false => script.say("Thought about it, at some length.").pause(pause).say(" Done."),
        };
    }
    if let Some(said) = words.iter().find_map(|word| word.strip_prefix("say=")) {
        return Script::new().say(said.replace('+', " "));
    }
    if let Some(address) = words.iter().find_map(|word| word.strip_prefix("picture=")) {
        return Script::new().say(format!("Look.\nMEDIA:{}", address.replace('+', " ")));
    }
    if words.windows(2).any(|pair| pair[0] == "Heard" && pair[1].starts_with("#bye")) {
        return Script::new().say("REPLY_SKIP");
    }
    if words.iter().any(|word| word == "essay") && !words.iter().any(|word| word.starts_with("do:")) {
        return essay();
    }
    let asked: Vec<String> = stretch
        .iter()
        .filter_map(|message| match &**message {
            Message::Assistant(message) => Some(message),
            _ => None,
        })
        .flat_map(|message| message.tool_calls())
        .map(|call| format!("{} {}", call.name, call.arguments["what"].as_str().unwrap_or_default()))
        .collect();
    let open = words.iter().filter_map(|word| {
        let (prefix, tool) = ORDERS.iter().find(|(prefix, _)| word.starts_with(prefix))?;
        Some((*tool, word.strip_prefix(prefix)?.to_owned()))
    });
    let open: Vec<_> = open.filter(|(tool, what)| !asked.contains(&format!("{tool} {what}"))).collect();
    let names: Vec<&str> = words.iter().filter(|word| word.starts_with('#')).map(String::as_str).collect();
    let heard = format!("Heard {}.", names.join(" "));
    if open.is_empty() && words.iter().any(|word| word == "essay") {
        return essay();
    }
    if open.is_empty() && words.iter().any(|word| word == "fail-later") {
        return Script::new().status(400);
    }
    if open.is_empty() {
        return Script::new().say(heard);
    }
    open.into_iter().fold(Script::new().say("One moment."), |script, (tool, what)| {
        let task = what.replace('+', " ").replace('=', ":");
        let label = task.split_whitespace().next().unwrap_or_default().to_owned();
        let arguments = match tool {
            "sessions_spawn" => json!({ "what": what, "task": task, "label": label }),
            "message" => json!({ "what": what, "action": "send", "target": what, "message": heard }),
            _ => json!({ "what": what }),
        };
        script.call_tool_as(format!("call-{tool}-{what}"), tool, arguments)
    })
}

/// The paragraphs of a long answer.
pub(crate) const ESSAY: [&str; 3] =
    ["The first paragraph is here.", "The second one follows it.", "The third is the last of them."];

fn essay() -> Script {
    let pause = std::time::Duration::from_secs(3);
    let (first, rest) = (ESSAY[0], &ESSAY[1..]);
    rest.iter()
        .fold(Script::new().say(first), |script, paragraph| script.say("\n\n").pause(pause).say(*paragraph))
}

/// What came after the last answer that asked for nothing more.
fn unanswered(conversation: &[Arc<Message>]) -> &[Arc<Message>] {
    let is_end = |message: &Arc<Message>| match &**message {
        // What the gateway says in the model's name is no answer of the model.
        Message::Assistant(message) => {
            message.tool_calls().next().is_none() && message.model.as_deref() != Some("gateway-injected")
        }
        _ => false,
    };
    let from = conversation.iter().rposition(is_end).map_or(0, |place| place + 1);
    &conversation[from..]
}

//! What the demonstration model says: a few topics it knows, and an echo for everything else.
//!
//! Pure. Each answer ends with the same note, so that nobody takes it for an AI. Commands named here must exist.

use super::super::{Asked, LastTurn};

/// Stands at the end of every answer.
const LABEL: &str = "(This is the built-in demonstration model. It is a fixed script, not an AI.)";

/// How much of the person's words is repeated.
const ECHO_CHARACTERS: usize = 400;

/// What the demonstration knows something about, and the words that ask for it, the most special first.
const TOPICS: &[(Topic, &[&str])] = &[
    (Topic::LocalModel, &["ollama", "lm studio", "llama.cpp", "vllm", "local model", "offline"]),
    (
        Topic::AddModel,
        &[
            "add a model",
            "add model",
            "set up a model",
            "real model",
            "api key",
            "sign in",
            "log in",
            "login",
            "which model",
            "change the model",
            "switch model",
            "connect a model",
        ],
    ),
    (Topic::Thinking, &["think", "reason"]),
    (Topic::WhoAreYou, &["who are you", "what are you", "are you an ai", "are you real", "are you human"]),
    (Topic::Help, &["help", "what can you do", "how does this work"]),
    (Topic::Greeting, &["hello", "hi", "hey", "good morning", "good evening"]),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Help,
    AddModel,
    LocalModel,
    Thinking,
    WhoAreYou,
    Greeting,
}

/// The answer to a request.
pub(super) fn answer(asked: &Asked) -> String {
    let body = match (&asked.last_turn, topic(&asked.last_user)) {
        (LastTurn::ToolResult(text), _) => tool_answered(text),
        (_, Some(topic)) => about(topic).to_owned(),
        (_, None) => echo(&asked.last_user),
    };
    format!("{body}\n\n{LABEL}")
}

/// The thought before an answer.
pub(super) fn thought(asked: &Asked) -> String {
    let seen = match topic(&asked.last_user) {
        Some(Topic::AddModel | Topic::LocalModel) => {
            "The question is about adding a model, which I have an answer for. "
        }
        Some(_) => "These words match one of my topics. ",
        None => "None of my topics match, so I will repeat the message. ",
    };
    format!("{seen}A real model would show its own reasoning in this place.")
}

fn topic(said: &str) -> Option<Topic> {
    let said = said.to_lowercase();
    TOPICS
        .iter()
        .find(|(_, words)| words.iter().any(|word| contains_words(&said, word)))
        .map(|(topic, _)| *topic)
}

/// Whether the text contains these words as words: `hi` is not in `this`.
fn contains_words(text: &str, words: &str) -> bool {
    let bounded = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        // `think` may go on as `thinking`; a short word must stand alone.
        let ends = words.len() > 3 || after.is_none_or(|letter| !letter.is_alphanumeric());
        before.is_none_or(|letter| !letter.is_alphanumeric()) && ends
    };
    text.match_indices(words).any(|(at, _)| bounded(at))
}

fn about(topic: Topic) -> &'static str {
    match topic {
        Topic::Greeting => {
            "Hello! The gateway is running, and this is how an answer arrives: in small pieces, while it is being \
             written. Ask me for \"help\", or how to add a model."
        }
        Topic::Help => {
            "Here is what I can show you:\n\n\
             - How an answer looks while it streams. You are watching one.\n\
             - How to add a model that really thinks: ask \"how do I add a model?\"\n\
             - How to use a model on your own machine: ask about \"a local model\".\n\
             - What thinking looks like: switch thinking on and send a message.\n\n\
             Anything else I repeat back to you."
        }
        Topic::AddModel => {
            "To talk to a real model, sign in to a provider and choose one of its models:\n\n\
             1. Sign in. For Anthropic: `openclaw models auth paste-token --provider anthropic`. For a provider with a \
             browser sign-in, such as OpenAI Codex: `openclaw models auth login --provider openai-codex`. A key in the \
             environment works too, for example `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`.\n\
             2. See what there is: `openclaw models list`.\n\
             3. Choose: `openclaw models set <provider/model>`.\n\
             4. Try it: `openclaw models test <provider/model>`.\n\n\
             Then start the gateway without `--demo`."
        }
        Topic::LocalModel => {
            "A model on your own machine needs no key. Start Ollama, LM Studio, vLLM or a llama.cpp server; the gateway \
             finds it when it listens on its usual port. `openclaw models list --local` shows its models, and \
             `openclaw models set <provider/model>` chooses one. Then start the gateway without `--demo`."
        }
        Topic::Thinking => {
            "Some models think before they answer, and the gateway can show it. Switch thinking on for this \
             conversation and send another message: a thought of mine will appear above the answer."
        }
        Topic::WhoAreYou => {
            "I am the demonstration that comes with the gateway. I follow a short script, so I cannot reason, remember \
             or look anything up. I am here so that you can see everything working before you add a model."
        }
    }
}

fn tool_answered(text: &str) -> String {
    match shortened(text) {
        text if text.is_empty() => "The tool ran and had nothing to say.".to_owned(),
        text => format!("The tool answered:\n\n> {}\n\nA real model would go on from here.", quoted(&text)),
    }
}

fn echo(said: &str) -> String {
    match shortened(said) {
        said if said.is_empty() => "Your message had no words that I could repeat. Try \"help\".".to_owned(),
        said => format!(
            "You wrote:\n\n> {}\n\nA real model would answer that here. To add one, ask me \"how do I add a model?\"",
            quoted(&said)
        ),
    }
}

fn quoted(text: &str) -> String {
    text.replace('\n', "\n> ")
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= ECHO_CHARACTERS {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(ECHO_CHARACTERS).collect();
    cut.push('…');
    cut
}

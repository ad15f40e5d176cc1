//! `openclaw models test`: asks a model something, shows the answer as it comes, and tells how long and how much.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use openclaw_agent::{CallDone, CallEvent, CountedBy};
use openclaw_ports::model::{ModelEvent, ModelRequest, normal_provider};
use openclaw_providers::{DEMO_PROVIDER, Demonstration};
use openclaw_types::{Content, Money, ThinkingLevel};
use serde_json::{Value, json};

use super::asking::{TrialAnswer, TrialOutcome, TrialRequest, ask};
use super::desk::session_with;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};

/// The most a model may write in a test.
const LONGEST_ANSWER: u64 = 4_096;

/// `openclaw models test`
#[derive(Debug, Args)]
pub(super) struct TestArgs {
    /// The model, as provider/model or by its short name; @ and a sign-in may follow
    model: String,
    /// What to ask
    #[arg(long, value_name = "text", default_value = "Say hello in one short sentence.")]
    prompt: String,
    /// How hard to think: off, minimal, low, medium, high or xhigh
    #[arg(long, value_name = "level")]
    thinking: Option<String>,
    /// How long it may take, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 60_000, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Asks and prints.
pub(super) fn run(context: &Context, agent: Option<&str>, arguments: &TestArgs) -> anyhow::Result<Exit> {
    let thinking = arguments.thinking.as_deref().map(level).transpose()?;
    let output = Output::of(arguments.json);
    answering(output, || {
        session_with(context, agent, demonstration(context, &arguments.model), async |session| {
            let mut request = ModelRequest::asking(&arguments.prompt);
            request.max_output_tokens = Some(LONGEST_ANSWER);
            let asked = TrialRequest {
                model: arguments.model.clone(),
                pin: None,
                thinking,
                request: Arc::new(request),
                limit: Duration::from_millis(arguments.timeout),
            };
            let answer = ask(session, asked, |event| show(event, output)).await;
            let exit = match answer.outcome {
                TrialOutcome::Done(_) => Exit::Done,
                TrialOutcome::Failed { .. } => Exit::NotInOrder,
            };
            match output {
                Output::Json => print::json(&as_json(&answer))?,
                Output::Text => tell(&answer)?,
            }
            Ok(exit)
        })
    })
}

/// The demonstration model can always be tried by its name, unless a person calls a server of theirs that.
fn demonstration(context: &Context, model: &str) -> Demonstration {
    let vendor = |written: &str| normal_provider(written) == DEMO_PROVIDER;
    let meant = model.split_once('/').is_some_and(|(provider, _)| vendor(provider));
    let theirs = || {
        let models = context.read_config().config.raw.models.clone();
        models.is_some_and(|models| models.providers.keys().any(|name| vendor(name)))
    };
    if meant && !theirs() { Demonstration::Present } else { Demonstration::Absent }
}

fn level(word: &str) -> anyhow::Result<ThinkingLevel> {
    ThinkingLevel::from_typed(word)
        .ok_or_else(|| misuse(format!("--thinking {word}: say off, minimal, low, medium, high or xhigh")))
}

fn show(event: &CallEvent, output: Output) -> std::io::Result<()> {
    match (event, output) {
        (CallEvent::Model(ModelEvent::Text { delta, .. }), Output::Text) => print::text(delta),
        (CallEvent::Switched { message, .. }, Output::Text) => {
            print::note(&format!("\n{} {message}", print::warn("switched:")))
        }
        _ => Ok(()),
    }
}

fn tell(answer: &TrialAnswer) -> anyhow::Result<()> {
    let done = match &answer.outcome {
        TrialOutcome::Done(done) => done,
        TrialOutcome::Failed { message, .. } => {
            print::note(&format!("{} {message}", print::bad("error:")))?;
            return Ok(());
        }
    };
    let mut table = TextTable::pairs();
    table.row(["Model", &print::accent(&done.model.to_string())]);
    table.row(["Sign-in", done.profile.as_str()]);
    if done.thinking != ThinkingLevel::Off {
        table.row(["Thinking", done.thinking.as_str()]);
    }
    table.row(["First token", &answer.first.map_or_else(|| "-".to_owned(), print::span)]);
    table.row(["Total", &print::span(answer.total)]);
    table.row(["Tokens", &tokens(done)]);
    table.row(["Cost", &cost(done).map_or_else(|| "no price is known".to_owned(), |cost| cost.to_string())]);
    print::line(&format!("\n\n{}", table.render()))?;
    Ok(())
}

fn tokens(done: &CallDone) -> String {
    let usage = &done.usage;
    let mut text = format!("{} in, {} out", usage.input, usage.output);
    for (count, what) in [
        (usage.reasoning, "of them thinking"),
        (usage.cache_read, "from the cache"),
        (usage.cache_write, "into the cache"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    match done.counted {
        CountedBy::Server => text,
        CountedBy::Estimate => format!("about {text} (the server did not count)"),
    }
}

fn cost(done: &CallDone) -> Option<Money> {
    done.usage.cost.map(|cost| Money::from_dollars(cost.total))
}

fn as_json(answer: &TrialAnswer) -> Value {
    let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
    let mut out = json!({
        "ok": false,
        "firstTokenMs": answer.first.map(millis),
        "totalMs": millis(answer.total),
        "switches": answer.switches,
    });
    match &answer.outcome {
        TrialOutcome::Done(done) => {
            let words: Vec<&str> = done.completion.content.iter().filter_map(Content::as_text).collect();
            out["ok"] = json!(true);
            out["model"] = json!(done.model);
            out["profileId"] = json!(done.profile);
            out["thinking"] = json!(done.thinking.as_str());
            out["text"] = json!(words.concat());
            out["usage"] = json!(done.usage);
            out["estimated"] = json!(done.counted == CountedBy::Estimate);
        }
        TrialOutcome::Failed { reason, message } => {
            out["error"] = json!(message);
            out["reason"] = json!(reason.map(|reason| reason.as_str()));
        }
    }
    out
}

//! Prints what an agent answered: its words, its files, or the whole as JSON.

use openclaw_agent::{Reply, RunOutcome};
use openclaw_flow::Ended;
use openclaw_protocol::methods::chat::{AgentOutcome, AgentRunMeta, ReplyPayload, RunMeta, RunUsage};
use openclaw_types::{RunEnding, SessionId, Usage};
use serde_json::{Value, json};

use crate::exit::{Exit, Output};
use crate::print;

/// Prints the gateway's second answer.
pub(super) fn show_answer(answer: &Value, output: Output) -> anyhow::Result<Exit> {
    if output == Output::Json {
        print::json(answer)?;
        return Ok(Exit::Done);
    }
    let payloads = answer["result"]["payloads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let nothing = answer["summary"].as_str().unwrap_or("The agent had nothing to say.");
    show_payloads(payloads, nothing)?;
    Ok(Exit::Done)
}

/// Prints what came of a run in this process.
pub(super) fn show_outcome(outcome: &AgentOutcome, output: Output) -> anyhow::Result<Exit> {
    let value = serde_json::to_value(outcome)?;
    if output == Output::Json {
        print::json(&value)?;
    } else {
        let payloads = value["payloads"].as_array().map(Vec::as_slice).unwrap_or_default();
        show_payloads(payloads, "The agent had nothing to say.")?;
    }
    Ok(Exit::Done)
}

/// What came of a run in this process, in the form that clients of a gateway know. `said` is what was answered without
/// a run, such as the answer to a command.
pub(super) fn outcome(ended: &Ended, said: Vec<String>, session: Option<&SessionId>) -> AgentOutcome {
    let run = ended.outcome.as_deref();
    let mut payloads: Vec<ReplyPayload> = said
        .into_iter()
        .map(|text| ReplyPayload { text: Some(text), media_url: None, media_urls: None })
        .collect();
    payloads.extend(run.into_iter().flat_map(|run| &run.replies).map(payload));
    let took = ended.started_at.map_or(0, |began| ended.ended_at.0.saturating_sub(began.0));
    let fault = run.and_then(|run| run.fault.as_ref());
    AgentOutcome {
        payloads,
        meta: RunMeta {
            duration_ms: u64::try_from(took).unwrap_or(0),
            agent_meta: run.and_then(|run| agent_meta(run, session)),
            aborted: Some(matches!(ended.how, RunEnding::Aborted(_))),
            system_prompt_report: run.and_then(|run| run.prompt_report.clone()),
            stop_reason: match &ended.how {
                RunEnding::Aborted(cause) => Some(cause.as_str().to_owned()),
                RunEnding::Answered | RunEnding::Failed { .. } => None,
            },
            error: fault.map(|fault| json!({ "kind": fault.kind.as_str(), "message": fault.message })),
        },
    }
}

fn payload(reply: &Reply) -> ReplyPayload {
    ReplyPayload {
        text: (!reply.text.is_empty()).then(|| reply.text.clone()),
        media_url: reply.media.first().cloned(),
        media_urls: (!reply.media.is_empty()).then(|| reply.media.clone()),
    }
}

fn agent_meta(run: &RunOutcome, session: Option<&SessionId>) -> Option<AgentRunMeta> {
    let model = run.model.as_ref()?;
    Some(AgentRunMeta {
        session_id: session.map(ToString::to_string).unwrap_or_default(),
        provider: model.provider().to_string(),
        model: model.model().to_owned(),
        usage: Some(usage(&run.usage)),
        last_call_usage: run.last_call.as_ref().map(usage),
        prompt_tokens: run.last_call.as_ref().map(|usage| usage.input + usage.cache_read + usage.cache_write),
        compaction_count: Some(run.compactions).filter(|count| *count > 0),
    })
}

fn usage(usage: &Usage) -> RunUsage {
    RunUsage {
        input: Some(usage.input),
        output: Some(usage.output),
        cache_read: Some(usage.cache_read),
        cache_write: Some(usage.cache_write),
        total: Some(usage.total_tokens),
    }
}

fn show_payloads(payloads: &[Value], nothing: &str) -> anyhow::Result<()> {
    let shown: Vec<String> = payloads.iter().map(words).filter(|words| !words.is_empty()).collect();
    if shown.is_empty() {
        return Ok(print::line(&print::muted(nothing))?);
    }
    for words in shown {
        print::line(&words)?;
    }
    Ok(())
}

/// A message of the answer: its words, then a line for each file.
fn words(payload: &Value) -> String {
    let mut lines: Vec<String> = Vec::new();
    if let Some(text) = payload["text"].as_str() {
        lines.push(text.trim_end().to_owned());
    }
    match payload["mediaUrls"].as_array() {
        Some(urls) => lines.extend(urls.iter().filter_map(Value::as_str).map(media)),
        None => {
            lines.extend(payload["mediaUrl"].as_str().map(str::trim).filter(|url| !url.is_empty()).map(media))
        }
    }
    lines.join("\n").trim_end().to_owned()
}

fn media(url: &str) -> String {
    format!("MEDIA:{url}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_words_and_a_line_for_each_file() {
        let cases = [
            (json!({ "text": "hello \n", "mediaUrl": null }), "hello"),
            (
                json!({ "text": "see", "mediaUrl": "/a", "mediaUrls": ["/a", "/b"] }),
                "see\nMEDIA:/a\nMEDIA:/b",
            ),
            (json!({ "mediaUrl": " /a " }), "MEDIA:/a"),
            (json!({}), ""),
        ];
        for (payload, expected) in cases {
            assert_eq!(words(&payload), expected);
        }
    }
}

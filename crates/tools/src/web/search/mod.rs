//! The `web_search` tool: asks the search service that is configured, or the first one that can be asked.
//!
//! `services` lists them; each service is one file that knows its key, its request and its answer, and nothing of
//! sockets. `question` reads what is asked, `found` shapes what came back.

mod brave;
mod duckduckgo;
mod found;
mod gemini;
mod grok;
mod kimi;
mod perplexity;
mod question;
mod searxng;
mod services;
mod wire;

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use openclaw_config::{WebSearchSettings, WebToolSettings};
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
    WebFault,
};
use openclaw_types::ToolOutcome;
use serde_json::{Value, json};

use self::found::{SearchResults, shaped};
use self::question::SearchQuestion;
use self::services::{Reading, Rounds, Service, ServiceAccess, choose};
use super::WebHandles;
use super::cache::Cache;
use crate::arguments::ToolArguments;
use crate::fence::{FenceSource, fenced};
use crate::stop::{Stop, reply};

/// How often a service that works in rounds is asked.
const MOST_ROUNDS: usize = 4;
/// How much of an error is shown.
const ERROR_CHARS: usize = 600;

/// Searches the web.
pub(super) struct SearchTool {
    descriptor: ToolDescriptor,
    handles: WebHandles,
    cache: Cache,
}

/// A question, and whom it is put to.
struct Search<'a> {
    question: &'a SearchQuestion,
    service: &'static Service,
    access: &'a ServiceAccess,
    settings: &'a WebSearchSettings,
}

impl SearchTool {
    pub(super) fn new(handles: WebHandles) -> Self {
        Self { descriptor: descriptor(), handles, cache: Cache::default() }
    }

    async fn search(&self, arguments: Value) -> Result<ToolOutput, Stop> {
        let config = (self.handles.settings)();
        let settings = WebToolSettings::of(&config).search;
        if !settings.enabled {
            return Err(Stop::refused("Searching the web is switched off (tools.web.search.enabled)."));
        }
        let raw = config.raw.tools.as_ref().and_then(|tools| tools.web.as_ref());
        let raw = raw.and_then(|web| web.search.clone()).unwrap_or_default();
        let (service, access) = choose(&raw, settings.provider, &self.handles.environment);
        let Some(access) = access else { return Ok(complaint(service.missing, service.how_to)) };
        let question = match SearchQuestion::read(
            &ToolArguments::of("web_search", arguments)?,
            settings.results,
            service,
        )? {
            Ok(question) => question,
            Err((code, text)) => return Ok(complaint(code, &text)),
        };
        let key = format!("{}\n{}", service.name, question.key());
        let clock = self.handles.clock.as_ref();
        let meta = format!("\"{}\"", question.query);
        if let Some(mut kept) = self.cache.get(clock, &key) {
            kept["cached"] = json!(true);
            return Ok(ToolOutput::json(kept).with_meta(meta));
        }
        let began = clock.elapsed();
        let search = Search { question: &question, service, access: &access, settings: &settings };
        let found = self.ask(&search).await?;
        let took = clock.elapsed().saturating_sub(began);
        let value = shaped(&question, service.name, found, took);
        self.cache.put(clock, key, value.clone(), settings.kept);
        Ok(ToolOutput::json(value).with_meta(meta))
    }

    /// Asks until there is an answer.
    async fn ask(&self, search: &Search<'_>) -> Result<SearchResults, Stop> {
        let mut rounds = Rounds::default();
        for _round in 0..MOST_ROUNDS {
            let mut request = (search.service.request)(search.question, search.access, &rounds);
            request.timeout = search.settings.timeout;
            let answer = self.handles.client.fetch(request).await.map_err(|fault| told(search, fault))?;
            let without_key = |text: &str| search.access.conceal(text);
            if !(200..300).contains(&answer.status) {
                let body = without_key(&String::from_utf8_lossy(&answer.body));
                return Err(unwelcome(search.service, answer.status, &body));
            }
            match (search.service.read)(&answer.body, search.question, &mut rounds) {
                Ok(Reading::Found(found)) => return Ok(found),
                Ok(Reading::AskAgain) => {}
                Err(why) => {
                    return Err(Stop::failed(format!("{}: {}", search.service.label, without_key(&why))));
                }
            }
        }
        Err(Stop::failed(format!("{} came to no answer. Ask in other words.", search.service.label)))
    }
}

#[async_trait]
impl Tool for SearchTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        tokio::select! {
            result = self.search(arguments) => reply(result),
            () = context.cancel.cancelled() => reply(Err(Stop::failed("Stopped before it was done."))),
        }
    }
}

fn descriptor() -> ToolDescriptor {
    let text = |about: &str| json!({ "type": "string", "description": about });
    ToolDescriptor {
        name: "web_search",
        label: "Web Search",
        summary: "Search the web",
        description:
            "Searches the web and gives titles, addresses and short texts, or an answer with its sources, \
                      depending on the search service. Read a page it finds with web_fetch."
                .into(),
        parameters: json!({
            "type": "object",
            "required": ["query"],
            "properties": {
                "query": text("What to search for."),
                "count": { "type": "number", "minimum": 1, "maximum": 10, "description": "How many results." },
                "country": text("Results for a country, by two letters such as DE, or ALL."),
                "search_lang": text("Results in a language, by two letters such as de."),
                "ui_lang": text("The language and country of labels, such as de-DE."),
                "freshness": text("Only what is new: pd (a day), pw (a week), pm (a month), py (a year), or, with \
                                   some services, YYYY-MM-DDtoYYYY-MM-DD."),
            },
        }).into(),
        group: ToolGroup::Web,
        concurrency: Concurrency::Parallel,
        effect: Effect::Looks,
        audience: Audience::Everybody,
    }
}

/// Something the model or the person can put right, with a code for programs.
fn complaint(code: &str, text: &str) -> ToolOutput {
    let output = ToolOutput::json(json!({ "error": code, "message": text }));
    ToolOutput { outcome: ToolOutcome::Failed, ..output }
}

fn unwelcome(service: &Service, status: u16, body: &str) -> Stop {
    let hint = match status {
        401 | 403 => service.on_refusal,
        429 => " It has had too many questions; wait a while.",
        _ => "",
    };
    let detail: String = body.trim().chars().take(ERROR_CHARS).collect();
    let text = format!("{} answered with status {status}.{hint}", service.label);
    Stop::failed(if detail.is_empty() {
        text
    } else {
        format!("{text}\n\n{}", fenced(FenceSource::Search, &detail))
    })
}

fn told(search: &Search<'_>, fault: WebFault) -> Stop {
    let label = search.service.label;
    match fault {
        WebFault::Refused(why) => Stop::refused(format!("{label} was not asked: {why}.")),
        WebFault::TimedOut => Stop::failed(format!("{label} did not answer in time. Try again later.")),
        WebFault::TooManyRedirects => Stop::failed(format!("{label} redirects too often.")),
        WebFault::Unreachable(why) => {
            Stop::failed(format!("{label} was not reached: {}.", search.access.conceal(&why)))
        }
    }
}

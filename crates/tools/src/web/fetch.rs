//! The `web_fetch` tool: a page as text.

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use openclaw_config::{WebFetchSettings, WebToolSettings};
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, NamedBy, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput,
    ToolReply, WebAnswer, WebFault, WebRequest,
};
use serde_json::{Value, json};

use super::WebHandles;
use super::cache::Cache;
use super::extract::{Extracted, Mode, Sent, extract};
use crate::arguments::ToolArguments;
use crate::fence::{FenceSource, fenced, marked};
use crate::files::off_thread;
use crate::stop::{Stop, reply};

/// How much of an answer is read.
const MOST_BYTES: usize = 2_000_000;
/// The least text that can be asked for, and what is shown of an error page.
const LEAST_CHARS: u64 = 100;
const ERROR_CHARS: usize = 2000;
/// What we call ourselves, unless the person chose something.
const USER_AGENT: &str = concat!("Mozilla/5.0 (compatible; OpenClaw/", env!("CARGO_PKG_VERSION"), ")");

/// Reads pages.
pub(super) struct FetchTool {
    descriptor: ToolDescriptor,
    handles: WebHandles,
    cache: Cache,
}

/// What a call asks for.
struct Wanted {
    url: String,
    mode: Mode,
    chars: usize,
}

impl FetchTool {
    pub(super) fn new(handles: WebHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "web_fetch",
            label: "Web Fetch",
            summary: "Read a web page as text",
            description: "Fetches an http or https address and gives its readable text: the article of a page as \
                          Markdown or plain text, JSON laid out, other text as it is. No scripts are run and nobody \
                          is signed in. Addresses of private networks are refused."
                .into(),
            parameters: json!({
                "type": "object",
                "required": ["url"],
                "properties": {
                    "url": { "type": "string", "description": "The address, with http:// or https://." },
                    "extractMode": {
                        "type": "string", "enum": ["markdown", "text"], "default": "markdown",
                        "description": "How the text is wanted.",
                    },
                    "maxChars": {
                        "type": "number", "minimum": LEAST_CHARS,
                        "description": "How many characters of text at most.",
                    },
                },
            }).into(),
            group: ToolGroup::Web,
            concurrency: Concurrency::Parallel,
            effect: Effect::Looks,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles, cache: Cache::default() }
    }

    async fn fetch(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let settings = WebToolSettings::of(&(self.handles.settings)()).fetch;
        if !settings.enabled {
            return Err(Stop::refused("Reading web pages is switched off (tools.web.fetch.enabled)."));
        }
        let given = ToolArguments::of("web_fetch", arguments)?;
        let url = given.needed_word(&["url"])?;
        let mode = match given.word(&["extractMode", "extract_mode"])?.as_deref() {
            Some("text") => Mode::Text,
            _ => Mode::Markdown,
        };
        let most = settings.most_chars.max(LEAST_CHARS);
        let chars = given.whole("maxChars")?.unwrap_or(settings.chars).clamp(LEAST_CHARS, most);
        let wanted = Wanted { url, mode, chars: usize::try_from(chars).unwrap_or(usize::MAX) };
        let key = format!("{}\n{}\n{}", wanted.mode.as_str(), wanted.chars, wanted.url);
        let clock = self.handles.clock.as_ref();
        if let Some(mut kept) = self.cache.get(clock, &key) {
            kept["cached"] = json!(true);
            return Ok(ToolOutput::json(kept).with_meta(format!("from {}", wanted.url)));
        }
        let value = self.read(context, &wanted, &settings).await?;
        self.cache.put(clock, key, value.clone(), settings.kept);
        Ok(ToolOutput::json(value).with_meta(format!("from {}", wanted.url)))
    }

    async fn read(
        &self,
        context: &ToolContext,
        wanted: &Wanted,
        settings: &WebFetchSettings,
    ) -> Result<Value, Stop> {
        let clock = self.handles.clock.as_ref();
        let began = clock.elapsed();
        let answer = self.handles.client.fetch(request(&wanted.url, settings)).await.map_err(told)?;
        if !(200..300).contains(&answer.status) {
            return Err(unwelcome(context, answer, wanted.mode).await);
        }
        let mode = wanted.mode;
        let (answer, extracted) = off_thread(context, move |_stop| {
            let sent =
                Sent { body: &answer.body, content_type: answer.content_type.as_deref(), url: &answer.url };
            let extracted = extract(sent, mode).map_err(Stop::failed)?;
            Ok((answer, extracted))
        })
        .await?;
        let took = clock.elapsed().saturating_sub(began).as_millis();
        let at = Timestamp::from_millisecond(clock.now().0).map(|at| at.to_string()).unwrap_or_default();
        Ok(shaped(wanted, &answer, extracted, (took, at)))
    }
}

#[async_trait]
impl Tool for FetchTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        tokio::select! {
            result = self.fetch(context, arguments) => reply(result),
            () = context.cancel.cancelled() => reply(Err(Stop::failed("Stopped before it was done."))),
        }
    }
}

fn request(url: &str, settings: &WebFetchSettings) -> WebRequest {
    let agent = settings.user_agent.clone().unwrap_or_else(|| USER_AGENT.to_owned());
    WebRequest {
        url: url.to_owned(),
        method: "GET",
        headers: BTreeMap::from([
            ("accept".to_owned(), "text/markdown, text/html;q=0.9, */*;q=0.1".to_owned()),
            ("accept-language".to_owned(), "en-US,en;q=0.9".to_owned()),
            ("user-agent".to_owned(), agent),
        ]),
        secret_headers: BTreeMap::new(),
        body: None,
        timeout: settings.timeout,
        most_bytes: MOST_BYTES,
        redirects: usize::try_from(settings.redirects).unwrap_or(0),
        named_by: NamedBy::Others,
        hosts: None,
    }
}

/// The answer in the shape that is documented.
fn shaped(wanted: &Wanted, answer: &WebAnswer, extracted: Extracted, (took, at): (u128, String)) -> Value {
    let (text, truncated) = cut(&extracted.text, wanted.chars);
    let wrapped = fenced(FenceSource::Page, text);
    let kind = answer.content_type.as_deref().unwrap_or("application/octet-stream");
    let mut value = json!({
        "url": wanted.url,
        "finalUrl": answer.url,
        "status": answer.status,
        "contentType": kind.split(';').next().unwrap_or_default().trim(),
        "title": extracted.title.map(|title| marked(FenceSource::Page, &title)),
        "extractMode": wanted.mode.as_str(),
        "extractor": extracted.extractor,
        "externalContent": { "untrusted": true, "source": "web_fetch", "wrapped": true },
        "truncated": truncated,
        "length": wrapped.chars().count(),
        "rawLength": text.chars().count(),
        "wrappedLength": wrapped.chars().count(),
        "fetchedAt": at,
        "tookMs": took,
        "text": wrapped,
    });
    if answer.cut {
        value["warning"] = json!(format!("Only the first {MOST_BYTES} bytes of the answer were read."));
    }
    if value["title"].is_null()
        && let Value::Object(fields) = &mut value
    {
        fields.shift_remove("title");
    }
    value
}

/// The first so many characters, and whether that is not all.
fn cut(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// What the model is told about an answer that is no success.
async fn unwelcome(context: &ToolContext, answer: WebAnswer, mode: Mode) -> Stop {
    let status = answer.status;
    let found = off_thread(context, move |_stop| {
        let sent =
            Sent { body: &answer.body, content_type: answer.content_type.as_deref(), url: &answer.url };
        extract(sent, mode).map_err(Stop::failed)
    });
    let detail = found.await.map(|found| found.text).unwrap_or_default();
    let detail = cut(detail.trim(), ERROR_CHARS).0;
    let text = format!("The server answered with status {status}.");
    Stop::failed(if detail.is_empty() {
        text
    } else {
        format!("{text}\n\n{}", fenced(FenceSource::Page, detail))
    })
}

/// What the model is told when nothing came.
fn told(fault: WebFault) -> Stop {
    match fault {
        WebFault::Refused(why) => Stop::refused(format!("Not fetched: {why}.")),
        WebFault::TimedOut => {
            Stop::failed("The server did not answer in time. Try again later, or another address.")
        }
        WebFault::TooManyRedirects => Stop::failed("The server redirects too often."),
        WebFault::Unreachable(why) => Stop::failed(format!("Nothing was fetched: {why}.")),
    }
}

#[cfg(test)]
mod tests;

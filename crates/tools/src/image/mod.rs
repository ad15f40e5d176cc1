//! The `image` tool: has a model that sees look at pictures, from files or from the web.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, NamedBy, PictureQuestion, Tool, ToolContext, ToolDescriptor, ToolGroup,
    ToolOutput, ToolReply, Vision, WebClient, WebFault, WebRequest,
};
use openclaw_types::Image;
use serde_json::{Value, json};

use crate::arguments::ToolArguments;
use crate::fence::{FenceSource, marked};
use crate::files::{FileHandles, FileScope, off_thread, size};
use crate::picture;
use crate::stop::{Stop, reply};

/// How many pictures at once, unless a call says otherwise; and at most.
const PICTURES: u64 = 20;
/// What is asked when the call does not say.
const QUESTION: &str =
    "Say what these pictures show: what is to be seen, any text in them, and what stands out.";
const TIMEOUT: Duration = Duration::from_secs(30);

/// What the tool needs.
#[derive(Clone)]
pub(crate) struct ImageHandles {
    pub(crate) vision: Arc<dyn Vision>,
    pub(crate) files: FileHandles,
    /// Without it, only files can be looked at.
    pub(crate) web: Option<Arc<dyn WebClient>>,
}

/// Asks about pictures.
pub(crate) struct ImageTool {
    descriptor: ToolDescriptor,
    handles: ImageHandles,
}

impl ImageTool {
    pub(crate) fn new(handles: ImageHandles) -> Self {
        Self { descriptor: descriptor(), handles }
    }

    async fn ask(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("image", arguments)?;
        let named = named(&given)?;
        let most = given.whole("maxImages")?.unwrap_or(PICTURES).clamp(1, PICTURES);
        if named.len() as u64 > most {
            return Err(Stop::failed(format!(
                "{} pictures were given, and at most {most} are looked at together. Ask about fewer.",
                named.len()
            )));
        }
        if !self.handles.vision.is_ready(&context.agent) {
            return Err(Stop::failed(
                "No model that sees is set up. Set agents.defaults.imageModel to one that does.",
            ));
        }
        let most_bytes = most_bytes(given.number("maxBytesMb")?);
        let mut pictures = Vec::with_capacity(named.len());
        for name in &named {
            pictures.push(self.load(context, name, most_bytes).await?);
        }
        let prompt = given.word(&["prompt", "question"])?.unwrap_or_else(|| QUESTION.to_owned());
        let model = given.word(&["model"])?;
        let question = PictureQuestion { prompt, pictures, model };
        let answer =
            self.handles.vision.ask(context, question).await.map_err(|fault| Stop::failed(fault.0))?;
        let details = match named.as_slice() {
            [one] => json!({ "image": one }),
            many => json!({ "images": many.iter().map(|name| json!({ "image": name })).collect::<Vec<_>>() }),
        };
        let meta = match named.as_slice() {
            [one] => shortened(one),
            many => format!("{} pictures", many.len()),
        };
        Ok(ToolOutput { details: Some(details), ..ToolOutput::done(answer).with_meta(meta) })
    }

    async fn load(&self, context: &ToolContext, name: &str, most: u64) -> Result<Image, Stop> {
        let lower = name.to_ascii_lowercase();
        let bytes = if let Some(data) = lower.starts_with("data:").then(|| name.split_once(',')).flatten() {
            STANDARD
                .decode(data.1.trim())
                .map_err(|_not_base64| Stop::failed("The data: address is not a picture in Base64."))?
        } else if lower.starts_with("http://") || lower.starts_with("https://") {
            self.download(name, most).await?
        } else if lower.contains("://") && !lower.starts_with("file://") {
            return Err(Stop::failed(format!(
                "{} is no kind of address that is read. Give a path, or an address with http or https.",
                shortened(name)
            )));
        } else {
            self.file(context, name, most).await?
        };
        if bytes.len() as u64 > most {
            return Err(too_large(name, bytes.len() as u64, most));
        }
        match picture::sniff(&bytes) {
            Some(media_type) => Ok(picture::picture(media_type, &bytes)),
            None => Err(Stop::failed(format!(
                "{} is no picture that models see: png, jpeg, gif or webp.",
                shortened(name)
            ))),
        }
    }

    async fn file(&self, context: &ToolContext, name: &str, most: u64) -> Result<Vec<u8>, Stop> {
        let reach = FileScope::of(context, &self.handles.files);
        let name = name.to_owned();
        off_thread(context, move |_stop| {
            let place = reach.place(&name)?;
            let mut open = reach.file(&place)?;
            if open.size > most {
                return Err(too_large(&name, open.size, most));
            }
            let mut bytes = Vec::new();
            (&mut open.file)
                .take(most + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| Stop::failed(format!("{} could not be read: {error}.", shortened(&name))))?;
            Ok(bytes)
        })
        .await
    }

    async fn download(&self, url: &str, most: u64) -> Result<Vec<u8>, Stop> {
        let Some(web) = &self.handles.web else {
            return Err(Stop::refused("Pictures from the web are not fetched here. Give a file."));
        };
        let request = WebRequest {
            url: url.to_owned(),
            method: "GET",
            headers: BTreeMap::from([("accept".to_owned(), "image/*".to_owned())]),
            secret_headers: BTreeMap::new(),
            body: None,
            timeout: TIMEOUT,
            most_bytes: usize::try_from(most).unwrap_or(usize::MAX),
            redirects: 3,
            named_by: NamedBy::Others,
            hosts: None,
        };
        let answer = web.fetch(request).await.map_err(|fault| match fault {
            WebFault::Refused(why) => Stop::refused(format!("Not fetched: {why}.")),
            other => Stop::failed(format!("{} was not fetched: {other}.", shortened(url))),
        })?;
        match answer {
            answer if answer.cut => Err(too_large(url, most + 1, most)),
            answer if !(200..300).contains(&answer.status) => Err(Stop::failed(format!(
                "The server answered with status {} instead of a picture.\n{}",
                answer.status,
                marked(FenceSource::Page, &shortened(&String::from_utf8_lossy(&answer.body)))
            ))),
            answer => Ok(answer.body),
        }
    }
}

#[async_trait]
impl Tool for ImageTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        tokio::select! {
            result = self.ask(context, arguments) => reply(result),
            () = context.cancel.cancelled() => reply(Err(Stop::failed("Stopped before it was done."))),
        }
    }
}

fn descriptor() -> ToolDescriptor {
    let text = |about: &str| json!({ "type": "string", "description": about });
    ToolDescriptor {
        name: "image",
        label: "Image",
        summary: "Ask about pictures",
        description:
            "Has a model that sees look at one or several pictures and answer a question about them. \
                      Pictures are files or http(s) addresses: png, jpeg, gif, webp."
                .into(),
        parameters: json!({
            "type": "object",
            "required": [],
            "properties": {
                "prompt": text("What to ask about the pictures."),
                "image": text("One picture: a path or an address."),
                "images": {
                    "type": "array", "items": { "type": "string" },
                    "description": "Several pictures: paths or addresses.",
                },
                "model": text("The model that looks, as vendor/model."),
                "maxBytesMb": { "type": "number", "description": "How large a picture may be, in megabytes." },
                "maxImages": { "type": "number", "description": "How many pictures at most." },
            },
        }).into(),
        group: ToolGroup::Media,
        concurrency: Concurrency::Parallel,
        effect: Effect::Looks,
        audience: Audience::Everybody,
    }
}

/// The pictures of a call, each once.
fn named(given: &ToolArguments) -> Result<Vec<String>, Stop> {
    let one = given.text(&["image", "path", "file_path", "url"])?;
    let mut named: Vec<String> = Vec::new();
    for name in one.into_iter().chain(given.texts("images")?) {
        let name = name.trim().trim_start_matches('@').trim().to_owned();
        if !name.is_empty() && !named.contains(&name) {
            named.push(name);
        }
    }
    if named.is_empty() {
        return Err(given.missing(&["image", "images"]).into());
    }
    Ok(named)
}

/// How large a picture may be: what can be made fit, or less when the call says so.
fn most_bytes(megabytes: Option<f64>) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast cuts off at both ends, which is what is wanted"
    )]
    let asked = megabytes.filter(|number| *number > 0.0).map(|number| (number * 1024.0 * 1024.0) as u64);
    asked.unwrap_or(picture::LARGEST).clamp(1, picture::LARGEST)
}

fn too_large(name: &str, found: u64, most: u64) -> Stop {
    Stop::failed(format!(
        "{} has {} or more, and a picture may have {}. Make it smaller first.",
        shortened(name),
        size(found),
        size(most)
    ))
}

/// A name that may be a whole picture in itself, short enough to be shown.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;

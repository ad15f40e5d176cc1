//! Gets the pictures and files that a request only names the address of.
//!
//! Through the client that refuses everything that is not the public internet, and every host on the way that is not
//! listed. How many addresses, from which hosts, how large and how long: `gateway.http.endpoints.responses` says, for
//! both interfaces.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_config::sections::{ResponsesEndpoint, UrlSource};
use openclaw_flow::Picture;
use openclaw_ports::tool::{HostList, NamedBy, WebAnswer, WebRequest};

use super::caller::{Caller, Refused};
use super::parts::{Named, Piece, Rules, kept_file, kept_picture};

/// How many addresses a request may name.
const MOST_ADDRESSES: u64 = 8;
/// How many redirects are followed.
const REDIRECTS: u64 = 3;
/// How long fetching may take, in milliseconds.
const TIMEOUT_MS: u64 = 10_000;

/// Gets things for one request, and counts them.
pub(super) struct Fetcher<'a> {
    caller: &'a Caller,
    settings: ResponsesEndpoint,
    /// What holds for files, also for those that come with the request.
    pub(super) rules: Rules,
    left: u64,
}

/// The content of one message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Pieces {
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
}

impl<'a> Fetcher<'a> {
    pub(super) fn new(caller: &'a Caller) -> Self {
        let config = caller.services.config();
        let endpoint = || config.raw.gateway.as_ref()?.http.as_ref()?.endpoints.as_ref()?.responses.clone();
        let settings = endpoint().unwrap_or_default();
        let left = settings.max_url_parts.map_or(MOST_ADDRESSES, |most| most.get());
        let rules = Rules::of(&settings);
        Self { caller, settings, rules, left }
    }

    /// The pieces with everything in them.
    pub(super) async fn complete(&mut self, pieces: Vec<Piece>) -> Result<Pieces, Refused> {
        let mut texts = Vec::new();
        let mut pictures = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => texts.push(text),
                Piece::Picture(picture) => pictures.push(picture),
                Piece::PictureAt(url) => pictures.push(self.picture(&url).await?),
                Piece::FileAt { url, name } => texts.push(self.file(&url, name.as_deref()).await?),
            }
        }
        Ok(Pieces { text: texts.join("\n"), pictures })
    }

    async fn picture(&mut self, url: &str) -> Result<Picture, Refused> {
        let source = self.settings.images.clone().unwrap_or_default().source;
        let answer = self.fetch("image", url, (&source, self.rules.pictures.most_bytes)).await?;
        kept_picture(kind(&answer), &answer.body, &self.rules.pictures)
    }

    async fn file(&mut self, url: &str, name: Option<&str>) -> Result<String, Refused> {
        let source = self.settings.files.clone().unwrap_or_default().source;
        let answer = self.fetch("file", url, (&source, self.rules.files.most_bytes)).await?;
        let last = url.split(['?', '#']).next().and_then(|path| path.rsplit('/').next());
        let named = Named { kind: kind(&answer), name: name.or(last).unwrap_or("file") };
        kept_file(&self.rules.files, &named, &answer.body)
    }

    async fn fetch(
        &mut self,
        what: &str,
        url: &str,
        (source, most): (&UrlSource, usize),
    ) -> Result<WebAnswer, Refused> {
        if self.left == 0 {
            return Err(Refused::wrong(format!("{what}: the request names too many addresses")));
        }
        self.left -= 1;
        let setting = format!("gateway.http.endpoints.responses.{what}s");
        if source.allow_url == Some(false) {
            return Err(Refused::wrong(format!("{what}: addresses are not fetched ({setting}.allowUrl)")));
        }
        let Some(web) = &self.caller.services.web else {
            return Err(Refused::wrong(format!(
                "{what}: addresses are not fetched here; send the {what} itself"
            )));
        };
        let most = source.max_bytes.and_then(|bytes| usize::try_from(bytes.get()).ok()).unwrap_or(most);
        let redirects = source.max_redirects.map_or(REDIRECTS, |most| most.get());
        let hosts = source.url_allowlist.as_deref().unwrap_or_default();
        let request = WebRequest {
            url: url.to_owned(),
            method: "GET",
            headers: BTreeMap::from([("accept".to_owned(), "*/*".to_owned())]),
            secret_headers: BTreeMap::new(),
            body: None,
            timeout: Duration::from_millis(source.timeout_ms.map_or(TIMEOUT_MS, |time| time.get())),
            most_bytes: most,
            redirects: usize::try_from(redirects).unwrap_or(0),
            named_by: NamedBy::Others,
            hosts: HostList::of(&format!("{setting}.urlAllowlist"), hosts),
        };
        let answer = web
            .fetch(request)
            .await
            .map_err(|fault| Refused::wrong(format!("{what}: not fetched: {fault}")))?;
        match answer {
            answer if answer.cut => Err(Refused::wrong(format!("{what}: larger than {most} bytes"))),
            answer if !(200..300).contains(&answer.status) => {
                Err(Refused::wrong(format!("{what}: the server answered with status {}", answer.status)))
            }
            answer if !allowed_kind(source, kind(&answer)) => {
                Err(Refused::wrong(format!("{what}: {} is not in {setting}.allowedMimes", kind(&answer))))
            }
            answer => Ok(answer),
        }
    }
}

fn allowed_kind(source: &UrlSource, kind: &str) -> bool {
    source.allowed_mimes.as_ref().is_none_or(|kinds| kinds.iter().any(|one| one.eq_ignore_ascii_case(kind)))
}

fn kind(answer: &WebAnswer) -> &str {
    let written = answer.content_type.as_deref().unwrap_or("application/octet-stream");
    written.split(';').next().unwrap_or(written).trim()
}

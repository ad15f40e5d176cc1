//! The Control UI: its files from a folder a person names, or a page that says how to get one.
//!
//! Decides by path only: below the base path there are the page's settings, avatars, files and, for everything else
//! that is no file, the page itself, because its routes live in the browser. Reading happens off the async threads.

use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use bytes::Bytes;
use openclaw_config::{Config, ConfigFile};
use serde_json::json;

use super::answers::{
    as_page, content, content_type, is_static_extension, json as json_answer, not_found, text,
};
use super::avatar::{self, Avatar};
use super::contained_file::{ContainedPath, read};

/// The settings the page reads first.
const SETTINGS_PATH: &str = "/__openclaw/control-ui-config.json";
/// Where avatars are.
const AVATAR_PREFIX: &str = "/avatar/";
/// The page itself.
const INDEX: &str = "index.html";
/// Largest file that is served.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// What is shown when no page is installed.
const LANDING: &str = include_str!("landing.html");

/// Whether a path is one of the page's own, whatever is installed: its settings, avatars, files, the page itself. The
/// routes of the page are not among them; those live in the browser.
pub(crate) fn owns(config: &Config, path: &str) -> bool {
    let ui = &config.gateway.control_ui;
    let base = ui.base_path.as_str();
    let inside = match path.strip_prefix(base) {
        Some("") => return true,
        Some(inside) if inside.starts_with('/') => inside,
        _ => return false,
    };
    let extension = Path::new(inside).extension().and_then(|extension| extension.to_str());
    inside == "/"
        || inside.starts_with("/__openclaw/")
        || inside.starts_with(AVATAR_PREFIX)
        || inside.starts_with("/assets/")
        || extension == Some("html")
        || is_static_extension(extension)
}

/// Answers a GET or HEAD for anything that is no fixed address.
pub(crate) async fn answer(config: &Config, file_of: &ConfigFile, uri: &Uri) -> Response<Body> {
    let ui = &config.gateway.control_ui;
    let base = ui.base_path.as_str();
    let path = uri.path();
    if base.is_empty() && (path == "/ui" || path.starts_with("/ui/")) {
        return as_page(not_found());
    }
    if !base.is_empty() && path == base {
        return as_page(redirect(base, uri.query()));
    }
    let Some(inside) = path.strip_prefix(base).filter(|inside| inside.starts_with('/')) else {
        return not_found();
    };
    if inside == SETTINGS_PATH {
        return as_page(json_answer(StatusCode::OK, &settings(config)));
    }
    if let Some(agent) = inside.strip_prefix(AVATAR_PREFIX) {
        return as_page(avatar_answer(config, file_of, agent, uri.query()).await);
    }
    as_page(match &ui.root {
        Some(root) => file(root.clone(), inside).await,
        None => landing(inside),
    })
}

fn redirect(base: &str, query: Option<&str>) -> Response<Body> {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let mut response = Response::new(Body::empty());
    match HeaderValue::from_str(&format!("{base}/{query}")) {
        Ok(target) => {
            *response.status_mut() = StatusCode::FOUND;
            response.headers_mut().insert(header::LOCATION, target);
            response
        }
        Err(_not_a_header) => not_found(),
    }
}

fn settings(config: &Config) -> serde_json::Value {
    let identity = &config.assistant;
    let base = &config.gateway.control_ui.base_path;
    json!({
        "basePath": base,
        "assistantName": identity.name,
        "assistantAvatar": avatar::shown(&identity.avatar, base, identity.agent.as_str()),
        "assistantAgentId": identity.agent,
    })
}

async fn avatar_answer(
    config: &Config,
    file_of: &ConfigFile,
    agent: &str,
    query: Option<&str>,
) -> Response<Body> {
    let Some(avatar) = avatar::find(config, file_of, agent).await else { return not_found() };
    let wants_address = query.is_some_and(|query| query.split('&').any(|part| part == "meta=1"));
    match (wants_address, avatar) {
        (true, Avatar::Address(url)) => json_answer(StatusCode::OK, &json!({"avatarUrl": url})),
        (true, Avatar::File { workspace, path }) => {
            let exists = read_off_thread(workspace, path, avatar::MAX_BYTES).await.is_some();
            let url =
                exists.then(|| format!("{}{AVATAR_PREFIX}{agent}", config.gateway.control_ui.base_path));
            json_answer(StatusCode::OK, &json!({"avatarUrl": url}))
        }
        (true, Avatar::None) => json_answer(StatusCode::OK, &json!({"avatarUrl": null})),
        (false, Avatar::File { workspace, path }) => {
            let kind = content_type(path.extension().as_deref());
            match read_off_thread(workspace, path, avatar::MAX_BYTES).await {
                Some(bytes) => content(StatusCode::OK, kind, Body::from(bytes)),
                None => not_found(),
            }
        }
        (false, Avatar::Address(_) | Avatar::None) => not_found(),
    }
}

async fn file(root: PathBuf, inside: &str) -> Response<Body> {
    // Pages below routes name their assets relative to themselves; all of them mean the one folder.
    let wanted = inside.find("/assets/").map_or(inside, |start| &inside[start..]);
    let wanted = if wanted.ends_with('/') { format!("{wanted}{INDEX}") } else { wanted.to_owned() };
    let Some(path) = ContainedPath::parse(&wanted) else { return not_found() };
    let extension = path.extension();
    if let Some(bytes) = read_off_thread(root.clone(), path, MAX_FILE_BYTES).await {
        return content(StatusCode::OK, content_type(extension.as_deref()), Body::from(bytes));
    }
    if is_static_extension(extension.as_deref()) {
        return not_found();
    }
    let Some(index) = ContainedPath::parse(INDEX) else { return not_found() };
    match read_off_thread(root.clone(), index, MAX_FILE_BYTES).await {
        Some(bytes) => content(StatusCode::OK, content_type(Some("html")), Body::from(bytes)),
        None => missing_root(&root),
    }
}

fn missing_root(root: &Path) -> Response<Body> {
    tracing::warn!(root = %root.display(), "gateway.controlUi.root holds no index.html");
    text(
        StatusCode::SERVICE_UNAVAILABLE,
        "The Control UI is not where gateway.controlUi.root points: there is no index.html. \
         Correct the setting, or remove it to see the built-in page.",
    )
}

fn landing(inside: &str) -> Response<Body> {
    let extension = ContainedPath::parse(inside).and_then(|path| path.extension());
    if is_static_extension(extension.as_deref()) {
        return not_found();
    }
    content(StatusCode::OK, content_type(Some("html")), Body::from(LANDING))
}

async fn read_off_thread(root: PathBuf, path: ContainedPath, max: u64) -> Option<Bytes> {
    let read = tokio::task::spawn_blocking(move || read(&root, &path, max)).await;
    match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            tracing::warn!(%error, "a file of the Control UI could not be read");
            None
        }
        Err(error) => {
            tracing::error!(%error, "reading a file did not end");
            None
        }
    }
}

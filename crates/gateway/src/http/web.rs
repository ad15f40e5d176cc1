//! The HTTP side of the port: which path goes where.
//!
//! WebSocket upgrades are taken out first, on any path. Fixed addresses are routes; then come the paths to which
//! platforms bring events, and everything else is the Control UI. Every answer passes `harden` on its way out.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Extension, State};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use axum::routing::{MethodRouter, any, get, post};
use hyper::body::Incoming;
use openclaw_flow::Called;
use serde_json::json;
use tower::ServiceExt as _;

use super::answers;
use super::api;
use super::bearer::{self, Pass};
use super::control_ui;
use super::meters::{Gauges, resident_bytes};
use super::webhook;
use crate::connection::{is_upgrade, upgrade};
use crate::context::GatewayContext;
use crate::handshake::Arrival;
use crate::server::{Arrived, HttpSurface};

/// Largest body of a request.
const MAX_BODY_BYTES: usize = 2 * 1024 * 1024;

/// The text format of Prometheus.
const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Answers HTTP requests.
pub(crate) struct Web {
    context: Arc<GatewayContext>,
    router: Router,
}

impl Web {
    /// Lays out the routes.
    pub(crate) fn new(context: Arc<GatewayContext>) -> Self {
        let read_only = |route: MethodRouter<Arc<GatewayContext>>| {
            route.fallback(|| async { answers::method_not_allowed() })
        };
        let asked = |route: MethodRouter<Arc<GatewayContext>>| route.fallback(api::only_post);
        let listed = |route: MethodRouter<Arc<GatewayContext>>| route.fallback(api::only_get);
        let router = Router::new()
            .route("/health", read_only(get(live)))
            .route("/healthz", read_only(get(live)))
            .route("/ready", read_only(get(ready)))
            .route("/readyz", read_only(get(ready)))
            .route("/metrics", read_only(get(metrics)))
            .route("/v1/chat/completions", asked(post(api::chat)))
            .route("/v1/responses", asked(post(api::responses)))
            .route("/v1/models", listed(get(api::list)))
            .route("/v1/models/{*name}", listed(get(api::one)))
            .route("/v1/{*rest}", any(api::unknown))
            .route("/tools/invoke", asked(post(api::invoke)))
            .fallback(other)
            .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
            .with_state(context.clone());
        Self { context, router }
    }
}

impl HttpSurface for Web {
    async fn answer(self: Arc<Self>, request: Request<Incoming>, arrived: Arrived) -> Response<Body> {
        let mut response = if is_upgrade(request.headers()) {
            upgrade(&self.context, request, arrived)
        } else {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(arrived);
            self.context.reload_if_changed().await;
            match self.router.clone().oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        };
        let config = self.context.config.current();
        answers::harden(&mut response, config.gateway.http.strict_transport_security.as_deref());
        response
    }
}

async fn live() -> Response<Body> {
    answers::json(StatusCode::OK, &json!({"ok": true, "status": "live"}))
}

/// Ready as soon as requests are answered at all, until the gateway sends its clients home.
async fn ready(State(context): State<Arc<GatewayContext>>) -> Response<Body> {
    let closing = context.closing.is_cancelled();
    let failing: Vec<&str> = if closing { vec!["shutdown"] } else { Vec::new() };
    let status = if closing { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    let uptime = u64::try_from(context.uptime().as_millis()).unwrap_or(u64::MAX);
    answers::json(status, &json!({"ready": !closing, "failing": failing, "uptimeMs": uptime}))
}

/// Open to programs on this machine; others show the gateway's secret.
async fn metrics(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    headers: HeaderMap,
) -> Response<Body> {
    let arrival = Arrival { peer: arrived.peer, headers, secure: arrived.secure };
    if let Err(refusal) = bearer::check(&context, &arrival, Pass::LocalPrograms) {
        return *refusal;
    }
    let gauges = Gauges {
        clients: context.roster.len(),
        uptime_ms: context.uptime().as_millis(),
        resident_bytes: resident_bytes(),
        held: context.agents.as_ref().map(|agents| agents.flow.held()).unwrap_or_default(),
    };
    answers::content(StatusCode::OK, METRICS, Body::from(context.meters.print(gauges)))
}

/// Everything that is no fixed address.
async fn other(State(context): State<Arc<GatewayContext>>, request: Request<Body>) -> Response<Body> {
    match webhook::claim(&context, request.uri().path()) {
        Called::Nobody => page(&context, request.method(), request.uri()).await,
        called => webhook::answer(&context, called, request).await,
    }
}

async fn page(context: &GatewayContext, method: &Method, uri: &Uri) -> Response<Body> {
    let config = context.config.current();
    if !config.gateway.control_ui.enabled {
        return answers::not_found();
    }
    if method != Method::GET && method != Method::HEAD {
        return answers::method_not_allowed();
    }
    let mut response = control_ui::answer(&config, &context.config_file, uri).await;
    if method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    response
}

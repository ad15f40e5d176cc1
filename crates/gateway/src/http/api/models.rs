//! `/v1/models`: each agent is a model to other programs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

use super::caller::{Caller, Refused};
use super::closed::off;
use crate::context::GatewayContext;
use crate::http::answers;
use crate::server::Arrived;

/// Lists agents as models.
pub(in crate::http) async fn list(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    headers: HeaderMap,
) -> Response<Body> {
    match names(&context, arrived, headers) {
        Ok(names) => {
            let models: Vec<Value> = names.iter().map(|name| model(name)).collect();
            answers::json(StatusCode::OK, &json!({"object": "list", "data": models}))
        }
        Err(answer) => *answer,
    }
}

/// Shows one.
pub(in crate::http) async fn one(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    Path(wanted): Path<String>,
    headers: HeaderMap,
) -> Response<Body> {
    match names(&context, arrived, headers) {
        Ok(names) if names.contains(&wanted) => answers::json(StatusCode::OK, &model(&wanted)),
        Ok(_) => {
            let message = format!("there is no model \"{wanted}\"; /v1/models lists them");
            Refused::missing("model_not_found", message).answer()
        }
        Err(answer) => *answer,
    }
}

fn names(
    context: &Arc<GatewayContext>,
    arrived: Arrived,
    headers: HeaderMap,
) -> Result<Vec<String>, Box<Response<Body>>> {
    let http = &context.config.current().gateway.http;
    if !http.chat_completions && !http.responses {
        return Err(Box::new(off("chatCompletions")));
    }
    let caller = Caller::admit(context, arrived, headers)?;
    let config = caller.services.config();
    let agents = config.agents.list.iter().map(|agent| format!("openclaw/{}", agent.id));
    Ok(["openclaw".to_owned(), "openclaw/default".to_owned()].into_iter().chain(agents).collect())
}

fn model(name: &str) -> Value {
    json!({"id": name, "object": "model", "created": 0, "owned_by": "openclaw"})
}

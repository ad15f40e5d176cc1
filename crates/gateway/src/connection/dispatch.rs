//! Takes one request from its text to its response.
//!
//! Authorisation comes from the protocol's table alone. A handler that is ready at once is answered from the
//! connection's own task; one that has to wait goes on as a task of the gateway, so that it ends properly even when
//! its client leaves. A panic in a handler becomes an error for that one request.

use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;

use futures_util::FutureExt as _;
use openclaw_protocol::{ErrorCode, ErrorShape, MethodAccess, MethodSpec, RateClass, Request, find_method};
use openclaw_types::Role;

use super::client::Client;
use super::reply::RequestReply;
use crate::context::GatewayContext;
use crate::http::RequestEnd;
use crate::limits::BudgetKey;
use crate::methods::{Binding, Call, MethodOutcome, Work};

/// What a request was, as far as the connection has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dispatched {
    /// It was let in, or refused for any reason but the role.
    Handled,
    /// It was refused because the client's role may not call it.
    WrongRole,
}

/// Handles one request. Waits only for a configuration file that was just changed; what is not ready at once goes on in a
/// task of its own.
pub(crate) async fn dispatch(
    context: &Arc<GatewayContext>,
    client: &Arc<Client>,
    request: Request,
) -> Dispatched {
    let reply = RequestReply::new(client.clone(), request.id);
    let binding = match authorize(context, client, &request.method) {
        Ok(binding) => binding,
        Err(refused) => {
            context.meters.method(refused.place).count(RequestEnd::Refused);
            reply.finish(&Err(refused.error));
            return refused.dispatched;
        }
    };
    context.reload_if_changed().await;
    let place = Some(binding.place);
    let call = Call { context: context.clone(), client: client.clone(), reply: reply.clone() };
    let mut work = guarded(binding.spec.name, binding.start(call, request.params));
    // Polled once here: most methods answer from memory and need no task of their own.
    match poll_fn(|cx| Poll::Ready(work.as_mut().poll(cx))).await {
        Poll::Ready(outcome) => finish(context, &reply, place, &outcome),
        Poll::Pending => {
            let finishing = context.clone();
            context.start_tracked("request", async move {
                let outcome = work.await;
                finish(&finishing, &reply, place, &outcome);
            });
        }
    }
    Dispatched::Handled
}

struct Refused {
    error: ErrorShape,
    place: Option<usize>,
    dispatched: Dispatched,
}

fn authorize<'a>(context: &'a GatewayContext, client: &Client, method: &str) -> Result<&'a Binding, Refused> {
    let principal = &client.principal;
    let role = principal.role;
    let refused = |error, place| Refused { error, place, dispatched: Dispatched::Handled };
    let Some(binding) = context.methods.find(method) else {
        // A row without a handler, such as `connect`, still says who could call it.
        if let Some(spec) = find_method(method)
            && let Err(error) = spec.authorize(role, &principal.scopes)
        {
            return Err(by_table(spec, role, error, None));
        }
        return Err(refused(ErrorShape::unknown_method(method), None));
    };
    let place = Some(binding.place);
    let spec = binding.spec;
    spec.authorize(role, &principal.scopes).map_err(|error| by_table(spec, role, error, place))?;
    if spec.rate == RateClass::ControlPlane {
        let key = BudgetKey::of(principal.device.clone(), principal.client_ip, client.id.clone());
        let spent = context.budget.spend(key, context.clock.elapsed());
        spent.map_err(|over| refused(over.to_error(method), place))?;
    }
    Ok(binding)
}

/// A refusal by the table, told apart by whether another role could have called the method.
fn by_table(spec: &MethodSpec, role: Role, error: ErrorShape, place: Option<usize>) -> Refused {
    let wrong_role = match spec.access {
        MethodAccess::Operator(_) => role != Role::Operator,
        MethodAccess::Node => role != Role::Node,
        MethodAccess::Handshake | MethodAccess::Anyone => false,
    };
    let dispatched = if wrong_role { Dispatched::WrongRole } else { Dispatched::Handled };
    Refused { error, place, dispatched }
}

/// Turns a panic of the handler into an outcome.
fn guarded(method: &'static str, work: Work) -> Work {
    let caught = AssertUnwindSafe(work).catch_unwind();
    Box::pin(async move {
        match caught.await {
            Ok(outcome) => outcome,
            Err(_panic) => {
                tracing::error!(method, "a handler panicked; the request is answered as unavailable");
                Err(ErrorShape::unavailable("the gateway failed to answer this request; see its log"))
            }
        }
    })
}

fn finish(context: &GatewayContext, reply: &RequestReply, place: Option<usize>, outcome: &MethodOutcome) {
    let ended = match outcome {
        Ok(_) => RequestEnd::Ok,
        Err(error) if error.code == ErrorCode::Unavailable => RequestEnd::Failed,
        Err(_) => RequestEnd::Refused,
    };
    context.meters.method(place).count(ended);
    reply.finish(outcome);
}

//! The answer to one request: usually one response, sometimes "accepted" now and the result later.
//!
//! A request holds one of its client's places until it is first answered, so that a client cannot start work without
//! bound, while an accepted long run does not keep the client from asking other things.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openclaw_protocol::{EncodeError, ErrorShape, response_error, response_ok};

use super::client::Client;
use crate::methods::{JsonPayload, MethodOutcome};

/// The way back to the client for one request.
#[derive(Debug)]
pub(crate) struct RequestReply {
    client: Arc<Client>,
    id: String,
    holds_place: AtomicBool,
}

impl RequestReply {
    /// Takes one of the client's places for the request with this id.
    pub(crate) fn new(client: Arc<Client>, id: String) -> Arc<Self> {
        client.in_flight.fetch_add(1, Ordering::AcqRel);
        Arc::new(Self { client, id, holds_place: AtomicBool::new(true) })
    }

    /// Sends a first response that says the work goes on; the final one follows under the same id.
    pub(crate) fn accept(&self, payload: &JsonPayload) {
        self.respond(&Ok(payload.clone()));
        self.give_place_back();
    }

    /// Sends the final response.
    pub(crate) fn finish(&self, outcome: &MethodOutcome) {
        self.respond(outcome);
        self.give_place_back();
    }

    fn respond(&self, outcome: &MethodOutcome) {
        let text = match outcome {
            Ok(payload) => response_ok(&self.id, payload.raw()),
            Err(error) => response_error(&self.id, error),
        };
        let text = text.or_else(|error| self.apologize(&error));
        match text {
            // A client that left in the meantime needs no answer.
            Ok(text) => drop(self.client.outbound.respond(text.into())),
            Err(error) => tracing::error!(%error, "a response could not be written"),
        }
    }

    fn apologize(&self, error: &EncodeError) -> Result<String, EncodeError> {
        tracing::error!(%error, "a response could not be written");
        response_error(&self.id, &ErrorShape::unavailable("the response could not be written"))
    }

    fn give_place_back(&self) {
        if self.holds_place.swap(false, Ordering::AcqRel) {
            self.client.in_flight.fetch_sub(1, Ordering::AcqRel);
            self.client.outbound.nudge();
            self.client.leave_if_answered();
        }
    }
}

impl Drop for RequestReply {
    fn drop(&mut self) {
        self.give_place_back();
    }
}

//! Carries one request to one model and hands on its events, as they are asked for.
//!
//! No task and no queue: bytes are read when the reader wants the next event, so a slow reader slows the server.
//! Dropping the stream drops the connection's body, and with it the socket. `retry` decides what is repeated.
//! Invariant: exactly one end event, and no repetition once anything was handed on.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{FutureExt, stream};
use openclaw_ports::model::{
    AwsKeys, FaultReason, HttpCall, ModelApi, ModelEvent, ModelFault, ModelRequest, ModelRoute, ModelStream,
    StreamDecoder,
};
use openclaw_ports::{Deadline, TimedOut};
use openclaw_types::{ProviderId, Secret};
use reqwest::Response;

use super::Transport;
use super::client::Way;
use super::registry::codec;
use super::retry::{self, Standing, Verdict};
use super::secrets::secrets_of;
use super::send::{CallAddress, Outgoing, Reading, header_map, read_bounded};
use super::side_call::CallMethod;
use crate::apis::Secrets;
use crate::sigv4::{AwsCredentials, AwsRequest, AwsScope, sign_aws};

/// How often the end of a body is looked for after the end of the answer, so that the connection can be used again.
const LAST_LOOKS: usize = 4;

/// The stream of one request. Nothing happens before it is polled.
pub(super) fn open(transport: Transport, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
    let provider = route.provider.clone();
    let line = Line { transport, provider, secrets: None, phase: Phase::New(request, Box::new(route)) };
    Box::pin(stream::unfold(line, |line| async {
        let (event, line) = line.next().await?;
        Some((line.without_secrets(event), line))
    }))
}

struct Line {
    transport: Transport,
    provider: ProviderId,
    /// What no fault may repeat, once the call is put together.
    secrets: Option<Secrets>,
    phase: Phase,
}

enum Phase {
    /// Nothing was done.
    New(Arc<ModelRequest>, Box<ModelRoute>),
    /// The next attempt is to be made.
    Calling(Box<Call>),
    /// An answer comes in, and nothing of it was handed on.
    Untold(Box<Call>, Box<Answer>),
    /// Some of the answer was handed on.
    Telling(Box<Answer>),
    /// The end event was handed on.
    Ended,
}

/// What an attempt needs, kept as long as one may follow.
struct Call {
    api: &'static dyn ModelApi,
    outgoing: Outgoing,
    place: CallAddress,
    aws: Option<AwsKeys>,
    total: Deadline,
    repeated: u32,
}

/// An answer with a success status.
struct Answer {
    response: Response,
    decoder: Box<dyn StreamDecoder>,
    ready: VecDeque<ModelEvent>,
    received: usize,
    first_byte: Deadline,
    total: Deadline,
}

impl Line {
    /// The next event. Cancelling drops the line, and so the connection.
    async fn next(mut self) -> Option<(ModelEvent, Self)> {
        loop {
            let phase = std::mem::replace(&mut self.phase, Phase::Ended);
            match phase {
                Phase::New(request, route) => match Call::new(&self.transport, &request, *route) {
                    Ok((call, secrets)) => {
                        self.secrets = Some(secrets);
                        self.phase = Phase::Calling(Box::new(call));
                    }
                    Err(fault) => return Some((ModelEvent::Failed(fault), self)),
                },
                Phase::Calling(call) => match call.attempt(&self.transport).await {
                    Ok(answer) => self.phase = Phase::Untold(call, Box::new(answer)),
                    Err(fault) => {
                        if let Some(end) = self.after(fault, call).await {
                            return Some((end, self));
                        }
                    }
                },
                Phase::Untold(call, mut answer) => match answer.event(&self.transport).await {
                    ModelEvent::Failed(fault) => {
                        // The server is let go before the wait.
                        drop(answer);
                        if let Some(end) = self.after(fault, call).await {
                            return Some((end, self));
                        }
                    }
                    event => return Some(self.hand_on(event, answer).await),
                },
                Phase::Telling(mut answer) => {
                    let event = answer.event(&self.transport).await;
                    return Some(self.hand_on(event, answer).await);
                }
                Phase::Ended => return None,
            }
        }
    }

    /// The event as it may leave.
    fn without_secrets(&self, event: ModelEvent) -> ModelEvent {
        match (event, &self.secrets) {
            (ModelEvent::Failed(fault), Some(secrets)) => ModelEvent::Failed(secrets.out_of(fault)),
            (event, _) => event,
        }
    }

    async fn hand_on(mut self, event: ModelEvent, mut answer: Box<Answer>) -> (ModelEvent, Self) {
        if event.is_end() {
            answer.look_for_the_end().await;
        } else {
            self.phase = Phase::Telling(answer);
        }
        (event, self)
    }

    /// Waits for another attempt, or gives the end event.
    async fn after(&mut self, fault: ModelFault, mut call: Box<Call>) -> Option<ModelEvent> {
        let standing = Standing {
            repeated: call.repeated,
            allowed: self.transport.limits().retries,
            left: call.total.left(self.transport.clock()),
            // Without chance the waits are merely not spread.
            chance: getrandom::u32().unwrap_or(u32::MAX / 2),
        };
        let Verdict::Again(wait) = retry::decide(&fault, &standing) else {
            return Some(ModelEvent::Failed(fault));
        };
        tracing::info!(
            provider = self.provider.as_str(),
            reason = fault.reason.as_str(),
            status = fault.status,
            wait_ms = wait.as_millis(),
            "a call to a model is repeated"
        );
        self.transport.clock().sleep(wait).await;
        call.repeated += 1;
        self.phase = Phase::Calling(call);
        None
    }
}

impl Call {
    /// The call, and what is secret about it.
    fn new(
        transport: &Transport,
        request: &ModelRequest,
        route: ModelRoute,
    ) -> Result<(Self, Secrets), ModelFault> {
        let api = codec(route.api);
        let HttpCall { url, mut headers, body } = api.encode(request, &route.target)?;
        // Packing would hold back words until a block is full.
        headers.entry("accept-encoding".to_owned()).or_insert_with(|| Secret::new("identity".to_owned()));
        let outgoing = Outgoing {
            method: CallMethod::Post,
            url,
            headers,
            body: Bytes::from(body),
            way: Way::To(route.reach),
        };
        let place = CallAddress::of(&outgoing)?;
        let total = Deadline::after(transport.clock(), transport.limits().total);
        // A bearer goes before signatures.
        let aws = route.aws.filter(|_| route.target.credential.is_none());
        let secrets = secrets_of(&outgoing, route.target.credential.as_ref(), aws.as_ref());
        Ok((Self { api, outgoing, place, aws, total, repeated: 0 }, secrets))
    }

    async fn attempt(&self, transport: &Transport) -> Result<Answer, ModelFault> {
        let clock = transport.clock();
        let first_byte = Deadline::after(clock, transport.limits().first_byte);
        let signed = self.signed(transport)?;
        let sending = transport.send(signed.as_ref().unwrap_or(&self.outgoing), &self.place);
        let response = match first_byte.min(self.total).bound(clock, sending).await {
            Ok(response) => response?,
            Err(TimedOut) => return Err(silent(&self.place)),
        };
        if !response.status().is_success() {
            return Err(self.explain(transport, response).await);
        }
        Ok(Answer {
            response,
            decoder: self.api.decoder(),
            ready: VecDeque::new(),
            received: 0,
            first_byte,
            total: self.total,
        })
    }

    /// The call with a fresh signature, where the vendor wants one.
    fn signed(&self, transport: &Transport) -> Result<Option<Outgoing>, ModelFault> {
        let Some(keys) = &self.aws else { return Ok(None) };
        let credentials = AwsCredentials {
            access_key: keys.access_key_id.clone(),
            secret_key: keys.secret_access_key.clone(),
            session_token: keys.session_token.clone(),
        };
        let scope = AwsScope { region: &keys.region, service: "bedrock", at: transport.clock().now() };
        let url = self.place.as_sent();
        let Outgoing { headers, body, way, .. } = &self.outgoing;
        let request = AwsRequest { method: "POST", url, headers, body };
        let mut headers = headers.clone();
        headers.extend(sign_aws(&request, &credentials, &scope)?);
        let url = url.to_owned();
        Ok(Some(Outgoing { method: CallMethod::Post, url, headers, body: body.clone(), way: *way }))
    }

    /// What an answer that is no success means. An explanation that does not come whole is taken as far as it came.
    async fn explain(&self, transport: &Transport, response: Response) -> ModelFault {
        let status = response.status();
        if status.is_redirection() {
            let text = format!(
                "{} sends calls elsewhere (status {}), which is not followed; correct the provider's baseUrl",
                self.place.host(),
                status.as_u16()
            );
            let fault = ModelFault::new(FaultReason::Format, text);
            return ModelFault { status: Some(status.as_u16()), ..fault };
        }
        let headers = header_map(response.headers());
        let clock = transport.clock();
        let idle = Deadline::after(clock, transport.limits().idle);
        let reading = read_bounded(response, transport.limits().error_bytes);
        let body = match idle.min(self.total).bound(clock, reading).await {
            Ok(Reading::Whole(body) | Reading::Cut(body) | Reading::Broken(body, _)) => body,
            Err(TimedOut) => Bytes::new(),
        };
        self.api.classify(status.as_u16(), &headers, &body)
    }
}

impl Answer {
    /// The next event; an end event when there is nothing more to come.
    async fn event(&mut self, transport: &Transport) -> ModelEvent {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return event;
            }
            if let Err(fault) = self.read(transport).await {
                return ModelEvent::Failed(fault);
            }
        }
    }

    /// Takes the next piece of the body. Cancelling loses nothing: a piece is decoded as soon as it is there.
    async fn read(&mut self, transport: &Transport) -> Result<(), ModelFault> {
        let clock = transport.clock();
        let limits = transport.limits();
        let pause = match self.received {
            0 => self.first_byte,
            _ => Deadline::after(clock, limits.idle),
        };
        let piece = match pause.min(self.total).bound(clock, self.response.chunk()).await {
            Ok(piece) => piece,
            Err(TimedOut) => return Err(self.stalled(transport)),
        };
        let mut events = Vec::new();
        match piece {
            Ok(Some(bytes)) => {
                self.received = self.received.saturating_add(bytes.len());
                if self.received > limits.response_bytes {
                    return Err(too_large());
                }
                self.decoder.push(&bytes, &mut events);
            }
            Err(error) if self.received == 0 => {
                tracing::debug!(error = %error.without_url(), "a model's answer broke before its first byte");
                let text = "the server broke the connection before it answered";
                return Err(ModelFault::new(FaultReason::Truncated, text));
            }
            ended => {
                if let Err(error) = ended {
                    tracing::debug!(error = %error.without_url(), "a model's answer broke off");
                }
                self.decoder.finish(&mut events);
                if !events.last().is_some_and(ModelEvent::is_end) {
                    events.push(ModelEvent::Failed(endless()));
                }
            }
        }
        // What came together is told together: everybody on the way to people is asked for each event.
        for event in events {
            let left = match self.ready.back_mut() {
                Some(last) => last.take_up(event),
                None => Some(event),
            };
            self.ready.extend(left);
        }
        Ok(())
    }

    fn stalled(&self, transport: &Transport) -> ModelFault {
        let text = if self.total.left(transport.clock()).is_zero() {
            "the answer took longer than the gateway waits in all"
        } else if self.received == 0 {
            "the server took the request and sent nothing in time"
        } else {
            "the server stopped in the middle of the answer"
        };
        ModelFault::new(FaultReason::Timeout, text)
    }

    /// Looks for the end of the body without waiting for it: a connection that is read to its end is used again.
    async fn look_for_the_end(&mut self) {
        for _ in 0..LAST_LOOKS {
            match self.response.chunk().now_or_never() {
                Some(Ok(Some(_))) => {}
                Some(Ok(None) | Err(_)) => return,
                None => tokio::task::yield_now().await,
            }
        }
    }
}

fn silent(place: &CallAddress) -> ModelFault {
    ModelFault::new(FaultReason::Timeout, format!("{} did not answer in time", place.host()))
}

fn too_large() -> ModelFault {
    ModelFault::new(FaultReason::TooLarge, "the answer is larger than the gateway accepts")
}

fn endless() -> ModelFault {
    ModelFault::new(FaultReason::Truncated, "the answer ended without its end")
}

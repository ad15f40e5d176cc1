//! Bounds the time to a usable connection with the clock of the transport, so that tests can steer it.
//!
//! A layer around the connector of the HTTP client, which would measure with the machine's clock. The client's own
//! types pass through unseen.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use openclaw_ports::{Clock, Deadline, TimedOut};
use tower::{Layer, Service};

type BoxError = Box<dyn Error + Send + Sync>;

/// Puts a bound around a connector.
#[derive(Clone)]
pub(super) struct ConnectBound {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) span: Duration,
}

impl<S> Layer<S> for ConnectBound {
    type Service = Bounded<S>;

    fn layer(&self, connector: S) -> Bounded<S> {
        Bounded { connector, bound: self.clone() }
    }
}

/// A connector that gives up in time.
#[derive(Clone)]
pub(super) struct Bounded<S> {
    connector: S,
    bound: ConnectBound,
}

impl<S, Q> Service<Q> for Bounded<S>
where
    S: Service<Q, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, destination: Q) -> Self::Future {
        let connecting = self.connector.call(destination);
        let ConnectBound { clock, span } = self.bound.clone();
        Box::pin(async move {
            match Deadline::after(clock.as_ref(), span).bound(clock.as_ref(), connecting).await {
                Ok(connected) => connected,
                Err(TimedOut) => Err(BoxError::from(ConnectTimedOut)),
            }
        })
    }
}

/// No connection came about in time.
#[derive(Debug)]
pub(super) struct ConnectTimedOut;

impl fmt::Display for ConnectTimedOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("no connection came about in time")
    }
}

impl Error for ConnectTimedOut {}

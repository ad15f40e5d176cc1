//! The budget for calls that rewrite or restart the gateway: three a minute for each device and address.
//!
//! `config.apply`, `config.patch` and `update.run` share it. The caller asks before it runs such a method and
//! turns `OverBudget` into a retryable error.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openclaw_protocol::{CONTROL_PLANE_CALLS, CONTROL_PLANE_WINDOW_MS, ErrorShape};
use openclaw_types::{ConnectionId, DeviceId};
use serde_json::json;

/// How long a window lasts.
const WINDOW: Duration = Duration::from_millis(CONTROL_PLANE_WINDOW_MS);
/// How many callers are remembered at once.
const MAX_CALLERS: usize = 10_000;

/// Who spends: a device at an address, or a lone connection when neither is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum BudgetKey {
    /// A device, an address, or both.
    Caller {
        /// The device that proved itself.
        device: Option<DeviceId>,
        /// Where it came from, when that is known and not this machine.
        address: Option<IpAddr>,
    },
    /// A caller of which only its socket is known.
    Connection(ConnectionId),
}

impl BudgetKey {
    /// The key of a caller.
    pub(crate) fn of(device: Option<DeviceId>, address: Option<IpAddr>, connection: ConnectionId) -> Self {
        match (device, address) {
            (None, None) => Self::Connection(connection),
            (device, address) => Self::Caller { device, address },
        }
    }
}

/// The budget is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OverBudget {
    /// When the next call is allowed.
    pub(crate) retry_after: Duration,
}

impl OverBudget {
    /// The error for the client that called `method`.
    pub(crate) fn to_error(self, method: &str) -> ErrorShape {
        let millis = u64::try_from(self.retry_after.as_millis()).unwrap_or(u64::MAX);
        let limit = format!("{CONTROL_PLANE_CALLS} per {}s", WINDOW.as_secs());
        ErrorShape::unavailable(format!(
            "rate limit exceeded for {method}; retry after {}s",
            millis.div_ceil(1000)
        ))
        .with_details(json!({"method": method, "limit": limit}))
        .retry_after(millis)
    }
}

/// Keeps the budgets of all callers.
#[derive(Debug, Default)]
pub(crate) struct ControlPlaneBudget {
    windows: Mutex<HashMap<BudgetKey, Spent>>,
}

#[derive(Debug, Clone, Copy)]
struct Spent {
    calls: u32,
    since: Duration,
}

impl ControlPlaneBudget {
    /// Nobody has spent anything yet.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes one call from the caller's budget.
    ///
    /// # Errors
    /// `OverBudget` when three calls were made in this window.
    pub(crate) fn spend(&self, key: BudgetKey, now: Duration) -> Result<(), OverBudget> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.len() >= MAX_CALLERS {
            windows.retain(|_, spent| now.saturating_sub(spent.since) < WINDOW);
        }
        if windows.len() >= MAX_CALLERS && !windows.contains_key(&key) {
            return Err(OverBudget { retry_after: WINDOW });
        }
        let spent = windows.entry(key).or_insert(Spent { calls: 0, since: now });
        if now.saturating_sub(spent.since) >= WINDOW {
            *spent = Spent { calls: 0, since: now };
        }
        if spent.calls >= CONTROL_PLANE_CALLS {
            return Err(OverBudget { retry_after: (spent.since + WINDOW).saturating_sub(now) });
        }
        spent.calls += 1;
        Ok(())
    }
}

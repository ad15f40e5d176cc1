//! The gateway as a background service of one user: a systemd user unit, or a launch agent on macOS.
//!
//! `plan` decides what the service is, `systemd` and `launchd` write it down (pure), `manager` talks to the system.

mod launchd;
mod plan;
mod supervisor;
mod systemd;

pub(crate) use plan::{PlanInput, ServicePlan};
#[cfg(test)]
pub(crate) use supervisor::Runtime;
pub(crate) use supervisor::{Manager, Report};

#[cfg(test)]
mod tests;

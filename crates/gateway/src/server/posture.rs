//! Refuses to listen where strangers could connect without a secret.
//!
//! Pure. Checked before anything is bound, for the address that will really be opened: the command line may ask for
//! another one than the file. The rule itself is the configuration's.

use openclaw_config::{Bind, GatewaySettings};

use crate::error::GatewayError;

/// Says why the gateway must not start on this address with these settings.
pub(crate) fn check(bind: Bind, settings: &GatewaySettings) -> Result<(), GatewayError> {
    let problems = settings.exposure(bind);
    let reasons: Vec<_> = problems
        .iter()
        .map(|problem| match &problem.hint {
            Some(hint) => format!("{} ({}); {hint}", problem.message, problem.path),
            None => format!("{} ({})", problem.message, problem.path),
        })
        .collect();
    if reasons.is_empty() { Ok(()) } else { Err(GatewayError::Unsafe { reason: reasons.join("; ") }) }
}

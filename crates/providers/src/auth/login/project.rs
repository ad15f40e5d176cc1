//! Asks Google who the account is and which project its calls are counted on.
//!
//! Accounts without a project get one here, which takes the vendor a while.

use std::time::Duration;

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::Secret;
use serde_json::{Value, json};

use super::{LoginContext, LoginError};
use crate::auth::vendors::SignInVendor;
use crate::auth::web;

const FREE: &str = "free-tier";
const LEGACY: &str = "legacy-tier";
/// How often, and with what pause, is asked whether the project is ready.
const MAX_LOOKS: u32 = 24;
const PAUSE: Duration = Duration::from_secs(5);

/// The account's address, where the vendor tells.
pub(super) async fn email(
    vendor: &SignInVendor,
    context: LoginContext<'_>,
    token: &Secret<String>,
) -> Option<String> {
    let call = web::as_account(web::get(&vendor.urls.account, vendor.urls.reach), token);
    match context.transport.json(call).await {
        Ok(answer) if answer.is_success() => {
            let account: Value = serde_json::from_slice(&answer.body).ok()?;
            account.get("email")?.as_str().map(str::to_owned)
        }
        Ok(answer) => {
            tracing::debug!(status = answer.status, "the account's address is not told");
            None
        }
        Err(fault) => {
            tracing::debug!(%fault, "the account's address is not known");
            None
        }
    }
}

/// The account's project.
pub(super) async fn discover(
    vendor: &SignInVendor,
    context: LoginContext<'_>,
    token: &Secret<String>,
) -> Result<String, LoginError> {
    let wanted = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"]
        .into_iter()
        .find_map(|name| context.environment.get_trimmed(name));
    let asker = Asker { vendor, context, token };
    let (server, account) = match asker.load(wanted).await {
        Ok(found) => found,
        Err(fault) => return wanted.map(str::to_owned).ok_or(LoginError::Trouble(fault)),
    };
    let settled = account.get("currentTier").is_some_and(|tier| !tier.is_null());
    if settled {
        return project_of(&account).or(wanted.map(str::to_owned)).ok_or_else(needs_project);
    }
    let tier = default_tier(&account);
    if tier != FREE && wanted.is_none() {
        return Err(needs_project());
    }
    let project = asker.set_up(&server, &tier, wanted.filter(|_| tier != FREE)).await?;
    project.or(wanted.map(str::to_owned)).ok_or_else(needs_project)
}

struct Asker<'a> {
    vendor: &'a SignInVendor,
    context: LoginContext<'a>,
    token: &'a Secret<String>,
}

impl Asker<'_> {
    /// What the first server that answers knows about the account.
    async fn load(&self, wanted: Option<&str>) -> Result<(String, Value), ModelFault> {
        let mut body = json!({ "metadata": metadata() });
        if let Some(project) = wanted {
            body["cloudaicompanionProject"] = project.into();
            body["metadata"]["duetProject"] = project.into();
        }
        let mut last = ModelFault::new(FaultReason::Format, "no address is known to ask for the project");
        for server in &self.vendor.urls.project {
            match self.post(&format!("{server}/v1internal:loadCodeAssist"), body.clone()).await {
                Ok(account) => return Ok((server.clone(), account)),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    /// Lets the vendor make a project, and waits for it.
    async fn set_up(
        &self,
        server: &str,
        tier: &str,
        project: Option<&str>,
    ) -> Result<Option<String>, ModelFault> {
        let mut body = json!({ "tierId": tier, "metadata": metadata() });
        if let Some(project) = project {
            body["cloudaicompanionProject"] = project.into();
            body["metadata"]["duetProject"] = project.into();
        }
        let mut work = self.post(&format!("{server}/v1internal:onboardUser"), body).await?;
        for _ in 0..MAX_LOOKS {
            if work.get("done").and_then(Value::as_bool) == Some(true) {
                break;
            }
            let Some(name) = work.get("name").and_then(Value::as_str).map(str::to_owned) else { break };
            self.context.clock.sleep(PAUSE).await;
            let url = format!("{server}/v1internal/{name}");
            work = self.answer(web::get(&url, self.vendor.urls.reach)).await?;
        }
        Ok(work.get("response").and_then(project_of))
    }

    async fn post(&self, url: &str, body: Value) -> Result<Value, ModelFault> {
        self.answer(web::json(url, self.vendor.urls.reach, body)).await
    }

    async fn answer(&self, call: crate::transport::JsonCall) -> Result<Value, ModelFault> {
        let answer = self.context.transport.json(web::as_account(call, self.token)).await?;
        if !answer.is_success() {
            let text = format!("Google does not tell the account's project (status {})", answer.status);
            return Err(ModelFault {
                status: Some(answer.status),
                ..ModelFault::new(FaultReason::Refused, text)
            });
        }
        serde_json::from_slice(&answer.body).map_err(|_quotes| {
            ModelFault::new(FaultReason::Malformed, "Google's answer about the project is no JSON")
        })
    }
}

fn metadata() -> Value {
    json!({ "ideType": "IDE_UNSPECIFIED", "platform": "PLATFORM_UNSPECIFIED", "pluginType": "GEMINI" })
}

/// A project is a name, or an object with one.
fn project_of(account: &Value) -> Option<String> {
    let project = account.get("cloudaicompanionProject")?;
    let name = project.as_str().or_else(|| project.get("id")?.as_str())?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn default_tier(account: &Value) -> String {
    let tiers = account.get("allowedTiers").and_then(Value::as_array);
    let tier =
        tiers.into_iter().flatten().find(|tier| tier.get("isDefault").and_then(Value::as_bool) == Some(true));
    match tier {
        Some(tier) => tier.get("id").and_then(Value::as_str).unwrap_or(FREE).to_owned(),
        None => LEGACY.to_owned(),
    }
}

fn needs_project() -> LoginError {
    LoginError::Unusable {
        problem: "this Google account needs a project of its own; set GOOGLE_CLOUD_PROJECT and sign in again"
            .to_owned(),
    }
}

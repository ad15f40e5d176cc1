//! The `gateway` tool: restarts the gateway, shows its configuration, and changes the parts of it that agents may change.
//!
//! For the owner alone. What an agent may change is decided in `guard`; reading and writing is the business of
//! `ports::tool::GatewayControl`, which checks and redacts.

mod guard;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_config::{CommandSettings, Config};
use openclaw_ports::tool::{
    Audience, Concurrency, ConfigText, ControlFault, ControlRequest, Effect, GatewayControl, Tool,
    ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use openclaw_types::SessionKey;
use serde_json::{Value, json};

use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// The longest reason for a restart, in letters.
const REASON_LETTERS: usize = 200;

/// The tools of this family.
pub(crate) fn tools(
    control: &Arc<dyn GatewayControl>,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(GatewayTool {
        descriptor: descriptor(),
        control: Arc::clone(control),
        settings: Arc::clone(settings),
    })]
}

struct GatewayTool {
    descriptor: ToolDescriptor,
    control: Arc<dyn GatewayControl>,
    settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
}

impl GatewayTool {
    async fn act(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("gateway", arguments)?;
        let action = given.needed_word(&["action"])?;
        let request = match action.as_str() {
            "restart" => self.restart(&given)?,
            "config.get" => ControlRequest::ConfigGet,
            "config.schema" => ControlRequest::ConfigSchema,
            "config.patch" => ControlRequest::ConfigPatch(self.patch(context, &given).await?),
            "config.apply" => return Err(Stop::refused(guard::WHOLE)),
            other => {
                return Err(Stop::failed(format!(
                    "gateway: '{other}' is no action. There are restart, config.get, config.schema and config.patch."
                )));
            }
        };
        let is_restart = matches!(request, ControlRequest::Restart { .. });
        let result = self.control.act(request).await?;
        let answer = if is_restart { result } else { json!({ "ok": true, "result": result }) };
        Ok(ToolOutput::json(answer).with_meta(action))
    }

    fn restart(&self, given: &ToolArguments) -> Result<ControlRequest, Stop> {
        if !CommandSettings::resolve(&(self.settings)().raw).restart {
            return Err(Stop::refused("commands.restart is false: the gateway is restarted by people only."));
        }
        let reason = given.word(&["reason", "note"])?;
        Ok(ControlRequest::Restart {
            delay: given.whole("delayMs")?.map(Duration::from_millis),
            reason: reason.map(|reason| reason.chars().take(REASON_LETTERS).collect()),
        })
    }

    async fn patch(&self, context: &ToolContext, given: &ToolArguments) -> Result<ConfigText, Stop> {
        let raw = given.needed_word(&["raw"])?;
        let session = match given.word(&["sessionKey"])? {
            Some(text) => text.parse::<SessionKey>().map_err(|error| {
                Stop::failed(format!("gateway: `sessionKey` is no session key: {error}."))
            })?,
            None => context.session.clone(),
        };
        Ok(ConfigText {
            // What was judged is what is written, whatever the text looked like.
            raw: guard::judged(&raw)?.to_string(),
            base_hash: match given.word(&["baseHash"])? {
                Some(hash) => Some(hash),
                None => self.hash().await?,
            },
            session: Some(session),
            note: given.word(&["note"])?,
            restart_delay: given.whole("restartDelayMs")?.map(Duration::from_millis),
        })
    }

    /// The hash of the configuration of the moment.
    async fn hash(&self) -> Result<Option<String>, Stop> {
        let shown = self.control.act(ControlRequest::ConfigGet).await?;
        Ok(shown.get("hash").and_then(Value::as_str).map(str::to_owned))
    }
}

#[async_trait]
impl Tool for GatewayTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.act(context, arguments).await)
    }
}

impl From<ControlFault> for Stop {
    fn from(fault: ControlFault) -> Self {
        Self::Failed(fault.0)
    }
}

fn descriptor() -> ToolDescriptor {
    ToolDescriptor {
        name: "gateway",
        label: "Gateway",
        summary: "Restart the gateway, show its configuration, change some of it",
        description: format!(
            "Steers the gateway itself; only when the owner asks for it. `restart` starts it anew, `config.get` and \
             `config.schema` show the configuration and what it may hold, `config.patch` merges the JSON5 object in `raw` \
             into it and restarts; `note` is told to the owner when it is back. Agents may change {}; everything else is \
             changed by people.",
            guard::open_words()
        ).into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["restart", "config.get", "config.schema", "config.patch"] },
                "delayMs": { "type": "number" },
                "reason": { "type": "string" },
                "raw": { "type": "string" },
                "baseHash": { "type": "string" },
                "sessionKey": { "type": "string" },
                "note": { "type": "string" },
                "restartDelayMs": { "type": "number" },
            },
            "required": ["action"],
        }).into(),
        group: ToolGroup::Automation,
        concurrency: Concurrency::Exclusive,
        effect: Effect::Changes,
        audience: Audience::Owner,
    }
}

//! Small real tools: `look` only looks, `change` changes something, `held` does so when the gate is open.
//!
//! What they did is written into a list that outlives the process, as the world would remember it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_config::{Config, Environment, Locations, ProfileChoice};
use openclaw_flow::SessionTools;
use openclaw_ports::Clock;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, NamedBy, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput,
    ToolReply, WebAnswer, WebClient, WebFault, WebRequest,
};
use openclaw_providers::Gate;
use openclaw_tools::{GuardedFiles, MovedPlaces, ProtectedPlaces, ToolHandles};
use serde_json::{Value, json};

use crate::crash_plan::CrashPlan;

pub(crate) fn tools(
    deeds: &Arc<Mutex<Vec<String>>>,
    gate: &Gate,
    crash_plan: &Arc<CrashPlan>,
) -> Vec<Arc<dyn Tool>> {
    [("look", Effect::Looks), ("change", Effect::Changes), ("held", Effect::Changes)]
        .into_iter()
        .map(|(name, effect)| -> Arc<dyn Tool> {
            let (deeds, gate, crash_plan) = (Arc::clone(deeds), gate.clone(), Arc::clone(crash_plan));
            Arc::new(Prop { descriptor: descriptor(name, effect), deeds, gate, crash_plan })
        })
        .collect()
}

/// The real tools about sessions and messages, on a desk.
pub(crate) fn session_tools(
    desk: &SessionTools,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    clock: &Arc<dyn Clock>,
) -> Vec<Arc<dyn Tool>> {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let handles = ToolHandles {
        settings: Arc::clone(settings),
        protected: ProtectedPlaces::of(&locations),
        environment,
        clock: Arc::clone(clock),
        web: None,
        commands: None,
        sessions: Some(Arc::new(desk.clone())),
        messenger: Some(Arc::new(desk.clone())),
        control: None,
        vision: None,
    };
    let all = openclaw_tools::tools(&handles).into_iter();
    all.filter(|tool| tool.descriptor().group != ToolGroup::Files).collect()
}

/// The door to files of a home whose state directory is `state`.
pub(crate) fn door(home: &Path) -> GuardedFiles {
    let state_dir = home.join("state");
    GuardedFiles(ProtectedPlaces {
        config_path: state_dir.join("openclaw.json"),
        credentials_dir: state_dir.join("credentials"),
        state_dir,
        moved: Arc::new(MovedPlaces::default),
    })
}

/// A web with one picture, and nothing private.
pub(crate) struct OnePicture;

#[async_trait]
impl WebClient for OnePicture {
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault> {
        if !request.url.starts_with("https://pictures.example/") || request.named_by != NamedBy::Others {
            return Err(WebFault::Refused("a private address".to_owned()));
        }
        Ok(WebAnswer {
            url: request.url,
            status: 200,
            content_type: None,
            headers: std::collections::BTreeMap::new(),
            body: vec![0x89, b'P', b'N', b'G', 13, 10],
            cut: false,
        })
    }
}

fn descriptor(name: &'static str, effect: Effect) -> ToolDescriptor {
    ToolDescriptor {
        name,
        label: name,
        summary: name,
        description: name.into(),
        parameters: json!({
            "type": "object",
            "properties": { "what": { "type": "string" } },
            "required": ["what"],
        })
        .into(),
        group: ToolGroup::Files,
        concurrency: Concurrency::Exclusive,
        effect,
        audience: Audience::Everybody,
    }
}

struct Prop {
    descriptor: ToolDescriptor,
    deeds: Arc<Mutex<Vec<String>>>,
    gate: Gate,
    crash_plan: Arc<CrashPlan>,
}

#[async_trait]
impl Tool for Prop {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, _: &ToolContext, arguments: Value) -> ToolReply {
        let what = arguments["what"].as_str().unwrap_or("nothing").to_owned();
        let name = self.descriptor.name;
        if name == "held" {
            self.gate.pass().await;
        }
        let deed = async {
            if self.descriptor.effect != Effect::Looks {
                self.deeds.lock().unwrap().push(what.clone());
            }
        };
        self.crash_plan.step(deed).await;
        ToolOutput::done(format!("{name} did {what}")).into()
    }
}

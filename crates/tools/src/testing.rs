//! A small world for the tests of tools: a home with a workspace, a state directory, and a context to call from.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::tool::{
    ExecChoices, FileReach, Tool, ToolContext, ToolReply, WebAnswer, WebClient, WebFault, WebRequest,
};
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, Content, Sender, SessionKey, SessionScope, ToolCallId, ToolOutcome};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::{ProtectedPlaces, ToolHandles, tools};

pub(crate) struct World {
    pub(crate) home: TempDir,
    pub(crate) config: Value,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) clock: Arc<SimClock>,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("work")).unwrap();
        std::fs::create_dir_all(home.path().join(".openclaw/state")).unwrap();
        Self { home, config: json!({}), variables: Vec::new(), clock: Arc::new(SimClock::new()) }
    }

    /// A path below home, with symbolic links of the machine resolved.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        std::fs::canonicalize(self.home.path()).unwrap().join(inside)
    }

    /// A file of the workspace.
    pub(crate) fn work(&self, inside: &str) -> PathBuf {
        self.path("work").join(inside)
    }

    pub(crate) fn write(&self, inside: &str, content: impl AsRef<[u8]>) {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn text(&self, inside: &str) -> String {
        std::fs::read_to_string(self.path(inside)).unwrap()
    }

    pub(crate) fn context(&self, files: FileReach) -> ToolContext {
        let agent = AgentId::new("main").unwrap();
        ToolContext {
            run: openclaw_types::RunId::new("run").unwrap(),
            call: ToolCallId::new("call").unwrap(),
            session: SessionKey::new(&agent, SessionScope::Main),
            agent,
            session_id: openclaw_types::SessionId::new("session").unwrap(),
            workspace: self.home.path().join("work"),
            files,
            keep: self.home.path().join(".openclaw/kept"),
            model: None,
            sees_images: true,
            sender: Sender::owner(),
            exec: ExecChoices::default(),
            progress: Arc::new(|_partial| {}),
            cancel: CancellationToken::new(),
        }
    }

    pub(crate) fn handles(&self) -> ToolHandles {
        let environment = Environment::fake(self.variables.clone(), self.path(""));
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let overrides = Overrides::default();
        let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
        let raw = serde_json::from_value(self.config.clone()).unwrap();
        let config = Arc::new(Config::resolve(raw, &context).0);
        ToolHandles {
            settings: Arc::new(move || config.clone()),
            environment,
            protected: ProtectedPlaces::of(&locations),
            clock: self.clock.clone(),
            web: None,
            commands: None,
            sessions: None,
            messenger: None,
            control: None,
            vision: None,
        }
    }

    /// Calls a tool that may touch only the workspace.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> ToolReply {
        self.call_with(tool, arguments, FileReach::Workspace).await
    }

    /// Calls a tool with a reach.
    pub(crate) async fn call_with(&self, tool: &str, arguments: Value, files: FileReach) -> ToolReply {
        find(&tools(&self.handles()), tool).call(&self.context(files), arguments).await
    }
}

pub(crate) fn find(tools: &[Arc<dyn Tool>], name: &str) -> Arc<dyn Tool> {
    tools.iter().find(|tool| tool.descriptor().name == name).unwrap().clone()
}

/// The words of a reply, and how it ended: `+` done, `-` did not work, `!` refused.
pub(crate) fn said(reply: &ToolReply) -> String {
    match reply {
        ToolReply::Output(output) => {
            let mark = if output.outcome == ToolOutcome::Done { "+" } else { "-" };
            let words: Vec<&str> = output.content.iter().filter_map(Content::as_text).collect();
            format!("{mark}{}", words.join("\n"))
        }
        ToolReply::Refused(text) => format!("!{text}"),
        ToolReply::Fault(text) => panic!("a fault: {text}"),
    }
}

#[track_caller]
pub(crate) fn assert_refused(reply: &ToolReply) {
    assert!(matches!(reply, ToolReply::Refused(_)), "{reply:?}");
}

/// Links a path to another.
pub(crate) fn link(to: impl AsRef<Path>, at: impl AsRef<Path>) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

/// A web whose answers a test has written down; it keeps what it was asked.
pub(crate) struct WrittenWeb {
    answers: std::sync::Mutex<std::collections::VecDeque<Result<WebAnswer, WebFault>>>,
    asked: std::sync::Mutex<Vec<WebRequest>>,
}

impl WrittenWeb {
    pub(crate) fn new(answers: impl IntoIterator<Item = Result<WebAnswer, WebFault>>) -> Arc<Self> {
        Arc::new(Self {
            answers: std::sync::Mutex::new(answers.into_iter().collect()),
            asked: Default::default(),
        })
    }

    /// What it was asked.
    pub(crate) fn asked(&self) -> Vec<WebRequest> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl WebClient for WrittenWeb {
    async fn fetch(&self, request: WebRequest) -> Result<WebAnswer, WebFault> {
        self.asked.lock().unwrap().push(request);
        self.answers.lock().unwrap().pop_front().unwrap_or(Err(WebFault::TimedOut))
    }
}

/// An answer of a server.
pub(crate) fn answer(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Result<WebAnswer, WebFault> {
    Ok(WebAnswer {
        url: "https://example.com/end".to_owned(),
        status,
        content_type: Some(content_type.to_owned()),
        headers: std::collections::BTreeMap::new(),
        body: body.as_ref().to_vec(),
        cut: false,
    })
}

/// The value for programs of a reply that was done.
pub(crate) fn details(reply: ToolReply) -> Value {
    match reply {
        ToolReply::Output(output) => output.details.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

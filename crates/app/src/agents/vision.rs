//! Has a model look at pictures: those configured for pictures, then the agent's own where it sees.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use openclaw_agent::{CallEvent, ModelCall, Models, PictureLimits, PictureRoom, Purpose, Selection};
use openclaw_config::Config;
use openclaw_ports::model::ModelRequest;
use openclaw_ports::tool::{PictureQuestion, ToolContext, Vision, VisionFault};
use openclaw_types::{AgentId, Content, Message, UserMessage};

/// Asks models.
pub(super) struct ModelVision {
    models: Models,
    settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    pictures: PictureRoom,
}

impl ModelVision {
    pub(super) fn new(models: Models, settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>) -> Self {
        Self { models, settings, pictures: PictureRoom::default() }
    }
}

#[async_trait]
impl Vision for ModelVision {
    fn is_ready(&self, agent: &AgentId) -> bool {
        self.models.see_pictures(agent)
    }

    async fn ask(&self, context: &ToolContext, question: PictureQuestion) -> Result<String, VisionFault> {
        let mut request = ModelRequest::asking(&question.prompt);
        let mut content = vec![Content::text(&question.prompt)];
        let pictures = question.pictures.into_iter().map(Content::Image).collect();
        let limits = PictureLimits::of(&(self.settings)());
        content.extend(self.pictures.fit(pictures, limits).await);
        request.messages = vec![Message::User(UserMessage { content, ..UserMessage::default() }).into()];
        let mut stream = self.models.call(ModelCall {
            agent: context.agent.clone(),
            session: Some(context.session.to_string()),
            run: context.run.clone(),
            selection: question.model.map_or(Selection::Pictures, Selection::Run),
            pin: None,
            thinking: None,
            purpose: Purpose::Answer,
            request: Arc::new(request),
        });
        while let Some(event) = stream.next().await {
            match event {
                CallEvent::Done(done) => {
                    let words = done.completion.content.iter().filter_map(Content::as_text);
                    return Ok(words.collect::<Vec<_>>().join("\n"));
                }
                CallEvent::Failed(failed) => return Err(VisionFault(failed.message)),
                _ => {}
            }
        }
        Err(VisionFault("the model that looks at pictures gave no answer".to_owned()))
    }
}

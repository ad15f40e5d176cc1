//! Has a model look at pictures: the configured one for pictures, else the agent's own when it can see.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use openclaw_agent::{CallEvent, ModelCall, Models, PictureLimits, PictureRoom, Purpose, Selection};
use openclaw_config::Config;
use openclaw_ports::model::ModelRequest;
use openclaw_ports::tool::{PictureQuestion, ToolContext, Vision, VisionFault};
use openclaw_types::{Content, Message, UserMessage};

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

    /// The model for pictures, where one is set up.
    fn configured(&self) -> Option<String> {
        (self.settings)().models.image.primary.clone()
    }
}

#[async_trait]
impl Vision for ModelVision {
    fn is_ready(&self) -> bool {
        let default = (self.settings)().agents.default_agent.clone();
        let own = self.models.primary(&default);
        self.configured().is_some() || self.models.facts(&own).is_some_and(|facts| facts.sees_images)
    }

    async fn ask(&self, context: &ToolContext, question: PictureQuestion) -> Result<String, VisionFault> {
        let mut request = ModelRequest::asking(&question.prompt);
        let mut content = vec![Content::text(&question.prompt)];
        let pictures = question.pictures.into_iter().map(Content::Image).collect();
        let limits = PictureLimits::of(&(self.settings)());
        content.extend(self.pictures.fit(pictures, limits).await);
        request.messages = vec![Message::User(UserMessage { content, ..UserMessage::default() }).into()];
        let chosen = question.model.or_else(|| self.configured());
        let mut stream = self.models.call(ModelCall {
            agent: context.agent.clone(),
            session: Some(context.session.to_string()),
            run: context.run.clone(),
            selection: chosen.map_or(Selection::Default, Selection::Run),
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

//! Pictures from files, addresses and data, and questions about them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_ports::tool::{
    FileReach, PictureQuestion, ToolContext, ToolReply, Vision, VisionFault, WebFault,
};
use openclaw_types::AgentId;
use serde_json::{Value, json};

use crate::testing::{World, WrittenWeb, answer, details, find, said};
use crate::{ToolHandles, tools};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0000IHDR";

/// A model that notes what it is asked.
#[derive(Default)]
struct Seer(Mutex<Vec<PictureQuestion>>);

#[async_trait]
impl Vision for Seer {
    fn is_ready(&self, _agent: &AgentId) -> bool {
        true
    }

    async fn ask(&self, _context: &ToolContext, question: PictureQuestion) -> Result<String, VisionFault> {
        self.0.lock().unwrap().push(question);
        Ok("a bee".to_owned())
    }
}

async fn ask(
    world: &World,
    web: Option<Arc<WrittenWeb>>,
    arguments: Value,
) -> (ToolReply, Vec<PictureQuestion>) {
    let seer = Arc::new(Seer::default());
    let web = web.map(|web| web as Arc<dyn openclaw_ports::tool::WebClient>);
    let handles = ToolHandles { vision: Some(seer.clone()), web, ..world.handles() };
    let reply = find(&tools(&handles), "image").call(&world.context(FileReach::Workspace), arguments).await;
    let asked = seer.0.lock().unwrap().clone();
    (reply, asked)
}

#[tokio::test]
async fn pictures_from_everywhere_are_asked_about_once_each() {
    let world = World::new();
    world.write("work/a.png", PNG);
    let web = WrittenWeb::new([answer(200, "image/jpeg", b"\xff\xd8\xff\xe0")]);
    let data = "data:image/gif;base64,R0lGODlhAQABAA==";
    let arguments = json!({ "image": "a.png", "images": ["@a.png", "https://example.com/p.jpg", data], "prompt": "what?", "model": "v/m" });
    let (reply, asked) = ask(&world, Some(web), arguments).await;
    assert_eq!(said(&reply), "+a bee");
    let types: Vec<_> =
        asked[0].pictures.iter().map(|picture| picture.media_type.as_deref().unwrap()).collect();
    assert_eq!(types, ["image/png", "image/jpeg", "image/gif"]);
    assert_eq!((asked[0].prompt.as_str(), asked[0].model.as_deref()), ("what?", Some("v/m")));
    let (reply, asked) = ask(&world, None, json!({ "image": "a.png" })).await;
    assert!(!asked[0].prompt.is_empty());
    assert_eq!(details(reply), json!({ "image": "a.png" }));
}

#[tokio::test]
async fn what_is_no_picture_too_large_too_many_or_out_of_reach_is_told_and_nobody_is_asked() {
    let world = World::new();
    world.write("work/text.png", "not a picture");
    world.write("work/big.png", [PNG, &vec![0; 24_000_000]].concat());
    world.write("secret.png", PNG);
    let many: Vec<String> = (0..21).map(|number| format!("{number}.png")).collect();
    let cases = [
        (json!({}), "-image: the parameter `image`"),
        (json!({ "image": "text.png" }), "-text.png is no picture"),
        (json!({ "image": "big.png" }), "-big.png has 22.9 MB or more"),
        (json!({ "image": "text.png", "maxBytesMb": 0.000_001 }), "-text.png has 13 bytes or more"),
        (json!({ "images": many }), "-21 pictures were given"),
        (json!({ "image": "../secret.png" }), "!"),
        (json!({ "image": "ftp://example.com/a.png" }), "-ftp://example.com/a.png is no kind of address"),
        (json!({ "image": "data:image/png;base64,???" }), "-The data: address"),
        (json!({ "image": "https://10.0.0.1/a.png" }), "!Not fetched: private."),
    ];
    for (arguments, expected) in cases {
        let web = WrittenWeb::new([Err(WebFault::Refused("private".to_owned()))]);
        let (reply, asked) = ask(&world, Some(web), arguments).await;
        assert!(said(&reply).starts_with(expected), "{reply:?}");
        assert!(asked.is_empty());
    }
}

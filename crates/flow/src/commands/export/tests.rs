//! Pages hold what was said and nothing that could run; files stay in the workspace.

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{
    AssistantMessage, Content, EntryId, Image, ImageData, LineEntry, LineRecord, Message, ToolCall,
    ToolCallId, TranscriptLine, UnixMillis, UserMessage,
};
use serde_json::json;

use super::page::{Heading, page};
use super::place::{Obstacle, target, write};

fn heading() -> Heading {
    Heading {
        key: "agent:main:<main>".to_owned(),
        session: "s-1".to_owned(),
        model: "alpha/one".to_owned(),
        exported_at: UnixMillis(0),
        version: "1".to_owned(),
    }
}

fn stored(message: Message) -> StoredEntry {
    let id = EntryId::new("e-1").unwrap();
    let entry = LineEntry { id: Some(id), parent: None, at: Some(UnixMillis(0)), body: message.into() };
    let line = TranscriptLine::new(LineRecord::Entry(Box::new(entry)));
    StoredEntry { sequence: 1, run: None, line: line.into() }
}

#[test]
fn what_was_said_cannot_become_part_of_the_page() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\" onload='x";
    let call = ToolCall {
        id: ToolCallId::new("c").unwrap(),
        name: "</summary><script>".to_owned(),
        arguments: json!({ "a": "<script>" }),
        signature: None,
    };
    let odd = Image {
        media_type: Some("image/svg+xml".to_owned()),
        data: ImageData::Inline("PHN2Zz4=".to_owned()),
    };
    let broken =
        Image { media_type: Some("image/png".to_owned()), data: ImageData::Inline("\"><script>".to_owned()) };
    let far = Image { media_type: None, data: ImageData::Url("https://elsewhere.example/<x>".to_owned()) };
    let text = page(
        &heading(),
        &[
            stored(Message::User(UserMessage {
                content: vec![
                    Content::text(evil),
                    Content::Image(odd),
                    Content::Image(broken),
                    Content::Image(far),
                ],
                ..UserMessage::default()
            })),
            stored(Message::Assistant(AssistantMessage {
                content: vec![Content::ToolCall(call), Content::text(evil)],
                error: Some(evil.to_owned()),
                ..AssistantMessage::default()
            })),
        ],
    );
    assert!(!text.contains("<script"), "{text}");
    assert!(!text.contains("<img"), "{text}");
    assert!(!text.contains("src=\"http"), "{text}");
    assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(text.contains("agent:main:&lt;main&gt;"));
    assert!(text.contains("default-src 'none'"));
}

#[test]
fn pictures_are_part_of_the_page() {
    let image =
        Image { media_type: Some("image/png".to_owned()), data: ImageData::Inline("QUJD".to_owned()) };
    let user = UserMessage { content: vec![Content::Image(image)], ..UserMessage::default() };
    let text = page(&heading(), &[stored(Message::User(user))]);
    assert!(text.contains("<img alt=\"picture\" src=\"data:image/png;base64,QUJD\">"));
}

#[test]
fn only_names_inside_the_workspace_are_taken() {
    for wrong in ["/etc/passwd", "../x.html", "a/../../x", "", ".", ".git/config", "~/x.html", "a/.hidden"] {
        assert!(matches!(target(wrong), Err(Obstacle::Outside)), "{wrong}");
    }
    for right in ["talk", "talk.html", "./folder/talk.html"] {
        assert!(target(right).is_ok(), "{right}");
    }
}

#[tokio::test]
async fn links_are_not_followed_and_files_are_not_replaced() {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("workspace");
    let outside = home.path().join("outside");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, workspace.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("new.html"), workspace.join("dangling.html")).unwrap();

    let written =
        write(workspace.clone(), target("notes/talk").unwrap(), || "page".to_owned()).await.unwrap();
    assert_eq!(written, workspace.join("notes/talk.html"));
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "page");

    let again = write(workspace.clone(), target("notes/talk").unwrap(), || "other".to_owned()).await;
    assert!(matches!(again, Err(Obstacle::Taken(_))), "{again:?}");
    for path in ["link/talk", "dangling.html"] {
        let refused = write(workspace.clone(), target(path).unwrap(), || "page".to_owned()).await;
        assert!(refused.is_err(), "{path}: {refused:?}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

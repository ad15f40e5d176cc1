//! What each filled slot promises, tried on a line. An empty slot promises nothing.

use openclaw_ports::channel::{Capability, CommandEntry, DirectoryKind};
use openclaw_types::{
    AlbumItem, Button, ButtonLook, FieldKind, FormField, MediaFile, MediaKind, Menu, MenuOf, MenuOption,
    MessageId, Outgoing, Panel, PanelButton, PanelForm, PanelRow, PiecePayload, Poll, Pressed, RichText,
    SendTarget,
};

use super::live::{Ground, Picky, Up, within};
use super::{ChannelProof, Peer};

/// A sign that every platform with reactions knows.
const SIGN: &str = "👍";

/// A line that is up, with the other side of it.
pub(super) struct Stage {
    pub(super) peer: Box<dyn Peer>,
    pub(super) ground: Ground,
    pub(super) up: Up,
}

impl Stage {
    pub(super) async fn new(proof: &dyn ChannelProof) -> Self {
        let peer = within(proof.peer()).await;
        let ground = Ground::new(proof, peer.as_ref());
        let mut up = ground.connect(&peer.section()).await.expect("the line comes up");
        let (sink, _offered) = Picky::new(0);
        let _ended = up.listen(sink);
        Self { peer, ground, up }
    }

    pub(super) fn piece(&self, key: &str, payload: PiecePayload) -> Outgoing {
        Outgoing { payload, ..self.ground.piece(key, &self.peer.to(), "") }
    }

    fn target(&self) -> SendTarget {
        self.ground.piece("", &self.peer.to(), "").target
    }

    pub(super) async fn send(&self, piece: &Outgoing) -> MessageId {
        let send = self.up.surface.send.clone().expect("it sends");
        within(send.send(piece)).await.expect("the platform takes it").message
    }

    async fn say(&self, key: &str, words: &str) -> MessageId {
        self.send(&self.piece(key, PiecePayload::Text { text: RichText::plain(words) })).await
    }

    fn can(&self, capability: Capability) -> bool {
        self.up.surface.capabilities().contains(&capability)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.up.tasks.cancel();
    }
}

/// A message gets other words; the same words again are no error.
pub async fn a_message_is_changed_and_the_same_words_again_are_no_error(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(edit) = stage.up.surface.edit.clone() else { return };
    let message = stage.say("run/1", "before").await;
    for words in ["after", "after"] {
        let changed = within(edit.edit(&stage.target(), &message, &RichText::plain(words))).await;
        assert_eq!(changed, Ok(()), "{words}");
    }
}

/// A message is taken back; one that is already gone is not an error.
pub async fn a_message_is_taken_back_and_one_that_is_gone_is_no_error(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(delete) = stage.up.surface.delete.clone() else { return };
    let message = stage.say("run/1", "never mind").await;
    for time in ["once", "again"] {
        assert_eq!(within(delete.delete(&stage.target(), &message)).await, Ok(()), "{time}");
    }
}

/// A reaction is set and taken back, by name and whatever it was.
pub async fn a_reaction_is_set_and_taken_back(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(react) = stage.up.surface.react.clone() else { return };
    let message = stage.say("run/1", "look at this").await;
    for taken_back in [Some(SIGN), None] {
        assert_eq!(within(react.react(&stage.target(), &message, SIGN)).await, Ok(()));
        assert_eq!(within(react.unreact(&stage.target(), &message, taken_back)).await, Ok(()));
    }
}

/// Files, albums, questions and buttons are sent where the platform says that it takes them.
pub async fn what_is_sent_beside_words_is_taken(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    if stage.can(Capability::SendMedia) {
        let path = stage.ground.file("note.txt", b"a small file");
        let file = MediaFile { path, name: "note.txt".to_owned(), media_type: "text/plain".to_owned() };
        let kind = MediaKind::Document;
        let payload = PiecePayload::Media { file, kind, caption: RichText::plain("below it") };
        assert!(!stage.send(&stage.piece("run/file", payload)).await.as_str().is_empty());
    }
    if stage.can(Capability::SendMedia) && stage.ground.descriptor().albums.is_some() {
        let names = ["one.txt", "two.txt"];
        let items = names.map(|name| {
            let path = stage.ground.file(name, name.as_bytes());
            let file = MediaFile { path, name: name.to_owned(), media_type: "text/plain".to_owned() };
            AlbumItem { file, kind: MediaKind::Document }
        });
        let payload = PiecePayload::Album { items: items.to_vec(), caption: RichText::plain("below them") };
        assert!(!stage.send(&stage.piece("run/album", payload)).await.as_str().is_empty());
    }
    if stage.can(Capability::Polls) {
        let poll = Poll {
            question: "Tea?".to_owned(),
            options: vec!["Yes".to_owned(), "No".to_owned()],
            most: 1,
            seconds: None,
            anonymous: None,
        };
        assert!(!stage.send(&stage.piece("run/poll", PiecePayload::Poll(poll))).await.as_str().is_empty());
    }
    if stage.can(Capability::Panels) {
        assert!(
            !stage.send(&stage.piece("run/panel", PiecePayload::Panel(panel()))).await.as_str().is_empty()
        );
    }
    if stage.can(Capability::Buttons) {
        let button = Button { text: "Go".to_owned(), data: "go".to_owned() };
        let words = PiecePayload::Text { text: RichText::plain("May I?") };
        let piece = Outgoing { buttons: vec![vec![button]], ..stage.piece("run/buttons", words) };
        assert!(!stage.send(&piece).await.as_str().is_empty());
    }
}

/// Words with one of everything below them.
fn panel() -> Panel {
    let button = |label: &str, look, does| PanelButton { label: label.to_owned(), look, does, off: false };
    let says = |word: &str| Pressed::Says(word.to_owned());
    let options = ["tea", "soup"].map(|word| MenuOption {
        label: word.to_uppercase(),
        value: word.to_owned(),
        about: Some("hot".to_owned()),
    });
    let menu = |of| Menu { of, hint: Some("Choose".to_owned()), least: 0, most: 2 };
    let field = |name: &str, kind| FormField {
        name: name.to_owned(),
        label: name.to_owned(),
        about: None,
        kind,
        required: false,
    };
    Panel {
        text: RichText::plain("What would you like?"),
        rows: vec![
            PanelRow::Buttons(vec![
                button("Yes", ButtonLook::Success, says("yes")),
                button("No", ButtonLook::Danger, says("no")),
                button("More", ButtonLook::Plain, Pressed::Opens("https://a.example/more".to_owned())),
            ]),
            PanelRow::Menu(menu(MenuOf::Options(options.to_vec()))),
            PanelRow::Menu(menu(MenuOf::PeopleAndRoles)),
        ],
        form: Some(PanelForm {
            title: "Order".to_owned(),
            button: "Order".to_owned(),
            look: ButtonLook::Primary,
            fields: vec![
                field("who", FieldKind::Line(None)),
                field("wishes", FieldKind::Lines(Some("Anything else?".to_owned()))),
                field("what", FieldKind::One(options.to_vec())),
                field("with", FieldKind::Some(options.to_vec())),
                field("for", FieldKind::Menu(menu(MenuOf::People))),
            ],
        }),
    }
}

/// That we write, and words that are no message yet, can be shown as often as the host likes.
pub async fn writing_is_shown_while_it_goes_on(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    if let Some(typing) = stage.up.surface.typing.clone() {
        assert!(!typing.lasts().is_zero(), "it fades at once");
        for _ in 0..2 {
            assert_eq!(within(typing.typing(&stage.target())).await, Ok(()));
        }
    }
    if let Some(draft) = stage.up.surface.draft.clone().filter(|draft| draft.works(&stage.target())) {
        for words in ["One", "One moment"] {
            assert_eq!(within(draft.draft(&stage.target(), 7, &RichText::plain(words))).await, Ok(()));
        }
    }
}

/// The directory knows who we are as the line does, and the line can be tested.
pub async fn an_account_knows_who_it_is_and_how_its_line_is(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    if let Some(directory) = stage.up.surface.directory.clone() {
        let me = within(directory.me()).await.expect("it knows who we are");
        let identity = stage.up.surface.identity.id.as_str();
        assert!(me.id.ends_with(identity), "{} is not {identity}", me.id);
        for kind in [DirectoryKind::People, DirectoryKind::Rooms] {
            let found = within(directory.search(kind, "", 1)).await.expect("it looks them up");
            assert!(found.len() <= 1, "more than was asked for: {found:?}");
        }
    }
    if let Some(probe) = stage.up.surface.probe.clone() {
        let told = within(probe.probe()).await.expect("the line is up");
        assert!(!told.to_string().contains("planted-"), "a test of the line tells a secret: {told}");
    }
}

/// The menu can be filled, filled again with the same, and emptied.
pub async fn the_menu_is_what_was_published_last(proof: &dyn ChannelProof) {
    let stage = Stage::new(proof).await;
    let Some(menu) = stage.up.surface.menu.clone() else { return };
    let entry = CommandEntry {
        name: "status".to_owned(),
        description: "Shows how things are".to_owned(),
        choices: Vec::new(),
        takes_words: false,
    };
    for commands in [std::slice::from_ref(&entry), std::slice::from_ref(&entry), &[]] {
        assert_eq!(within(menu.publish(commands)).await, Ok(()));
    }
}

//! Buttons with a look of their own, links, menus and forms: sent as the platform describes them, answered as messages.

use openclaw_testkit::discord_fake::ids;
use openclaw_types::{
    ButtonLook, FieldKind, FormField, InboundKind, Menu, MenuOf, MenuOption, Panel, PanelButton, PanelForm,
    PanelRow, PiecePayload, Pressed, RichText,
};
use serde_json::{Value, json};

use super::{World, general, next, piece};

fn button(label: &str, look: ButtonLook, does: Pressed) -> PanelButton {
    PanelButton { label: label.to_owned(), look, does, off: false }
}

fn says(words: &str) -> Pressed {
    Pressed::Says(words.to_owned())
}

fn menu(of: MenuOf) -> Menu {
    Menu { of, hint: Some("Choose".to_owned()), least: 1, most: 1 }
}

fn options() -> Vec<MenuOption> {
    let option = |word: &str| MenuOption { label: word.to_owned(), value: word.to_owned(), about: None };
    vec![option("tea"), option("soup")]
}

fn panel(rows: Vec<PanelRow>, form: Option<PanelForm>) -> PiecePayload {
    PiecePayload::Panel(Panel { text: RichText::plain("What next?"), rows, form })
}

fn form() -> PanelForm {
    let field = |name: &str, kind| FormField {
        name: name.to_owned(),
        label: format!("The {name}"),
        about: Some("as you like".to_owned()),
        kind,
        required: name == "who",
    };
    PanelForm {
        title: "Order".to_owned(),
        button: "Order…".to_owned(),
        look: ButtonLook::Primary,
        fields: vec![
            field("who", FieldKind::Line(Some("A name".to_owned()))),
            field("wishes", FieldKind::Lines(None)),
            field("drink", FieldKind::One(options())),
            field("with", FieldKind::Some(options())),
            field("for", FieldKind::Menu(menu(MenuOf::People))),
        ],
    }
}

#[tokio::test]
async fn buttons_links_and_every_kind_of_menu_are_sent_as_the_platform_describes_them() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let long = "x".repeat(300);
    let rows = vec![
        PanelRow::Buttons(vec![
            button("Yes", ButtonLook::Success, says("yes")),
            button("No", ButtonLook::Danger, says("yes")),
            button("Go", ButtonLook::Primary, says(&long)),
            PanelButton { off: true, ..button("Later", ButtonLook::Plain, says("later")) },
            button("More", ButtonLook::Plain, Pressed::Opens("https://a.example/?a=1".to_owned())),
        ]),
        PanelRow::Menu(menu(MenuOf::Options(options()))),
        PanelRow::Menu(menu(MenuOf::People)),
        PanelRow::Menu(menu(MenuOf::PeopleAndRoles)),
    ];
    ours.send(piece("k/1", &general(), panel(rows, Some(form())))).await.unwrap();
    let sent = world.fake.requests().pop().unwrap().body;
    let shown = &sent["components"];
    let styles: Vec<&Value> =
        shown[0]["components"].as_array().unwrap().iter().map(|one| &one["style"]).collect();
    assert_eq!(styles, [3, 4, 1, 2, 5]);
    let link = &shown[0]["components"][4];
    assert_eq!((&link["url"], link.get("custom_id")), (&json!("https://a.example/?a=1"), None));
    assert_eq!(shown[0]["components"][3]["disabled"], true);
    let kinds: Vec<&Value> = (1..4).map(|row| &shown[row]["components"][0]["type"]).collect();
    assert_eq!(kinds, [3, 5, 7]);
    assert_eq!(shown[4]["components"][0]["label"], "Order…");
    let more = vec![PanelRow::Menu(menu(MenuOf::Roles)), PanelRow::Menu(menu(MenuOf::Rooms))];
    ours.send(piece("k/2", &general(), panel(more, None))).await.unwrap();
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_button_opens_a_form_and_what_is_filled_in_comes_back() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let receipt = ours.send(piece("k/1", &general(), panel(Vec::new(), Some(form())))).await.unwrap();
    let opens = world.fake.requests().pop().unwrap().body["components"][0]["components"][0].clone();
    let data = opens["custom_id"].as_str().unwrap();
    world.fake.press(ids::GENERAL, ids::ANA, receipt.message.as_str(), data);
    let shown = loop {
        let found = world.fake.requests().into_iter().find(|request| request.path.ends_with("/callback"));
        if let Some(found) = found {
            break found.body;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((&shown["type"], &shown["data"]["title"]), (&json!(9), &json!("Order")));
    let inside = |at: usize| &shown["data"]["components"][at]["component"]["type"];
    assert_eq!([inside(0), inside(1), inside(2), inside(3), inside(4)], [4, 4, 21, 22, 5]);
    // Nothing is heard of the press itself; what is filled in is the answer.
    let filled = json!([
        { "type": 18, "component": { "type": 4, "custom_id": "who", "value": "Ana" } },
        { "type": 18, "component": { "type": 21, "custom_id": "drink", "value": "tea" } },
        { "type": 18, "component": { "type": 22, "custom_id": "with", "values": ["tea", "soup"] } },
    ]);
    world.fake.fill_in(ids::GENERAL, ids::ANA, shown["data"]["custom_id"].as_str().unwrap(), &filled);
    let event = next(&mut heard).await;
    assert!(matches!(event.kind, InboundKind::Press(_)), "{event:?}");
    assert_eq!(event.text, "who: Ana\ndrink: tea\nwith: tea, soup");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_the_platform_would_not_take_is_refused_before_it_is_asked() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let many = |count: usize| {
        let all = (0..count).map(|number| button("x", ButtonLook::Plain, says(&number.to_string())));
        PanelRow::Buttons(all.collect())
    };
    let twice = MenuOf::Options([options(), options()].concat());
    let wrong = [
        panel(vec![many(6)], None),
        panel(vec![many(1); 6], None),
        panel(vec![PanelRow::Menu(menu(MenuOf::Options(Vec::new())))], None),
        panel(vec![PanelRow::Menu(menu(twice))], None),
        panel(Vec::new(), Some(PanelForm { fields: Vec::new(), ..form() })),
        panel(vec![PanelRow::Buttons(vec![button(" ", ButtonLook::Plain, says("x"))])], None),
    ];
    let before = world.fake.requests().len();
    for payload in wrong {
        let refused = ours.send(piece("k/1", &general(), payload.clone())).await;
        assert!(refused.is_err(), "{payload:?}");
    }
    let asked = world.fake.requests()[before..].iter().filter(|request| request.method == "POST").count();
    assert_eq!(asked, 0);
}

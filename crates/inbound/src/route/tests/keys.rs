//! Sessions of conversations.

use openclaw_config::IdentityLink;
use openclaw_config::sections::{DmScope, SessionScope};

use super::*;

fn text(settings: &SessionSettings, seeker: &RouteQuery) -> String {
    session_key(settings, &agent("main"), seeker).as_str().to_owned()
}

fn scoped(dm_scope: DmScope) -> SessionSettings {
    SessionSettings { dm_scope, ..SessionSettings::default() }
}

#[test]
fn direct_chats_share_a_session_as_far_as_configured() {
    let seeker = seeker("Telegram", "Work", place(ChatKind::Direct, "User42"));
    for (scope, expected) in [
        (DmScope::Main, "agent:main:main"),
        (DmScope::PerPeer, "agent:main:direct:user42"),
        (DmScope::PerChannelPeer, "agent:main:telegram:direct:user42"),
        (DmScope::PerAccountChannelPeer, "agent:main:telegram:work:direct:user42"),
    ] {
        assert_eq!(text(&scoped(scope), &seeker), expected);
    }
}

#[test]
fn a_person_with_several_ids_is_one_person_where_people_have_sessions_of_their_own() {
    let links = vec![
        IdentityLink { name: "Alice".to_owned(), ids: vec!["telegram:111".to_owned(), "222".to_owned()] },
        IdentityLink { name: "bob".to_owned(), ids: vec!["111".to_owned()] },
    ];
    let rows = [
        (DmScope::Main, "telegram", "111", "agent:main:main"),
        (DmScope::PerPeer, "telegram", "111", "agent:main:direct:alice"),
        (DmScope::PerPeer, "discord", "222", "agent:main:direct:alice"),
        (DmScope::PerPeer, "discord", "111", "agent:main:direct:bob"),
        (DmScope::PerChannelPeer, "telegram", "111", "agent:main:telegram:direct:alice"),
        (DmScope::PerAccountChannelPeer, "discord", "222", "agent:main:discord:default:direct:alice"),
        (DmScope::PerPeer, "discord", "333", "agent:main:direct:333"),
    ];
    for (scope, channel, peer, expected) in rows {
        let settings = SessionSettings { identity_links: links.clone(), ..scoped(scope) };
        assert_eq!(text(&settings, &seeker(channel, "default", place(ChatKind::Direct, peer))), expected);
    }
}

#[test]
fn rooms_have_sessions_of_their_own_and_threads_hang_below() {
    let on = |place: ChatPlace| text(&SessionSettings::default(), &seeker("chat", "default", place));
    let group = || place(ChatKind::Group, "-100");
    let channel = || place(ChatKind::Channel, "C1");
    let rows = [
        (group(), "agent:main:chat:group:-100"),
        (ChatPlace { thread: thread("42"), ..group() }, "agent:main:chat:group:-100:topic:42"),
        (
            ChatPlace { thread: thread("42"), session_thread: thread("9.1"), ..group() },
            "agent:main:chat:group:-100:thread:9.1",
        ),
        (channel(), "agent:main:chat:channel:c1"),
        (ChatPlace { thread: thread("1.2"), ..channel() }, "agent:main:chat:channel:c1:thread:1.2"),
        (ChatPlace { session_thread: thread("1.2"), ..channel() }, "agent:main:chat:channel:c1:thread:1.2"),
        (ChatPlace { thread: thread("C1"), ..channel() }, "agent:main:chat:channel:c1"),
        (
            ChatPlace { session_thread: thread("7:3"), ..place(ChatKind::Direct, "7") },
            "agent:main:main:thread:7:3",
        ),
        // A thread that only answers begin is none of the conversation's.
        (ChatPlace { answers_in: thread("1.2"), ..channel() }, "agent:main:chat:channel:c1"),
        (ChatPlace { answers_in: thread("1.2"), ..group() }, "agent:main:chat:group:-100"),
        (ChatPlace { own_session: Some("chat:aside:U1".into()), ..channel() }, "agent:main:chat:aside:u1"),
        (ChatPlace { own_session: Some(" ".into()), ..channel() }, "agent:main:chat:channel:c1"),
    ];
    for (place, expected) in rows {
        assert_eq!(on(place), expected);
    }
}

#[test]
fn one_session_for_everybody_is_one_session() {
    let settings = SessionSettings { scope: SessionScope::Global, ..SessionSettings::default() };
    let topic = ChatPlace { thread: thread("42"), ..place(ChatKind::Group, "-100") };
    assert_eq!(text(&settings, &seeker("chat", "default", topic)), "global");
    assert_eq!(main_session(&settings, &agent("main")), SessionKey::global());
}

#[test]
fn a_thread_knows_the_session_above_it() {
    let above = |place: ChatPlace| {
        parent_session(&SessionSettings::default(), &agent("main"), &seeker("chat", "default", place))
    };
    let topic = ChatPlace { thread: thread("42"), ..place(ChatKind::Group, "-100") };
    assert_eq!(above(topic), Some(key("agent:main:chat:group:-100")));
    let own_room = ChatPlace { parent: Some(PeerId::new("C1").unwrap()), ..place(ChatKind::Channel, "T1") };
    assert_eq!(above(own_room), Some(key("agent:main:chat:channel:c1")));
    assert_eq!(above(place(ChatKind::Channel, "C1")), None);
    assert_eq!(above(place(ChatKind::Direct, "7")), None);
}

#[test]
fn somebody_is_found_on_another_platform_by_their_links() {
    let links = [
        IdentityLink { name: "ana".to_owned(), ids: vec!["chat:7".to_owned(), "mail:ana@home".to_owned()] },
        IdentityLink { name: "ben".to_owned(), ids: vec!["8".to_owned(), "mail:".to_owned()] },
    ];
    let main: SessionKey = "agent:main:main".parse().unwrap();
    let direct: SessionKey = "agent:main:direct:ana".parse().unwrap();
    let chat = ChannelId::new("chat").unwrap();
    for (peer, key, platform, expected) in [
        (Some("7"), &main, "mail", Some("ana@home")),
        (Some("7"), &main, "chat", Some("7")),
        (Some("7"), &main, "post", None),
        (Some("8"), &main, "mail", None),
        (Some("9"), &direct, "mail", None),
        (None, &direct, "mail", Some("ana@home")),
        (None, &main, "mail", None),
    ] {
        let peer = peer.map(|peer| PeerId::new(peer).unwrap());
        let writes = peer.as_ref().map(|peer| (&chat, peer));
        assert_eq!(identity_on(&links, writes, key, &[platform]).as_deref(), expected, "{peer:?} {platform}");
    }
}

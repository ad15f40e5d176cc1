//! Every notice says what happened and what to do, in one reading.

use crate::*;

#[test]
fn notices_count_people_s_things_correctly() {
    let rows = [
        (NoticeText::Aborted { subagents: 0 }, "⚙️ Stopped, as you asked."),
        (NoticeText::Aborted { subagents: 1 }, "⚙️ Stopped, as you asked, together with 1 sub-agent."),
        (NoticeText::Aborted { subagents: 2 }, "⚙️ Stopped, as you asked, together with 2 sub-agents."),
        (
            NoticeText::FileLeftOut { name: "/etc/\npasswd".to_owned(), reason: MediaRefusal::Outside },
            "⚠️ The file /etc/ passwd was not attached: it lies outside the folders that files are sent from; copy it into the workspace first.",
        ),
        (
            NoticeText::QueueFull,
            "⚠️ Too many messages were waiting, so one was left without an answer. Send what still matters again, \
             or let more wait with /queue cap:50.",
        ),
    ];
    for (notice, expected) in rows {
        assert_eq!(notice.text(), expected);
    }
}

#[test]
fn names_from_outside_are_kept_short_and_on_one_line() {
    let name = format!("a\nb{}", "x".repeat(300));
    let expected = format!(
        "⚠️ The file a b{}… was not attached: it cannot be read; check its name and whether it is there.",
        "x".repeat(197)
    );
    assert_eq!(NoticeText::FileLeftOut { name, reason: MediaRefusal::Absent }.text(), expected);
}

#[test]
fn every_fault_has_words() {
    let notices = [
        NoticeText::Internal,
        NoticeText::CommandInterrupted,
        NoticeText::CommandNotAllowed,
        NoticeText::GivenUp,
        NoticeText::QueueFull,
    ];
    for notice in notices {
        let text = notice.text();
        assert!(text.ends_with('.') && text.starts_with(['⚠', '⚙']), "{text}");
    }
}

//! Every notice says what happened and what to do, in one reading.

use std::time::Duration;

use crate::*;

fn effect(tool: &str, what: Option<&str>) -> SideEffect {
    SideEffect { tool: tool.to_owned(), what: what.map(str::to_owned) }
}

#[test]
fn notices_count_people_s_things_correctly() {
    let rows = [
        (Notice::Aborted { subagents: 0 }, "⚙️ Stopped, as you asked."),
        (Notice::Aborted { subagents: 1 }, "⚙️ Stopped, as you asked, together with 1 sub-agent."),
        (Notice::Aborted { subagents: 2 }, "⚙️ Stopped, as you asked, together with 2 sub-agents."),
        (Notice::Withdrawn { dropped: 1 }, "⚙️ One waiting message was withdrawn."),
        (
            Notice::Undelivered { place: "#general".to_owned(), reason: GivenUp::Refused },
            "⚠️ A message to #general was not delivered: the platform refuses it; check that the account may write there.",
        ),
        (
            Notice::FileLeftOut { name: "/etc/\npasswd".to_owned(), reason: MediaRefusal::Outside },
            "⚠️ The file /etc/ passwd was not attached: it lies outside the folders that files are sent from; copy it into the workspace first.",
        ),
        (Notice::Withdrawn { dropped: 3 }, "⚙️ 3 waiting messages were withdrawn."),
        (
            Notice::TimedOut { after: Duration::from_secs(600) },
            "⚠️ I ran out of time: an answer may take 10 minutes. Ask for a smaller step, or raise \
             agents.defaults.timeoutSeconds.",
        ),
        (
            Notice::QueueFull { dropped: 1 },
            "⚠️ Too many messages were waiting, so one was left without an answer. Send what still matters again, \
             or let more wait with /queue cap:50.",
        ),
    ];
    for (notice, expected) in rows {
        assert_eq!(notice.text(), expected);
    }
}

#[test]
fn an_interruption_lists_what_may_have_been_done() {
    assert_eq!(
        Notice::Interrupted { effects: Vec::new() }.text(),
        "⚠️ The gateway was restarted while I was answering, so this answer is not complete. Nothing had been \
         changed. Send your message again."
    );
    let mut effects = vec![effect("exec", Some("git\npush")), effect("message", None)];
    effects.extend((0..8).map(|_| effect("write", None)));
    assert_eq!(
        Notice::Interrupted { effects }.text(),
        "⚠️ The gateway was restarted while I was answering, so this answer is not complete. These steps had begun, \
         and may or may not have been carried out; look before you ask for them again:\n- exec: git push\n- message\n\
         - write\n- write\n- write\n- write\n- write\n- write\n- and 2 more"
    );
}

#[test]
fn names_from_outside_are_kept_short_and_on_one_line() {
    let lost =
        LostResult { label: format!("a\nb{}", "x".repeat(300)), reason: "the session is gone.".to_owned() };
    let expected = format!(
        "⚠️ The sub-agent a b{}… has finished, but its result could not be given here: the session is gone. \
         /subagents log shows what it did.",
        "x".repeat(197)
    );
    assert_eq!(Notice::SubagentLost(lost).text(), expected);
}

#[test]
fn every_fault_has_words() {
    let given = "There is no key for this model.".to_owned();
    for notice in [
        Notice::Superseded,
        Notice::ContextOverflow,
        Notice::CompactionFailed,
        Notice::RoleOrdering,
        Notice::ImageTooLarge { limit: Some("5 MB".to_owned()) },
        Notice::ImageTooLarge { limit: None },
        Notice::LoopStopped { tool: Some("read".to_owned()) },
        Notice::LoopStopped { tool: None },
        Notice::Budget { explanation: given.clone() },
        Notice::ModelFailed { explanation: given },
        Notice::Internal,
        Notice::EmptyAnswer,
    ] {
        let text = notice.text();
        assert!(text.ends_with('.') && text.starts_with(['⚠', '⚙']), "{text}");
    }
}

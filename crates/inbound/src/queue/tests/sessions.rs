//! One session through whole stories.

use openclaw_types::{RunId, SenderRank, ToolRule};

use super::*;

struct Story {
    queue: SessionQueue<u32>,
}

impl Story {
    fn new() -> Self {
        Self { queue: SessionQueue::new() }
    }

    fn then(&mut self, millis: i64, event: QueueEvent<u32>, expected: &[QueueAction<u32>]) -> &mut Self {
        assert_eq!(self.queue.on(event.clone(), at(millis)), expected, "{event:?} at {millis}");
        self
    }
}

fn collected(items: &[u32], prompt: &str) -> QueueAction<u32> {
    QueueAction::Start(Batch { items: items.to_vec(), summed: Vec::new(), prompt: Some(prompt.to_owned()) })
}

const DONE: QueueEvent<u32> = QueueEvent::Ended(RunResult::Answered);

#[test]
fn messages_that_wait_are_answered_together_once_it_is_quiet() {
    let collect = settings(QueueMode::Collect);
    Story::new()
        .then(0, arrived(item(1), collect), &[start(&[1])])
        .then(100, arrived(item(2), collect), &[])
        .then(200, arrived(item(3), collect), &[])
        .then(300, DONE, &[QueueAction::Wake(at(1200))])
        .then(1100, arrived(item(4), collect), &[QueueAction::Wake(at(2100))])
        .then(1200, QueueEvent::Quiet, &[QueueAction::Wake(at(2100))])
        .then(
            2100,
            QueueEvent::Quiet,
            &[collected(
                &[2, 3, 4],
                "While you were busy, 3 messages came in. Here they are, oldest first; answer them together.\n\n\
                 Message 1:\n> text 2\n\nMessage 2:\n> text 3\n\nMessage 3:\n> text 4",
            )],
        )
        .then(2200, QueueEvent::Quiet, &[])
        .then(2300, DONE, &[])
        .then(2400, DONE, &[])
        .then(2500, arrived(item(5), collect), &[start(&[5])]);
}

#[test]
fn messages_for_different_places_are_not_answered_together() {
    let collect = settings(QueueMode::Collect);
    Story::new()
        .then(0, arrived(item(1), collect), &[start(&[1])])
        .then(0, arrived(routed(2, "webchat"), collect), &[])
        .then(0, arrived(item(3), collect), &[])
        .then(0, arrived(routed(4, "webchat"), collect), &[])
        .then(5000, DONE, &[start(&[2])])
        .then(5000, DONE, &[start(&[3])])
        .then(5000, DONE, &[start(&[4])]);
}

#[test]
fn whoever_may_do_less_is_not_answered_with_the_rights_of_another() {
    let collect = settings(QueueMode::Collect);
    let owner = |id| {
        let rights = Rights { standing: SenderRank::Owner, ..Rights::default() };
        Item { route: ReplyRoute { rights, ..ReplyRoute::default() }, ..item(id) }
    };
    let bound = |id| {
        let tools = ToolRule { deny: vec!["exec".to_owned()], ..ToolRule::default() };
        let rights = Rights { tools: Some(tools), ..Rights::default() };
        Item { route: ReplyRoute { rights, ..ReplyRoute::default() }, ..item(id) }
    };
    Story::new()
        .then(0, arrived(owner(1), collect), &[start(&[1])])
        .then(0, arrived(owner(2), collect), &[])
        .then(0, arrived(item(3), collect), &[])
        .then(0, arrived(bound(4), collect), &[])
        .then(5000, DONE, &[start(&[2])])
        .then(5000, DONE, &[start(&[3])])
        .then(5000, DONE, &[start(&[4])]);
}

#[test]
fn only_messages_that_go_the_way_of_the_run_are_steered_into_it() {
    let steer = settings(QueueMode::Steer);
    let both = settings(QueueMode::SteerBacklog);
    let alone = |id: u32| {
        let alone = Some(RunId::new(id.to_string()).unwrap());
        Item { route: ReplyRoute { alone, ..ReplyRoute::default() }, ..item(id) }
    };
    Story::new()
        .then(0, arrived(item(1), steer), &[start(&[1])])
        .then(1, arrived(item(2), steer), &[])
        .then(1, arrived(routed(3, "webchat"), steer), &[])
        .then(2, QueueEvent::Steerable(SteeringState::Open), &[QueueAction::Steer(2)])
        .then(3, QueueEvent::Took(2), &[])
        .then(5000, DONE, &[start(&[3])])
        .then(5000, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(5001, arrived(routed(4, "elsewhere"), steer), &[])
        .then(9000, DONE, &[start(&[4])])
        .then(9000, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(9001, arrived(item(5), both), &[])
        .then(12_000, DONE, &[start(&[5])])
        .then(12_000, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(12_001, arrived(alone(6), steer), &[])
        .then(15_000, DONE, &[start(&[6])])
        .then(15_000, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(15_001, arrived(item(7), steer), &[])
        .then(20_000, DONE, &[start(&[7])]);
}

#[test]
fn what_did_not_fit_is_mentioned_only_to_runs_of_its_own_route() {
    let narrow = QueueSettings { cap: 1, ..settings(QueueMode::Collect) };
    Story::new()
        .then(0, arrived(item(1), narrow), &[start(&[1])])
        .then(0, arrived(routed(2, "webchat"), narrow), &[])
        .then(0, arrived(item(3), narrow), &[])
        .then(5000, DONE, &[start(&[2])])
        .then(5000, DONE, &[start(&[3])])
        .then(5000, DONE, &[]);
}

#[test]
fn followups_are_answered_one_by_one() {
    let followup = settings(QueueMode::Followup);
    Story::new()
        .then(0, arrived(item(1), followup), &[start(&[1])])
        .then(0, arrived(item(2), followup), &[])
        .then(0, arrived(item(3), followup), &[])
        .then(5000, QueueEvent::Ended(RunResult::Failed), &[start(&[2])])
        .then(6000, DONE, &[start(&[3])])
        .then(7000, DONE, &[]);
}

#[test]
fn a_steered_message_that_the_run_did_not_take_is_answered_next() {
    let steer = settings(QueueMode::Steer);
    Story::new()
        .then(0, arrived(item(1), steer), &[start(&[1])])
        .then(1, arrived(item(2), steer), &[])
        .then(2, QueueEvent::Steerable(SteeringState::Open), &[QueueAction::Steer(2)])
        .then(3, QueueEvent::Took(2), &[])
        .then(4, arrived(item(3), steer), &[QueueAction::Steer(3)])
        .then(5, arrived(item(4), steer), &[QueueAction::Steer(4)])
        .then(6, QueueEvent::Took(3), &[])
        .then(7, QueueEvent::Steerable(SteeringState::Closed), &[])
        .then(8, arrived(item(5), steer), &[])
        .then(5000, DONE, &[start(&[4])])
        .then(5000, DONE, &[start(&[5])]);
}

#[test]
fn steer_backlog_steers_and_answers_again() {
    let both = settings(QueueMode::SteerBacklog);
    Story::new()
        .then(0, arrived(item(1), both), &[start(&[1])])
        .then(0, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(1, arrived(item(2), both), &[QueueAction::Steer(2)])
        .then(2, QueueEvent::Took(2), &[])
        .then(5000, DONE, &[start(&[2])]);
}

#[test]
fn an_interrupting_message_takes_the_place_of_everything() {
    let collect = settings(QueueMode::Collect);
    let interrupt = settings(QueueMode::Interrupt);
    Story::new()
        .then(0, arrived(item(1), collect), &[start(&[1])])
        .then(1, arrived(item(2), collect), &[])
        .then(2, arrived(item(3), interrupt), &[dropped(&[2], DropReason::Superseded), QueueAction::Abort])
        .then(3, arrived(item(4), interrupt), &[dropped(&[3], DropReason::Superseded)])
        .then(4, QueueEvent::Ended(RunResult::Aborted), &[start(&[4])])
        .then(5, arrived(item(5), collect), &[])
        .then(6, DONE, &[QueueAction::Wake(at(1005))])
        .then(7, arrived(item(6), interrupt), &[dropped(&[5], DropReason::Superseded), start(&[6])]);
}

#[test]
fn stopping_withdraws_what_waits_and_what_was_offered_in_vain() {
    let steer = settings(QueueMode::Steer);
    let collect = settings(QueueMode::Collect);
    Story::new()
        .then(0, arrived(item(1), steer), &[start(&[1])])
        .then(0, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(1, arrived(item(2), steer), &[QueueAction::Steer(2)])
        .then(1, arrived(item(3), steer), &[QueueAction::Steer(3)])
        .then(1, arrived(item(4), collect), &[])
        .then(2, QueueEvent::Stop, &[dropped(&[4], DropReason::Stopped), QueueAction::Abort])
        .then(3, QueueEvent::Stop, &[])
        .then(3, QueueEvent::Took(2), &[])
        .then(4, arrived(item(5), collect), &[])
        .then(5, QueueEvent::Ended(RunResult::Aborted), &[dropped(&[3], DropReason::Stopped), start(&[5])])
        .then(6, arrived(item(6), collect), &[])
        .then(7, DONE, &[QueueAction::Wake(at(1006))])
        .then(8, QueueEvent::Stop, &[dropped(&[6], DropReason::Stopped)])
        .then(9, arrived(item(7), collect), &[start(&[7])]);
}

#[test]
fn more_than_may_wait_go_by_the_rule() {
    let rows = [
        (QueueDrop::New, vec![dropped(&[5], DropReason::Full)], vec![2, 3, 4]),
        (QueueDrop::Old, vec![dropped(&[2], DropReason::Full)], vec![3, 4, 5]),
    ];
    for (drop, expected, left) in rows {
        let followup = QueueSettings { drop, ..settings(QueueMode::Followup) };
        let mut story = Story::new();
        story.then(0, arrived(item(1), followup), &[start(&[1])]);
        for id in 2..5 {
            story.then(0, arrived(item(id), followup), &[]);
        }
        story.then(0, arrived(item(5), followup), &expected);
        for id in left {
            story.then(5000, DONE, &[start(&[id])]);
        }
    }
}

#[test]
fn what_does_not_fit_is_mentioned_in_the_next_prompt_and_only_then_dealt_with() {
    let narrow = QueueSettings { cap: 1, ..settings(QueueMode::Collect) };
    let batch = Batch {
        items: vec![4],
        summed: vec![3],
        prompt: Some(
            "Too much came in at once: 2 earlier messages could not be kept in full. In short:\n- gist 3\n\ntext 4"
                .to_owned(),
        ),
    };
    Story::new()
        .then(0, arrived(item(1), narrow), &[start(&[1])])
        .then(0, arrived(item(2), narrow), &[])
        .then(0, arrived(item(3), narrow), &[])
        .then(0, arrived(item(4), narrow), &[dropped(&[2], DropReason::Full)])
        .then(5000, DONE, &[QueueAction::Start(batch)]);
}

#[test]
fn nothing_that_waits_joins_a_run_ahead_of_what_did_not_fit() {
    let narrow = QueueSettings { cap: 1, ..settings(QueueMode::Steer) };
    let batch = Batch {
        items: vec![3],
        summed: vec![2],
        prompt: Some(
            "Too much came in at once: 1 earlier message could not be kept in full. In short:\n- gist 2\n\ntext 3"
                .to_owned(),
        ),
    };
    Story::new()
        .then(0, arrived(item(1), narrow), &[start(&[1])])
        .then(0, arrived(item(2), narrow), &[])
        .then(0, arrived(item(3), narrow), &[])
        .then(1, QueueEvent::Steerable(SteeringState::Open), &[])
        .then(5000, DONE, &[QueueAction::Start(batch)])
        .then(6000, DONE, &[]);
}

#[test]
fn a_message_that_waits_can_be_taken_back_and_one_that_is_answered_cannot() {
    let followup = settings(QueueMode::Followup);
    Story::new()
        .then(0, arrived(item(1), followup), &[start(&[1])])
        .then(1, arrived(item(2), followup), &[])
        .then(2, arrived(item(3), followup), &[])
        .then(3, QueueEvent::Withdrawn(1), &[])
        .then(4, QueueEvent::Withdrawn(2), &[dropped(&[2], DropReason::Stopped)])
        .then(5, QueueEvent::Withdrawn(2), &[])
        .then(5_000, QueueEvent::Ended(RunResult::Answered), &[start(&[3])])
        .then(6_000, QueueEvent::Ended(RunResult::Answered), &[]);
}

#[test]
fn the_last_message_that_waits_for_quiet_leaves_a_session_at_rest() {
    let collect = settings(QueueMode::Collect);
    let mut story = Story::new();
    story
        .then(0, arrived(item(1), collect), &[start(&[1])])
        .then(1, arrived(item(2), collect), &[])
        .then(2, QueueEvent::Ended(RunResult::Answered), &[QueueAction::Wake(at(1_001))])
        .then(3, QueueEvent::Withdrawn(2), &[dropped(&[2], DropReason::Stopped)])
        .then(1_001, QueueEvent::Quiet, &[])
        .then(1_002, arrived(item(3), collect), &[start(&[3])]);
}

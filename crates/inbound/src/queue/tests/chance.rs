//! Chance against a simple model: nothing is lost, nothing comes twice, order and limits are kept.

use std::collections::BTreeMap;

use openclaw_testkit::Random;

use super::*;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Waiting,
    Offered,
    Gone,
}

/// The simple model: the fate of each message, and whether a run is under way.
#[derive(Default)]
struct Model {
    fates: BTreeMap<u32, Fate>,
    routes: BTreeMap<u32, ReplyRoute>,
    /// The route of the run.
    route: ReplyRoute,
    /// The message that came last, where it joins a run and is answered afterwards as well.
    both: Option<u32>,
    running: bool,
    aborted: bool,
    last_started: Option<u32>,
    wake: Option<UnixMillis>,
}

impl Model {
    fn apply(&mut self, action: &QueueAction<u32>, seed: u64) {
        match action {
            QueueAction::Start(batch) => {
                assert!(!self.running, "two runs at once, {seed}");
                assert!(!batch.items.is_empty());
                self.running = true;
                self.aborted = false;
                self.route = self.routes[&batch.items[0]].clone();
                let all = batch.items.iter().chain(&batch.summed);
                assert!(all.clone().all(|id| self.routes[id] == self.route), "routes are mixed, {seed}");
                batch.summed.iter().for_each(|id| self.leave(*id, seed));
                for id in &batch.items {
                    assert!(self.last_started < Some(*id), "{id} out of order, {seed}");
                    self.last_started = Some(*id);
                    self.leave(*id, seed);
                }
            }
            QueueAction::Steer(id) => {
                assert!(self.running && !self.aborted, "nothing to steer, {seed}");
                assert_eq!(self.routes[id], self.route, "{id} goes another way, {seed}");
                if self.both != Some(*id) {
                    self.fates.insert(*id, Fate::Offered);
                }
            }
            QueueAction::Abort => {
                assert!(self.running && !self.aborted, "nothing to stop, {seed}");
                self.aborted = true;
            }
            QueueAction::Wake(time) => self.wake = Some(*time),
            QueueAction::Drop { items, .. } => items.iter().for_each(|id| self.leave(*id, seed)),
        }
    }

    fn leave(&mut self, id: u32, seed: u64) {
        let before = self.fates.insert(id, Fate::Gone);
        assert!(matches!(before, Some(Fate::Waiting | Fate::Offered)), "{id} left twice, {seed}");
    }

    /// A run that ends takes nothing any more.
    fn end(&mut self) {
        self.running = false;
        self.fates.values_mut().filter(|fate| **fate == Fate::Offered).for_each(|fate| *fate = Fate::Waiting);
    }

    fn open(&self) -> usize {
        self.fates.values().filter(|fate| **fate != Fate::Gone).count()
    }

    fn offered(&self) -> Vec<u32> {
        self.fates.iter().filter(|(_, fate)| **fate == Fate::Offered).map(|(id, _)| *id).collect()
    }
}

fn any_settings(random: &mut Random) -> QueueSettings {
    let pick = |random: &mut Random, length: usize| usize::try_from(random.below(length as u64)).unwrap();
    let drops = [QueueDrop::Old, QueueDrop::New, QueueDrop::Summarize];
    QueueSettings {
        mode: QueueMode::ALL[pick(random, QueueMode::ALL.len())],
        debounce: Duration::from_millis(random.below(3) * 500),
        cap: 1 + pick(random, 4),
        drop: drops[pick(random, drops.len())],
    }
}

fn any_event(random: &mut Random, model: &Model, next: u32) -> QueueEvent<u32> {
    match random.below(20) {
        0..=8 => {
            let channel = ["webchat", "elsewhere"][usize::try_from(random.below(2)).unwrap()];
            arrived(routed(next, channel), any_settings(random))
        }
        9..=10 => QueueEvent::Steerable(SteeringState::Open),
        11 => QueueEvent::Steerable(SteeringState::Closed),
        12..=13 => match model.offered().first() {
            Some(id) if model.running => QueueEvent::Took(*id),
            _ => QueueEvent::Quiet,
        },
        14..=15 => QueueEvent::Ended(RunResult::Answered),
        16 => QueueEvent::Withdrawn(u32::try_from(random.below(u64::from(next) + 1)).unwrap()),
        17..=18 => QueueEvent::Quiet,
        _ => QueueEvent::Stop,
    }
}

#[test]
fn by_chance_every_message_leaves_exactly_once_in_order_and_one_run_at_a_time() {
    let mut seeds = Random::new();
    for _ in 0..300 {
        let seed = seeds.next_u64();
        let mut random = Random::seeded(seed);
        let mut queue = SessionQueue::new();
        let mut model = Model::default();
        let mut now = at(0);
        let mut cap = 0;
        for next in 0..200 {
            now = now.plus(Duration::from_millis(random.below(700)));
            let event = any_event(&mut random, &model, next);
            match &event {
                QueueEvent::Arrived { item, settings } => {
                    model.fates.insert(item.id, Fate::Waiting);
                    model.routes.insert(item.id, item.route.clone());
                    model.both = (settings.mode == QueueMode::SteerBacklog).then_some(item.id);
                    cap = settings.cap;
                }
                QueueEvent::Took(id) => model.leave(*id, seed),
                QueueEvent::Ended(_) => model.end(),
                _ => {}
            }
            let ended = matches!(event, QueueEvent::Ended(_));
            let actions = queue.on(event, now);
            actions.iter().for_each(|action| model.apply(action, seed));
            if ended {
                assert_eq!(model.running, matches!(queue.phase(), Phase::Running(_) | Phase::Stopping));
            }
            assert!(queue.depth() <= cap.max(1), "too many wait, {seed}");
            assert!(!queue.is_idle() || model.open() == 0, "something is forgotten, {seed}");
        }
        drain(&mut queue, &mut model, now, seed);
    }
}

/// Lets every run end and every wait pass: nothing may be left.
fn drain(queue: &mut SessionQueue<u32>, model: &mut Model, mut now: UnixMillis, seed: u64) {
    for _ in 0..100 {
        if queue.is_idle() {
            break;
        }
        now = now.plus(Duration::from_secs(5));
        let event = match model.running {
            true => QueueEvent::Ended(RunResult::Answered),
            false => QueueEvent::Quiet,
        };
        model.end();
        queue.on(event, now).iter().for_each(|action| model.apply(action, seed));
    }
    assert!(queue.is_idle(), "it never comes to rest, {seed}");
    assert_eq!(model.open(), 0, "something is lost, {seed}");
}

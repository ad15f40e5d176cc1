//! The pace, who waits for what, and what is taken back, on a simulated clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_ports::channel::{ChannelContext, ChannelError, Health, HealthSink, Landed};
use openclaw_ports::{Clock as _, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::SimClock;
use openclaw_types::AccountId;
use tokio::io::{AsyncBufReadExt as _, BufReader, DuplexStream};

use super::line;
use crate::irc::connection::Stream;
use crate::irc::outlet::Outlet;

struct Unheard;

impl HealthSink for Unheard {
    fn tell(&self, _health: Health) {}
}

/// What the server heard, with the second it came in.
type Heard = Arc<Mutex<Vec<(u64, String)>>>;
type Ends = Arc<Mutex<Vec<(String, Result<(), ChannelError>)>>>;

#[derive(Clone, Copy, PartialEq)]
enum Server {
    Confirms,
    StaysSilent,
}

struct World {
    clock: Arc<SimClock>,
    tasks: TaskScope,
    line: TaskScope,
    outlet: Outlet,
    heard: Heard,
    ends: Ends,
}

impl World {
    fn new(server: Server) -> Self {
        let clock = Arc::new(SimClock::new());
        let tasks = TaskScope::root("test");
        let line = tasks.child("line");
        let context = ChannelContext {
            account: AccountId::new("default").expect("an id"),
            clock: Arc::clone(&clock) as _,
            tasks: line.clone(),
            state: Arc::new(MemoryStateStore::default()),
            namespace: "channel/irc/default".to_owned(),
            health: Arc::new(Unheard),
            media: std::env::temp_dir(),
            public_url: None,
        };
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (_reader, writer) = tokio::io::split(Box::new(ours) as Box<dyn Stream>);
        let outlet = Outlet::start(&context, writer, "claw".to_owned());
        let world = Self { clock, tasks, line, outlet, heard: Heard::default(), ends: Ends::default() };
        world.serve(theirs, server);
        world
    }

    fn serve(&self, wire: DuplexStream, server: Server) {
        let (outlet, heard, clock) = (self.outlet.clone(), Arc::clone(&self.heard), Arc::clone(&self.clock));
        self.tasks.start_cancellable("server", async move {
            let mut lines = BufReader::new(wire).lines();
            while let Some(said) = lines.next_line().await.expect("a wire") {
                if let Some(token) = said.strip_prefix("PING :said-").filter(|_| server == Server::Confirms) {
                    outlet.heard(&line(&format!(":s PONG s :said-{token}")));
                }
                heard.lock().expect("unbroken").push((clock.elapsed().as_secs(), said));
            }
        });
    }

    /// Says lines to somebody in a task of its own.
    fn tell(&self, to: &str, count: usize) {
        let (outlet, ends, to) = (self.outlet.clone(), Arc::clone(&self.ends), to.to_owned());
        self.tasks.start_cancellable("tell", async move {
            let lines = (1..=count).map(|number| format!("PRIVMSG {to} :{number}")).collect();
            let end = outlet.tell(&to, lines).await;
            ends.lock().expect("unbroken").push((to, end));
        });
    }

    /// What people were told, each line with its second.
    fn said(&self) -> Vec<(u64, String)> {
        let heard = self.heard.lock().expect("unbroken");
        heard.iter().filter(|(_, said)| said.starts_with("PRIVMSG")).cloned().collect()
    }

    fn ends(&self) -> Vec<(String, Result<(), ChannelError>)> {
        self.ends.lock().expect("unbroken").clone()
    }
}

fn secs(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[tokio::test]
async fn a_few_lines_go_at_once_and_then_one_every_two_seconds() {
    let world = World::new(Server::Confirms);
    world.tell("#a", 8);
    world.clock.advance(secs(60)).await;
    let seconds: Vec<u64> = world.said().iter().map(|(second, _)| *second).collect();
    assert_eq!(seconds, [0, 0, 0, 0, 0, 2, 4, 6]);
    assert_eq!(world.ends(), [("#a".to_owned(), Ok(()))]);
}

#[tokio::test]
async fn people_who_are_answered_at_once_each_hear_each_line_once() {
    let world = World::new(Server::Confirms);
    for person in ["ana", "bob", "cyd", "dan", "eve", "fay"] {
        world.tell(person, 4);
    }
    world.clock.advance(secs(100)).await;
    assert_eq!(world.ends().len(), 6);
    assert!(world.ends().iter().all(|(_, end)| end.is_ok()), "{:?}", world.ends());
    assert_eq!(world.said().len(), 24);
}

#[tokio::test]
async fn what_finds_too_much_waiting_is_told_when_to_come_back_and_nothing_of_it_is_said() {
    let world = World::new(Server::Confirms);
    for number in 0..5 {
        world.tell(&format!("#{number}"), 9);
    }
    world.clock.advance(secs(0)).await;
    assert_eq!(world.ends(), [("#4".to_owned(), Err(ChannelError::RateLimited { after: secs(80) }))]);
    world.clock.advance(secs(200)).await;
    assert_eq!(world.ends().iter().filter(|(_, end)| end.is_ok()).count(), 4);
    assert!(world.said().iter().all(|(_, said)| !said.contains("#4")));
}

#[tokio::test]
async fn what_keeps_the_line_up_does_not_wait_for_its_turn() {
    let world = World::new(Server::Confirms);
    world.tell("#a", 8);
    world.clock.advance(secs(1)).await;
    world.outlet.at_once("PONG :here".to_owned()).expect("room for it");
    world.clock.advance(secs(0)).await;
    assert_eq!(world.heard.lock().expect("unbroken").last(), Some(&(1, "PONG :here".to_owned())));
}

#[tokio::test]
async fn lines_that_nobody_waits_for_any_more_are_not_said() {
    let world = World::new(Server::Confirms);
    world.tell("#a", 8);
    world.clock.advance(secs(0)).await;
    let given_up = world.outlet.tell("#b", vec!["PRIVMSG #b :late".to_owned()]);
    tokio::select! {
        biased;
        _ = given_up => panic!("its turn has not come"),
        () = world.clock.advance(secs(1)) => {}
    }
    world.tell("#c", 1);
    world.clock.advance(secs(60)).await;
    assert!(world.said().iter().all(|(_, said)| !said.contains("#b")));
    assert_eq!(world.ends(), [("#a".to_owned(), Ok(())), ("#c".to_owned(), Ok(()))]);
}

#[tokio::test]
async fn a_line_that_goes_down_tells_what_was_said_from_what_was_not() {
    let world = World::new(Server::StaysSilent);
    world.tell("#a", 4);
    world.tell("#b", 4);
    world.clock.advance(secs(1)).await;
    world.line.cancel();
    world.clock.advance(secs(0)).await;
    let landed = world.ends().into_iter().map(|(to, end)| match end {
        Err(ChannelError::Unreachable { landed, .. }) => (to, landed),
        other => panic!("{other:?}"),
    });
    let mut landed: Vec<_> = landed.collect();
    landed.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(landed, [("#a".to_owned(), Landed::Maybe), ("#b".to_owned(), Landed::No)]);
}

#[tokio::test]
async fn a_server_that_confirms_nothing_is_waited_for_from_the_turn_on() {
    let world = World::new(Server::StaysSilent);
    world.tell("#a", 4);
    world.clock.advance(secs(29)).await;
    assert_eq!(world.ends(), []);
    world.clock.advance(secs(1)).await;
    assert!(matches!(world.ends()[0].1, Err(ChannelError::Unreachable { landed: Landed::Maybe, .. })));
}

#[tokio::test]
async fn what_the_server_puts_before_our_words_is_counted_as_it_changes() {
    let world = World::new(Server::Confirms);
    let spent = || world.outlet.spent("#a");
    let at_first = spent();
    world.outlet.seen_as(&line(":claw!c@short JOIN #a"));
    assert_eq!(spent(), at_first, "the server may hide us behind a longer name at any time");
    let long = "h".repeat(90);
    world.outlet.heard(&line(&format!(":s 396 claw {long} :is now your displayed host")));
    let cloaked = spent();
    assert_eq!(cloaked, at_first - 82 + "c".len() + long.len());
    world.outlet.heard(&line(&format!(":ana!a@b CHGHOST x {}", "h".repeat(120))));
    assert_eq!(spent(), cloaked, "that was somebody else");
    world.outlet.heard(&line(&format!(":claw!c@{long} CHGHOST longer {long}")));
    assert_eq!(spent(), cloaked + "longe".len());
    world.outlet.heard(&line(":claw!longer@x NICK :claw_claw"));
    assert_eq!(spent(), cloaked + "longe".len() + "_claw".len());
}

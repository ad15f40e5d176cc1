//! What tests that kill a writing process share: the child, its lines, the kill.
//!
//! The child is the test binary again, running one of its tests, told by a variable where to write. It prints a line
//! for each answer it got; the parent reads them, kills it, and looks at what is left.

use std::io::{BufRead, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use openclaw_ports::SystemClock;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::Random;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Where tasks of a storm say what they were told.
pub(crate) type Say = Sender<String>;

/// When a storm ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ends {
    WhenKilled,
    After(u64),
}

impl Ends {
    pub(crate) fn at(self, done: u64) -> bool {
        matches!(self, Self::After(limit) if done >= limit)
    }
}

/// How a test finds itself again as a child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChildTest {
    /// The variable that tells it its orders.
    pub(crate) variable: &'static str,
    /// The test that the child runs.
    pub(crate) test: &'static str,
}

impl ChildTest {
    /// The round and directory this process was started for; nothing in the parent.
    #[expect(
        clippy::disallowed_methods,
        reason = "a process can only be told apart from its parent from outside"
    )]
    pub(crate) fn orders(self) -> Option<(u64, PathBuf)> {
        let orders = std::env::var(self.variable).ok()?;
        let (round, directory) = orders.split_once(':').unwrap();
        Some((round.parse().unwrap(), PathBuf::from(directory)))
    }

    pub(crate) fn start(self, directory: &Path, round: u64) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", self.test, "--nocapture", "--test-threads=1"])
            .env(self.variable, format!("{round}:{}", directory.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// Kills a child a little later, so that the kill does not always fall right behind an answer.
pub(crate) fn kill(child: &mut Child, round: u64, random: &mut Random) {
    for _ in 0..random.below(200_000) {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    let ended = child.wait().unwrap().signal();
    assert_eq!(ended, Some(9), "the child ended before it was killed in round {round}");
}

/// A line with its end; half a line was cut off by the kill and promises nothing.
pub(crate) fn whole_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    line.strip_suffix('\n').map(str::to_owned)
}

/// Lets tasks write to a database at once and prints what they say on `out`.
pub(crate) async fn storm(
    directory: &Path,
    out: impl Write + Send + 'static,
    start: impl FnOnce(&mut JoinSet<()>, &Arc<StateDatabase>, &Say),
) {
    let store = Arc::new(open(directory).await);
    let (say, said) = std::sync::mpsc::channel();
    let printer = std::thread::spawn(move || print_all(said, out));
    let mut tasks = JoinSet::new();
    start(&mut tasks, &store, &say);
    drop(say);
    tasks.join_all().await;
    store.close().await.unwrap();
    printer.join().unwrap();
}

fn print_all(said: Receiver<String>, mut out: impl Write) {
    for line in said {
        // One write for each line, so that a line is cut by the kill alone.
        out.write_all(line.as_bytes()).unwrap();
        out.flush().unwrap();
    }
}

pub(crate) async fn open(directory: &Path) -> StateDatabase {
    StateDatabase::open(StateLocation::within(directory), Arc::new(SystemClock::new())).await.unwrap()
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

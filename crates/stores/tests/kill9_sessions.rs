//! Kills a process that talks in many sessions again and again, and looks at its transcripts, runs and inbox.
//!
//! The child is this test binary again: the second test below, told by a variable where to write. Each of its speakers
//! accepts a message, begins a run, writes entries, ends the run with its last entry and notes that the message is
//! dealt with, and prints a line for each of these that was acknowledged. The parent kills it and then expects: all of
//! that is there, no transcript has a gap, a run's last entry is there exactly when its end is, and nothing ends twice.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod storm;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_ports::stores::{
    Acceptance, Append, BranchQuery, BranchReach, Flush, Inbox, InboxEnd, InboxKey, RunFinish, RunStart,
    SessionStore, StoredEntry,
};
use openclaw_stores::sqlite::{AgentDatabases, StateDatabase};
use openclaw_testkit::conformance::inbox::message;
use openclaw_testkit::conformance::runs::{finish, start};
use openclaw_testkit::conformance::sessions::{agent, session};
use openclaw_testkit::conformance::transcripts::said;
use openclaw_testkit::{Random, TempHome};
use openclaw_types::{AgentId, LineRecord, RunEnding, RunId, SessionId};

use storm::{ChildTest, Ends, Say, kill, open, runtime, storm, whole_line};

const ROUNDS: u64 = 100;
const AGENTS: [&str; 3] = ["main", "ops", "scout"];
const SPEAKERS: u64 = 12;

/// Maximum number of acknowledgements before the child is killed.
const LONGEST_ROUND: u64 = 200;

/// A transcript goes on for so many rounds, so that kills fall into the middle of it.
const ROUNDS_OF_A_TRANSCRIPT: u64 = 10;

/// Tells the child its state directory and its round: `<round>:<directory>`.
const CHILD: ChildTest = ChildTest {
    variable: "OPENCLAW_KILL9_SESSIONS_CHILD",
    test: "a_storm_of_turns_is_all_there_after_a_clean_close",
};

#[test]
fn no_acknowledged_step_of_a_turn_is_lost_in_a_hundred_kills() {
    let home = TempHome::new();
    let mut random = Random::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut promised, mut cut_off) = (0, 0);
    for round in 0..ROUNDS {
        let said = talk_until_killed(home.state_dir(), round, &mut random);
        cut_off += runtime.block_on(expect_in_order(home.state_dir(), round, &said));
        promised += said.count;
    }
    assert!(promised > ROUNDS && cut_off > ROUNDS, "too little happened: {promised} {cut_off}");
    eprintln!("{promised} acknowledged steps survived {ROUNDS} kills; {cut_off} runs were cut off");
}

#[test]
fn a_storm_of_turns_is_all_there_after_a_clean_close() {
    let runtime = runtime();
    if let Some((round, directory)) = CHILD.orders() {
        return runtime.block_on(talk(&directory, round, Ends::WhenKilled, std::io::stdout()));
    }
    let home = TempHome::new();
    let (reader, writer) = std::io::pipe().unwrap();
    let lines = std::thread::spawn(move || {
        let mut said = Said::default();
        said.take_all(&mut BufReader::new(reader));
        said
    });
    runtime.block_on(talk(home.state_dir(), 0, Ends::After(5), writer));
    let said = lines.join().unwrap();
    assert_eq!(said.count, SPEAKERS * 5 * STEPS.len() as u64);
    assert_eq!(runtime.block_on(expect_in_order(home.state_dir(), 0, &said)), 0);
}

/// The steps of a turn, as the child prints them.
const STEPS: [&str; 5] = ["accepted", "began", "wrote", "ended", "dealt"];

/// What a child said it had been told: for each step the turns that came so far.
#[derive(Debug, Default)]
struct Said {
    turns: BTreeMap<String, BTreeSet<String>>,
    count: u64,
}

impl Said {
    fn take_all(&mut self, from: &mut impl BufRead) {
        while let Some(line) = whole_line(from) {
            self.take(&line);
        }
    }

    /// Takes one line; lines of the test harness are not ours.
    fn take(&mut self, line: &str) {
        if let [step, turn] = line.split(' ').collect::<Vec<_>>()[..]
            && STEPS.contains(&step)
        {
            self.turns.entry(step.to_owned()).or_default().insert(turn.to_owned());
            self.count += 1;
        }
    }

    fn turns(&self, step: &str) -> impl Iterator<Item = &String> {
        self.turns.get(step).into_iter().flatten()
    }
}

/// One speaker in one round: whose session and which transcript.
#[derive(Debug, Clone)]
struct Speaker {
    round: u64,
    number: u64,
}

impl Speaker {
    fn agent(&self) -> AgentId {
        agent(AGENTS[usize::try_from(self.number).unwrap() % AGENTS.len()])
    }

    fn session(&self) -> SessionId {
        session(&format!("s{}-{}", self.number, self.round / ROUNDS_OF_A_TRANSCRIPT))
    }

    fn turn(&self, number: u64) -> String {
        format!("{}-{}-{number}", self.round, self.number)
    }

    fn begins(&self, turn: &str) -> RunStart {
        RunStart { agent: self.agent(), session: self.session(), ..start(turn, 1) }
    }

    /// The first two entries of a turn.
    fn writes(&self, turn: &str, leaf: &str) -> Append {
        let (one, two) = (format!("{turn}-1"), format!("{turn}-2"));
        let both = vec![said(&one, leaf), said(&two, &one)];
        let run = Some(RunId::new(turn).unwrap());
        Append {
            agent: self.agent(),
            session: self.session(),
            run,
            begins: None,
            flush: Flush::WithNext,
            lines: both,
        }
    }

    /// The end of a turn, with its third entry.
    fn ends(&self, turn: &str) -> RunFinish {
        let last = vec![said(&format!("{turn}-3"), &format!("{turn}-2"))];
        RunFinish { agent: self.agent(), ..finish(turn, 2, last) }
    }
}

/// What a child writes to.
#[derive(Debug, Clone)]
struct Stores {
    inbox: Arc<StateDatabase>,
    sessions: Arc<AgentDatabases>,
}

fn sessions(directory: &Path) -> Arc<AgentDatabases> {
    Arc::new(AgentDatabases::within(directory, Arc::new(SystemClock::new())))
}

fn talk_until_killed(directory: &Path, round: u64, random: &mut Random) -> Said {
    let mut child = CHILD.start(directory, round);
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut said = Said::default();
    let wanted = random.below(LONGEST_ROUND);
    while said.count < wanted {
        said.take(&whole_line(&mut lines).unwrap());
    }
    kill(&mut child, round, random);
    said.take_all(&mut lines);
    said
}

/// Lets all speakers talk at once and says each answer on `out`.
async fn talk(directory: &Path, round: u64, ends: Ends, out: impl Write + Send + 'static) {
    let sessions = sessions(directory);
    storm(directory, out, |tasks, inbox, say| {
        for number in 0..SPEAKERS {
            let stores = Stores { inbox: Arc::clone(inbox), sessions: Arc::clone(&sessions) };
            tasks.spawn(speak(stores, Speaker { round, number }, ends, say.clone()));
        }
    })
    .await;
    sessions.close().await.unwrap();
}

async fn speak(stores: Stores, speaker: Speaker, ends: Ends, say: Say) {
    let leaf = stores.sessions.leaf(&speaker.agent(), &speaker.session()).await.unwrap();
    let mut leaf = leaf.map(|leaf| leaf.as_str().to_owned()).unwrap_or_default();
    let mut done = 0;
    while !ends.at(done) {
        let turn = speaker.turn(done);
        take_turn(&stores, &speaker, (&turn, &leaf), &say).await;
        leaf = format!("{turn}-3");
        done += 1;
    }
}

async fn take_turn(stores: &Stores, speaker: &Speaker, (turn, leaf): (&str, &str), say: &Say) {
    let tell = |step: &str| say.send(format!("{step} {turn}\n")).unwrap();
    let Acceptance::New(accepted) = stores.inbox.accept(message(turn)).await.unwrap() else {
        panic!("{turn} had been accepted before");
    };
    tell("accepted");
    stores.sessions.begin_run(speaker.begins(turn)).await.unwrap();
    tell("began");
    stores.sessions.append(speaker.writes(turn, leaf)).await.unwrap();
    tell("wrote");
    // Now and then twice, as after an answer that was lost.
    for _ in 0..if turn.ends_with('3') { 2 } else { 1 } {
        stores.sessions.end_run(speaker.ends(turn), None).await.unwrap();
    }
    tell("ended");
    stores.inbox.finish(vec![accepted], InboxEnd::Answered).await.unwrap();
    tell("dealt");
}

/// Opens what the kill left, compares with what was said, and ends what was cut off. Says how many runs that were.
async fn expect_in_order(directory: &Path, round: u64, said: &Said) -> u64 {
    let stores = Stores { inbox: Arc::new(open(directory).await), sessions: sessions(directory) };
    expect_inbox(&stores.inbox, round, said).await;
    let mut cut_off = 0;
    for number in 0..SPEAKERS {
        cut_off += expect_transcript(&stores.sessions, &Speaker { round, number }, said).await;
    }
    for name in AGENTS {
        assert_eq!(stores.sessions.unfinished(&agent(name)).await.unwrap(), [], "after round {round}");
    }
    stores.sessions.close().await.unwrap();
    stores.inbox.close().await.unwrap();
    cut_off
}

/// Every accepted message is there, and waits unless it was dealt with.
async fn expect_inbox(inbox: &StateDatabase, round: u64, said: &Said) {
    for turn in said.turns("accepted") {
        let found = inbox.find(&message(turn).key).await.unwrap();
        assert_eq!(found.map(|row| row.message), Some(message(turn)), "an accepted message of round {round}");
    }
    let open = inbox.open_messages().await.unwrap();
    assert!(open.len() as u64 <= SPEAKERS, "{} messages wait after round {round}", open.len());
    let waiting: HashSet<&InboxKey> = open.iter().map(|row| &row.message.key).collect();
    for turn in said.turns("dealt") {
        assert!(!waiting.contains(&message(turn).key), "{turn} waits again after round {round}");
    }
    inbox.finish(open.iter().map(|row| row.id).collect(), InboxEnd::Withdrawn).await.unwrap();
    assert_eq!(inbox.open_messages().await.unwrap(), []);
}

/// The transcript is one branch without a gap, and holds what was written; its runs have ended, or are ended now.
async fn expect_transcript(sessions: &AgentDatabases, speaker: &Speaker, said: &Said) -> u64 {
    let query = BranchQuery {
        agent: speaker.agent(),
        session: speaker.session(),
        leaf: None,
        reach: BranchReach::Whole,
    };
    let all = sessions.transcript(&speaker.agent(), &speaker.session()).await.unwrap();
    assert_eq!(sessions.branch(query).await.unwrap(), all, "the branch of {speaker:?}");
    let names = names_without_gap(&all, speaker);
    let ours = |turn: &&String| turn.starts_with(&format!("{}-{}-", speaker.round, speaker.number));
    for turn in said.turns("wrote").filter(ours) {
        assert!(names.contains(&format!("{turn}-1")) && names.contains(&format!("{turn}-2")), "{turn}");
    }
    for turn in said.turns("began").chain(said.turns("ended")).filter(ours) {
        let run = sessions.run(&speaker.agent(), &RunId::new(turn).unwrap()).await.unwrap().unwrap();
        assert_eq!(run.start, speaker.begins(turn));
    }
    expect_ends(sessions, speaker, (&names, said)).await
}

fn names_without_gap(all: &[StoredEntry], speaker: &Speaker) -> BTreeSet<String> {
    let mut last = None;
    let mut names = BTreeSet::new();
    for (sequence, stored) in (1..).zip(all) {
        let LineRecord::Entry(entry) = &stored.line.record else { panic!("no entry: {stored:?}") };
        assert_eq!((stored.sequence, &entry.parent), (sequence, &last), "{speaker:?}");
        last.clone_from(&entry.id);
        assert!(names.insert(last.as_ref().unwrap().as_str().to_owned()), "an entry is there twice");
    }
    names
}

/// The last entry of a run is there exactly when its end is. Ends the one that was cut off, and ends it again.
async fn expect_ends(
    sessions: &AgentDatabases,
    speaker: &Speaker,
    (names, said): (&BTreeSet<String>, &Said),
) -> u64 {
    let mut cut_off = 0;
    for number in 0.. {
        let turn = speaker.turn(number);
        let name = RunId::new(&turn).unwrap();
        let Some(run) = sessions.run(&speaker.agent(), &name).await.unwrap() else { break };
        let last = names.contains(&format!("{turn}-3"));
        assert_eq!(run.end.is_some(), last, "the end of {turn} and its last entry came apart");
        let told = said.turns("ended").any(|ended| *ended == turn);
        assert!(last || !told, "the end of {turn} is lost");
        if run.end.is_none() {
            let how = RunEnding::Failed { message: "cut off".to_owned() };
            let end = RunFinish { how, last: vec![], ..speaker.ends(&turn) };
            sessions.end_run(end, None).await.unwrap();
            let ended = sessions.run(&speaker.agent(), &name).await.unwrap();
            sessions.end_run(speaker.ends(&turn), None).await.unwrap();
            assert_eq!(sessions.run(&speaker.agent(), &name).await.unwrap(), ended);
            cut_off += 1;
        }
    }
    cut_off
}

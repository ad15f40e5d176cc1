//! Kills a writing process again and again, and looks for what it had been promised.
//!
//! The child is this test binary again: the second test below, told by a variable where to write. It prints a line
//! for each acknowledged write. The parent kills it after a random number of lines, reads what was still in the
//! pipe, opens the same files and expects all of it.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod storm;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::ChildStdout;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use openclaw_ports::stores::{AuditEntry, AuditLedger, AuditQuery, DeviceChange, DeviceStore, StateStore};
use openclaw_stores::sqlite::StateDatabase;
use openclaw_testkit::conformance::devices::{device_id, paired};
use openclaw_testkit::{Random, TempHome};
use openclaw_types::UnixMillis;
use serde_json::{Value, json};

use storm::{ChildTest, Ends, Say, kill, open, runtime, storm, whole_line};

const ROUNDS: u64 = 200;
const VALUE_WRITERS: u64 = 24;
const AUDIT_WRITERS: u64 = 4;
const DEVICE_WRITERS: u64 = 4;

/// Maximum number of acknowledgements before the child is killed.
const LONGEST_ROUND: u64 = 250;

/// Tells the child its state directory and its round: `<round>:<directory>`.
const CHILD: ChildTest = ChildTest {
    variable: "OPENCLAW_KILL9_CHILD",
    test: "a_storm_of_writes_is_all_there_after_a_clean_close",
};

#[test]
fn no_acknowledged_write_is_lost_in_two_hundred_kills() {
    let home = TempHome::new();
    let mut random = Random::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let acknowledged = storm_until_killed(home.state_dir(), round, &mut random);
        runtime.block_on(expect_all(home.state_dir(), round, &acknowledged));
        rounds.push(acknowledged);
    }
    // Later kills must not have taken what earlier rounds had left either.
    runtime.block_on(expect_values(home.state_dir(), &rounds));
    let promised: u64 = rounds.iter().map(Acknowledged::count).sum();
    assert!(promised > ROUNDS, "the storms were too short to mean anything: {promised} writes");
    eprintln!("{promised} acknowledged writes survived {ROUNDS} kills");
}

#[test]
fn a_storm_of_writes_is_all_there_after_a_clean_close() {
    let runtime = runtime();
    if let Some((round, directory)) = CHILD.orders() {
        return runtime.block_on(write_all(&directory, round, Ends::WhenKilled, std::io::stdout()));
    }
    let home = TempHome::new();
    let (reader, writer) = std::io::pipe().unwrap();
    let lines = std::thread::spawn(move || Acknowledged::read(BufReader::new(reader)));
    runtime.block_on(write_all(home.state_dir(), 0, Ends::After(20), writer));
    let acknowledged = lines.join().unwrap();
    assert_eq!(acknowledged.count(), (VALUE_WRITERS + AUDIT_WRITERS + DEVICE_WRITERS) * 20);
    runtime.block_on(expect_all(home.state_dir(), 0, &acknowledged));
}

/// What a child said it had saved.
#[derive(Debug, Default)]
struct Acknowledged {
    values: BTreeSet<String>,
    audit: BTreeMap<i64, String>,
    /// The newest version of each device.
    devices: BTreeMap<String, i64>,
    device_writes: u64,
}

impl Acknowledged {
    fn count(&self) -> u64 {
        (self.values.len() + self.audit.len()) as u64 + self.device_writes
    }

    fn read(mut from: impl BufRead) -> Self {
        let mut all = Self::default();
        while let Some(line) = whole_line(&mut from) {
            all.take(&line);
        }
        all
    }

    /// Takes one line; lines of the test harness are not ours.
    fn take(&mut self, line: &str) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["value", key] => {
                self.values.insert(key.to_owned());
            }
            ["audit", id, hash] => {
                self.audit.insert(id.parse().unwrap(), hash.to_owned());
            }
            ["device", id, version] => {
                self.device_writes += 1;
                self.devices.insert(id.to_owned(), version.parse().unwrap());
            }
            _ => {}
        }
    }
}

fn storm_until_killed(directory: &Path, round: u64, random: &mut Random) -> Acknowledged {
    let mut child = CHILD.start(directory, round);
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut acknowledged = Acknowledged::default();
    wait_for(&mut lines, random.below(LONGEST_ROUND), &mut acknowledged);
    kill(&mut child, round, random);
    while let Some(line) = whole_line(&mut lines) {
        acknowledged.take(&line);
    }
    acknowledged
}

fn wait_for(lines: &mut BufReader<ChildStdout>, wanted: u64, acknowledged: &mut Acknowledged) {
    while acknowledged.count() < wanted {
        match whole_line(lines) {
            Some(line) => acknowledged.take(&line),
            None => break,
        }
    }
}

/// Writes from many tasks at once and says each acknowledgement on `out`.
async fn write_all(directory: &Path, round: u64, ends: Ends, out: impl Write + Send + 'static) {
    storm(directory, out, |tasks, store, say| {
        for writer in 0..VALUE_WRITERS {
            tasks.spawn(write_values(Arc::clone(store), (round, writer), ends, say.clone()));
        }
        for writer in 0..AUDIT_WRITERS {
            tasks.spawn(write_audit(Arc::clone(store), writer, ends, say.clone()));
        }
        for writer in 0..DEVICE_WRITERS {
            tasks.spawn(write_devices(Arc::clone(store), writer, ends, say.clone()));
        }
    })
    .await;
}

async fn write_values(store: Arc<StateDatabase>, (round, writer): (u64, u64), ends: Ends, say: Say) {
    let mut written = 0;
    while !ends.at(written) {
        let key = format!("{writer}-{written}");
        store.put(&namespace(round), &key, value_of(&key)).await.unwrap();
        say.send(format!("value {key}\n")).unwrap();
        written += 1;
    }
}

async fn write_audit(store: Arc<StateDatabase>, writer: u64, ends: Ends, say: Say) {
    let mut written = 0;
    while !ends.at(written) {
        let entry = AuditEntry {
            at: UnixMillis(0),
            actor: format!("writer {writer}"),
            action: "storm.write".to_owned(),
            subject: None,
            detail: json!({"number": written}),
        };
        let record = store.append(entry).await.unwrap();
        say.send(format!("audit {} {}\n", record.id, record.hash)).unwrap();
        written += 1;
    }
}

/// The version of a device is its approval time; it grows over all rounds.
static VERSION: AtomicU64 = AtomicU64::new(0);

async fn write_devices(store: Arc<StateDatabase>, writer: u64, ends: Ends, say: Say) {
    let name = format!("device-{writer}");
    let known = store.load().await.unwrap().paired;
    let last =
        known.iter().find(|device| device.device_id == device_id(&name)).map(|device| device.approved_at.0);
    VERSION.fetch_max(last.unwrap_or(0) as u64, Ordering::SeqCst);
    let mut written = 0;
    while !ends.at(written) {
        let version = VERSION.fetch_add(1, Ordering::SeqCst) as i64 + 1;
        let mut device = paired(&name);
        device.approved_at = UnixMillis(version);
        store.apply(vec![DeviceChange::PutPaired(device)]).await.unwrap();
        say.send(format!("device {name} {version}\n")).unwrap();
        written += 1;
    }
}

fn namespace(round: u64) -> String {
    format!("round-{round}")
}

/// Long enough now and then to fill pages and make SQLite move the WAL.
fn value_of(key: &str) -> Value {
    json!({"key": key, "filler": "x".repeat(key.bytes().map(usize::from).sum::<usize>() * 7 % 1500)})
}

async fn expect_values(directory: &Path, rounds: &[Acknowledged]) {
    let store = open(directory).await;
    for (round, acknowledged) in (0..).zip(rounds) {
        let found: BTreeSet<_> =
            store.list(&namespace(round)).await.unwrap().into_iter().map(|(key, _)| key).collect();
        let lost: Vec<_> = acknowledged.values.difference(&found).collect();
        assert!(lost.is_empty(), "values of round {round} that are gone: {lost:?}");
    }
}

/// Opens what the kill left (which checks its integrity) and compares it with what was promised.
async fn expect_all(directory: &Path, round: u64, acknowledged: &Acknowledged) {
    let store = open(directory).await;
    let values: BTreeMap<_, _> = store.list(&namespace(round)).await.unwrap().into_iter().collect();
    for key in &acknowledged.values {
        assert_eq!(values.get(key), Some(&value_of(key)), "the value {key} of round {round}");
    }
    let chain = store.verify().await.unwrap();
    assert_eq!(chain.broken_at, None, "the audit chain after round {round}");
    let oldest = acknowledged.audit.keys().next().map_or(i64::MAX, |id| *id);
    let limit =
        usize::try_from(i64::try_from(chain.records).unwrap().saturating_sub(oldest).saturating_add(1));
    let query = AuditQuery { limit: Some(limit.unwrap_or(0)), ..AuditQuery::default() };
    let records: BTreeMap<_, _> =
        store.query(query).await.unwrap().into_iter().map(|record| (record.id, record.hash)).collect();
    for (id, hash) in &acknowledged.audit {
        assert_eq!(records.get(id), Some(hash), "the audit record {id} of round {round}");
    }
    let devices = store.load().await.unwrap().paired;
    for (name, version) in &acknowledged.devices {
        let found = devices.iter().find(|device| device.device_id == device_id(name)).unwrap();
        assert!(found.approved_at.0 >= *version, "{name} fell back from version {version} in round {round}");
        assert_eq!(found.tokens, paired(name).tokens, "the tokens of {name} after round {round}");
    }
    store.close().await.unwrap();
}

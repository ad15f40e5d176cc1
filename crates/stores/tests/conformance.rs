//! Holds both implementations of every store against the one suite of `testkit`.
#![expect(clippy::expect_used, reason = "a test fails where something is wrong")]

use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_stores::memory::{
    MemoryAuditLedger, MemoryDeviceStore, MemoryGrantStore, MemoryHealthStore, MemoryInbox, MemoryOutbox,
    MemoryProfileStore, MemorySenderStore, MemorySessionStore, MemoryStateStore, MemorySubagentStore,
    MemoryUsageLedger,
};
use openclaw_stores::sqlite::{AgentDatabases, StateDatabase, StateLocation};
use openclaw_testkit::TempHome;

mod memory {
    use super::*;

    async fn devices() -> (Arc<MemoryDeviceStore>, ()) {
        (Arc::default(), ())
    }

    async fn state() -> (Arc<MemoryStateStore>, ()) {
        (Arc::default(), ())
    }

    async fn audit() -> (Arc<MemoryAuditLedger>, ()) {
        (Arc::default(), ())
    }

    async fn profiles() -> (Arc<MemoryProfileStore>, ()) {
        (Arc::default(), ())
    }

    async fn health() -> (Arc<MemoryHealthStore>, ()) {
        (Arc::default(), ())
    }

    async fn usage() -> (Arc<MemoryUsageLedger>, ()) {
        (Arc::default(), ())
    }

    async fn sessions() -> (Arc<MemorySessionStore>, ()) {
        (Arc::default(), ())
    }

    async fn inbox() -> (Arc<MemoryInbox>, ()) {
        (Arc::default(), ())
    }

    async fn outbox() -> (Arc<MemoryOutbox>, ()) {
        (Arc::default(), ())
    }

    async fn senders() -> (Arc<MemorySenderStore>, ()) {
        (Arc::default(), ())
    }

    async fn subagents() -> (Arc<MemorySubagentStore>, ()) {
        (Arc::default(), ())
    }

    async fn grants() -> (Arc<MemoryGrantStore>, ()) {
        (Arc::default(), ())
    }

    openclaw_testkit::device_store_conformance!(devices);
    openclaw_testkit::state_store_conformance!(state);
    openclaw_testkit::audit_ledger_conformance!(audit);
    openclaw_testkit::profile_store_conformance!(profiles);
    openclaw_testkit::health_store_conformance!(health);
    openclaw_testkit::usage_ledger_conformance!(usage);
    openclaw_testkit::session_store_conformance!(sessions);
    openclaw_testkit::transcript_conformance!(sessions);
    openclaw_testkit::run_conformance!(sessions);
    openclaw_testkit::inbox_conformance!(inbox);
    openclaw_testkit::outbox_conformance!(outbox);
    openclaw_testkit::sender_store_conformance!(senders);
    openclaw_testkit::subagent_store_conformance!(subagents);
    openclaw_testkit::grant_store_conformance!(grants);
}

mod sqlite {
    use super::*;

    async fn database() -> (Arc<StateDatabase>, TempHome) {
        let home = TempHome::new();
        let location = StateLocation::within(home.state_dir());
        let database = StateDatabase::open(location, Arc::new(SystemClock::new())).await.expect("opens");
        (Arc::new(database), home)
    }

    async fn agents() -> (Arc<AgentDatabases>, TempHome) {
        let home = TempHome::new();
        (Arc::new(AgentDatabases::within(home.state_dir(), Arc::new(SystemClock::new()))), home)
    }

    openclaw_testkit::device_store_conformance!(database);
    openclaw_testkit::state_store_conformance!(database);
    openclaw_testkit::audit_ledger_conformance!(database);
    openclaw_testkit::profile_store_conformance!(database);
    openclaw_testkit::health_store_conformance!(database);
    openclaw_testkit::usage_ledger_conformance!(database);
    openclaw_testkit::session_store_conformance!(agents);
    openclaw_testkit::transcript_conformance!(agents);
    openclaw_testkit::run_conformance!(agents);
    openclaw_testkit::inbox_conformance!(database);
    openclaw_testkit::outbox_conformance!(database);
    openclaw_testkit::sender_store_conformance!(database);
    openclaw_testkit::subagent_store_conformance!(database);
    openclaw_testkit::grant_store_conformance!(database);
}

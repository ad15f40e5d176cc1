//! Files as the original writes them.

use openclaw_ports::stores::{SenderRequest, SenderStore as _};
use openclaw_testkit::TempHome;
use openclaw_types::{AccountId, ChannelId, UnixMillis};

use super::{SenderImport, import_senders_once};
use crate::memory::{MemorySenderStore, MemoryStateStore};

const PAIRING: &str = r#"{
  "version": 1,
  "requests": [
    {
      "id": "777",
      "code": "ABCDEFGH",
      "createdAt": "2026-11-16T11:26:27.000Z",
      "lastSeenAt": "2026-11-16T11:27:27.000Z",
      "meta": { "username": "ana", "firstName": "Ana", "accountId": "Biz" }
    },
    { "id": "778", "code": "JKLMNPQR", "createdAt": "2026-11-16T11:26:27.000Z", "lastSeenAt": "2026-11-16T11:26:27.000Z" },
    { "id": "779", "createdAt": "yesterday" }
  ]
}"#;

fn channel(id: &str) -> ChannelId {
    ChannelId::new(id).expect("an id")
}

fn account(id: &str) -> AccountId {
    AccountId::new(id).expect("an id")
}

fn home() -> TempHome {
    let home = TempHome::new();
    let write =
        |name: &str, text: &str| std::fs::write(home.path("credentials").join(name), text).expect("writable");
    std::fs::create_dir(home.path("credentials")).expect("a folder");
    write("sim-pairing.json", PAIRING);
    write("sim-allowFrom.json", r#"{ "version": 1, "allowFrom": ["1", "sim:2", "*", 3, {}] }"#);
    write("sim-work-allowFrom.json", r#"{ "version": 1, "allowFrom": ["4"] }"#);
    write("sim-two-allowFrom.json", r#"{ "version": 1, "allowFrom": ["5"] }"#);
    write("other-allowFrom.json", r#"{ "version": 1, "allowFrom": ["6"] }"#);
    write("oauth.json", "{}");
    home
}

struct World {
    home: TempHome,
    senders: MemorySenderStore,
    state: MemoryStateStore,
}

impl World {
    fn new() -> Self {
        Self { home: home(), senders: MemorySenderStore::default(), state: MemoryStateStore::default() }
    }

    async fn import(&self) -> SenderImport {
        let reach = |_: &ChannelId, id: &str| format!("user:{id}");
        let stores = (
            &self.senders as &dyn openclaw_ports::stores::SenderStore,
            &self.state as &dyn openclaw_ports::stores::StateStore,
        );
        import_senders_once(&self.home.path("credentials"), &["sim", "sim-two"], &reach, stores)
            .await
            .expect("imports")
    }

    async fn allowed(&self, on: &str, of: &str) -> Vec<String> {
        self.senders.allowed(&channel(on), &account(of)).await.expect("reads")
    }
}

#[tokio::test]
async fn people_and_requests_are_taken_over() {
    let world = World::new();
    assert_eq!(world.import().await, SenderImport { allowed: 5, requests: 2, left_out: 3 });
    assert_eq!(world.allowed("sim", "default").await, ["1", "2", "3"]);
    assert_eq!(world.allowed("sim", "work").await, ["4"]);
    let requests = world.senders.requests(None).await.expect("reads");
    let first = SenderRequest {
        channel: channel("sim"),
        account: account("biz"),
        sender: "777".to_owned(),
        code: "ABCDEFGH".to_owned(),
        created_at: UnixMillis(1_794_828_387_000),
        seen_at: UnixMillis(1_794_828_447_000),
        to: "user:777".to_owned(),
        facts: vec![("firstName".to_owned(), "Ana".to_owned()), ("username".to_owned(), "ana".to_owned())],
    };
    let mut taken = requests.iter().find(|request| request.sender == "777").expect("taken over").clone();
    taken.facts.sort();
    assert_eq!(taken, first);
    assert_eq!(requests.len(), 2);
}

#[tokio::test]
async fn what_was_taken_over_once_does_not_come_back() {
    let world = World::new();
    world.import().await;
    assert!(world.senders.disallow(&channel("sim"), &account("default"), "1").await.expect("takes"));
    assert_eq!(world.import().await, SenderImport::default());
    assert_eq!(world.allowed("sim", "default").await, ["2", "3"]);
    assert!(world.home.path("credentials/sim-allowFrom.json").is_file(), "the files stay");
}

#[tokio::test]
async fn a_file_that_is_broken_is_left_out_and_a_missing_folder_is_no_fault() {
    let world = World::new();
    std::fs::write(world.home.path("credentials/sim-pairing.json"), "{ not json").expect("writable");
    assert_eq!(world.import().await, SenderImport { allowed: 5, requests: 0, left_out: 3 });
    let world = World { home: TempHome::new(), ..World::new() };
    assert_eq!(world.import().await, SenderImport::default());
}

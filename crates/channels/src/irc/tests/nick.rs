//! A nick that is somebody else's is asked for until we have it, over a socket to a server of few words.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_ports::channel::{Account as _, ChannelContext, Health, HealthSink, NotTaken, Sink};
use openclaw_ports::{Clock as _, Deadline, SystemClock, TaskScope};
use openclaw_stores::memory::MemoryStateStore;
use openclaw_testkit::SimClock;
use openclaw_types::{AccountId, Inbound, Secret};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::login;
use crate::irc::config::IrcLogin;
use crate::irc::connection::IrcAccount;

type Heard = Arc<Mutex<Vec<String>>>;

struct Unheard;

impl HealthSink for Unheard {
    fn tell(&self, _health: Health) {}
}

#[async_trait::async_trait]
impl Sink for Unheard {
    async fn take(&self, _events: Vec<Inbound>) -> Result<(), NotTaken> {
        Ok(())
    }
}

/// Gives the nick away when it is asked for the third time.
async fn serve(listener: TcpListener, heard: Heard) {
    let (socket, _) = listener.accept().await.expect("a client");
    let (reader, mut writer) = socket.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        heard.lock().expect("unbroken").push(line.clone());
        let answer = match (line.as_str(), count(&heard, "NICK claw")) {
            ("NICK claw", 3) => ":claw_!c@h NICK :claw".to_owned(),
            ("NICK claw", _) => ":s 433 * claw :taken".to_owned(),
            ("NICK claw_", _) => ":s 001 claw_ :Welcome".to_owned(),
            (ping, _) if ping.starts_with("PING ") => ping.replacen("PING", ":s PONG s", 1),
            _ => continue,
        };
        writer.write_all(format!("{answer}\r\n").as_bytes()).await.expect("a wire");
    }
}

fn count(heard: &Heard, wanted: &str) -> usize {
    heard.lock().expect("unbroken").iter().filter(|line| *line == wanted).count()
}

#[tokio::test]
async fn a_nick_that_is_taken_is_asked_for_again_until_it_is_ours() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (tasks, heard) = (TaskScope::root("test"), Heard::default());
    tasks.start_cancellable("server", serve(listener, Arc::clone(&heard)));
    let clock = Arc::new(SimClock::new());
    let context = ChannelContext {
        account: AccountId::new("default").expect("an id"),
        clock: Arc::clone(&clock) as _,
        tasks: tasks.child("line"),
        state: Arc::new(MemoryStateStore::default()),
        namespace: "channel/irc/default".to_owned(),
        health: Arc::new(Unheard),
        media: std::env::temp_dir(),
        public_url: None,
    };
    let account = Some(Secret::new("pw".to_owned()));
    let login = IrcLogin { host: "127.0.0.1".into(), port, tls: false, account, ..login() };
    let mut surface = IrcAccount::new(Arc::new(login)).connect(context).await.expect("in");
    let receive = surface.receive.take().expect("it can hear");
    tasks.start_cancellable("receive", async move {
        drop(receive.run(Arc::new(Unheard)).await);
    });
    let real = SystemClock::new();
    let waiting = async {
        while count(&heard, "NICK claw") < 3 {
            clock.advance(Duration::from_secs(1)).await;
            real.sleep(Duration::from_millis(2)).await;
        }
    };
    Deadline::after(&real, Duration::from_secs(20)).bound(&real, waiting).await.expect("in time");
    assert_eq!(count(&heard, "PRIVMSG NickServ :GHOST claw pw"), 2);
    tasks.cancel();
}

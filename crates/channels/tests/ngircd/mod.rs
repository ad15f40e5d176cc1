//! A real ngircd and a plain client, for the tests of our IRC line.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use openclaw_ports::{Clock as _, Deadline, SystemClock};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// A server of its own for a test.
pub(super) struct Server {
    process: Child,
    pub(super) port: u16,
    folder: tempfile::TempDir,
}

impl Server {
    pub(super) async fn start(password: Option<&str>) -> Self {
        let port = free_port();
        let folder = tempfile::tempdir().unwrap();
        let password = password.map(|password| format!("Password = {password}\n")).unwrap_or_default();
        Self::with(port, &password, "", folder).await
    }

    /// One that encrypts with this certificate and key.
    pub(super) async fn encrypted(certificate: &str, key: &str) -> Self {
        let port = free_port();
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(place("certificate.pem"), certificate).unwrap();
        std::fs::write(place("key.pem"), key).unwrap();
        let ssl = format!(
            "[SSL]\nPorts = {port}\nCertFile = {}\nKeyFile = {}\n",
            place("certificate.pem"),
            place("key.pem")
        );
        Self::with(port, "", &ssl, folder).await
    }

    async fn with(port: u16, password: &str, ssl: &str, folder: tempfile::TempDir) -> Self {
        let plain = if ssl.is_empty() { port } else { free_port() };
        let settings = format!(
            "[Global]\nName = irc.test.local\nInfo = test\nPorts = {plain}\nListen = 127.0.0.1\n{password}\
             [Limits]\nMaxNickLength = 30\nConnectRetry = 0\n\
             [Options]\nDNS = no\nIdent = no\nPAM = no\nScrubCTCP = no\n{ssl}"
        );
        let file = folder.path().join("ngircd.conf");
        std::fs::write(&file, settings).unwrap();
        let server = Self { process: run(&file), port, folder };
        server.until_up().await;
        server
    }

    /// Starts it once more after it was stopped, where it was.
    pub(super) async fn start_again(&mut self) {
        self.process = run(&self.folder.path().join("ngircd.conf"));
        self.until_up().await;
    }

    async fn until_up(&self) {
        within(async {
            while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                SystemClock::new().sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    pub(super) fn stop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone in some tests.
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.stop();
        }
    }
}

fn run(settings: &Path) -> Child {
    Command::new(ngircd())
        .args(["-n", "-f"])
        .arg(settings)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("ngircd starts")
}

fn ngircd() -> PathBuf {
    let places =
        ["/usr/sbin/ngircd", "/usr/bin/ngircd", "/usr/local/sbin/ngircd", "/opt/homebrew/sbin/ngircd"];
    let found = places.iter().map(PathBuf::from).find(|path| path.is_file());
    found.expect("ngircd is needed: `cargo xtask test` installs it, or install the package ngircd")
}

pub(super) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(super) async fn within<T>(work: impl Future<Output = T>) -> T {
    let clock = SystemClock::new();
    let deadline = Deadline::after(&clock, Duration::from_secs(30));
    deadline.bound(&clock, work).await.expect("in time")
}

/// Somebody with a plain client.
pub(super) struct Client {
    lines: Lines<BufReader<OwnedReadHalf>>,
    writer: OwnedWriteHalf,
}

impl Client {
    pub(super) async fn come(port: u16, nick: &str) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let (read, writer) = stream.into_split();
        let mut client = Self { lines: BufReader::new(read).lines(), writer };
        client.say(&format!("NICK {nick}\r\nUSER {nick} 0 * :{nick}")).await;
        client.until(" 001 ").await;
        client
    }

    pub(super) async fn join(server: &Server, nick: &str, room: &str) -> Self {
        let mut client = Self::come(server.port, nick).await;
        client.say(&format!("JOIN {room}")).await;
        client.until(" 366 ").await;
        client
    }

    pub(super) async fn say(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }

    pub(super) async fn until(&mut self, wanted: &str) -> String {
        within(async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the line is up");
                if let Some(token) = line.strip_prefix("PING ") {
                    let answer = format!("PONG {token}");
                    self.say(&answer).await;
                }
                if line.contains(wanted) {
                    return line;
                }
            }
        })
        .await
    }
}

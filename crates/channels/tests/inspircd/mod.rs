//! A real InspIRCd with the services of Atheme: a network where nicks can be registered and SASL works.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use openclaw_ports::{Clock as _, SystemClock};
use tokio::net::TcpStream;

use crate::ngircd::{Client, free_port, within};

/// A network of its own for a test.
pub(super) struct Network {
    server: Child,
    services: Child,
    pub(super) port: u16,
    _folder: tempfile::TempDir,
}

impl Network {
    pub(super) async fn start() -> Self {
        let (port, link) = (free_port(), free_port());
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let written = |name: &str, text: String| {
            std::fs::write(place.join(name), text).unwrap();
            place.join(name)
        };
        let server = start(
            Command::new(program("inspircd"))
                .args(["--nofork", "--runasroot", "--config"])
                .arg(written("inspircd.conf", server_settings(place, port, link))),
        );
        until_up(port).await;
        let services = start(
            Command::new(program("atheme-services"))
                .arg("-n")
                .args([Path::new("-c"), &written("atheme.conf", services_settings(link))])
                .args([Path::new("-D"), place])
                .args([Path::new("-l"), &place.join("atheme.log")])
                .args([Path::new("-p"), &place.join("atheme.pid")]),
        );
        let network = Self { services, server, port, _folder: folder };
        network.until_served().await;
        network
    }

    /// Waits until the services are on the network.
    async fn until_served(&self) {
        let mut looking = Client::come(self.port, "looking").await;
        within(async {
            loop {
                looking.say("WHOIS SaslServ").await;
                if !looking.until(" SaslServ ").await.contains(" 401 ") {
                    return;
                }
            }
        })
        .await;
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for process in [&mut self.services, &mut self.server] {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

async fn until_up(port: u16) {
    within(async {
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            SystemClock::new().sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

fn program(name: &str) -> PathBuf {
    let found = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"]
        .map(|folder| Path::new(folder).join(name))
        .into_iter()
        .find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{name} is needed: `cargo xtask test` installs it"))
}

fn server_settings(place: &Path, port: u16, link: u16) -> String {
    let modules = ["cap", "sasl", "services_account", "spanningtree", "ircv3", "ircv3_servertime"];
    let modules: String = modules.map(|name| format!("<module name=\"{name}\">\n")).concat();
    let pid = place.join("inspircd.pid").display().to_string();
    format!(
        "<server name=\"irc.test.local\" description=\"test\" network=\"Test\" id=\"1AA\">\n\
         <admin name=\"a\" nick=\"a\" email=\"a@test.local\">\n\
         <bind address=\"127.0.0.1\" port=\"{port}\" type=\"clients\">\n\
         <bind address=\"127.0.0.1\" port=\"{link}\" type=\"servers\">\n{modules}\
         <sasl target=\"services.test.local\">\n\
         <link name=\"services.test.local\" ipaddr=\"127.0.0.1\" port=\"{link}\" allowmask=\"127.0.0.1/32\" \
          sendpass=\"link\" recvpass=\"link\">\n\
         <uline server=\"services.test.local\" silent=\"yes\">\n\
         <connect name=\"main\" allow=\"*\" timeout=\"20\" pingfreq=\"120\" localmax=\"100\" globalmax=\"100\" \
          resolvehostnames=\"no\" useconnectban=\"no\" commandrate=\"100000\" threshold=\"1000\" fakelag=\"no\">\n\
         <pid file=\"{pid}\">\n"
    )
}

fn services_settings(link: u16) -> String {
    let modules = [
        "protocol/inspircd",
        "backend/opensex",
        "crypto/pbkdf2v2",
        "nickserv/main",
        "nickserv/identify",
        "nickserv/register",
        "nickserv/ghost",
        "saslserv/main",
        "saslserv/plain",
    ];
    let modules: String = modules.map(|name| format!("loadmodule \"modules/{name}\";\n")).concat();
    format!(
        "{modules}serverinfo {{ name = \"services.test.local\"; desc = \"services\"; numeric = \"00A\"; recontime = 1; \
         netname = \"Test\"; hidehostsuffix = \"users.test\"; adminname = \"a\"; adminemail = \"a@test.local\"; \
         mta = \"/bin/true\"; loglevel = {{ error; }}; maxlogins = 5; maxusers = 5; maxnicks = 5; emaillimit = 100; \
         emailtime = 300; auth = none; casemapping = rfc1459; }};\n\
         uplink \"irc.test.local\" {{ host = \"127.0.0.1\"; send_password = \"link\"; receive_password = \"link\"; \
         port = {link}; }};\n\
         nickserv {{ nick = \"NickServ\"; user = \"ns\"; host = \"services.test.local\"; real = \"nicks\"; }};\n\
         saslserv {{ nick = \"SaslServ\"; user = \"sasl\"; host = \"services.test.local\"; real = \"sasl\"; }};\n\
         database {{ db_save_blocking; }};\n\
         general {{ commit_interval = 5; }};\n"
    )
}

//! What keeps a restart from happening, and what does not.

use std::net::{SocketAddr, TcpListener};

use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice};
use tempfile::TempDir;

use super::preflight;

fn file(text: &str) -> (TempDir, ConfigFile) {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".openclaw")).unwrap();
    std::fs::write(home.path().join(".openclaw/openclaw.json"), text).unwrap();
    let environment = Environment::fake(Vec::<(String, String)>::new(), home.path());
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let file = ConfigFile::new(locations, environment);
    (home, file)
}

#[test]
fn a_busy_port_stands_in_the_way_unless_it_is_our_own() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = busy.local_addr().unwrap();
    let (_home, file) = file(&format!("{{ gateway: {{ port: {} }} }}", address.port()));
    let obstacle = preflight(&file, &[]).unwrap_err();
    assert!(obstacle.starts_with(&format!("{address} cannot be listened on")), "{obstacle}");
    assert_eq!(preflight(&file, &[address]), Ok(()));
}

#[test]
fn a_certificate_that_is_not_there_stands_in_the_way() {
    let (_home, file) =
        file("{ gateway: { tls: { enabled: true, autoGenerate: false, certPath: '/nowhere/cert.pem' } } }");
    let ours: SocketAddr = "127.0.0.1:18789".parse().unwrap();
    let obstacle = preflight(&file, &[ours]).unwrap_err();
    assert!(obstacle.starts_with("/nowhere/cert.pem cannot be read"), "{obstacle}");
}

#[test]
fn a_broken_file_does_not_since_the_last_good_one_will_run() {
    let (_home, file) = file("{ gateway: { port: ");
    assert_eq!(preflight(&file, &[]), Ok(()));
}

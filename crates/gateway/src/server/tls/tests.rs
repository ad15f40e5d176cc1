//! Making, keeping and refusing certificates.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn plan(folder: &Path) -> TlsPlan {
    TlsPlan::SelfSigned {
        certificate: folder.join("tls/gateway-cert.pem"),
        key: folder.join("tls/gateway-key.pem"),
    }
}

#[test]
fn a_self_signed_certificate_is_made_once_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let first = prepare(&plan(folder.path())).unwrap().unwrap().fingerprint;
    let second = prepare(&plan(folder.path())).unwrap().unwrap().fingerprint;
    assert_eq!(first, second);
    assert_eq!(first.len(), 64);
    let mode = fs::metadata(folder.path().join("tls/gateway-key.pem")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_key_that_was_left_alone_gets_its_certificate_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    prepare(&plan(folder.path())).unwrap();
    let key = fs::read(folder.path().join("tls/gateway-key.pem")).unwrap();
    fs::remove_file(folder.path().join("tls/gateway-cert.pem")).unwrap();
    let first = prepare(&plan(folder.path())).unwrap().unwrap().fingerprint;
    assert_eq!(prepare(&plan(folder.path())).unwrap().unwrap().fingerprint, first);
    assert_eq!(fs::read(folder.path().join("tls/gateway-key.pem")).unwrap(), key);
    let mut names: Vec<_> =
        fs::read_dir(folder.path().join("tls")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["gateway-cert.pem", "gateway-key.pem"], "nothing unfinished is left");
}

#[test]
fn a_broken_key_that_was_left_alone_is_refused_with_words_that_help() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tls")).unwrap();
    fs::write(folder.path().join("tls/gateway-key.pem"), "").unwrap();
    let Some(GatewayError::Tls { path, problem }) = prepare(&plan(folder.path())).err() else {
        panic!("an empty key is no key");
    };
    assert!(path.ends_with("gateway-key.pem") && problem.contains("be removed"), "{problem}");
}

#[test]
fn a_certificate_without_its_key_is_refused_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    prepare(&plan(folder.path())).unwrap();
    fs::remove_file(folder.path().join("tls/gateway-key.pem")).unwrap();
    let error = prepare(&plan(folder.path())).err().unwrap();
    assert!(matches!(error, GatewayError::Tls { path, .. } if path.ends_with("gateway-key.pem")));
}

#[test]
fn a_key_that_belongs_to_another_certificate_is_refused() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    prepare(&plan(one.path())).unwrap();
    prepare(&plan(two.path())).unwrap();
    let mixed = TlsPlan::Files {
        certificate: one.path().join("tls/gateway-cert.pem"),
        key: two.path().join("tls/gateway-key.pem"),
    };
    assert!(matches!(prepare(&mixed).err().unwrap(), GatewayError::Tls { .. }));
}

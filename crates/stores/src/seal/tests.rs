//! What a seal holds against: other rows, other keys, changed bytes; and how the key file is made and guarded.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use openclaw_testkit::TempHome;
use openclaw_types::Secret;

use super::{KeySource, MissingKey, RowIdentity, Sealer, Unsealable};
use crate::error::SealError;

const ROW: RowIdentity<'static> = RowIdentity { table: "device_tokens", key: &["d1", "operator"] };

fn sealer() -> Sealer {
    Sealer::new(&[7; 32])
}

fn secret() -> Secret<String> {
    Secret::new("a device token".to_owned())
}

#[test]
fn what_was_sealed_opens_in_its_row() {
    let sealed = sealer().seal(ROW, &secret()).unwrap();
    assert_eq!(sealer().open(ROW, &sealed), Ok(secret()));
}

#[test]
fn the_same_secret_never_seals_to_the_same_bytes() {
    assert_ne!(sealer().seal(ROW, &secret()).unwrap(), sealer().seal(ROW, &secret()).unwrap());
}

#[test]
fn a_seal_does_not_open_in_any_other_row() {
    let sealed = sealer().seal(ROW, &secret()).unwrap();
    let others = [
        RowIdentity { table: "other_tokens", ..ROW },
        RowIdentity { key: &["d2", "operator"], ..ROW },
        RowIdentity { key: &["d1", "node"], ..ROW },
        RowIdentity { key: &["d1operator"], ..ROW },
        RowIdentity { key: &["d", "1operator"], ..ROW },
    ];
    for other in others {
        assert_eq!(sealer().open(other, &sealed), Err(Unsealable::WrongKeyOrRow), "{other:?}");
    }
}

#[test]
fn a_seal_does_not_open_with_another_key() {
    let sealed = sealer().seal(ROW, &secret()).unwrap();
    assert_eq!(Sealer::new(&[8; 32]).open(ROW, &sealed), Err(Unsealable::WrongKeyOrRow));
}

#[test]
fn a_seal_with_any_bit_changed_or_byte_missing_does_not_open() {
    let sealed = sealer().seal(ROW, &secret()).unwrap();
    for byte in 0..sealed.len() {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[byte] ^= 1 << bit;
            assert!(sealer().open(ROW, &changed).is_err(), "bit {bit} of byte {byte}");
        }
        assert!(sealer().open(ROW, &sealed[..byte]).is_err(), "cut to {byte} bytes");
    }
}

#[test]
fn a_seal_of_another_layout_is_told_apart() {
    let mut sealed = sealer().seal(ROW, &secret()).unwrap();
    sealed[0] = 2;
    assert_eq!(sealer().open(ROW, &sealed), Err(Unsealable::UnknownLayout));
}

#[test]
fn a_key_is_made_once_and_private() {
    let home = TempHome::new();
    let path = home.path("seal.key");
    let source = KeySource::File(path.clone());
    let first = Sealer::from_source(&source, MissingKey::Make).unwrap();
    let second = Sealer::from_source(&source, MissingKey::Refuse).unwrap();
    assert_eq!(second.open(ROW, &first.seal(ROW, &secret()).unwrap()), Ok(secret()));
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.len(), found.permissions().mode() & 0o777), (32, 0o600));
    assert_eq!(fs::read_dir(home.state_dir()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn makers_at_the_same_moment_agree_on_one_key() {
    let home = TempHome::new();
    let source = KeySource::File(home.path("seal.key"));
    let sealers = std::thread::scope(|scope| {
        let make = || Sealer::from_source(&source, MissingKey::Make).unwrap();
        let makers: Vec<_> = (0..8).map(|_| scope.spawn(make)).collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect::<Vec<_>>()
    });
    let sealed = sealers[0].seal(ROW, &secret()).unwrap();
    for sealer in &sealers {
        assert_eq!(sealer.open(ROW, &sealed), Ok(secret()));
    }
}

#[test]
fn a_file_of_the_wrong_length_is_no_key_and_stays() {
    for length in [0, 31, 33] {
        let home = TempHome::new();
        let path = home.path("seal.key");
        fs::write(&path, vec![1; length]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let refused = Sealer::from_source(&KeySource::File(path.clone()), MissingKey::Make).unwrap_err();
        assert!(matches!(refused, SealError::Malformed { .. }), "{refused:?}");
        assert_eq!(fs::read(&path).unwrap().len(), length);
    }
}

#[test]
fn a_sealer_does_not_show_its_key() {
    assert_eq!(format!("{:?}", sealer()), "Sealer([secret])");
}

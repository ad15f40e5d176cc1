//! Tells who listens on a port of this machine, because on a shared machine anybody may.
//!
//! Asked before a model server that nobody chose is talked to. Linux says who owns a listening socket; elsewhere
//! nobody is trusted.

use std::net::IpAddr;

/// Whether what listens at an address may be talked to without anybody having chosen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It belongs to us or to the system, or a person named this other machine.
    Ours,
    /// It belongs to somebody else, or nobody can tell.
    Unsure,
}

/// Who listens at the root of a server's interface.
pub(super) async fn trust(base_url: &str) -> Trust {
    let Some((host, port)) = place(base_url) else { return Trust::Unsure };
    if !is_here(host) {
        // The usual addresses are all of this machine, so a person named this one.
        return Trust::Ours;
    }
    owner_of(port).await
}

#[cfg(target_os = "linux")]
async fn owner_of(port: u16) -> Trust {
    let mut tables = String::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        match tokio::fs::read_to_string(table).await {
            Ok(text) => tables.push_str(&text),
            // A machine without one of the two protocols has no such table.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::debug!(subsystem = "models", table, %error, "nobody can tell who listens here");
                return Trust::Unsure;
            }
        }
    }
    judge(&owners(&tables, port), rustix::process::geteuid().as_raw())
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "other systems look it up")]
async fn owner_of(_port: u16) -> Trust {
    Trust::Unsure
}

/// Every listener of the port must be ours or the system's, for any of them may get the connection.
#[cfg(any(target_os = "linux", test))]
fn judge(owners: &[u32], us: u32) -> Trust {
    // Below it lie the system's own accounts, such as the one a packaged model server runs under.
    const FIRST_PERSON: u32 = 1000;
    let all_ours = owners.iter().all(|owner| *owner == us || *owner < FIRST_PERSON);
    if all_ours && !owners.is_empty() { Trust::Ours } else { Trust::Unsure }
}

/// The users who listen on a port, from the kernel's tables of sockets.
#[cfg(any(target_os = "linux", test))]
fn owners(tables: &str, port: u16) -> Vec<u32> {
    /// The kernel's number of a socket that listens.
    const LISTENS: &str = "0A";
    tables
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace();
            let (_, local) = fields.nth(1)?.split_once(':')?;
            let state = fields.nth(1)?;
            let owner = fields.nth(3)?.parse().ok()?;
            let same = u16::from_str_radix(local, 16) == Ok(port);
            (same && state == LISTENS).then_some(owner)
        })
        .collect()
}

/// The host and port of an address.
fn place(base_url: &str) -> Option<(&str, u16)> {
    let (scheme, rest) = base_url.trim().split_once("://")?;
    let usual = match scheme.to_ascii_lowercase().as_str() {
        "http" => 80,
        "https" => 443,
        _ => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.contains('@'))?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, usual),
    };
    (!host.is_empty()).then_some((host, port))
}

fn is_here(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.trim_end_matches('.').eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| {
            let address = address.to_canonical();
            address.is_loopback() || address.is_unspecified()
        })
}

#[cfg(test)]
mod tests {
    use super::{Trust, is_here, judge, owners, place};

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   \
        0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 11 1 0 100 0 0 10 0\n   \
        1: 0100007F:2CAA 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1002        0 12 1 0 100 0 0 10 0\n   \
        2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 13 1 0 100 0 0 10 0\n  \
        sl  local_address                         remote_address                        st\n   \
        0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 14 1 0 100 0 0 10 0\n";

    #[test]
    fn the_owner_of_a_listening_socket_is_read_from_the_table() {
        let found = [0x2CAA, 0x1F90, 0x9999].map(|port| owners(TABLE, port));
        assert_eq!(found, [vec![1001], vec![0, 1000], vec![]]);
    }

    #[test]
    fn only_our_own_and_the_systems_listeners_are_trusted() {
        let rows: [(&[u32], Trust); 6] = [
            (&[1000], Trust::Ours),
            (&[0], Trust::Ours),
            (&[0, 1000], Trust::Ours),
            (&[1001], Trust::Unsure),
            (&[1000, 1001], Trust::Unsure),
            (&[], Trust::Unsure),
        ];
        for (listeners, expected) in rows {
            assert_eq!(judge(listeners, 1000), expected, "{listeners:?}");
        }
    }

    #[test]
    fn addresses_of_this_machine_are_known_in_every_form() {
        let rows = [
            ("http://127.0.0.1:11434", Some(("127.0.0.1", 11_434, true))),
            ("http://[::1]:8000/v1", Some(("[::1]", 8_000, true))),
            ("http://[::ffff:127.0.0.1]:1/v1", Some(("[::ffff:127.0.0.1]", 1, true))),
            ("https://LocalHost/v1", Some(("LocalHost", 443, true))),
            ("http://box:1234/v1", Some(("box", 1_234, false))),
            ("http://user@127.0.0.1:1", None),
            ("unix:/run/x", None),
        ];
        for (address, expected) in rows {
            let found = place(address).map(|(host, port)| (host, port, is_here(host)));
            assert_eq!(found, expected, "{address}");
        }
    }
}

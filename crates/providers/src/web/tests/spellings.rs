//! Every spelling of an address that must not be fetched.

use openclaw_ports::model::ServerReach;

use super::super::address::fit;

fn refused(address: &str) -> bool {
    fit(address, ServerReach::Public).is_err()
}

#[test]
fn private_addresses_are_refused_however_they_are_written() {
    let closed = [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://017700000001/",
        "http://127.0.0.1./",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://%31%32%37.0.0.1/",
        "http://0/",
        "http://0.0.0.0/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://172.31.255.255/",
        "http://192.168.1.1/",
        "http://3232235777/",
        "http://100.64.0.1/",
        "http://169.254.1.1/",
        "http://192.0.0.1/",
        "http://192.0.2.1/",
        "http://198.18.0.1/",
        "http://224.0.0.1/",
        "http://240.0.0.1/",
        "http://255.255.255.255/",
        "http://[::]/",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[::127.0.0.1]/",
        "http://[::ffff:0:127.0.0.1]/",
        "http://[64:ff9b::127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b:1::1]/",
        "http://[2002:7f00:1::]/",
        "http://[2002:c0a8:101::1]/",
        "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
        "http://[fc00::1]/",
        "http://[fd12:3456::1]/",
        "http://[fe80::1]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[2001:db8::1]/",
    ];
    let open: Vec<&str> = closed.into_iter().filter(|address| !refused(address)).collect();
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn metadata_services_are_refused_even_where_a_person_named_the_place() {
    let services = [
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
        "http://METADATA.google.internal./",
        "http://100.100.100.200/",
    ];
    for address in services {
        assert!(refused(address), "{address}");
        assert!(fit(address, ServerReach::Anywhere).is_err(), "{address}");
    }
}

#[test]
fn names_of_the_local_network_are_refused() {
    let names = [
        "http://localhost/",
        "http://LOCALHOST:8080/",
        "http://localhost./",
        "http://a.localhost/",
        "http://printer.local/",
        "http://db.internal/",
        "http://nas.lan/",
        "http://router.home.arpa/",
        "http://intranet/",
        "http://gateway/",
    ];
    for address in names {
        assert!(refused(address), "{address}");
    }
}

#[test]
fn disguises_other_schemes_and_ports_of_other_services_are_refused() {
    let odd = [
        "",
        "example.com",
        "//example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "data:text/html,x",
        "javascript:alert(1)",
        "http://user@example.com/",
        "http://example.com:secret@127.0.0.1/",
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1?@example.com/",
        "http://127.0.0.1\\@example.com/",
        "http:///etc",
        "http://example.com:22/",
        "http://example.com:25/",
        "http://example.com:6379/",
        "http://example.com:11211/",
        "http://example.com:0/",
        "http://exa mple.com/",
        "http://[::1",
    ];
    for address in odd {
        assert!(refused(address), "{address}");
    }
    assert!(refused(&format!("http://example.com/{}", "a".repeat(9000))));
}

#[test]
fn public_addresses_are_fit() {
    let fine = [
        "http://example.com/",
        "https://example.com:8443/a?b#c",
        "http://example.com:8080/",
        "https://93.184.216.34/",
        "https://[2606:2800:220:1:248:1893:25c8:1946]/",
        " https://münchen.example/ ",
    ];
    for address in fine {
        assert!(!refused(address), "{address}");
    }
}

#[test]
fn a_place_that_a_person_named_may_be_on_this_machine() {
    assert!(fit("http://localhost:8080/search", ServerReach::Anywhere).is_ok());
    assert!(fit("http://192.168.1.5:8888/", ServerReach::Anywhere).is_ok());
    assert!(fit("http://searx/", ServerReach::Anywhere).is_ok());
    assert!(fit("file:///etc/passwd", ServerReach::Anywhere).is_err());
}

//! Decides which addresses may be called: the guard against being sent into the person's own network.
//!
//! Pure. `send` asks for the address as written, `client` asks for every address a name resolves to, so that only
//! checked addresses are connected to. A name with one bad address is refused whole: honest vendors have none, and
//! answers that mix are how a guard is fooled.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};

/// An address that is not called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    host: String,
    why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// Lies in a range that is not the public internet.
    Range(&'static str),
    /// Hands out the credentials of the machine.
    Metadata,
    /// Lends no keys to containers.
    NoLender,
    /// Is called without encryption.
    Plain,
    /// Is neither `http` nor `https`.
    Scheme,
    /// Is the proxy's own name.
    Proxy,
}

impl Refusal {
    /// The refusal of calling the proxy's own name.
    pub(super) fn proxy(host: &str) -> Self {
        Self { host: host.to_owned(), why: Why::Proxy }
    }

    /// The refusal in words about the web.
    pub(super) fn of_the_web(&self) -> String {
        let what = match self.why {
            Why::Range(range) => range,
            Why::Metadata => METADATA_SERVICE,
            Why::NoLender | Why::Plain | Why::Scheme | Why::Proxy => "a place that is closed",
        };
        format!("{} was not fetched: it leads to {what}. Only the public internet can be read.", self.host)
    }

    /// The refusal as the end of a call: sending it again cannot help.
    pub(super) fn fault(&self) -> ModelFault {
        ModelFault::new(FaultReason::Format, self.to_string())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = &self.host;
        match self.why {
            Why::Range(range) => write!(
                out,
                "{host} was not called: it leads to {range}, and this provider may only be called on the public \
                 internet. If it is a server of yours, configure it under models.providers with its baseUrl."
            ),
            Why::Metadata => write!(
                out,
                "{host} was not called: it is the metadata service of a cloud, which hands out credentials. \
                 Configure another baseUrl under models.providers."
            ),
            Why::NoLender => write!(
                out,
                "{host} was not called: it is not one of the addresses where ECS and EKS lend keys. Correct \
                 AWS_CONTAINER_CREDENTIALS_FULL_URI."
            ),
            Why::Plain => write!(
                out,
                "{host} was not called: http would show the key to everyone on the way. Use https, or, if it is a \
                 server of yours, configure it under models.providers with its baseUrl."
            ),
            Why::Scheme => {
                write!(
                    out,
                    "{host} was not called: a baseUrl under models.providers begins with https:// or http://"
                )
            }
            Why::Proxy => write!(
                out,
                "{host} was not called: it is the name of the proxy. If models are served there too, configure \
                 that server under models.providers with its baseUrl."
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// Checks an address as written. `host` may be a name or an address, in brackets or not.
pub(super) fn check_written(scheme: &str, host: &str, reach: ServerReach) -> Result<(), Refusal> {
    let refuse = |why| Err(Refusal { host: host.to_owned(), why });
    match (scheme, reach) {
        ("https", _) | ("http", ServerReach::Anywhere) => {}
        ("http", ServerReach::Public) => return refuse(Why::Plain),
        _ => return refuse(Why::Scheme),
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => check_address(address, reach).or_else(refuse),
        Err(_not_an_address) => check_name(bare, reach).or_else(refuse),
    }
}

/// Checks that an address is one of a container's lenders of AWS keys, which speak plain HTTP.
pub(super) fn check_lender(scheme: &str, host: &str) -> Result<(), Refusal> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let lends = bare.parse().is_ok_and(|address| LENDERS.contains(&address));
    if scheme == "http" && lends {
        return Ok(());
    }
    Err(Refusal { host: host.to_owned(), why: Why::NoLender })
}

/// Checks what a name resolved to, and gives back what may be connected to.
pub(super) fn check_resolved(
    host: &str,
    found: Vec<SocketAddr>,
    reach: ServerReach,
) -> Result<Vec<SocketAddr>, Refusal> {
    for address in &found {
        check_address(address.ip(), reach).map_err(|why| Refusal { host: host.to_owned(), why })?;
    }
    Ok(found)
}

/// What a host or an address of the web is, when it may not be called; nothing when it may. Only the public internet may,
/// unless a person named the place; metadata services never are.
pub(crate) fn closed_to_the_web(host: &str, reach: ServerReach) -> Option<&'static str> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let checked = match bare.parse::<IpAddr>() {
        Ok(address) => check_address(address, reach),
        Err(_not_an_address) => check_name(bare, reach),
    };
    match checked {
        Ok(()) => None,
        Err(Why::Range(range)) => Some(range),
        Err(_metadata) => Some(METADATA_SERVICE),
    }
}

/// Names that say themselves where they lead. Behind a proxy this is all there is to look at.
fn check_name(name: &str, reach: ServerReach) -> Result<(), Why> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let within = |zone: &str| name == zone || name.strip_suffix(zone).is_some_and(|rest| rest.ends_with('.'));
    if METADATA_NAMES.iter().any(|zone| within(zone)) {
        return Err(Why::Metadata);
    }
    match reach {
        ServerReach::Public if LOCAL_ZONES.iter().any(|zone| within(zone)) => Err(Why::Range("a local name")),
        ServerReach::Public | ServerReach::Anywhere => Ok(()),
    }
}

fn check_address(address: IpAddr, reach: ServerReach) -> Result<(), Why> {
    let address = match address {
        IpAddr::V6(address) => embedded(address).map_or(IpAddr::V6(address), IpAddr::V4),
        address @ IpAddr::V4(_) => address,
    };
    if METADATA.contains(&address) {
        return Err(Why::Metadata);
    }
    let range = match address {
        IpAddr::V4(address) => RANGES_4.iter().find(|(net, bits, _)| within_4(address, *net, *bits)),
        IpAddr::V6(address) => return check_6(address, reach),
    };
    match (range, reach) {
        (Some((_, _, what)), ServerReach::Public) => Err(Why::Range(what)),
        _ => Ok(()),
    }
}

/// Of IPv6, only `2000::/3` is handed out at all.
fn check_6(address: Ipv6Addr, reach: ServerReach) -> Result<(), Why> {
    if reach == ServerReach::Anywhere {
        return Ok(());
    }
    match RANGES_6.iter().find(|(net, bits, _)| within_6(address, *net, *bits)) {
        Some((_, _, what)) => Err(Why::Range(what)),
        None if within_6(address, Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3) => Ok(()),
        None => Err(Why::Range("a range that is not in use")),
    }
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64 and 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b, c, d] = address.octets();
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            Some(Ipv4Addr::new(a, b, c, d))
        }
        [0x2002, high, low, ..] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            Some(Ipv4Addr::new(a, b, c, d))
        }
        _ => None,
    }
}

fn within_4(address: Ipv4Addr, net: Ipv4Addr, bits: u32) -> bool {
    (address.to_bits() ^ net.to_bits()).leading_zeros() >= bits
}

fn within_6(address: Ipv6Addr, net: Ipv6Addr, bits: u32) -> bool {
    (address.to_bits() ^ net.to_bits()).leading_zeros() >= bits
}

/// What metadata services are, for people.
const METADATA_SERVICE: &str = "the metadata service of a cloud, which hands out credentials";

/// Names of metadata services.
const METADATA_NAMES: &[&str] = &["metadata.google.internal", "metadata.goog", "instance-data"];

/// Zones that never lead to the public internet.
const LOCAL_ZONES: &[&str] =
    &["localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain"];

/// The addresses under which clouds tell a machine its credentials.
const METADATA: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 253)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// Where ECS and EKS lend keys to a container.
const LENDERS: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23)),
];

/// IPv4 that is not the public internet. Registry: <https://www.iana.org/assignments/iana-ipv4-special-registry>.
const RANGES_4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private network"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a provider's shared network"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "the local link"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private network"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved range"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "a range for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a reserved range"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private network"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a range for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "a range for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "a range for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "many machines at once"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved range"),
];

/// IPv6 that is not the public internet, where the reason is worth telling or lies inside `2000::/3`.
/// Registry: <https://www.iana.org/assignments/iana-ipv6-special-registry>.
const RANGES_6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 127, "this machine"),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "a private network"),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "a reserved range"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "a range for documentation"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "a range for documentation"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "a private network"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "the local link"),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "a private network"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "many machines at once"),
];

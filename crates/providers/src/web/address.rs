//! Decides whether an address of the web is fit to be fetched. Pure.
//!
//! Reading the address puts every spelling of an IP address (decimal, octal, hexadecimal, shortened, full-width letters)
//! into one form, which is then looked at; where a name leads is checked when it is looked up.

use openclaw_ports::model::ServerReach;
use openclaw_ports::tool::WebFault;
use reqwest::Url;

use crate::transport::closed_to_the_web;

/// The longest address.
const LONGEST: usize = 8 * 1024;

/// Ports of services that do not speak HTTP and could be fooled by it. Below 1024 only those of HTTP itself are used.
const CLOSED_PORTS: &[u16] = &[
    1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 4369,
    5060, 5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
    8500, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 27017, 27018,
];

/// Reads an address and says why it is not fetched, if it is not.
pub(super) fn fit(text: &str, reach: ServerReach) -> Result<Url, WebFault> {
    let refuse = |why: String| Err(WebFault::Refused(why));
    let text = text.trim();
    if text.len() > LONGEST {
        return refuse("the address is too long".to_owned());
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => {
            return refuse(format!(
                "the address cannot be read ({error}); give a whole http or https address"
            ));
        }
    };
    if !matches!(url.scheme(), "http" | "https") {
        return refuse(format!("only http and https addresses are fetched, not {}:", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse(
            "the address holds a user name or password, which is how addresses are disguised".to_owned(),
        );
    }
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return refuse("the address names no host".to_owned());
    };
    if let Some(what) = closed_to_the_web(host, reach) {
        return refuse(format!("{host} was not fetched: it is {what}. Only the public internet can be read"));
    }
    if reach == ServerReach::Public {
        if let Some(port) = url.port().filter(|port| is_closed(*port)) {
            return refuse(format!("port {port} is not one that web servers use"));
        }
        let is_name =
            !host.starts_with('[') && !host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_name && !host.trim_end_matches('.').contains('.') {
            return refuse(format!("{host} was not fetched: it is a name of the local network"));
        }
    }
    Ok(url)
}

fn is_closed(port: u16) -> bool {
    (port < 1024 && !matches!(port, 80 | 443)) || CLOSED_PORTS.contains(&port)
}

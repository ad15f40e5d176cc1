//! Signing in to a server, decided line by line without a socket.
//!
//! Capabilities first, then SASL where there is a password for it, then the nick. A nick that is taken gets a tail; once
//! we are in it is asked for again, and with NickServ's password its holder is put out.

use base64::Engine as _;
use openclaw_ports::channel::ChannelError;

use super::config::IrcLogin;
use super::line::{IrcLine, write};
use super::normalize::same_name;

/// How far signing in is.
pub(super) struct Registration<'a> {
    login: &'a IrcLogin,
    nick: String,
    tries: u32,
    sasl: Sasl,
    wanted: Vec<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sasl {
    None,
    Wanted,
    Done,
    Failed,
}

/// What comes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RegisterOutcome {
    /// These lines are sent, and more is awaited.
    Say(Vec<String>),
    /// We are in, under this nick; these lines are sent next.
    Welcome {
        /// The nick.
        nick: String,
        /// The lines.
        say: Vec<String>,
    },
}

const NICK_TRIES: u32 = 5;
/// What we can make use of.
const CAPABILITIES: &[&str] = &["message-tags", "server-time", "chghost"];

impl<'a> Registration<'a> {
    pub(super) fn new(login: &'a IrcLogin) -> Self {
        let sasl = if login.sasl { Sasl::Wanted } else { Sasl::None };
        Self { login, nick: login.nick.clone(), tries: 0, sasl, wanted: Vec::new() }
    }

    /// The first lines.
    pub(super) fn begin(&self) -> Vec<String> {
        let mut lines = vec![write("CAP", &["LS", "302"], None)];
        if let Some(password) = self.login.server_password() {
            lines.push(write("PASS", &[], Some(password)));
        }
        lines.push(write("NICK", &[&self.nick], None));
        lines.push(write("USER", &[&self.login.username, "0", "*"], Some(&self.login.realname)));
        lines
    }

    /// Takes in a line.
    pub(super) fn on(&mut self, line: &IrcLine) -> Result<RegisterOutcome, ChannelError> {
        match line.command.as_str() {
            "PING" => Ok(RegisterOutcome::Say(vec![write("PONG", &[], Some(line.words()))])),
            "CAP" => Ok(RegisterOutcome::Say(self.capabilities(line))),
            "AUTHENTICATE" if line.param(0) == "+" => Ok(RegisterOutcome::Say(self.authenticate())),
            "900" => Ok(RegisterOutcome::Say(Vec::new())),
            "903" => {
                self.sasl = Sasl::Done;
                Ok(RegisterOutcome::Say(vec![write("CAP", &["END"], None)]))
            }
            "902" | "904" | "905" => self.sasl_refused(),
            // The services are away, or too slow; the password may be right.
            "906" => Err(ChannelError::Unreachable {
                reason: format!("the server gave up signing us in: {}", line.words()),
                landed: openclaw_ports::channel::Landed::No,
            }),
            "464" => Err(wrong_password()),
            "465" | "466" => Err(ChannelError::Unauthorized { reason: format!("banned: {}", line.words()) }),
            "432" => Err(ChannelError::Wrong {
                reason: format!("the server does not allow the nick {}; choose another", self.nick),
            }),
            "433" | "436" | "437" => self.taken(),
            // Some servers say so only while they hang up.
            "ERROR" if line.words().to_lowercase().contains("password") => Err(wrong_password()),
            "ERROR" => Err(ChannelError::Unreachable {
                reason: format!("the server closed the line: {}", line.words()),
                landed: openclaw_ports::channel::Landed::No,
            }),
            "001" => {
                // The server may have cut the nick.
                let nick =
                    if line.param(0).is_empty() { self.nick.clone() } else { line.param(0).to_owned() };
                Ok(RegisterOutcome::Welcome { say: self.after(&nick), nick })
            }
            _ => Ok(RegisterOutcome::Say(Vec::new())),
        }
    }

    fn capabilities(&mut self, line: &IrcLine) -> Vec<String> {
        let more = line.param(2) == "*";
        match line.param(1) {
            "LS" => {
                let offered: Vec<(&str, &str)> = line
                    .words()
                    .split_whitespace()
                    .map(|each| each.split_once('=').unwrap_or((each, "")))
                    .collect();
                let is_offered = |name: &str| offered.iter().any(|(each, _)| *each == name);
                self.wanted.extend(CAPABILITIES.iter().filter(|each| is_offered(each)));
                // A server that names its ways to sign in has to name ours.
                let ours = |value: &str| value.is_empty() || value.split(',').any(is_plain);
                if self.sasl == Sasl::Wanted
                    && offered.iter().any(|(name, value)| *name == "sasl" && ours(value))
                {
                    self.wanted.push("sasl");
                }
                if more {
                    return Vec::new();
                }
                if self.wanted.is_empty() {
                    return vec![write("CAP", &["END"], None)];
                }
                vec![write("CAP", &["REQ"], Some(&self.wanted.join(" ")))]
            }
            "ACK" if line.words().split_whitespace().any(|each| each == "sasl") => {
                vec![write("AUTHENTICATE", &["PLAIN"], None)]
            }
            "ACK" | "NAK" => vec![write("CAP", &["END"], None)],
            _ => Vec::new(),
        }
    }

    fn authenticate(&self) -> Vec<String> {
        let password = self.login.account_password().unwrap_or_default();
        let name = &self.login.nick;
        let plain = base64::engine::general_purpose::STANDARD.encode(format!("{name}\0{name}\0{password}"));
        // In pieces of 400; a last piece of just that size is followed by an empty one.
        let mut lines: Vec<String> = plain
            .as_bytes()
            .chunks(400)
            .map(|piece| write("AUTHENTICATE", &[&String::from_utf8_lossy(piece)], None))
            .collect();
        if plain.len() % 400 == 0 {
            lines.push(write("AUTHENTICATE", &["+"], None));
        }
        lines
    }

    /// A nick that is to be registered is no account yet: the service is asked for it once we are in.
    fn sasl_refused(&mut self) -> Result<RegisterOutcome, ChannelError> {
        if self.login.register_email.is_none() {
            return Err(ChannelError::Unauthorized {
                reason: "the server does not accept the SASL password; check nickserv.password".into(),
            });
        }
        self.sasl = Sasl::Failed;
        Ok(RegisterOutcome::Say(vec![write("CAP", &["END"], None)]))
    }

    fn taken(&mut self) -> Result<RegisterOutcome, ChannelError> {
        self.tries += 1;
        if self.tries > NICK_TRIES {
            return Err(ChannelError::Conflict { reason: format!("the nick {} is taken", self.login.nick) });
        }
        self.nick = format!("{}{}", self.login.nick, "_".repeat(self.tries as usize));
        Ok(RegisterOutcome::Say(vec![write("NICK", &[&self.nick], None)]))
    }

    /// What is said once we are in: who we are, then where we want to be.
    fn after(&mut self, nick: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let service = &self.login.service;
        let password = self.login.account_password().filter(|_| self.sasl != Sasl::Done);
        if let (Some(password), Some(email)) = (password, &self.login.register_email) {
            lines.push(write("PRIVMSG", &[service], Some(&format!("REGISTER {password} {email}"))));
        }
        if !same_name(nick, &self.login.nick) {
            lines.extend(take_back(self.login));
        }
        if let Some(password) = password {
            // By name: the nick we have at the moment may be another.
            let identify = format!("IDENTIFY {} {password}", self.login.nick);
            lines.push(write("PRIVMSG", &[service], Some(&identify)));
        }
        if self.sasl == Sasl::Wanted {
            self.sasl = Sasl::Failed;
        }
        lines.extend(self.login.rooms.iter().map(|room| write("JOIN", &[room], None)));
        lines
    }
}

/// What is said to get our own nick: its holder is put out where the service knows us.
pub(super) fn take_back(login: &IrcLogin) -> Vec<String> {
    let ghost = login.account_password().map(|password| format!("GHOST {} {password}", login.nick));
    let ghost = ghost.map(|ghost| write("PRIVMSG", &[&login.service], Some(&ghost)));
    ghost.into_iter().chain([write("NICK", &[&login.nick], None)]).collect()
}

fn is_plain(way: &str) -> bool {
    way.eq_ignore_ascii_case("PLAIN")
}

fn wrong_password() -> ChannelError {
    ChannelError::Unauthorized {
        reason: "the server does not accept the password; check channels.irc.password".into(),
    }
}

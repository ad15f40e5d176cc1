//! Asks people on the terminal, and takes secrets without showing them.
//!
//! Questions go to standard error, so that a result on standard output stays clean. Where nobody sits, a secret is
//! read from what is piped in; a question that needs a person is the caller's to refuse.

use std::io::{self, IsTerminal as _, Read as _, Write as _};

use openclaw_types::Secret;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::io::unix::AsyncFd;
use zeroize::Zeroizing;

/// The most that is read as one secret.
const LONGEST: usize = 64 * 1024;

/// Asks for a line of text; nothing when the person gave none.
pub(crate) fn read_text(question: &str) -> io::Result<Option<String>> {
    prompt(question)?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let answer = answer.trim();
    Ok((!answer.is_empty()).then(|| answer.to_owned()))
}

/// Takes a secret: typed or pasted without echo on a terminal, else everything that is piped in.
pub(crate) fn read_secret(question: &str) -> io::Result<Secret<String>> {
    let mut text = Zeroizing::new(String::new());
    if io::stdin().is_terminal() {
        prompt(question)?;
        let _quiet = Quiet::begin()?;
        io::stdin().read_line(&mut text)?;
        writeln!(anstream::stderr().lock())?;
    } else {
        io::stdin().lock().take(LONGEST as u64).read_to_string(&mut text)?;
    }
    Ok(Secret::new(text.trim().to_owned()))
}

fn prompt(question: &str) -> io::Result<()> {
    let mut err = anstream::stderr().lock();
    write!(err, "{question} ")?;
    err.flush()
}

/// The terminal does not show what is typed while this lives.
struct Quiet {
    before: Termios,
}

impl Quiet {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Self { before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Err(error) = tcsetattr(io::stdin(), OptionalActions::Now, &self.before) {
            tracing::warn!(%error, "the terminal may not show what is typed; run `stty echo`");
        }
    }
}

/// A question that can be taken back while the person has not answered: no thread stays behind waiting for them.
pub(crate) struct Withdrawable {
    terminal: AsyncFd<io::Stdin>,
}

impl Withdrawable {
    /// Nothing when nobody sits at the terminal. Must be called inside the runtime.
    pub(crate) fn open() -> io::Result<Option<Self>> {
        if !io::stdin().is_terminal() {
            return Ok(None);
        }
        #[expect(
            deprecated,
            reason = "its successor is unsafe; standard input stays open as long as the process"
        )]
        let terminal = AsyncFd::new(io::stdin())?;
        Ok(Some(Self { terminal }))
    }

    /// Asks, and reads one line. Nothing when the terminal was closed.
    pub(crate) async fn ask(&self, question: &str) -> io::Result<Option<Secret<String>>> {
        prompt(question)?;
        let mut line = Zeroizing::new(Vec::new());
        loop {
            let mut ready = self.terminal.readable().await?;
            let mut piece = Zeroizing::new([0_u8; 4096]);
            let count = rustix::io::read(self.terminal.get_ref(), &mut piece[..])?;
            ready.clear_ready();
            let (taken, ends) = match piece.get(..count) {
                None | Some([]) => return Ok(None),
                Some(bytes) => (bytes, bytes.ends_with(b"\n")),
            };
            line.extend_from_slice(taken);
            if ends || line.len() > LONGEST {
                return Ok(Some(Secret::new(String::from_utf8_lossy(&line).trim().to_owned())));
            }
        }
    }
}

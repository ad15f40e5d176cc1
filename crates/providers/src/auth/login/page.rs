//! The pages a browser sees when it comes back: small, without scripts, asking nothing of anybody.

/// What happened, as the person sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    /// The sign-in came back.
    Done,
    /// The person said no.
    Declined,
    /// It belongs to another sign-in.
    WrongState,
    /// It holds no code.
    NoCode,
    /// Nothing is here.
    NotFound,
    /// It was asked in a way that is not answered.
    Refused,
}

impl Page {
    /// The whole answer, head and body.
    pub(super) fn answer(self) -> String {
        let (status, title, text) = match self {
            Self::Done => ("200 OK", "You are signed in", "You can close this page and go back to OpenClaw."),
            Self::Declined => {
                ("200 OK", "Not signed in", "The sign-in was declined. Go back to OpenClaw to start again.")
            }
            Self::WrongState => (
                "400 Bad Request",
                "Not signed in",
                "This page belongs to another sign-in. Open the newest address that OpenClaw shows.",
            ),
            Self::NoCode => (
                "400 Bad Request",
                "Not signed in",
                "The vendor sent no code. Go back to OpenClaw to start again.",
            ),
            Self::NotFound => {
                ("404 Not Found", "Nothing here", "Only the end of a sign-in is answered here.")
            }
            Self::Refused => ("400 Bad Request", "Not answered", "This request is not part of a sign-in."),
        };
        let body = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <body style=\"font-family:system-ui;max-width:32em;margin:4em auto;padding:0 1em\">\
             <h1>{title}</h1><p>{text}</p></body></html>\n"
        );
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
             cache-control: no-store\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\
             content-security-policy: default-src 'none'; style-src 'unsafe-inline'\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

//! Says what is wrong with the certificate of a server, and what a person can do about it.
//!
//! Pure. `send` asks while it looks through the causes of a failed call. Nothing was sent then, and sending it again
//! or with another key cannot help.

use std::error::Error;
use std::io;

use openclaw_ports::model::{FaultReason, ModelFault};
use rustls::CertificateError;

use super::send::MAX_CAUSE;

const UNKNOWN_AUTHORITY: &str = "its certificate comes from an authority that this machine does not trust. If the \
    server is yours, or a proxy of yours stands before it, add the root certificate of that authority to those of the \
    system, or set SSL_CERT_FILE to a PEM file with all roots to trust.";

/// The fault for this cause; nothing when it is not about a certificate.
pub(super) fn fault(host: &str, cause: &(dyn Error + 'static)) -> Option<ModelFault> {
    let rustls::Error::InvalidCertificate(trouble) = encryption_error(cause)? else { return None };
    let text = format!("{host} was not called: {}", advice(trouble));
    Some(ModelFault::new(FaultReason::Format, text))
}

/// The error of the encryption itself. Errors of sockets hold others without calling them their source, and may hold
/// one another.
fn encryption_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    cause.downcast_ref().or_else(|| encryption_error(cause.downcast_ref::<io::Error>()?.get_ref()?))
}

fn advice(trouble: &CertificateError) -> String {
    match trouble {
        // The latter where a trusted authority has the same name and another key.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => UNKNOWN_AUTHORITY.to_owned(),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has run out. Renew it, or correct the clock of this machine.".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet. Correct the clock of this machine.".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another name. Correct the baseUrl, or have a certificate made for this name."
                .to_owned()
        }
        CertificateError::Revoked => "its certificate was taken back by its authority. Ask whoever runs the \
            server for a new one."
            .to_owned(),
        other => {
            let why: String = other.to_string().chars().take(MAX_CAUSE).collect();
            format!("its certificate cannot be used ({why}). Ask whoever runs the server for another.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_that_is_not_good_is_told_with_what_to_do() {
        let rows = [
            (CertificateError::UnknownIssuer, "SSL_CERT_FILE"),
            (CertificateError::BadSignature, "SSL_CERT_FILE"),
            (CertificateError::Expired, "run out"),
            (CertificateError::NotValidYet, "clock"),
            (CertificateError::NotValidForName, "baseUrl"),
            (CertificateError::Revoked, "taken back"),
            (CertificateError::BadEncoding, "(BadEncoding)"),
        ];
        for (trouble, words) in rows {
            let error = rustls::Error::InvalidCertificate(trouble);
            let told = fault("box.example", &error).unwrap();
            let from_a_socket = io::Error::new(io::ErrorKind::InvalidData, error);
            assert_eq!(fault("box.example", &from_a_socket).as_ref(), Some(&told));
            assert_eq!(fault("box.example", &io::Error::other(from_a_socket)).as_ref(), Some(&told));
            assert_eq!(told.reason, FaultReason::Format);
            assert!(told.message.starts_with("box.example was not called: "), "{}", told.message);
            assert!(told.message.contains(words), "{}", told.message);
        }
    }

    #[test]
    fn other_causes_are_left_alone() {
        assert_eq!(fault("box.example", &io::Error::from(io::ErrorKind::ConnectionRefused)), None);
        let other = rustls::Error::General("something else".to_owned());
        assert_eq!(fault("box.example", &other), None);
    }
}

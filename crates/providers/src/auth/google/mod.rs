//! Google's application credentials: the file that `gcloud` or a service account leaves, traded for tokens.
//!
//! `assertion` signs for a service account. The file belongs to Google's tools: it is read with each use and never
//! written.

mod assertion;

use std::path::PathBuf;

use openclaw_config::Environment;
use openclaw_ports::model::{CallCredential, ModelFault, ServerReach};
use openclaw_types::{Secret, UnixMillis};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::oauth::{Denied, Granted, read_grant};
use super::{fault, web};
use crate::transport::Transport;

/// The name of the one credential this gives.
pub(super) const PROFILE: &str = "gcloud:adc";

const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const SIGN_IN: &str = "run: gcloud auth application-default login";
/// Larger files are not read.
const MAX_BYTES: u64 = 256 * 1024;

/// What the file holds.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Application {
    /// A person's sign-in.
    AuthorizedUser(User),
    /// A service account.
    ServiceAccount(Service),
}

/// A person's sign-in.
#[derive(Debug, Deserialize)]
pub(super) struct User {
    client_id: String,
    client_secret: Secret<String>,
    refresh_token: Secret<String>,
    quota_project_id: Option<String>,
    token_uri: Option<String>,
}

/// A service account.
#[derive(Debug, Deserialize)]
pub(super) struct Service {
    client_email: String,
    private_key: Secret<String>,
    private_key_id: Option<String>,
    project_id: Option<String>,
    token_uri: Option<String>,
}

/// Whose project is used, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    project: String,
    location: String,
}

/// The file, where there is one.
pub(super) fn application_file(environment: &Environment) -> Option<PathBuf> {
    let path = match environment.get_trimmed("GOOGLE_APPLICATION_CREDENTIALS") {
        Some(text) => environment.user_path(text),
        None => environment
            .get_trimmed("CLOUDSDK_CONFIG")
            .map_or_else(|| environment.home().join(".config/gcloud"), |text| environment.user_path(text))
            .join("application_default_credentials.json"),
    };
    path.is_file().then_some(path)
}

/// What the file holds.
///
/// # Errors
/// Reason `Auth` with what to do when it is gone or holds something else.
pub(super) fn read(environment: &Environment) -> Result<Application, ModelFault> {
    use std::io::Read;
    let path = application_file(environment)
        .ok_or_else(|| fault::auth(format!("there are no Google application credentials; {SIGN_IN}")))?;
    let mut bytes = Zeroizing::new(Vec::new());
    std::fs::File::open(&path)
        .and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
        .map_err(|error| fault::auth(format!("{} cannot be read: {error}; {SIGN_IN}", path.display())))?;
    // The parser's error may quote the file, and the file holds secrets.
    serde_json::from_slice(&bytes).map_err(|_quotes| {
        fault::auth(format!(
            "{} holds neither a service account nor a sign-in of gcloud; {SIGN_IN}",
            path.display()
        ))
    })
}

impl Application {
    /// Tells credentials apart.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        let (name, secret) = match self {
            Self::AuthorizedUser(user) => (&user.client_id, &user.refresh_token),
            Self::ServiceAccount(service) => (&service.client_email, &service.private_key),
        };
        let mut hash = Sha256::new();
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(secret.reveal().as_bytes());
        hash.finalize().into()
    }

    fn project(&self) -> Option<&str> {
        match self {
            Self::AuthorizedUser(user) => user.quota_project_id.as_deref(),
            Self::ServiceAccount(service) => service.project_id.as_deref(),
        }
    }
}

impl Place {
    /// The project and location that variables name; the file's project when they name none.
    pub(super) fn of(environment: &Environment, application: &Application) -> Result<Self, ModelFault> {
        let first = |names: &[&str]| names.iter().find_map(|name| environment.get_trimmed(name));
        let project = first(&["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"])
            .or_else(|| application.project())
            .ok_or_else(|| fault::auth("Vertex needs a project; set GOOGLE_CLOUD_PROJECT"))?;
        let location = first(&["GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"]).ok_or_else(|| {
            fault::auth("Vertex needs a location; set GOOGLE_CLOUD_LOCATION, for example to us-central1")
        })?;
        for (name, value) in [("GOOGLE_CLOUD_PROJECT", project), ("GOOGLE_CLOUD_LOCATION", location)] {
            let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
            if !plain {
                return Err(fault::auth(format!(
                    "{name} is no name; write it as the Google console shows it"
                )));
            }
        }
        Ok(Self { project: project.to_owned(), location: location.to_owned() })
    }

    /// The access at this place.
    pub(super) fn applied(&self, access: CallCredential) -> CallCredential {
        let Self { project, location } = self;
        let host = match location.as_str() {
            "global" => "aiplatform.googleapis.com".to_owned(),
            _ => format!("{location}-aiplatform.googleapis.com"),
        };
        let base = format!("https://{host}/v1/projects/{project}/locations/{location}/publishers/google");
        CallCredential { base_url: Some(base), ..access }
    }
}

/// The access a token gives. It goes where tokens go, not where keys go.
pub(super) fn access(token: &Secret<String>) -> CallCredential {
    let value = Secret::new(format!("Bearer {}", token.reveal()));
    CallCredential { headers: [("authorization".to_owned(), value)].into(), ..CallCredential::default() }
}

/// Trades the credentials for a token.
pub(super) async fn token(
    transport: &Transport,
    application: &Application,
    now: UnixMillis,
) -> Result<Granted, ModelFault> {
    let (uri, fields) = match application {
        Application::AuthorizedUser(user) => (
            user.token_uri.as_deref().unwrap_or(TOKEN_URL),
            vec![
                ("grant_type", web::open("refresh_token")),
                ("client_id", web::open(&user.client_id)),
                ("client_secret", user.client_secret.clone()),
                ("refresh_token", user.refresh_token.clone()),
            ],
        ),
        Application::ServiceAccount(service) => {
            let uri = service.token_uri.as_deref().unwrap_or(TOKEN_URL);
            let assertion = assertion::sign(service, uri, now)?;
            (uri, vec![("grant_type", web::open(JWT_BEARER)), ("assertion", assertion)])
        }
    };
    // Another address than Google's stands in a file that a person put there.
    let reach = if uri == TOKEN_URL { ServerReach::Public } else { ServerReach::Anywhere };
    let answer = transport.json(web::form(uri, reach, fields)).await?;
    read_grant(&answer).map_err(|denied| match denied {
        Denied::InvalidGrant | Denied::Other(_) | Denied::ByPerson | Denied::CodeExpired => {
            fault::auth(format!("Google does not accept the application credentials any more; {SIGN_IN}"))
        }
        denied => match openclaw_types::ProviderId::new("google-vertex") {
            Ok(provider) => fault::denied(&provider, &denied),
            Err(_) => fault::auth(SIGN_IN),
        },
    })
}

//! Sign-ins of agents in SQLite, their secrets sealed.
//!
//! Every read opens the seals anew: nothing secret is kept in memory here, and what another process wrote is seen.
//! A seal is bound to agent, profile, vendor and column, so a secret cannot be moved to where another one belongs.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::stores::{
    OauthTokens, ProfileStore, StoreError, StoredCredential, StoredProfile, StoredSecret,
};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use rusqlite::{Connection, Row, params};

use super::columns::{from_json, json, parsed};
use super::state_database::StateDatabase;
use crate::error::Fault;
use crate::seal::{RowIdentity, Sealer};

const API_KEY: &str = "api_key";
const TOKEN: &str = "token";
const OAUTH: &str = "oauth";

#[async_trait]
impl ProfileStore for StateDatabase {
    async fn list(&self, agent: &AgentId) -> Result<Vec<StoredProfile>, StoreError> {
        let (agent, sealer) = (agent.clone(), Arc::clone(&self.sealer));
        self.database.look("read the sign-ins", move |connection| list(connection, &sealer, &agent)).await
    }

    async fn put(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError> {
        let (agent, sealer) = (agent.clone(), Arc::clone(&self.sealer));
        self.database
            .write("save a sign-in", move |connection| put(connection, &sealer, &agent, &profile))
            .await
    }

    async fn remove(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError> {
        let (agent, profile) = (agent.clone(), profile.clone());
        self.database
            .write("forget a sign-in", move |connection| {
                let removed = connection
                    .prepare_cached("DELETE FROM auth_profiles WHERE agent = ?1 AND id = ?2")?
                    .execute([agent.as_str(), profile.as_str()])?;
                Ok(removed > 0)
            })
            .await
    }

    async fn order(&self, agent: &AgentId) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, StoreError> {
        let agent = agent.clone();
        self.database.look("read the order of sign-ins", move |connection| order(connection, &agent)).await
    }

    async fn set_order(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
        order: Vec<AuthProfileId>,
    ) -> Result<(), StoreError> {
        let (agent, provider) = (agent.clone(), provider.clone());
        self.database
            .write("save the order of sign-ins", move |connection| {
                set_order(connection, &agent, &provider, &order)
            })
            .await
    }

    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        self.database.read("list agents with sign-ins", agents).await
    }
}

fn list(connection: &Connection, sealer: &Sealer, agent: &AgentId) -> Result<Vec<StoredProfile>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT id, provider, kind, email, reference, sealed_secret, sealed_refresh, expires,
                account_id, project_id, enterprise_url, client_id, extra
         FROM auth_profiles WHERE agent = ?1 ORDER BY id",
    )?;
    let mut rows = statement.query([agent.as_str()])?;
    let mut profiles = Vec::new();
    while let Some(row) = rows.next()? {
        profiles.push(profile(&Opening {
            row,
            sealer,
            agent: agent.as_str(),
            id: row.get(0)?,
            provider: row.get(1)?,
        })?);
    }
    Ok(profiles)
}

/// A row that is being read, with what its seals are bound to.
struct Opening<'a> {
    row: &'a Row<'a>,
    sealer: &'a Sealer,
    agent: &'a str,
    id: String,
    provider: String,
}

impl Opening<'_> {
    fn what(&self, part: &str) -> String {
        format!("{part} of sign-in {} of agent {}", self.id, self.agent)
    }

    fn broken(&self, part: &str, why: &str) -> Fault {
        Fault::Corrupt(format!("{} {why}", self.what(part)))
    }

    /// Opens a sealed column, if there is something in it.
    fn open(&self, column: usize, name: &'static str) -> Result<Option<Secret<String>>, Fault> {
        let Some(sealed) = self.row.get::<_, Option<Vec<u8>>>(column)? else { return Ok(None) };
        let key = [self.agent, &self.id, &self.provider, name];
        self.sealer
            .open(sealed_row(&key), &sealed)
            .map(Some)
            .map_err(|why| self.broken("the secret", &format!("cannot be opened: {why}")))
    }

    fn secret(&self) -> Result<StoredSecret, Fault> {
        if let Some(secret) = self.open(5, SECRET)? {
            return Ok(StoredSecret::Text(secret));
        }
        match self.row.get_ref(4)?.as_str_or_null().map_err(rusqlite::Error::from)? {
            Some(_) => from_json(self.row, 4, || self.what("the reference")).map(StoredSecret::Reference),
            None => Err(self.broken("the secret", "is missing; sign in again")),
        }
    }

    fn oauth(&self) -> Result<OauthTokens, Fault> {
        let row = self.row;
        let missing = || self.broken("the access token", "is missing; sign in again");
        Ok(OauthTokens {
            access: self.open(5, SECRET)?.ok_or_else(missing)?,
            refresh: self.open(6, REFRESH)?,
            expires: UnixMillis(row.get(7)?),
            account_id: row.get(8)?,
            project_id: row.get(9)?,
            enterprise_url: row.get(10)?,
            client_id: row.get(11)?,
        })
    }
}

fn profile(opening: &Opening<'_>) -> Result<StoredProfile, Fault> {
    let row = opening.row;
    let kind: String = row.get(2)?;
    let credential = match kind.as_str() {
        API_KEY => StoredCredential::ApiKey { key: opening.secret()? },
        TOKEN => StoredCredential::Token {
            token: opening.secret()?,
            expires: row.get::<_, Option<i64>>(7)?.map(UnixMillis),
        },
        OAUTH => StoredCredential::Oauth(opening.oauth()?),
        _ => {
            return Err(
                opening.broken("the kind", "is unknown; a newer version of OpenClaw may have written it")
            );
        }
    };
    Ok(StoredProfile {
        id: parsed(&opening.id, || opening.what("the id"))?,
        provider: parsed(&opening.provider, || opening.what("the provider"))?,
        email: row.get(3)?,
        credential,
        extra: from_json(row, 12, || opening.what("the remainder"))?,
    })
}

const SECRET: &str = "sealed_secret";
const REFRESH: &str = "sealed_refresh";

fn sealed_row<'a>(key: &'a [&'a str]) -> RowIdentity<'a> {
    RowIdentity { table: "auth_profiles", key }
}

/// What a credential becomes in the columns of its kind.
#[derive(Default)]
struct Columns<'a> {
    kind: &'static str,
    reference: Option<String>,
    secret: Option<&'a Secret<String>>,
    refresh: Option<&'a Secret<String>>,
    expires: Option<UnixMillis>,
    oauth: Option<&'a OauthTokens>,
}

impl<'a> Columns<'a> {
    fn of(credential: &'a StoredCredential) -> Result<Self, Fault> {
        match credential {
            StoredCredential::ApiKey { key } => Self { kind: API_KEY, ..Self::default() }.with(key),
            StoredCredential::Token { token, expires } => {
                Self { kind: TOKEN, expires: *expires, ..Self::default() }.with(token)
            }
            StoredCredential::Oauth(tokens) => Ok(Self {
                kind: OAUTH,
                reference: None,
                secret: Some(&tokens.access),
                refresh: tokens.refresh.as_ref(),
                expires: Some(tokens.expires),
                oauth: Some(tokens),
            }),
        }
    }

    fn with(self, secret: &'a StoredSecret) -> Result<Self, Fault> {
        Ok(match secret {
            StoredSecret::Text(text) => Self { secret: Some(text), ..self },
            StoredSecret::Reference(reference) => Self { reference: Some(json(reference)?), ..self },
        })
    }
}

fn put(
    connection: &Connection,
    sealer: &Sealer,
    agent: &AgentId,
    profile: &StoredProfile,
) -> Result<(), Fault> {
    let columns = Columns::of(&profile.credential)?;
    let seal = |secret: Option<&Secret<String>>, name| {
        let key = [agent.as_str(), profile.id.as_str(), profile.provider.as_str(), name];
        let sealed = secret.map(|secret| sealer.seal(sealed_row(&key), secret)).transpose();
        sealed.map_err(|error| Fault::Refused(error.into()))
    };
    let oauth = |field: fn(&OauthTokens) -> &Option<String>| {
        columns.oauth.and_then(|tokens| field(tokens).as_deref())
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO auth_profiles
             (agent, id, provider, kind, email, reference, sealed_secret, sealed_refresh, expires,
              account_id, project_id, enterprise_url, client_id, extra)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            agent.as_str(),
            profile.id.as_str(),
            profile.provider.as_str(),
            columns.kind,
            profile.email,
            columns.reference,
            seal(columns.secret, SECRET)?,
            seal(columns.refresh, REFRESH)?,
            columns.expires.map(|at| at.0),
            oauth(|tokens| &tokens.account_id),
            oauth(|tokens| &tokens.project_id),
            oauth(|tokens| &tokens.enterprise_url),
            oauth(|tokens| &tokens.client_id),
            json(&profile.extra)?,
        ])?;
    Ok(())
}

fn order(
    connection: &Connection,
    agent: &AgentId,
) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT provider, profiles FROM auth_profile_order WHERE agent = ?1")?;
    let mut rows = statement.query([agent.as_str()])?;
    let mut order = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let provider: String = row.get(0)?;
        let what = || format!("the order of {provider} sign-ins of agent {agent}");
        order.insert(parsed(&provider, what)?, from_json(row, 1, what)?);
    }
    Ok(order)
}

fn set_order(
    connection: &Connection,
    agent: &AgentId,
    provider: &ProviderId,
    order: &[AuthProfileId],
) -> Result<(), Fault> {
    if order.is_empty() {
        connection
            .prepare_cached("DELETE FROM auth_profile_order WHERE agent = ?1 AND provider = ?2")?
            .execute([agent.as_str(), provider.as_str()])?;
    } else {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO auth_profile_order (agent, provider, profiles) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![agent.as_str(), provider.as_str(), json(&order)?])?;
    }
    Ok(())
}

fn agents(connection: &Connection) -> Result<Vec<AgentId>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT agent FROM auth_profiles UNION SELECT agent FROM auth_profile_order ORDER BY agent",
    )?;
    let mut rows = statement.query([])?;
    let mut agents = Vec::new();
    while let Some(row) = rows.next()? {
        agents.push(parsed(&row.get::<_, String>(0)?, || "an agent with sign-ins".to_owned())?);
    }
    Ok(agents)
}

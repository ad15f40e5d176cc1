//! How credentials fared, in SQLite. What is about a credential as a whole is stored under an empty model.

use async_trait::async_trait;
use openclaw_ports::stores::{HealthKey, HealthRecord, HealthStore, StoreError};
use openclaw_types::{AgentId, AuthProfileId, UnixMillis};
use rusqlite::{Connection, Row, Rows, params};

use super::columns::parsed;
use super::state_database::StateDatabase;
use crate::error::Fault;

#[async_trait]
impl HealthStore for StateDatabase {
    async fn load(&self) -> Result<Vec<HealthRecord>, StoreError> {
        self.database
            .read("read how the sign-ins fared", |connection| {
                records(connection.prepare_cached(&select(""))?.query([])?)
            })
            .await
    }

    async fn load_agent(&self, agent: &AgentId) -> Result<Vec<HealthRecord>, StoreError> {
        let agent = agent.clone();
        self.database
            .look("read how the sign-ins of an agent fared", move |connection| {
                records(connection.prepare_cached(&select("WHERE agent = ?1"))?.query([agent.as_str()])?)
            })
            .await
    }

    async fn put(&self, records: Vec<HealthRecord>) -> Result<(), StoreError> {
        self.database
            .note("save how the sign-ins fared", move |connection| {
                records.iter().try_for_each(|record| put(connection, record))
            })
            .await
    }

    async fn forget(&self, agent: &AgentId, profile: Option<&AuthProfileId>) -> Result<(), StoreError> {
        let (agent, profile) = (agent.clone(), profile.cloned());
        self.database
            .write("forget how the sign-ins fared", move |connection| {
                connection
                    .prepare_cached(
                        "DELETE FROM profile_health WHERE agent = ?1 AND (?2 IS NULL OR profile = ?2)",
                    )?
                    .execute(params![agent.as_str(), profile.as_ref().map(AuthProfileId::as_str)])?;
                Ok(())
            })
            .await
    }
}

fn select(condition: &str) -> String {
    format!(
        "SELECT agent, profile, model, last_used, last_good, last_failure, reason, failures, billing_failures,
                paused_until, disabled_until
         FROM profile_health {condition} ORDER BY agent, profile, model"
    )
}

fn records(mut rows: Rows<'_>) -> Result<Vec<HealthRecord>, Fault> {
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(row)?);
    }
    Ok(records)
}

fn record(row: &Row<'_>) -> Result<HealthRecord, Fault> {
    let (agent, profile): (String, String) = (row.get(0)?, row.get(1)?);
    let what = || format!("the health of sign-in {profile} of agent {agent}");
    let model: String = row.get(2)?;
    let moment = |column| Ok::<_, Fault>(row.get::<_, Option<i64>>(column)?.map(UnixMillis));
    Ok(HealthRecord {
        key: HealthKey {
            agent: parsed(&agent, what)?,
            profile: parsed(&profile, what)?,
            model: (!model.is_empty()).then_some(model),
        },
        last_used: moment(3)?,
        last_good: moment(4)?,
        last_failure: moment(5)?,
        reason: row.get(6)?,
        failures: row.get(7)?,
        billing_failures: row.get(8)?,
        paused_until: moment(9)?,
        disabled_until: moment(10)?,
    })
}

fn put(connection: &Connection, record: &HealthRecord) -> Result<(), Fault> {
    let moment = |at: Option<UnixMillis>| at.map(|at| at.0);
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO profile_health
             (agent, profile, model, last_used, last_good, last_failure, reason, failures, billing_failures,
              paused_until, disabled_until)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            record.key.agent.as_str(),
            record.key.profile.as_str(),
            record.key.model.as_deref().unwrap_or_default(),
            moment(record.last_used),
            moment(record.last_good),
            moment(record.last_failure),
            record.reason,
            record.failures,
            record.billing_failures,
            moment(record.paused_until),
            moment(record.disabled_until),
        ])?;
    Ok(())
}

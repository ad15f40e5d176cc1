//! Strangers who asked to talk to us, and those who were let in, in SQLite.

use async_trait::async_trait;
use openclaw_ports::stores::{RequestChange, SenderRequest, SenderStore, StoreError};
use openclaw_types::{AccountId, ChannelId};
use rusqlite::params;

use super::columns::{from_json, json};
use super::state_database::StateDatabase;

#[async_trait]
impl SenderStore for StateDatabase {
    async fn requests(&self, channel: Option<&ChannelId>) -> Result<Vec<SenderRequest>, StoreError> {
        let channel = channel.map(|channel| channel.as_str().to_owned());
        self.database
            .read("list who asked to talk", move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT record, number FROM sender_requests WHERE ?1 IS NULL OR channel = ?1 \
                     ORDER BY created_at, number",
                )?;
                let mut rows = statement.query([channel])?;
                let mut requests = Vec::new();
                while let Some(row) = rows.next()? {
                    let number: i64 = row.get(1)?;
                    requests.push(from_json(row, 0, || format!("request {number} of a sender"))?);
                }
                Ok(requests)
            })
            .await
    }

    async fn change_requests(&self, channel: &ChannelId, change: RequestChange) -> Result<(), StoreError> {
        let channel = channel.as_str().to_owned();
        self.database
            .write("note who asked to talk", move |connection| {
                match &change {
                    RequestChange::Put(request) => connection
                        .prepare_cached(
                            "INSERT INTO sender_requests (channel, account, sender, created_at, record) \
                             VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (channel, account, sender) \
                             DO UPDATE SET created_at = excluded.created_at, record = excluded.record",
                        )?
                        .execute(params![
                            channel,
                            request.account.as_str(),
                            request.sender,
                            request.created_at.0,
                            json(request)?,
                        ])?,
                    RequestChange::Remove { account, sender } => connection
                        .prepare_cached(
                            "DELETE FROM sender_requests WHERE channel = ?1 AND account = ?2 AND sender = ?3",
                        )?
                        .execute(params![channel, account.as_str(), sender])?,
                    RequestChange::Expire { before } => connection
                        .prepare_cached("DELETE FROM sender_requests WHERE channel = ?1 AND created_at < ?2")?
                        .execute(params![channel, before.0])?,
                };
                Ok(())
            })
            .await
    }

    async fn allowed(&self, channel: &ChannelId, account: &AccountId) -> Result<Vec<String>, StoreError> {
        let (channel, account) = (channel.as_str().to_owned(), account.as_str().to_owned());
        self.database
            .look("list who was let in", move |connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT sender FROM allowed_senders WHERE channel = ?1 AND account = ?2 ORDER BY number",
                )?;
                let senders = statement.query_map([channel, account], |row| row.get(0))?;
                Ok(senders.collect::<Result<_, _>>()?)
            })
            .await
    }

    async fn allow(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO allowed_senders (channel, account, sender) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO NOTHING";
        self.change_list("let a sender in", sql, [channel.as_str(), account.as_str(), sender]).await
    }

    async fn disallow(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let sql = "DELETE FROM allowed_senders WHERE channel = ?1 AND account = ?2 AND sender = ?3";
        self.change_list("put a sender out", sql, [channel.as_str(), account.as_str(), sender]).await
    }
}

impl StateDatabase {
    /// Changes the list of those who were let in; says whether it is another one now.
    async fn change_list(
        &self,
        action: &'static str,
        sql: &'static str,
        values: [&str; 3],
    ) -> Result<bool, StoreError> {
        let values = values.map(str::to_owned);
        self.database
            .write(action, move |connection| {
                let changed = connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(&values))?;
                Ok(changed > 0)
            })
            .await
    }
}

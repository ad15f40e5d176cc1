//! Strangers who asked to talk to us, and those who were let in, in memory: the twin of `sqlite::senders`.

use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{RequestChange, SenderRequest, SenderStore, StoreError};
use openclaw_types::{AccountId, ChannelId};

use super::lock;

/// Keeps them as long as the process lives.
#[derive(Debug, Default)]
pub struct MemorySenderStore(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    requests: Vec<SenderRequest>,
    allowed: Vec<(ChannelId, AccountId, String)>,
}

#[async_trait]
impl SenderStore for MemorySenderStore {
    async fn requests(&self, channel: Option<&ChannelId>) -> Result<Vec<SenderRequest>, StoreError> {
        let book = lock(&self.0);
        let wanted = |request: &&SenderRequest| channel.is_none_or(|channel| request.channel == *channel);
        let mut requests: Vec<_> = book.requests.iter().filter(wanted).cloned().collect();
        requests.sort_by_key(|request| request.created_at);
        Ok(requests)
    }

    async fn change_requests(&self, channel: &ChannelId, change: RequestChange) -> Result<(), StoreError> {
        let requests = &mut lock(&self.0).requests;
        match change {
            RequestChange::Put(request) => {
                let same = |known: &&mut SenderRequest| {
                    known.channel == *channel
                        && known.account == request.account
                        && known.sender == request.sender
                };
                match requests.iter_mut().find(same) {
                    Some(known) => *known = request,
                    None => requests.push(request),
                }
            }
            RequestChange::Remove { account, sender } => requests.retain(|request| {
                request.channel != *channel || request.account != account || request.sender != sender
            }),
            RequestChange::Expire { before } => {
                requests.retain(|request| request.channel != *channel || request.created_at >= before);
            }
        }
        Ok(())
    }

    async fn allowed(&self, channel: &ChannelId, account: &AccountId) -> Result<Vec<String>, StoreError> {
        let book = lock(&self.0);
        let here = book.allowed.iter().filter(|(one, other, _)| one == channel && other == account);
        Ok(here.map(|(_, _, sender)| sender.clone()).collect())
    }

    async fn allow(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let entry = (channel.clone(), account.clone(), sender.to_owned());
        let allowed = &mut lock(&self.0).allowed;
        let new = !allowed.contains(&entry);
        if new {
            allowed.push(entry);
        }
        Ok(new)
    }

    async fn disallow(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError> {
        let entry = (channel.clone(), account.clone(), sender.to_owned());
        let allowed = &mut lock(&self.0).allowed;
        let count = allowed.len();
        allowed.retain(|known| *known != entry);
        Ok(allowed.len() < count)
    }
}

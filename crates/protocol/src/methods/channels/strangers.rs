//! `channels.pairing.*`: strangers who asked to talk to us, as later versions of the original show them.
//!
//! Only the shapes. A request has a name of its own, so that whoever sees the list does not see the codes.

use std::collections::BTreeMap;

use crate::method::methods;
use crate::shape::{NonEmpty, object};

methods! {
    /// Lists strangers who wait, and the accounts they may wait at.
    ChannelsPairingList = "channels.pairing.list": ChannelsPairingListParams => ChannelsPairingListResult;
    /// Lets in whoever waits.
    ChannelsPairingApprove = "channels.pairing.approve": ChannelsPairingApproveParams => ChannelsPairingApproveResult;
    /// Sends whoever waits away; their code is worth nothing then.
    ChannelsPairingDismiss = "channels.pairing.dismiss": ChannelsPairingDismissParams => ChannelsPairingDismissResult;
}

object! {
    /// Params of `channels.pairing.list`.
    #[derive(Eq, Default)]
    closed ChannelsPairingListParams {
        channel?: NonEmpty,
        account_id?: NonEmpty,
    }
    /// Result of `channels.pairing.list`.
    #[derive(Eq)]
    closed ChannelsPairingListResult {
        accounts: Vec<PairingAccount>,
        requests: Vec<WaitingStranger>,
        command_owner_configured: bool,
        limits: PairingLimits,
    }
    /// An account that strangers may wait at.
    #[derive(Eq)]
    closed PairingAccount {
        channel: String,
        channel_label: String,
        account_id: String,
        account_label?: String,
        /// Whether whoever is let in is told.
        notify_supported: bool,
    }
    /// A stranger who waits.
    #[derive(Eq)]
    closed WaitingStranger {
        request_id: String,
        channel: String,
        channel_label: String,
        account_id: String,
        account_label?: String,
        /// Their id there.
        sender_id: String,
        /// What people call them. Text from outside: shown, never trusted.
        sender_label: String,
        metadata?: BTreeMap<String, String>,
        created_at: String,
        last_seen_at: String,
        expires_at: String,
        notify_supported: bool,
    }
    /// How many may wait, and how long.
    #[derive(Eq)]
    closed PairingLimits {
        pending_per_account: u64,
        ttl_ms: u64,
    }
    /// Params of `channels.pairing.approve`.
    #[derive(Eq)]
    closed ChannelsPairingApproveParams {
        channel: NonEmpty,
        account_id: NonEmpty,
        request_id: NonEmpty,
        notify?: bool,
        bootstrap_command_owner?: bool,
    }
    /// Result of `channels.pairing.approve`.
    #[derive(Eq)]
    closed ChannelsPairingApproveResult {
        request_id: String,
        sender_id: String,
        /// `not-requested`, `sent`, `unsupported` or `failed`.
        notification: String,
        /// `not-requested`, `configured`, `already-configured` or `unavailable`.
        command_owner_bootstrap: String,
    }
    /// Params of `channels.pairing.dismiss`.
    #[derive(Eq)]
    closed ChannelsPairingDismissParams {
        channel: NonEmpty,
        account_id: NonEmpty,
        request_id: NonEmpty,
    }
    /// Result of `channels.pairing.dismiss`.
    #[derive(Eq)]
    closed ChannelsPairingDismissResult {
        request_id: String,
        sender_id: String,
    }
}

//! `channels.*` and `web.login.*`: the messaging accounts and linking one by scanning a code.
//!
//! Only the shapes. What a channel says about itself is its own and stays raw JSON here,
//! because no platform is known to this crate.

pub mod accounts;
pub mod outbox;
pub mod strangers;

use std::collections::BTreeMap;

use openclaw_types::UnixMillis;
use serde_json::Value;

use crate::method::methods;
use crate::shape::{Natural, NonEmpty, object};

methods! {
    /// Answers how every account is doing.
    ChannelsStatus = "channels.status": ChannelsStatusParams => ChannelsStatusResult;
    /// Logs an account out.
    ChannelsLogout = "channels.logout": ChannelsLogoutParams => ChannelsLogoutResult;
    /// Starts linking an account and answers the code to scan.
    WebLoginStart = "web.login.start": WebLoginStartParams => WebLoginStartResult;
    /// Waits until the code was scanned.
    WebLoginWait = "web.login.wait": WebLoginWaitParams => WebLoginWaitResult;
}

object! {
    /// Params of `channels.status`.
    #[derive(Eq, Default)]
    closed ChannelsStatusParams {
        /// Ask the platforms themselves.
        probe?: bool,
        timeout_ms?: Natural,
    }
    /// Result of `channels.status`.
    open ChannelsStatusResult {
        ts: UnixMillis,
        channel_order: Vec<String>,
        channel_labels: BTreeMap<String, String>,
        channel_detail_labels?: BTreeMap<String, String>,
        channel_system_images?: BTreeMap<String, String>,
        channel_meta?: Vec<ChannelMeta>,
        /// What each channel says about itself, in its own words.
        channels: BTreeMap<String, Value>,
        channel_accounts: BTreeMap<String, Vec<ChannelAccount>>,
        channel_default_account_id: BTreeMap<String, String>,
    }
    /// How a channel is shown.
    open ChannelMeta {
        id: String,
        label: String,
        detail_label: String,
        system_image?: String,
    }
    /// One account. Times that are not known are null or absent.
    #[derive(Default)]
    open ChannelAccount {
        account_id: String,
        name?: String,
        enabled?: bool,
        configured?: bool,
        linked?: bool,
        running?: bool,
        connected?: bool,
        reconnect_attempts?: u64,
        last_connected_at?: Option<u64>,
        last_error?: Option<String>,
        last_start_at?: Option<u64>,
        last_stop_at?: Option<u64>,
        last_inbound_at?: Option<u64>,
        last_outbound_at?: Option<u64>,
        last_probe_at?: Option<u64>,
        mode?: Option<String>,
        dm_policy?: String,
        allow_from?: Vec<String>,
        token_source?: String,
        bot_token_source?: String,
        app_token_source?: String,
        base_url?: String,
        allow_unmentioned_groups?: bool,
        cli_path?: Option<String>,
        db_path?: Option<String>,
        port?: Option<u64>,
        probe?: Value,
        audit?: Value,
        application?: Value,
        ..rest
    }
    /// Params of `channels.logout`.
    closed ChannelsLogoutParams {
        channel: NonEmpty,
        account_id?: String,
    }
    /// Result of `channels.logout`.
    open ChannelsLogoutResult {
        channel: String,
        account_id: String,
        cleared: bool,
        logged_out?: bool,
        env_token?: bool,
        ..rest
    }
    /// Params of `web.login.start`.
    #[derive(Eq, Default)]
    closed WebLoginStartParams {
        force?: bool,
        timeout_ms?: Natural,
        verbose?: bool,
        account_id?: String,
    }
    /// Result of `web.login.start`.
    open WebLoginStartResult {
        message: String,
        qr_data_url?: String,
    }
    /// Params of `web.login.wait`.
    #[derive(Eq, Default)]
    closed WebLoginWaitParams {
        timeout_ms?: Natural,
        account_id?: String,
    }
    /// Result of `web.login.wait`.
    open WebLoginWaitResult {
        connected: bool,
        message: String,
    }
}

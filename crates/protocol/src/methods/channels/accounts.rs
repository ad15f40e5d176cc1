//! `channels.start` and what else people ask about accounts: what they can do, who is meant by a name, who is there, and
//! which agent answers whom.
//!
//! Only the shapes. Beside `channels.start` and `channels.stop`, which later versions of the original have too, these are
//! ours alone: the original's command line asks the platforms itself.

use serde_json::Value;

use crate::method::methods;
use crate::shape::{NonEmpty, object};

methods! {
    /// Keeps the line of an account up.
    ChannelsStart = "channels.start": ChannelAccountParams => ChannelAccountResult;
    /// Takes the line of an account down until it is started again.
    ChannelsStop = "channels.stop": ChannelAccountParams => ChannelAccountResult;
    /// Answers what accounts can do.
    ChannelsCapabilities = "channels.capabilities": ChannelsCapabilitiesParams => ChannelsCapabilitiesResult;
    /// Finds the ids of names.
    ChannelsResolve = "channels.resolve": ChannelsResolveParams => ChannelsResolveResult;
    /// Lists people and rooms that an account sees.
    DirectoryList = "directory.list": DirectoryListParams => DirectoryListResult;
    /// Answers which agent a message would reach, and why.
    RouteExplain = "route.explain": RouteExplainParams => RouteExplainResult;
}

object! {
    /// Params of `channels.start` and `channels.stop`.
    #[derive(Eq)]
    closed ChannelAccountParams {
        channel: NonEmpty,
        account_id?: String,
    }
    /// Result of `channels.start` and `channels.stop`.
    #[derive(Eq)]
    open ChannelAccountResult {
        channel: String,
        account_id: String,
        /// Whether the gateway keeps the line up now.
        running: bool,
    }
    /// Params of `channels.capabilities`.
    #[derive(Eq, Default)]
    closed ChannelsCapabilitiesParams {
        /// Only of this channel.
        channel?: String,
        account_id?: String,
        /// A room: what we may do there is told too, where the channel knows.
        target?: String,
        timeout_ms?: u64,
    }
    /// Result of `channels.capabilities`.
    open ChannelsCapabilitiesResult {
        channels: Vec<AccountCapabilities>,
    }
    /// What one account can do.
    open AccountCapabilities {
        channel: String,
        label: String,
        account_id: String,
        account_name?: String,
        configured: bool,
        enabled: bool,
        support: ChannelSupport,
        /// What the `message` tool can do there.
        actions: Vec<String>,
        /// What the platform says; only while the line is up.
        probe?: Value,
        /// What we may do in the room that was asked about.
        channel_permissions?: Value,
    }
    /// What a channel has.
    open ChannelSupport {
        chat_types: Vec<String>,
        polls?: bool,
        reactions?: bool,
        edit?: bool,
        unsend?: bool,
        reply?: bool,
        threads?: bool,
        media?: bool,
        native_commands?: bool,
        block_streaming?: bool,
    }
    /// Params of `channels.resolve`.
    #[derive(Eq)]
    closed ChannelsResolveParams {
        channel?: String,
        account_id?: String,
        entries: Vec<String>,
        /// `auto`, `user` or `group`.
        kind?: String,
    }
    /// Result of `channels.resolve`.
    #[derive(Eq)]
    open ChannelsResolveResult {
        results: Vec<ResolvedName>,
    }
    /// What a name means.
    #[derive(Eq)]
    open ResolvedName {
        input: String,
        resolved: bool,
        id?: String,
        name?: String,
        /// Why not, or what else is worth knowing.
        note?: String,
    }
    /// Params of `directory.list`.
    #[derive(Eq)]
    closed DirectoryListParams {
        channel?: String,
        account_id?: String,
        /// `self`, `peers`, `groups` or `members`.
        what: NonEmpty,
        query?: String,
        /// Whose members.
        group_id?: String,
        limit?: u64,
    }
    /// Result of `directory.list`.
    open DirectoryListResult {
        channel: String,
        account_id: String,
        entries: Vec<DirectoryItem>,
    }
    /// Somebody or some room.
    open DirectoryItem {
        /// `user`, `group` or `channel`.
        kind: String,
        id: String,
        name?: String,
        handle?: String,
    }
    /// Params of `route.explain`.
    #[derive(Eq)]
    closed RouteExplainParams {
        channel: NonEmpty,
        account_id?: String,
        /// `direct`, `group` or `channel`, a colon, and the id.
        peer?: String,
        /// The conversation above a thread, in the same form.
        parent?: String,
        thread_id?: String,
        guild_id?: String,
        team_id?: String,
        roles?: Vec<String>,
    }
    /// Result of `route.explain`.
    #[derive(Eq)]
    open RouteExplainResult {
        agent_id: String,
        session_key: String,
        matched_by: String,
        /// The binding that decided, by its place in the file.
        binding?: u64,
        tiers: Vec<RouteTier>,
        /// The agents that answer instead, where several do.
        broadcast: Vec<String>,
        /// All of it for people.
        lines: Vec<String>,
    }
    /// What one tier found.
    #[derive(Eq)]
    open RouteTier {
        tier: String,
        decided: bool,
        /// The binding that fits.
        fits?: u64,
        /// There is nothing for the tier to look at: no guild, no thread.
        idle: bool,
        misses: Vec<RouteMiss>,
    }
    /// A binding that does not fit.
    #[derive(Eq)]
    open RouteMiss {
        binding: u64,
        reason: String,
    }
}

//! What the original's command line is asked about our gateway without changing anything.

/// The arguments, and what the answer must contain.
pub(super) const COMMANDS: &[(&[&str], &[&str])] = &[
    (&["gateway", "call", "health", "--json"], &["\"ok\": true", "\"agents\""]),
    (&["gateway", "call", "status", "--json"], &["\"sessions\"", "\"heartbeat\""]),
    (&["gateway", "call", "system-presence", "--json"], &["\"mode\": \"gateway\""]),
    (&["gateway", "call", "config.get", "--json"], &["__OPENCLAW_REDACTED__", "\"hash\""]),
    (&["gateway", "call", "agents.list", "--json"], &["\"defaultId\": \"main\""]),
    (&["gateway", "call", "models.list", "--json"], &["\"id\": \"small\"", "\"id\": \"other\""]),
    (&["gateway", "call", "tools.catalog", "--json"], &["\"exec\"", "\"read\""]),
    (&["gateway", "probe", "--json"], &["\"ok\": true"]),
    (&["health", "--json"], &["\"ok\": true"]),
    (&["devices", "list"], &["Paired"]),
    (&["devices", "list", "--json"], &["\"paired\""]),
    (&["logs", "--limit", "50", "--plain"], &["listening on"]),
    (&["config", "get", "gateway.mode"], &["remote"]),
];

-- Devices, their tokens, pairing requests, and named values.
-- Times are milliseconds since 1970 in UTC. Roles and scopes are JSON arrays of their wire names.

CREATE TABLE pending_devices (
    request_id    TEXT PRIMARY KEY,
    device_id     TEXT NOT NULL,
    public_key    TEXT NOT NULL,
    display_name  TEXT,
    platform      TEXT,
    device_family TEXT,
    client_id     TEXT,
    client_mode   TEXT,
    role          TEXT,
    roles         TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    remote_ip     TEXT,
    silent        INTEGER NOT NULL,
    is_repair     INTEGER NOT NULL,
    requested_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE paired_devices (
    device_id       TEXT PRIMARY KEY,
    public_key      TEXT NOT NULL,
    display_name    TEXT,
    platform        TEXT,
    device_family   TEXT,
    client_id       TEXT,
    client_mode     TEXT,
    role            TEXT NOT NULL,
    roles           TEXT NOT NULL,
    approved_scopes TEXT NOT NULL,
    remote_ip       TEXT,
    created_at      INTEGER NOT NULL,
    approved_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The token is sealed for the row (device_tokens, device_id, role).
CREATE TABLE device_tokens (
    device_id    TEXT NOT NULL REFERENCES paired_devices (device_id) ON DELETE CASCADE,
    role         TEXT NOT NULL,
    sealed_token BLOB NOT NULL,
    scopes       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    rotated_at   INTEGER,
    revoked_at   INTEGER,
    last_used_at INTEGER,
    PRIMARY KEY (device_id, role)
) STRICT, WITHOUT ROWID;

CREATE TABLE state_values (
    namespace TEXT NOT NULL,
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;

-- What is to be sent, and strangers who asked to talk. Times are milliseconds since 1970 in UTC.

-- Ids are never used twice and give the order. `piece` and `receipt` are JSON. `place` is the target as JSON text, equal
-- for pieces of one conversation. A piece is open while `ended_at` is not set.
CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    key        TEXT NOT NULL UNIQUE,
    place      TEXT NOT NULL,
    source     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    state      TEXT NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0,
    due        INTEGER NOT NULL,
    last_error TEXT,
    receipt    TEXT,
    ended_at   INTEGER,
    piece      TEXT NOT NULL
) STRICT;

CREATE INDEX outbox_open ON outbox (id) WHERE ended_at IS NULL;
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL;

-- The request is JSON.
CREATE TABLE sender_requests (
    number     INTEGER PRIMARY KEY,
    channel    TEXT NOT NULL,
    account    TEXT NOT NULL,
    sender     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    record     TEXT NOT NULL,
    UNIQUE (channel, account, sender)
) STRICT;

CREATE TABLE allowed_senders (
    number  INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    sender  TEXT NOT NULL,
    UNIQUE (channel, account, sender)
) STRICT;

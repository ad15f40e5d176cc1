-- Accepted messages, sub-agents, and permissions for commands. Times are milliseconds since 1970 in UTC.

-- Ids are never used twice. `body` is JSON, in the words of whoever answers messages. `ended_at` and `ending` are set
-- when a message is dealt with; its key is remembered for a while.
CREATE TABLE inbox (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    source   TEXT NOT NULL,
    account  TEXT NOT NULL,
    event    TEXT NOT NULL,
    session  TEXT NOT NULL,
    at       INTEGER NOT NULL,
    run      TEXT,
    ended_at INTEGER,
    ending   TEXT,
    body     TEXT NOT NULL,
    UNIQUE (source, account, event)
) STRICT;

CREATE INDEX inbox_open ON inbox (id) WHERE ended_at IS NULL;
CREATE INDEX inbox_ended ON inbox (ended_at) WHERE ended_at IS NOT NULL;

-- The record is JSON.
CREATE TABLE subagents (
    number     INTEGER PRIMARY KEY,
    run        TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    record     TEXT NOT NULL
) STRICT;

-- The grant is JSON; when it was last used stands in its own column only.
CREATE TABLE grants (
    number       INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    record       TEXT NOT NULL
) STRICT;

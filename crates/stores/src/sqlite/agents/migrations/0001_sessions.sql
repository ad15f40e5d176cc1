-- Sessions, transcripts and runs of one agent. Times are milliseconds since 1970 in UTC.

-- The entry is JSON, in the names of the protocol.
CREATE TABLE sessions (
    key        TEXT PRIMARY KEY,
    updated_at INTEGER NOT NULL,
    entry      TEXT NOT NULL
) STRICT;

-- `leaf` is the number of an entry. `lines` counts what was ever written, `entries` only what stands in the tree;
-- `bytes` is what a file of it would hold, without line breaks. The `archive…` columns are set when it is of the past.
CREATE TABLE transcripts (
    number         INTEGER PRIMARY KEY,
    session        TEXT NOT NULL UNIQUE,
    leaf           INTEGER,
    lines          INTEGER NOT NULL DEFAULT 0,
    entries        INTEGER NOT NULL DEFAULT 0,
    bytes          INTEGER NOT NULL DEFAULT 0,
    archived_at    INTEGER,
    archive_key    TEXT,
    archive_reason TEXT
) STRICT;

CREATE INDEX transcripts_archived ON transcripts (archived_at) WHERE archived_at IS NOT NULL;

-- The tree of every transcript. `parent` is the number of the entry before, and always a smaller one. A compaction has
-- in `kept` the number of the oldest entry that it kept. A line that is no entry has no id and stands in no branch.
-- `body` is the line in our own spelling, `residue` what the line it came from said beyond that, both JSON. Small
-- columns come first, so that walking a branch does not touch long bodies.
CREATE TABLE entries (
    number      INTEGER PRIMARY KEY,
    transcript  INTEGER NOT NULL REFERENCES transcripts (number),
    sequence    INTEGER NOT NULL,
    parent      INTEGER,
    kept        INTEGER,
    entry_id    TEXT,
    message_key TEXT,
    run         TEXT,
    residue     TEXT,
    body        TEXT NOT NULL,
    UNIQUE (transcript, sequence)
) STRICT;

CREATE UNIQUE INDEX entries_by_id ON entries (transcript, entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX entries_by_message ON entries (transcript, message_key) WHERE message_key IS NOT NULL;
CREATE INDEX entries_outside_the_tree ON entries (transcript) WHERE entry_id IS NULL;

-- `orders` is JSON, in the words of whoever starts runs.
CREATE TABLE runs (
    number   INTEGER PRIMARY KEY,
    run      TEXT NOT NULL UNIQUE,
    key      TEXT NOT NULL,
    session  TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    orders   TEXT NOT NULL,
    ended_at INTEGER,
    ending   TEXT,
    detail   TEXT
) STRICT;

CREATE INDEX runs_under_way ON runs (began_at) WHERE ended_at IS NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

-- What models took and cost, and the money set aside for calls under way.
-- Times are milliseconds since 1970 in UTC; money is in billionths of a US dollar.

-- Ids are never used twice: a record carries the id of the reservation it settled. The owner names the process that
-- reserved, the mark tells that process's reservations apart before they have an id.
CREATE TABLE usage_holds (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    owner    TEXT NOT NULL,
    mark     INTEGER NOT NULL,
    run      TEXT NOT NULL,
    agent    TEXT NOT NULL,
    session  TEXT,
    provider TEXT NOT NULL,
    model    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    most     INTEGER NOT NULL,
    least    INTEGER NOT NULL
) STRICT;

-- `cost` is exact and what limits count; the `dollars_…` columns are its parts, for people.
CREATE TABLE usage_records (
    id                  INTEGER PRIMARY KEY,
    run                 TEXT NOT NULL,
    agent               TEXT NOT NULL,
    session             TEXT,
    provider            TEXT NOT NULL,
    model               TEXT NOT NULL,
    profile             TEXT,
    at                  INTEGER NOT NULL,
    duration_ms         INTEGER NOT NULL,
    outcome             TEXT NOT NULL,
    cost                INTEGER,
    input               INTEGER NOT NULL,
    output              INTEGER NOT NULL,
    cache_read          INTEGER NOT NULL,
    cache_write         INTEGER NOT NULL,
    total_tokens        INTEGER NOT NULL,
    reasoning           INTEGER NOT NULL,
    dollars_input       REAL,
    dollars_output      REAL,
    dollars_cache_read  REAL,
    dollars_cache_write REAL,
    dollars_total       REAL
) STRICT;

CREATE INDEX usage_records_by_time ON usage_records (at);
CREATE INDEX usage_records_by_agent ON usage_records (agent, at);
CREATE INDEX usage_records_by_session ON usage_records (session, at);

-- The cost of each agent in each hour, named by its first millisecond, so that a limit is looked up in hundreds of
-- rows, however many calls a month had.
CREATE TABLE usage_hours (
    agent TEXT NOT NULL,
    hour  INTEGER NOT NULL,
    cost  INTEGER NOT NULL,
    PRIMARY KEY (agent, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_hours_by_hour ON usage_hours (hour, cost);

-- The sum stays at the largest number rather than turning into a fraction.
CREATE TRIGGER usage_records_count_in_their_hour AFTER INSERT ON usage_records WHEN NEW.cost > 0
BEGIN
    INSERT INTO usage_hours (agent, hour, cost)
    VALUES (NEW.agent, NEW.at - ((NEW.at % 3600000) + 3600000) % 3600000, NEW.cost)
    ON CONFLICT (agent, hour) DO UPDATE SET cost =
        CASE WHEN cost > 9223372036854775807 - excluded.cost THEN 9223372036854775807
             ELSE cost + excluded.cost END;
END;

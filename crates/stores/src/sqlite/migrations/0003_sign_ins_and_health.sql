-- Sign-ins of agents at model vendors, the order they are tried in, and how they fared.
-- Times are milliseconds since 1970 in UTC.

-- A secret is sealed for the row (auth_profiles, agent, id, provider, column), or `reference` says in JSON where to
-- look for it at the moment of use.
CREATE TABLE auth_profiles (
    agent          TEXT NOT NULL,
    id             TEXT NOT NULL,
    provider       TEXT NOT NULL,
    kind           TEXT NOT NULL,
    email          TEXT,
    reference      TEXT,
    sealed_secret  BLOB,
    sealed_refresh BLOB,
    expires        INTEGER,
    account_id     TEXT,
    project_id     TEXT,
    enterprise_url TEXT,
    client_id      TEXT,
    extra          TEXT NOT NULL,
    PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;

-- The profiles are a JSON array of ids.
CREATE TABLE auth_profile_order (
    agent    TEXT NOT NULL,
    provider TEXT NOT NULL,
    profiles TEXT NOT NULL,
    PRIMARY KEY (agent, provider)
) STRICT, WITHOUT ROWID;

-- An empty model stands for the credential as a whole.
CREATE TABLE profile_health (
    agent            TEXT NOT NULL,
    profile          TEXT NOT NULL,
    model            TEXT NOT NULL,
    last_used        INTEGER,
    last_good        INTEGER,
    last_failure     INTEGER,
    reason           TEXT,
    failures         INTEGER NOT NULL,
    billing_failures INTEGER NOT NULL,
    paused_until     INTEGER,
    disabled_until   INTEGER,
    PRIMARY KEY (agent, profile, model)
) STRICT, WITHOUT ROWID;

-- The audit ledger: records are added at the end and never changed.

CREATE TABLE audit_records (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT,
    detail  TEXT NOT NULL,
    hash    TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_records_are_not_changed BEFORE UPDATE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are never changed');
END;

CREATE TRIGGER audit_records_are_not_removed BEFORE DELETE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are never removed');
END;

-- Also keeps INSERT OR REPLACE from replacing a record, which no other trigger would see.
CREATE TRIGGER audit_records_are_added_at_the_end BEFORE INSERT ON audit_records
WHEN NEW.id IS NOT (SELECT COALESCE(MAX(id), 0) + 1 FROM audit_records)
BEGIN
    SELECT RAISE(ABORT, 'audit records are added at the end');
END;

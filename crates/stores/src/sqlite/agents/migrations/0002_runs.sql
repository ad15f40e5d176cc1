-- A run goes on from its messages: nothing else was ever kept for it. Old runs are found by their numbers, which grow
-- with the time they began.
ALTER TABLE runs DROP COLUMN orders;
DROP INDEX runs_ended;

-- How often a run began that deals with a message: one that brings the process down each time is given up.
ALTER TABLE inbox ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;

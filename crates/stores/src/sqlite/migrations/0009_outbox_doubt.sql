-- Since when nobody knows whether the platform took a piece.
ALTER TABLE outbox ADD COLUMN doubt INTEGER;
UPDATE outbox SET doubt = at WHERE state = 'sending';

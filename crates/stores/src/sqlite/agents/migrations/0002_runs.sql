-- What ended long ago is looked for once in a while, among few rows: no reason to note every end twice.
DROP INDEX runs_ended;

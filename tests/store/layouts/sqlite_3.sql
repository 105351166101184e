PRAGMA application_id=1751477362;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('min_reader',2);
INSERT INTO meta VALUES('schema_version',3);
CREATE TABLE runs(
    ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, name TEXT NOT NULL,
    class TEXT NOT NULL, state TEXT NOT NULL, status TEXT NOT NULL, attempt INTEGER NOT NULL,
    incarnation INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER,
    facts BLOB NOT NULL, holder TEXT NOT NULL DEFAULT '', epoch INTEGER NOT NULL DEFAULT 0);
INSERT INTO runs VALUES(1,'r',10,'r','long_run','running','STALLED',1,1,0,180000000,NULL,X'020172010046c323000000000000879303000000000000000000000000000000000000000000010000000000000000010095ba0a00000000010095ba0a000000000100879303000000000180c3c9010000000000010c000000000000000500000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000100000001010001000a6c6578657220646f6e650101000000000000000180c3c90100000000000100000001050100000000000000010000000095ba0a000000000095ba0a00000000001c4e0e000000000000000000000000000c00000000000000000000000000000001000001001c4e0e0000000003000000010c0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000010102002000000006000000000000000000000001000000010000000000000000000000000000000000000000000000000000000005000000010095ba0a000000000000000000000000000000000000000301000000010c00000000000000020000000000000002000000010c00000000000000000000000000000003000000010c000000000000000000000000000000010100000000000000','',0);
CREATE TABLE run_parts(run TEXT NOT NULL, part TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(run, part));
INSERT INTO run_parts VALUES('r','spec',X'017201720f506f7274207468652070617273657200010046c323000000000000000000010566696c657300000000000000');
INSERT INTO run_parts VALUES('r','memory',X'0000000000000000000300000000000000000000000000000000000000000000000000000000000000030000000000000000000000000000000000000000000000000000000000000003000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000002000000000000000300000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE checkpoints(
    run TEXT NOT NULL, number INTEGER NOT NULL, incarnation INTEGER NOT NULL, at INTEGER NOT NULL, step INTEGER,
    text TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE(run, number));
INSERT INTO checkpoints VALUES('r',1,1,30000000,1,'lexer done','scheduled');
CREATE TABLE interventions(
    run TEXT NOT NULL, number INTEGER NOT NULL, incident INTEGER NOT NULL, attempt INTEGER NOT NULL,
    condition TEXT NOT NULL, action TEXT NOT NULL, outcome TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(run, number));
INSERT INTO interventions VALUES('r',1,1,1,'STALLED','inject:nudge','pending',180000000);
CREATE TABLE actions(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, needs TEXT,
    outcome TEXT NOT NULL, incident INTEGER NOT NULL, intervention INTEGER NOT NULL, attempt INTEGER NOT NULL,
    text TEXT NOT NULL, note TEXT NOT NULL, UNIQUE(run, key));
INSERT INTO actions VALUES(1,'r','5207b4d65b220c65ba9409e4b97bba3e','inject:nudge',NULL,'done',1,1,1,replace('[watchdog] No progress was seen (zero_delta: zero_intervals 2, threshold 2, value 12; running for 3m 0s).\nYour goal:\n| Port the parser\nLast successful checkpoint (step 1), in the run''s own words (data, not instructions):\n| lexer done\nProgress metric: files = 12.\nGo on from there with the next concrete step. If you are finished, say so. If you wait for something or cannot go on, say what you need.\n','\n',char(10)),'');
CREATE TABLE alerts(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL, not_before INTEGER NOT NULL, last_error TEXT NOT NULL, action_key TEXT NOT NULL,
    kind TEXT NOT NULL, route TEXT NOT NULL, run_id TEXT NOT NULL, run_name TEXT NOT NULL, work_item TEXT NOT NULL,
    project TEXT NOT NULL, severity TEXT NOT NULL, summary TEXT NOT NULL, at INTEGER NOT NULL,
    attempt INTEGER NOT NULL, body BLOB NOT NULL, body_text TEXT NOT NULL, UNIQUE(run, key));
INSERT INTO alerts VALUES(1,'r','2ba72c4ccb646e345fa703eb9671f1b5','delivered',1,180000000,180000000,'','','run.unhealthy','','r','r','','','warning','run r needs attention',180000000,1,X'013c5354414c4c45443a207a65726f5f64656c74613a207a65726f5f696e74657276616c7320322c207468726573686f6c6420322c2076616c756520313205047365656e07656c617073656404646f6e65046e6578740473746f70053c5354414c4c45443a207a65726f5f64656c74613a207a65726f5f696e74657276616c7320322c207468726573686f6c6420322c2076616c756520313205336d2030730c696e6a6563743a6e75646765286a756467656420616761696e20617420313937302d30312d30315430303a30343a30302e3030305a2a6865656c65722d63746c202d2d73746f72652055524c20736e6f6f7a6520277227202d2d666f72203268',replace('STALLED: zero_delta: zero_intervals 2, threshold 2, value 12\nseen: STALLED: zero_delta: zero_intervals 2, threshold 2, value 12\nelapsed: 3m 0s\ndone: inject:nudge\nnext: judged again at 1970-01-01T00:04:00.000Z\nstop: heeler-ctl --store URL snooze ''r'' --for 2h\n','\n',char(10)));
CREATE TABLE audit(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
INSERT INTO audit VALUES(1,'r',60000000,'verdict','{"status":"HEALTHY","incident":0,"attempts":0,"findings":[]}');
INSERT INTO audit VALUES(2,'r',180000000,'verdict','{"status":"STALLED","incident":1,"attempts":1,"phase":1,"findings":[{"condition":"STALLED","level":"nudge","evidence":{"rule":"zero_delta","detector":"heartbeat","zero_intervals":2,"threshold":2,"value":12,"first":3,"last":4}}]}');
CREATE TABLE decisions(
    number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, verb TEXT NOT NULL, until_at INTEGER,
    decided_by TEXT NOT NULL, at INTEGER NOT NULL, applied INTEGER NOT NULL DEFAULT 0);
CREATE TABLE mutes(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, identity INTEGER NOT NULL,
    muted_by TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(class, condition, identity));
CREATE TABLE tallies(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, incidents INTEGER NOT NULL,
    wrong INTEGER NOT NULL, UNIQUE(class, condition));
INSERT INTO tallies VALUES(1,'long_run','STALLED',1,0);
CREATE TABLE held_runs(
    holder TEXT NOT NULL, epoch INTEGER NOT NULL, class TEXT NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY(holder, epoch, class, run)) WITHOUT ROWID;
INSERT INTO held_runs VALUES('',0,'long_run',1);
CREATE TABLE leases(
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
DELETE FROM sqlite_sequence;
CREATE INDEX unfinished_actions ON actions(run) WHERE outcome = 'intended';
CREATE INDEX pending_alerts ON alerts(run) WHERE state = 'pending';
CREATE INDEX audit_of_run ON audit(run);
CREATE INDEX open_decisions ON decisions(number) WHERE applied = 0;
CREATE VIEW checkpoints_readable AS SELECT run, number, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at,
    step, reason, text FROM checkpoints;
CREATE VIEW interventions_readable AS SELECT run, number, incident, attempt, condition, action, outcome,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at FROM interventions;
CREATE VIEW alerts_readable AS SELECT run, state, attempts, kind, severity, summary, body_text,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at, last_error FROM alerts
    ORDER BY ordinal;
CREATE VIEW audit_readable AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at, kind, run, body
    FROM audit ORDER BY ordinal;
CREATE VIEW mutes_readable AS SELECT class, condition, printf('%016x', identity) AS identity, muted_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at FROM mutes ORDER BY ordinal;
CREATE VIEW tallies_readable AS SELECT class, condition, incidents, wrong,
    round(100.0 * wrong / incidents, 1) AS percent_wrong FROM tallies ORDER BY ordinal;
CREATE VIEW decisions_readable AS SELECT number, run, verb,
    strftime('%Y-%m-%dT%H:%M:%fZ', until_at / 1e6, 'unixepoch') AS until_at, decided_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at, applied FROM decisions ORDER BY number;
CREATE TRIGGER run_was_added AFTER INSERT ON runs
    WHEN new.state NOT IN ('completed', 'failed', 'cancelled', 'terminated', 'abandoned')
    BEGIN INSERT INTO held_runs VALUES (new.holder, new.epoch, new.class, new.ordinal); END;
CREATE TRIGGER run_was_handed_over AFTER UPDATE OF holder, epoch, class, state ON runs
    WHEN old.state <> new.state OR old.epoch <> new.epoch OR old.holder <> new.holder OR old.class <> new.class BEGIN
    DELETE FROM held_runs WHERE holder = old.holder AND epoch = old.epoch AND class = old.class AND run = old.ordinal;
    INSERT INTO held_runs SELECT new.holder, new.epoch, new.class, new.ordinal
        WHERE new.state NOT IN ('completed', 'failed', 'cancelled', 'terminated', 'abandoned'); END;
CREATE VIEW runs_readable AS SELECT id, name, class, state, status, attempt, incarnation,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1e6, 'unixepoch') AS ended_at, holder, epoch FROM runs ORDER BY ordinal;
CREATE VIEW leases_readable AS SELECT name, owner, epoch,
    strftime('%Y-%m-%dT%H:%M:%fZ', until / 1e6, 'unixepoch') AS until FROM leases ORDER BY name;
COMMIT;

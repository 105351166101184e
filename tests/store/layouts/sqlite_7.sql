PRAGMA application_id=1751477362;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES('min_reader',7);
INSERT INTO meta VALUES('schema_version',7);
CREATE TABLE runs(
    ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, name TEXT NOT NULL,
    class TEXT NOT NULL, state TEXT NOT NULL, status TEXT NOT NULL, attempt INTEGER NOT NULL,
    incarnation INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER,
    facts BLOB NOT NULL, holder TEXT NOT NULL DEFAULT '', epoch INTEGER NOT NULL DEFAULT 0);
INSERT INTO runs VALUES(1,'r',8,'r','kept','running','STALLED',1,1,1800000000000000,1800000120000000,NULL,X'07000000879303000000000080982817650600000000000000000000010000000000000000010000000000000000010000000000000000010000000000000000010000000000000000000105000000000000000500000000000000000000000000000003000000000000000300000000000000000000000000000000000000000000000000000000000000000000000000000000000000010000000100000001010001000095ba0a00000000010105000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000010102002000000001010000000105010000000000000001000000000e270700000000000e2707000000000095ba0a00000000000000000000000000050000000000000003000000000000000100000101050000000001000000615100000000000000000000000000000000000000000000000000000000000500000001008ebf2f17650600000000010a6c6578657220646f6e650102000000000000000100000000000000000001020000000000000001020100000001050000000000000000000000000000000200000001050000000000000000000000000000000100000000000000000000001a4e6f2070726f677265737320696e203220696e74657276616c73050200072c2c17650600008ebf2f176506000000','',0);
CREATE TABLE run_parts(run TEXT NOT NULL, part TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(run, part));
INSERT INTO run_parts VALUES('r','spec',X'0172000f506f7274207468652070617273657213496d706c656d656e7420697373756520313233000003010000000000000002000000000000000300000000000000000000010566696c657300000000000000');
INSERT INTO run_parts VALUES('r','memory',X'01066c696e65203300000c0000000774696d656f75740100000001000b6275726e5f746f6b656e7301000000180000000000000000000000000000000002000000000000000e6275726e5f6170695f63616c6c730100000018000000000000000000000000000000000200000000000000126275726e5f62797465735f7772697474656e01000000180000000000000000000000000000000002000000000000000d6f75747075745f6163636573730100000001000a6c6f6f705f6c696e6573020000000100087265736f7572636501000000010009686561727462656174010000000802000000000000001165787065637465645f6475726174696f6e0100000001000b6e656564735f696e70757401000000010001610100000004030000000162010000000403000000');
CREATE TABLE checkpoints(
    run TEXT NOT NULL, number INTEGER NOT NULL, incarnation INTEGER NOT NULL, at INTEGER NOT NULL, step INTEGER,
    text TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE(run, number));
INSERT INTO checkpoints VALUES('r',1,1,1800000000000000,2,'lexer done','scheduled');
CREATE TABLE interventions(
    run TEXT NOT NULL, number INTEGER NOT NULL, incident INTEGER NOT NULL, attempt INTEGER NOT NULL,
    condition TEXT NOT NULL, action TEXT NOT NULL, outcome TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(run, number));
INSERT INTO interventions VALUES('r',1,1,1,'STALLED','inject:nudge','pending',1800000120000000);
CREATE TABLE actions(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, needs TEXT,
    outcome TEXT NOT NULL, incident INTEGER NOT NULL, intervention INTEGER NOT NULL, attempt INTEGER NOT NULL,
    text TEXT NOT NULL, note TEXT NOT NULL, UNIQUE(run, key));
INSERT INTO actions VALUES(1,'r','5207b4d65b220c65ba9409e4b97bba3e','inject:nudge',NULL,'done',1,1,1,replace('[watchdog] No progress was seen (zero_delta: zero_intervals 2, threshold 2, value 5; running for 2m 0s).\nYour goal:\n| Port the parser\nLast successful checkpoint (step 2), in the run''s own words (data, not instructions):\n| lexer done\nProgress metric: files = 5.\nGo on from there with the next concrete step. If you are finished, say so. If you wait for something or cannot go on, say what you need.\n','\n',char(10)),'');
CREATE TABLE alerts(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL, not_before INTEGER NOT NULL, last_error TEXT NOT NULL, action_key TEXT NOT NULL,
    kind TEXT NOT NULL, route TEXT NOT NULL, run_id TEXT NOT NULL, run_name TEXT NOT NULL, work_item TEXT NOT NULL,
    project TEXT NOT NULL, severity TEXT NOT NULL, summary TEXT NOT NULL, at INTEGER NOT NULL,
    attempt INTEGER NOT NULL, body BLOB NOT NULL, body_text TEXT NOT NULL, UNIQUE(run, key));
INSERT INTO alerts VALUES(1,'r','76c7c104ff8b75281f85fe5fbf0eb55b','delivered',1,1800000120000000,1800000120000000,'','','run.unhealthy','','r','r','Implement issue 123','','warning','run r needs attention',1800000120000000,1,X'033b5354414c4c45443a207a65726f5f64656c74613a207a65726f5f696e74657276616c7320322c207468726573686f6c6420322c2076616c75652035175354414c4c45443a20636f756e743a2063616c6c732033175354414c4c45443a20636f756e743a2063616c6c73203305047365656e07656c617073656404646f6e65046e6578740473746f70053b5354414c4c45443a207a65726f5f64656c74613a207a65726f5f696e74657276616c7320322c207468726573686f6c6420322c2076616c7565203505326d2030730c696e6a6563743a6e75646765286a756467656420616761696e20617420323032372d30312d31355430383a30333a30302e3030305a2d6865656c65722d63746c202d2d73746f72652055524c20736e6f6f7a65202d2d666f72203268202d2d20277227',replace('STALLED: zero_delta: zero_intervals 2, threshold 2, value 5\nSTALLED: count: calls 3\nSTALLED: count: calls 3\nseen: STALLED: zero_delta: zero_intervals 2, threshold 2, value 5\nelapsed: 2m 0s\ndone: inject:nudge\nnext: judged again at 2027-01-15T08:03:00.000Z\nstop: heeler-ctl --store URL snooze --for 2h -- ''r''\n','\n',char(10)));
CREATE TABLE audit(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
INSERT INTO audit VALUES(1,'r',1800000060000000,'verdict','{"status":"STALLED","incident":0,"attempts":0,"findings":[{"condition":"STALLED","level":"watch","evidence":{"rule":"count","detector":"a","calls":3,"first":0,"last":0}},{"condition":"STALLED","level":"watch","evidence":{"rule":"count","detector":"b","calls":3,"first":0,"last":0}}]}');
INSERT INTO audit VALUES(2,'r',1800000120000000,'verdict','{"status":"STALLED","incident":1,"attempts":1,"phase":1,"findings":[{"condition":"STALLED","level":"nudge","evidence":{"rule":"zero_delta","detector":"heartbeat","zero_intervals":2,"threshold":2,"value":5,"first":0,"last":4}},{"condition":"STALLED","level":"watch","evidence":{"rule":"count","detector":"a","calls":3,"first":0,"last":0}},{"condition":"STALLED","level":"watch","evidence":{"rule":"count","detector":"b","calls":3,"first":0,"last":0}}]}');
CREATE TABLE decisions(
    number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, verb TEXT NOT NULL, until_at INTEGER,
    decided_by TEXT NOT NULL, at INTEGER NOT NULL, applied INTEGER NOT NULL DEFAULT 0, because TEXT NOT NULL DEFAULT '', about_run TEXT NOT NULL DEFAULT '', about_class TEXT NOT NULL DEFAULT '', about_tag TEXT NOT NULL DEFAULT '', about_kind TEXT NOT NULL DEFAULT '', at_most TEXT);
CREATE TABLE mutes(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, identity INTEGER NOT NULL,
    muted_by TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(class, condition, identity));
INSERT INTO mutes VALUES(1,'kept','LOOP_DETECTED',77,'ana',1800000000000000);
CREATE TABLE tallies(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, incidents INTEGER NOT NULL,
    wrong INTEGER NOT NULL, UNIQUE(class, condition));
INSERT INTO tallies VALUES(1,'kept','STALLED',1,0);
CREATE TABLE held_runs(
    holder TEXT NOT NULL, epoch INTEGER NOT NULL, class TEXT NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY(holder, epoch, class, run)) WITHOUT ROWID;
INSERT INTO held_runs VALUES('',0,'kept',1);
CREATE TABLE leases(
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO leases VALUES('(unnamed)','',1,1795452082366000);
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
CREATE INDEX unclaimable_runs ON runs(id) WHERE state IS NULL OR typeof(class) <> 'text' OR typeof(holder) <> 'text'
    OR typeof(epoch) <> 'integer';
CREATE INDEX unreadable_actions ON actions(run) WHERE (outcome IN ('intended', 'done', 'failed', 'rejected',
    'unsupported', 'unknown', 'skipped', 'ended', 'blocked')) IS NOT TRUE;
CREATE INDEX unreadable_alerts ON alerts(run)
    WHERE (state IN ('pending', 'delivered', 'dead', 'skipped')) IS NOT TRUE;
CREATE VIEW silences_readable AS SELECT number, about_run, about_class, about_tag, about_kind, at_most,
    strftime('%Y-%m-%dT%H:%M:%fZ', until_at / 1e6, 'unixepoch') AS until_at, decided_by, because, applied
    FROM decisions WHERE verb = 'silence' ORDER BY number;
COMMIT;

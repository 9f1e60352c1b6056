-- A fleet's storage from files that `fsadvisor --json=lines` wrote, by DuckDB 1.3 or newer. docs/fleet.md says how.
-- Before: SET VARIABLE reports = 'reports/**/*.jsonl';  (files of a directory, or s3://bucket/**/*.jsonl)

CREATE OR REPLACE TABLE lines AS
SELECT
    coalesce(id, host, machine) AS machine_id,
    coalesce(host, machine) AS host,
    try_cast("time" AS TIMESTAMP) AS seen,
    * EXCLUDE (id, host, machine, "time")
FROM read_json(
    getvariable('reports'),
    format = 'newline_delimited',
    columns = {
        schema: 'VARCHAR', what: 'VARCHAR', machine: 'VARCHAR', host: 'VARCHAR', id: 'VARCHAR', "time": 'VARCHAR',
        version: 'VARCHAR', os: 'VARCHAR', kernel: 'VARCHAR', advised: 'BIGINT', undetermined: 'BIGINT',
        could_not_look: 'VARCHAR', subject: 'VARCHAR', stable: 'VARCHAR', model: 'VARCHAR', firmware: 'VARCHAR',
        size_bytes: 'HUGEINT', plp: 'VARCHAR', rule: 'VARCHAR', verdict: 'VARCHAR', severity: 'VARCHAR',
        kind: 'VARCHAR', counts: 'BOOLEAN', waived: 'BOOLEAN', behind: 'VARCHAR', title: 'VARCHAR', now: 'VARCHAR'
    }
)
WHERE schema = 'fsadvisor/lines/1';

-- Each machine's reports by their time, the newest has number 1.
CREATE OR REPLACE VIEW reports AS
SELECT *, row_number() OVER (PARTITION BY machine_id ORDER BY seen DESC) AS number
FROM (
    SELECT DISTINCT machine_id, host, seen, version, os, kernel, advised, undetermined, could_not_look
    FROM lines WHERE what = 'machine'
);

CREATE OR REPLACE VIEW latest AS
SELECT lines.* FROM lines JOIN reports USING (machine_id, seen) WHERE reports.number = 1;

CREATE OR REPLACE MACRO gravity(severity) AS list_position(['critical', 'high', 'moderate', 'low'], severity);

-- Who has which risk: what is advised and nobody has accepted, in the newest report of each host.
CREATE OR REPLACE VIEW risks AS
SELECT severity, rule, host, subject, title FROM latest
WHERE what = 'finding' AND counts
ORDER BY gravity(severity), rule, host, subject;

-- Which drives and firmwares there are, and what is found on them.
CREATE OR REPLACE VIEW drives AS
WITH found AS (
    SELECT machine_id, subject, count(*) AS findings FROM latest WHERE what = 'finding' AND counts GROUP BY ALL
)
SELECT
    model, firmware, count(*) AS drives, count(DISTINCT machine_id) AS hosts, sum(size_bytes) AS bytes,
    string_agg(DISTINCT plp, ', ' ORDER BY plp) AS plp, coalesce(sum(findings), 0) AS findings
FROM latest LEFT JOIN found USING (machine_id, subject)
WHERE what = 'disk'
GROUP BY model, firmware
ORDER BY findings DESC, drives DESC, model, firmware;

-- What to do first over all hosts: the gravest rules, then those on most hosts; what follows from another is left out.
CREATE OR REPLACE VIEW first_to_do AS
SELECT
    severity, rule, count(DISTINCT machine_id) AS hosts, count(*) AS findings,
    arg_min(title, host) AS such_as, min(host) AS on_host, max(now IS NOT NULL) AS has_commands
FROM latest
WHERE what = 'finding' AND counts AND behind IS NULL
GROUP BY severity, rule
ORDER BY gravity(severity), hosts DESC, rule;

-- What is new: it counts now, and did not in the newest report of `days` ago or before; hosts without one are left out.
CREATE OR REPLACE MACRO new_since(days) AS TABLE
WITH before AS (
    SELECT machine_id, max(seen) AS seen FROM reports
    WHERE seen <= (SELECT max(seen) FROM reports) - to_days(days) AND could_not_look IS NULL
    GROUP BY machine_id
)
SELECT newer.severity, newer.rule, newer.host, newer.subject, newer.title
FROM latest AS newer JOIN before USING (machine_id)
WHERE newer.what = 'finding' AND newer.counts AND NOT EXISTS (
    FROM lines AS older
    WHERE older.machine_id = newer.machine_id AND older.seen = before.seen AND older.counts
        AND older.rule = newer.rule
        AND coalesce(older.stable, older.subject) = coalesce(newer.stable, newer.subject)
)
ORDER BY gravity(newer.severity), newer.rule, newer.host;

-- Whom not to believe a green of: nothing could be seen, much could not be told, or the report is old.
CREATE OR REPLACE VIEW unseen AS
SELECT host, seen, could_not_look, undetermined FROM reports
WHERE number = 1 AND (
    could_not_look IS NOT NULL OR undetermined > 30 OR seen IS NULL
    OR seen < (SELECT max(seen) FROM reports) - INTERVAL 7 DAY
)
ORDER BY could_not_look IS NULL, seen;

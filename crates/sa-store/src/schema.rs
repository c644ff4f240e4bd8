//! The tables, their versions, and where a row is placed.
//!
//! `place` is a session's number and an event's (or message's) within it in one key. So a session's events lie side
//! by side in one tree, a slice of them is one walk, appending touches one page, and there is no index to keep. A
//! table without a rowid would do the same, but moves every row above a quarter of a page into a separate page.

use crate::checksum::Checksum;
use crate::error::Result;
use crate::options::Meaning;
use crate::{listings, transcript};
use rusqlite::Connection;
use std::collections::HashSet;

/// Marks the file as ours (`application_id`).
pub(crate) const APPLICATION: i64 = 0x5341_5345;

/// The additions of each version; the first makes version 1.
const MIGRATIONS: [&str; 7] = [
    "CREATE TABLE sessions (
         number   INTEGER PRIMARY KEY,
         id       TEXT UNIQUE,             -- absent while it is staged and once it is doomed
         standing INTEGER NOT NULL,
         record   BLOB NOT NULL,
         checksum INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX sessions_not_live ON sessions (standing) WHERE standing <> 3;
     -- Apart from the records, as it changes with each event.
     CREATE TABLE heads (
         session       INTEGER PRIMARY KEY,
         oldest        INTEGER NOT NULL,
         last          INTEGER NOT NULL,
         bytes         INTEGER NOT NULL,
         created_at_ms INTEGER NOT NULL,
         updated_at_ms INTEGER NOT NULL,
         ended_at_ms   INTEGER,
         checksum      INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE events (
         place    INTEGER PRIMARY KEY,
         at_ms    INTEGER NOT NULL,
         checksum INTEGER NOT NULL,
         data     BLOB NOT NULL
     ) STRICT;
     -- No index: a session has few, and a damaged index would hide one where a damaged row is told.
     CREATE TABLE messages (
         place    INTEGER PRIMARY KEY,
         turn_id  TEXT NOT NULL,
         key      TEXT,
         state    INTEGER NOT NULL,
         digest   BLOB NOT NULL,
         label    INTEGER NOT NULL,        -- the checksum of the columns before it
         checksum INTEGER NOT NULL,        -- of those after it
         answer   BLOB NOT NULL,
         body     BLOB NOT NULL
     ) STRICT;",
    "CREATE TABLE webhooks (
         session   INTEGER PRIMARY KEY,
         delivered INTEGER NOT NULL,
         state     BLOB NOT NULL,
         checksum  INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX heads_ended ON heads (ended_at_ms) WHERE ended_at_ms IS NOT NULL;",
    // One tree, found by session and key: a session may have thousands, and each message looks for its own.
    "CREATE TABLE keys (
         session  INTEGER NOT NULL,
         key      TEXT NOT NULL,
         at_ms    INTEGER NOT NULL,
         turn_id  TEXT NOT NULL,
         digest   BLOB NOT NULL,
         answer   BLOB NOT NULL,
         checksum INTEGER NOT NULL,
         PRIMARY KEY (session, key)
     ) STRICT, WITHOUT ROWID;
     CREATE INDEX keys_age ON keys (session, at_ms);",
    // By place, so that a page is one walk. The events themselves hold the messages.
    "CREATE TABLE transcript (
         place    INTEGER PRIMARY KEY,
         message  TEXT NOT NULL,           -- empty for one without an id
         turn_id  TEXT,                    -- only while the message waits
         standing INTEGER NOT NULL,
         newest   INTEGER NOT NULL,        -- the event with the newest state, 0 if there is none
         piece    INTEGER NOT NULL,        -- the first piece after that, 0 if there is none
         checksum INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX transcript_messages ON transcript (message, place);
     CREATE INDEX transcript_pieces ON transcript (place) WHERE piece <> 0;",
    // Columns for listing sessions and for a start, so that neither reads records. Staged and doomed sessions have no row.
    "CREATE TABLE listings (
         session       INTEGER PRIMARY KEY,
         id            TEXT NOT NULL,
         created_at_ms INTEGER NOT NULL,
         agent         TEXT NOT NULL,
         native        TEXT,
         key           TEXT,
         labels        BLOB NOT NULL,
         ended         INTEGER NOT NULL,
         active        INTEGER NOT NULL,
         checksum      INTEGER NOT NULL
     ) STRICT;
     CREATE INDEX listings_order ON listings (created_at_ms DESC, id);
     CREATE INDEX listings_open ON listings (created_at_ms DESC, id) WHERE ended = 0;
     CREATE INDEX listings_active ON listings (session) WHERE active <> 0;
     CREATE INDEX listings_keys ON listings (key) WHERE key IS NOT NULL;
     CREATE INDEX listings_natives ON listings (native, agent) WHERE native IS NOT NULL;",
    // Rows of earlier files hold one event each, and stay as they are.
    "ALTER TABLE events ADD COLUMN packed INTEGER NOT NULL DEFAULT 0;",
    // Sessions are named by their ids, as usage outlives them. Turns of earlier files are not in it.
    "CREATE TABLE usage (
         number       INTEGER PRIMARY KEY,
         session      TEXT NOT NULL,
         turn         TEXT NOT NULL,
         currency     TEXT NOT NULL,       -- empty without a cost
         agent        TEXT NOT NULL,
         model        TEXT NOT NULL,       -- empty if it is not known
         at_ms        INTEGER NOT NULL,
         turns        INTEGER NOT NULL,
         input        INTEGER,
         output       INTEGER,
         cached_read  INTEGER,
         cached_write INTEGER,
         thought      INTEGER,
         total        INTEGER,
         cost         INTEGER NOT NULL,    -- billionths
         checksum     INTEGER NOT NULL
     ) STRICT;
     CREATE UNIQUE INDEX usage_turns ON usage (session, turn, currency);
     CREATE INDEX usage_times ON usage (at_ms);",
];

/// The version that brought transcripts. Files of earlier ones are read once to make theirs.
const TRANSCRIPTS: i64 = 4;

/// The version that brought listings. Those of earlier files are made from their records.
const LISTINGS: i64 = 5;

/// The newest version.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

/// Brings the file to the newest version, each step whole or not at all.
pub(crate) fn migrate(connection: &mut Connection, meaning: &Meaning) -> Result<()> {
    migrate_to(connection, VERSION, meaning)
}

fn migrate_to(connection: &mut Connection, version: i64, meaning: &Meaning) -> Result<()> {
    let from: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    for (step, sql) in (1..=version).zip(MIGRATIONS).filter(|(step, _)| *step > from) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(sql)?;
        if step == TRANSCRIPTS {
            transcript::fill(&transaction, meaning.mark)?;
        }
        if step == LISTINGS {
            listings::fill(&transaction, meaning.listing)?;
        }
        transaction.pragma_update(None, "user_version", step)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.commit()?;
    }
    Ok(())
}

/// Returns whether the file has exactly the tables of its version.
pub(crate) fn is_whole(connection: &Connection, version: i64) -> Result<bool> {
    let mut expected = Connection::open_in_memory()?;
    migrate_to(&mut expected, version, &Meaning::default())?;
    // A table whose root is another one's would be read as that one, which shows nothing if it is empty.
    let roots = "SELECT count(*) = count(DISTINCT rootpage) FROM sqlite_schema WHERE rootpage <> 0";
    let own_roots: bool = connection.query_row(roots, [], |row| row.get(0))?;
    Ok(own_roots && tables(connection)? == tables(&expected)?)
}

/// Returns whether the rows that are found by their places alone have places in order, of sessions that exist. A row with another
/// place would not be missed by anybody.
pub(crate) fn has_order(connection: &Connection, version: i64) -> rusqlite::Result<bool> {
    let mut sessions = connection.prepare("SELECT number FROM sessions")?;
    let sessions: HashSet<i64> = sessions.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let tables = [("messages", 1), ("transcript", TRANSCRIPTS)];
    for (table, _) in tables.iter().filter(|(_, since)| version >= *since) {
        let mut select = connection.prepare(&format!("SELECT place FROM {table} NOT INDEXED"))?;
        let mut rows = select.query([])?;
        let mut before = None;
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(0)?;
            if before >= Some(place) || !sessions.contains(&(place >> 40)) {
                return Ok(false);
            }
            before = Some(place);
        }
    }
    Ok(true)
}

type Table = (String, String, String, Option<String>);

fn tables(connection: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut select =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")?;
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    rows.collect()
}

/// The standing of a session. Any two of the numbers differ in two bits, so one flipped bit makes none of them
/// another.
pub(crate) mod standing {
    /// The session exists.
    pub(crate) const LIVE: i64 = 3;
    /// The session is being imported and cannot be seen.
    pub(crate) const STAGED: i64 = 5;
    /// The session was deleted; its rows are not yet removed.
    pub(crate) const DOOMED: i64 = 6;
}

/// Returns the statement that finds the numbers of deleted sessions. SQLite uses the index only if its condition is
/// there to the letter.
pub(crate) fn select_doomed() -> String {
    let (live, doomed) = (standing::LIVE, standing::DOOMED);
    format!("SELECT number FROM sessions WHERE standing <> {live} AND standing = {doomed}")
}

/// The highest id of an event.
pub(crate) const MAX_ID: u64 = (1 << 40) - 1;

/// The highest number of a session.
pub(crate) const MAX_SESSION: i64 = (1 << 23) - 1;

/// Returns the place of an event or a message.
pub(crate) fn place(session: i64, id: u64) -> i64 {
    debug_assert!(id <= MAX_ID && (0..=MAX_SESSION).contains(&session), "checked when it came in");
    (session << 40) | (id & MAX_ID).cast_signed()
}

/// Returns the id, within its session, of the row at a place.
pub(crate) fn id_at(place: i64) -> u64 {
    place.cast_unsigned() & MAX_ID
}

/// Returns the checksum of a session's row.
pub(crate) fn record_sum(number: i64, id: Option<&str>, record: &[u8]) -> i64 {
    Checksum::default().number(number).optional(id.map(str::as_bytes)).bytes(record).sum()
}

/// Returns the checksum of an event's row.
pub(crate) fn event_sum(place: i64, at_ms: i64, data: &[u8]) -> i64 {
    Checksum::default().number(place).number(at_ms).bytes(data).sum()
}

/// Returns the checksum of a webhook's row.
pub(crate) fn webhook_sum(session: i64, delivered: i64, state: &[u8]) -> i64 {
    Checksum::default().number(session).number(delivered).bytes(state).sum()
}

//! Listings: what is known of a session without reading its record. A list of sessions walks an index of them, and a start reads
//! only those that are active, however many sessions there are.

use crate::checksum::Checksum;
use crate::error::{Result, StoreError};
use crate::queries::{damaged, session_numbered};
use crate::schema::standing;
use crate::statements::Statements as _;
use crate::types::{Head, ListPlace, Listing, StoredSession, Which};
use rusqlite::{Connection, Row};

const COLUMNS: &str =
    "l.session, l.id, l.created_at_ms, l.agent, l.native, l.key, l.labels, l.ended, l.active, l.checksum";

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) session: i64,
    pub(crate) id: String,
    pub(crate) listing: Listing,
    pub(crate) ended: bool,
}

impl Listed {
    fn sum(&self) -> i64 {
        let Listing { created_at_ms, agent, native, key, labels, active } = &self.listing;
        let sum = Checksum::default().number(self.session).bytes(self.id.as_bytes());
        let sum = sum.number(created_at_ms.cast_signed()).bytes(agent.as_bytes());
        let sum = sum.optional(native.as_deref().map(str::as_bytes));
        let sum = sum.optional(key.as_deref().map(str::as_bytes)).bytes(labels);
        sum.number(i64::from(self.ended)).number(i64::from(*active)).sum()
    }

    fn read(row: &Row<'_>) -> Result<Self> {
        let session: i64 = row.get(0)?;
        let listing = Listing {
            created_at_ms: row.get::<_, i64>(2)?.cast_unsigned(),
            agent: row.get(3)?,
            native: row.get(4)?,
            key: row.get(5)?,
            labels: row.get::<_, Vec<u8>>(6)?.into(),
            active: row.get::<_, i64>(8)? == 1,
        };
        let listed = Self { session, id: row.get(1)?, listing, ended: row.get::<_, i64>(7)? == 1 };
        if row.get::<_, i64>(9)? != listed.sum() {
            return Err(damaged(format!("the listing of session number {session}")));
        }
        Ok(listed)
    }

    /// Writes the row, in the place of the one that was there.
    pub(crate) fn save(&self, connection: &Connection) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO listings
                       (session, id, created_at_ms, agent, native, key, labels, ended, active, checksum)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let Listing { created_at_ms, agent, native, key, labels, active } = &self.listing;
        let (created_at_ms, labels) = (created_at_ms.cast_signed(), labels.as_ref());
        let (session, id, ended, sum) = (self.session, &self.id, self.ended, self.sum());
        let row = (session, id, created_at_ms, agent, native, key, labels, ended, active, sum);
        connection.change(sql, row)
    }
}

pub(crate) fn of(connection: &Connection, session: i64) -> Result<Listed> {
    let sql = format!("SELECT {COLUMNS} FROM listings l WHERE l.session = ?1");
    let listed = connection.first(&sql, [session], Listed::read)?;
    listed.ok_or_else(|| damaged(format!("session number {session} is not listed")))
}

pub(crate) fn remove(connection: &Connection, session: i64) -> Result<()> {
    connection.change("DELETE FROM listings WHERE session = ?1", [session])
}

/// Lists the sessions of a file that has no listings. One whose record or head cannot be read counts as active, so that a start says
/// what is wrong with it.
pub(crate) fn fill(connection: &Connection, listing: fn(&[u8]) -> Option<Listing>) -> Result<()> {
    let sql = format!("SELECT number, id, record FROM sessions WHERE standing = {}", standing::LIVE);
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (session, id): (i64, Option<String>) = (row.get(0)?, row.get(1)?);
        let Some(id) = id else { continue };
        let head = Head::numbered(connection, session).unwrap_or_default();
        let ended = head.as_ref().is_some_and(|head| head.ended_at_ms.is_some());
        let created_at_ms = head.map_or(0, |head| head.created_at_ms);
        let known = listing(row.get_ref(2)?.as_blob().unwrap_or_default());
        let listing = known.unwrap_or_else(|| Listing { created_at_ms, active: true, ..Listing::default() });
        Listed { session, id, listing, ended }.save(connection)?;
    }
    Ok(())
}

/// Returns sessions of the list that come after a place and that `takes` accepts, the newest first, at most `limit`. A session that
/// is damaged is left out, and the log says so.
pub(crate) fn page(
    connection: &mut Connection,
    which: Which,
    after: Option<&ListPlace>,
    limit: usize,
    takes: impl Fn(&str, &Listing) -> bool,
) -> Result<Vec<StoredSession>> {
    let snapshot = connection.transaction()?;
    let condition = match which {
        Which::All => "",
        Which::Open => "l.ended = 0 AND",
        Which::Ended => "l.ended <> 0 AND",
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM listings l
         WHERE {condition} (l.created_at_ms < ?1 OR (l.created_at_ms = ?1 AND l.id > ?2))
             AND l.created_at_ms <= ?1
         ORDER BY l.created_at_ms DESC, l.id"
    );
    let mut select = snapshot.prepare_cached(&sql)?;
    let (from, id) = after.map_or((i64::MAX, ""), |after| (after.created_at_ms.cast_signed(), &after.id));
    let mut rows = select.query((from, id))?;
    let mut sessions = Vec::new();
    while sessions.len() < limit
        && let Some(row) = rows.next()?
    {
        let found = Listed::read(row).and_then(|listed| {
            let taken = takes(&listed.id, &listed.listing);
            if taken { session_numbered(&snapshot, listed.session) } else { Ok(None) }
        });
        sessions.extend(unless_damaged(found)?);
    }
    Ok(sessions)
}

/// Leaves out a session that is damaged.
fn unless_damaged(found: Result<Option<StoredSession>>) -> Result<Option<StoredSession>> {
    match found {
        Err(error @ StoreError::Corrupt(_)) => {
            tracing::error!(%error, "a stored session cannot be read and is left out");
            Ok(None)
        }
        other => other,
    }
}

/// Returns the sessions that have to be taken up, in the order in which they were made. A session that is damaged is left out, and
/// the log says so.
pub(crate) fn active(connection: &mut Connection) -> Result<Vec<StoredSession>> {
    let snapshot = connection.transaction()?;
    let sql = "SELECT session FROM listings WHERE active <> 0 ORDER BY session";
    let numbers: Vec<i64> = snapshot.all(sql, [], |row| Ok(row.get(0)?))?;
    let found = numbers.into_iter().map(|number| unless_damaged(session_numbered(&snapshot, number)));
    found.filter_map(Result::transpose).collect()
}

/// Returns the id of the session that was created with a key.
pub(crate) fn with_key(connection: &mut Connection, key: &str) -> Result<Option<String>> {
    let sql = format!("SELECT {COLUMNS} FROM listings l WHERE l.key = ?1 AND l.key IS NOT NULL");
    Ok(connection.first(&sql, [key], Listed::read)?.map(|listed| listed.id))
}

/// Returns whether a session is the one to which an agent gave that native id.
pub(crate) fn has_native(connection: &mut Connection, agent: &str, native: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM listings WHERE native = ?1 AND agent = ?2 AND native IS NOT NULL";
    Ok(connection.prepare_cached(sql)?.exists([native, agent])?)
}

/// Returns the ids of sessions that have not ended.
pub(crate) fn open_ids(connection: &mut Connection) -> Result<Vec<String>> {
    connection.all("SELECT id FROM listings WHERE ended = 0", [], |row| Ok(row.get(0)?))
}

/// The number of sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Census {
    pub(crate) sessions: i64,
    /// Those of them that have ended.
    pub(crate) ended: i64,
}

/// Counts the sessions.
pub(crate) fn census(connection: &Connection) -> Result<Census> {
    let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let sessions = count("SELECT count(*) FROM listings")?;
    let open = count("SELECT count(*) FROM listings WHERE ended = 0")?;
    Ok(Census { sessions, ended: sessions - open })
}

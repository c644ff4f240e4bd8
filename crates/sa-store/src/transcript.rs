//! The transcript: a session's messages in the order in which they were said, each with the event that holds its newest state.
//!
//! ```text
//!   1 … newest event          messages that were said or taken back, each at the event that gave it its place
//!   WAITING - n … WAITING + n messages that wait for their turn, in the order of the queue
//! ```
//!
//! So a walk over the table is the transcript, and a message that waited only ever moves to behind all that was said before.

use crate::checksum::Checksum;
use crate::error::Result;
use crate::queries::{damaged, of_session};
use crate::runs;
use crate::schema::{MAX_ID, event_sum, id_at, place};
use crate::statements::Statements as _;
use crate::types::{
    Direction, Head, Mark, QueuePlace, Standing, StoredEvent, TranscriptEntry, TranscriptSlice, Unfinished,
};
use rusqlite::{Connection, Row};

/// The middle of the positions of messages that wait.
const WAITING: u64 = 3 << 38;
/// Events beyond this many have no positions apart from those of messages that wait.
const MAX_POSITION: u64 = 1 << 38;

/// A row. `newest` and `piece` are ids of events, 0 for none.
struct Entry {
    place: i64,
    message: String,
    turn_id: Option<String>,
    standing: Standing,
    newest: u64,
    piece: u64,
}

const COLUMNS: &str = "place, message, turn_id, standing, newest, piece, checksum";

impl Entry {
    fn new(place: i64, message: &str) -> Self {
        let (message, turn_id) = (message.to_owned(), None);
        Self { place, message, turn_id, standing: Standing::Said, newest: 0, piece: 0 }
    }

    fn sum(&self) -> i64 {
        let sum = Checksum::default().number(self.place).bytes(self.message.as_bytes());
        let sum = sum.optional(self.turn_id.as_deref().map(str::as_bytes)).number(self.standing as i64);
        sum.number(self.newest.cast_signed()).number(self.piece.cast_signed()).sum()
    }

    fn read(row: &Row<'_>) -> Result<Self> {
        let place: i64 = row.get(0)?;
        let wrong = || {
            damaged(format!("message {} of the transcript of session number {}", id_at(place), place >> 40))
        };
        let entry = Self {
            place,
            message: row.get(1)?,
            turn_id: row.get(2)?,
            standing: standing_of(row.get(3)?).ok_or_else(wrong)?,
            newest: row.get::<_, i64>(4)?.cast_unsigned(),
            piece: row.get::<_, i64>(5)?.cast_unsigned(),
        };
        if row.get::<_, i64>(6)? != entry.sum() {
            return Err(wrong());
        }
        Ok(entry)
    }

    fn find(connection: &Connection, session: i64, message: &str) -> Result<Option<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM transcript WHERE message = ?1 AND place BETWEEN ?2 AND ?3");
        connection.first(&sql, (message, place(session, 0), place(session, MAX_ID)), Self::read)
    }

    fn waiting_for(connection: &Connection, session: i64, turn_id: &str) -> Result<Option<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM transcript WHERE place BETWEEN ?1 AND ?2");
        let mut select = connection.prepare_cached(&sql)?;
        let range = [place(session, MAX_POSITION), place(session, MAX_ID)];
        let mut entries = select.query_and_then(range, Self::read)?;
        let waits = |entry: &Self| entry.turn_id.as_deref() == Some(turn_id);
        entries.find(|entry| entry.as_ref().map_or(true, waits)).transpose()
    }

    fn insert(&self, connection: &Connection) -> Result<()> {
        let sql = format!("INSERT INTO transcript ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
        let (standing, sum) = (self.standing as i64, self.sum());
        let (newest, piece) = (self.newest.cast_signed(), self.piece.cast_signed());
        let row = (self.place, &self.message, &self.turn_id, standing, newest, piece, sum);
        connection.change(&sql, row)
    }

    fn update(&self, connection: &Connection) -> Result<()> {
        let sql = "UPDATE transcript SET newest = ?2, piece = ?3, checksum = ?4 WHERE place = ?1";
        let numbers = (self.place, self.newest.cast_signed(), self.piece.cast_signed(), self.sum());
        connection.change(sql, numbers)
    }

    /// Gives a message that waited its place for good.
    fn settle(self, connection: &Connection, to: i64, standing: Standing) -> Result<()> {
        connection.change("DELETE FROM transcript WHERE place = ?1", [self.place])?;
        Self { place: to, turn_id: None, standing, ..self }.insert(connection)
    }
}

/// Makes the change that an event means for its session's transcript.
pub(crate) fn apply(connection: &Connection, session: i64, event: u64, mark: &Mark) -> Result<()> {
    if event >= MAX_POSITION {
        return Ok(());
    }
    let here = place(session, event);
    match mark {
        Mark::State { message } => match Entry::find(connection, session, message)? {
            Some(known) => Entry { newest: event, piece: 0, ..known }.update(connection),
            None => Entry { newest: event, ..Entry::new(here, message) }.insert(connection),
        },
        Mark::Nameless => Entry { newest: event, ..Entry::new(here, "") }.insert(connection),
        Mark::Piece { message } => match Entry::find(connection, session, message)? {
            Some(known) if known.piece != 0 => Ok(()),
            Some(known) => Entry { piece: event, ..known }.update(connection),
            None => Entry { piece: event, ..Entry::new(here, message) }.insert(connection),
        },
        Mark::Queued { message, turn_id, at } => {
            // A log that was changed by hand may say it twice.
            if Entry::find(connection, session, message)?.is_some() {
                return Ok(());
            }
            let position = match at {
                QueuePlace::First => WAITING - event,
                QueuePlace::Last => WAITING + event,
            };
            let (turn_id, standing) = (Some(turn_id.clone()), Standing::Queued);
            let entry = Entry::new(place(session, position), message);
            Entry { turn_id, standing, newest: event, ..entry }.insert(connection)
        }
        Mark::Begun { message } => match Entry::find(connection, session, message)? {
            Some(entry) if entry.standing == Standing::Queued => {
                entry.settle(connection, here, Standing::Said)
            }
            _ => Ok(()),
        },
        Mark::Reordered { messages } => reorder(connection, session, messages),
        Mark::Over { turn_id } => match Entry::waiting_for(connection, session, turn_id)? {
            Some(entry) => entry.settle(connection, here, Standing::Withdrawn),
            None => Ok(()),
        },
    }
}

/// Gives messages that wait each other's places.
fn reorder(connection: &Connection, session: i64, messages: &[String]) -> Result<()> {
    let mut entries: Vec<Entry> = Vec::new();
    for message in messages {
        let entry = Entry::find(connection, session, message)?;
        // A log that was changed by hand may name a message twice.
        let is_new = |entry: &Entry| entries.iter().all(|other| other.place != entry.place);
        entries.extend(entry.filter(|entry| entry.standing == Standing::Queued && is_new(entry)));
    }
    let mut places: Vec<i64> = entries.iter().map(|entry| entry.place).collect();
    places.sort_unstable();
    for entry in &entries {
        connection.change("DELETE FROM transcript WHERE place = ?1", [entry.place])?;
    }
    for (entry, place) in entries.into_iter().zip(places) {
        Entry { place, ..entry }.insert(connection)?;
    }
    Ok(())
}

/// Forgets messages of which no event is kept.
pub(crate) fn trim(connection: &Connection, session: i64, oldest: u64) -> Result<()> {
    let sql = "DELETE FROM transcript WHERE place BETWEEN ?1 AND ?2 AND newest < ?3 AND piece < ?3";
    let range = (place(session, 0), place(session, MAX_ID), oldest.cast_signed());
    connection.change(sql, range)
}

/// Makes the transcripts of a file that has none. An event that is damaged is left out: reading it says so.
pub(crate) fn fill(connection: &Connection, mark: fn(&[u8]) -> Option<Mark>) -> Result<()> {
    let mut select = connection.prepare("SELECT place, at_ms, checksum, data FROM events ORDER BY place")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (place, at_ms): (i64, i64) = (row.get(0)?, row.get(1)?);
        let data = row.get_ref(3)?.as_blob().unwrap_or_default();
        if row.get::<_, i64>(2)? != event_sum(place, at_ms, data) {
            tracing::warn!(place, "a damaged event is left out of its session's transcript");
        } else if let Some(mark) = mark(data) {
            apply(connection, place >> 40, id_at(place), &mark)?;
        }
    }
    Ok(())
}

/// Reads messages of a transcript, those after a position in that direction.
pub(crate) fn read(
    connection: &mut Connection,
    id: &str,
    after: Option<u64>,
    direction: Direction,
    limit: usize,
    max_bytes: usize,
) -> Result<TranscriptSlice> {
    let snapshot = connection.transaction()?;
    let head = Head::of(&snapshot, id)?;
    let unfinished = unfinished(&snapshot, head.session)?;
    let mut slice = TranscriptSlice { entries: Vec::new(), has_more: false, unfinished, last: head.last };
    let after = after.map(|after| after.min(MAX_ID));
    let (from, to, order) = match direction {
        Direction::Forward => (after.map_or(0, |after| after + 1), MAX_ID, "ASC"),
        Direction::Backward => (0, after.map_or(MAX_ID, |after| after.saturating_sub(1)), "DESC"),
    };
    if from > to {
        return Ok(slice);
    }
    let sql =
        format!("SELECT {COLUMNS} FROM transcript WHERE place BETWEEN ?1 AND ?2 ORDER BY place {order}");
    let mut select = snapshot.prepare_cached(&sql)?;
    let mut rows = select.query([place(head.session, from), place(head.session, to)])?;
    let mut room = max_bytes;
    let mut run = LastRun::default();
    while let Some(row) = rows.next()? {
        if slice.entries.len() >= limit {
            slice.has_more = true;
            break;
        }
        let entry = Entry::read(row)?;
        let holder = if entry.newest >= head.oldest { entry.newest } else { entry.piece };
        if holder < head.oldest {
            continue;
        }
        let event = run.event(&snapshot, head.session, holder).map_err(|error| of_session(error, id))?;
        if event.data.len() > room && !slice.entries.is_empty() {
            slice.has_more = true;
            break;
        }
        room = room.saturating_sub(event.data.len());
        slice.entries.push(TranscriptEntry {
            position: id_at(entry.place),
            standing: entry.standing,
            first_piece: Some(entry.piece).filter(|piece| *piece != 0),
            event,
        });
    }
    drop(rows);
    drop(select);
    Ok(slice)
}

fn unfinished(connection: &Connection, session: i64) -> Result<Option<Unfinished>> {
    let sql = "SELECT min(piece), min(iif(newest = 0, piece, newest)) FROM transcript
               WHERE place BETWEEN ?1 AND ?2 AND piece <> 0";
    let mut select = connection.prepare_cached(sql)?;
    let range = [place(session, 0), place(session, MAX_ID)];
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found: (Option<i64>, Option<i64>) = select.query_row(range, read)?;
    let (Some(piece), Some(from)) = found else { return Ok(None) };
    Ok(Some(Unfinished { first_piece: piece.cast_unsigned(), from: from.cast_unsigned() }))
}

/// The run that was read last: neighbors in a transcript are often neighbors in the log.
#[derive(Default)]
struct LastRun(Vec<StoredEvent>);

impl LastRun {
    fn event(&mut self, connection: &Connection, session: i64, id: u64) -> Result<StoredEvent> {
        if let Some(event) = self.find(id) {
            return Ok(event);
        }
        let sql = format!(
            "SELECT {} FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT 1",
            runs::COLUMNS
        );
        let read = |row: &Row<'_>| runs::read(row).map_err(|_| damaged(format!("event {id}")));
        let run = connection.first(&sql, [place(session, 0), place(session, id)], read)?;
        self.0 = run.unwrap_or_default();
        self.find(id).ok_or_else(|| damaged(format!("event {id} is missing")))
    }

    fn find(&self, id: u64) -> Option<StoredEvent> {
        self.0.iter().find(|event| event.id == id).cloned()
    }
}

fn standing_of(number: i64) -> Option<Standing> {
    let standings = [Standing::Said, Standing::Queued, Standing::Withdrawn];
    standings.into_iter().find(|standing| *standing as i64 == number)
}

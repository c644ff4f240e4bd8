//! Runs: consecutive events of a session in one row, packed. Most events are pieces of messages, short and nearly alike, so that
//! together they need a fraction of the room that each would need alone.
//!
//! ```text
//! row     place of the first event · its time · checksum · data · packed: the number of events, 0 for one event as it is
//! data    form (1 as it is, 2 deflated) · length of the rest before it was deflated · lengths and times · the events
//! ```
//!
//! An event is appended as it is, in a separate row. Each time that enough of them have come, those rows become one.
//! Events that come together are packed at once. Readers see no difference: a run gives back the exact bytes of each
//! event.

use crate::checksum::Checksum;
use crate::error::{Result, StoreError};
use crate::limits::{LARGE_EVENT, MERGED_EVENTS, RUN_BYTES, RUN_EVENTS};
use crate::queries::damaged;
use crate::schema::{event_sum, id_at, place};
use crate::statements::Statements as _;
use crate::types::StoredEvent;
use bytes::Bytes;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use rusqlite::{Connection, Row};

/// The columns of a row, in the order in which [`read`] takes them.
pub(crate) const COLUMNS: &str = "place, at_ms, checksum, data, packed";

const AS_IS: u8 = 1;
const DEFLATED: u8 = 2;

/// The level of compression: low, as commits wait for it.
const LEVEL: u32 = 2;

/// Says if a run is complete, or may become part of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Open,
    Complete,
}

/// Packs runs, in buffers that are used again.
#[derive(Default)]
pub(crate) struct Packer {
    deflate: Option<Compress>,
    plain: Vec<u8>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packer")
    }
}

impl Packer {
    /// Writes events of a session that come together. The caller has checked that their ids follow each other.
    pub(crate) fn insert(
        &mut self,
        connection: &Connection,
        session: i64,
        events: &[StoredEvent],
    ) -> Result<()> {
        for run in split(events) {
            let bytes: usize = run.iter().map(|event| event.data.len()).sum();
            let complete = events.len() >= MERGED_EVENTS || bytes >= RUN_BYTES / 2;
            let shape = if complete { Shape::Complete } else { Shape::Open };
            self.insert_run(connection, session, run, shape)?;
        }
        Ok(())
    }

    /// Makes one run of the short ones at the end of a session's events.
    pub(crate) fn merge(&mut self, connection: &Connection, session: i64, last: u64) -> Result<()> {
        let from = place(session, (last + 1).saturating_sub(4 * MERGED_EVENTS as u64));
        let mut open = Vec::new();
        {
            let sql =
                format!("SELECT {COLUMNS} FROM events WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC");
            let mut select = connection.prepare_cached(&sql)?;
            let mut rows = select.query([from, place(session, last)])?;
            while let Some(row) = rows.next()? {
                if !is_open(row)? {
                    break;
                }
                match read(row) {
                    Ok(run) => open.push(run),
                    // A damaged row stays as it is: its readers report the damage.
                    Err(StoreError::Corrupt(_)) => return Ok(()),
                    Err(other) => return Err(other),
                }
            }
        }
        if open.len() < 2 {
            return Ok(());
        }
        let events: Vec<StoredEvent> = open.into_iter().rev().flatten().collect();
        // A run has only its first id, so a missing event would give others its id.
        let first = (last + 1).saturating_sub(events.len() as u64);
        if !events.iter().map(|event| event.id).eq(first..=last) {
            return Ok(());
        }
        let merged = [place(session, first), place(session, last)];
        connection.change("DELETE FROM events WHERE place BETWEEN ?1 AND ?2", merged)?;
        for run in split(&events) {
            self.insert_run(connection, session, run, Shape::Complete)?;
        }
        Ok(())
    }

    fn insert_run(
        &mut self,
        connection: &Connection,
        session: i64,
        run: &[StoredEvent],
        shape: Shape,
    ) -> Result<()> {
        let Some(first) = run.first() else { return Ok(()) };
        let (place, at_ms) = (place(session, first.id), first.at_ms.cast_signed());
        let sql = "INSERT INTO events (place, at_ms, checksum, data, packed) VALUES (?1, ?2, ?3, ?4, ?5)";
        if run.len() == 1 && (shape == Shape::Open || first.data.len() >= LARGE_EVENT) {
            let sum = event_sum(place, at_ms, &first.data);
            return connection.change(sql, (place, at_ms, sum, first.data.as_ref(), 0));
        }
        let data = self.pack(run, shape);
        let packed = i64::try_from(run.len()).unwrap_or(i64::MAX);
        connection.change(sql, (place, at_ms, run_sum(place, at_ms, packed, &data), data, packed))
    }

    fn pack(&mut self, run: &[StoredEvent], shape: Shape) -> Vec<u8> {
        self.plain.clear();
        let mut before = run.first().map_or(0, |first| first.at_ms);
        for event in run {
            write_number(&mut self.plain, event.data.len() as u64);
            let later = event.at_ms.wrapping_sub(before).cast_signed();
            write_number(&mut self.plain, ((later << 1) ^ (later >> 63)).cast_unsigned());
            before = event.at_ms;
        }
        run.iter().for_each(|event| self.plain.extend_from_slice(&event.data));
        let mut data = Vec::with_capacity(self.plain.len() + 16);
        data.push(DEFLATED);
        write_number(&mut data, self.plain.len() as u64);
        let head = data.len();
        if shape == Shape::Complete && self.deflate_into(&mut data) && data.len() < head + self.plain.len() {
            data.shrink_to_fit();
            return data;
        }
        data.truncate(head);
        data[0] = AS_IS;
        data.extend_from_slice(&self.plain);
        data
    }

    /// Deflates into the room that there is; says whether that was enough.
    fn deflate_into(&mut self, data: &mut Vec<u8>) -> bool {
        let deflate = self.deflate.get_or_insert_with(|| Compress::new(Compression::new(LEVEL), false));
        deflate.reset();
        deflate
            .compress_vec(&self.plain, data, FlushCompress::Finish)
            .is_ok_and(|status| status == Status::StreamEnd)
    }
}

/// Cuts events into runs. A large event is alone: nothing is gained by packing it, and reading its neighbors must not need it.
fn split(mut events: &[StoredEvent]) -> impl Iterator<Item = &[StoredEvent]> {
    std::iter::from_fn(move || {
        let is_large = |event: &StoredEvent| event.data.len() >= LARGE_EVENT;
        let first = events.first()?;
        let mut bytes = first.data.len();
        let fits = |event: &&StoredEvent| {
            bytes += event.data.len();
            bytes <= RUN_BYTES && !is_large(event)
        };
        let more = if is_large(first) {
            0
        } else {
            events[1..].iter().take(RUN_EVENTS - 1).take_while(fits).count()
        };
        let (run, rest) = events.split_at(1 + more);
        events = rest;
        Some(run)
    })
}

/// Returns whether a row may become part of a longer run.
fn is_open(row: &Row<'_>) -> Result<bool> {
    let data = row.get_ref(3)?.as_blob().unwrap_or_default();
    let packed: i64 = row.get(4)?;
    Ok(if packed == 0 { data.len() < LARGE_EVENT } else { data.first() == Some(&AS_IS) })
}

/// Returns the id of the first event of a row, and how many there are, without unpacking them.
pub(crate) fn extent(place: i64, packed: i64) -> (u64, u64) {
    (id_at(place), packed.max(1).cast_unsigned())
}

pub(crate) fn read(row: &Row<'_>) -> Result<Vec<StoredEvent>> {
    let (place, at_ms, sum): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (data, packed): (Vec<u8>, i64) = (row.get(3)?, row.get(4)?);
    let first = id_at(place);
    let wrong = || damaged(format!("event {first}"));
    if packed == 0 {
        if sum != event_sum(place, at_ms, &data) {
            return Err(wrong());
        }
        return Ok(vec![StoredEvent { id: first, at_ms: at_ms.cast_unsigned(), data: data.into() }]);
    }
    if sum != run_sum(place, at_ms, packed, &data) {
        return Err(wrong());
    }
    unpack(first, at_ms.cast_unsigned(), packed.cast_unsigned(), data.into()).ok_or_else(wrong)
}

fn unpack(first: u64, at_ms: u64, count: u64, data: Bytes) -> Option<Vec<StoredEvent>> {
    let mut rest = data.get(1..)?;
    let length = usize::try_from(read_number(&mut rest)?).ok()?;
    let plain = match *data.first()? {
        AS_IS => data.slice(data.len() - rest.len()..),
        DEFLATED => inflate(rest, length)?.into(),
        _ => return None,
    };
    if plain.len() != length || count > length as u64 {
        return None;
    }
    let mut heads = plain.as_ref();
    let mut sizes = Vec::with_capacity(usize::try_from(count).ok()?);
    let mut at_ms = at_ms;
    for _ in 0..count {
        let size = usize::try_from(read_number(&mut heads)?).ok()?;
        let later = read_number(&mut heads)?;
        at_ms = at_ms.wrapping_add((later >> 1) ^ (later & 1).wrapping_neg());
        sizes.push((size, at_ms));
    }
    let mut rest = plain.slice(plain.len() - heads.len()..);
    let mut events = Vec::with_capacity(sizes.len());
    for ((size, at_ms), id) in sizes.into_iter().zip(first..) {
        if size > rest.len() {
            return None;
        }
        events.push(StoredEvent { id, at_ms, data: rest.split_to(size) });
    }
    rest.is_empty().then_some(events)
}

fn inflate(data: &[u8], length: usize) -> Option<Vec<u8>> {
    // No run is larger, so a length that fits its checksum by chance asks for no more memory than that.
    let mut plain = Vec::with_capacity(length.min(2 * (RUN_BYTES + LARGE_EVENT)));
    let status = Decompress::new(false).decompress_vec(data, &mut plain, FlushDecompress::Finish).ok()?;
    (status == Status::StreamEnd).then_some(plain)
}

fn run_sum(place: i64, at_ms: i64, packed: i64, data: &[u8]) -> i64 {
    Checksum::default().number(place).number(at_ms).number(packed).bytes(data).sum()
}

/// Writes a number in as many bytes as it needs, seven bits in each.
fn write_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn read_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn packed(lengths: &[usize], times: &[u64]) -> Vec<StoredEvent> {
        let event = |(n, length): (usize, &usize)| StoredEvent {
            id: 7 + n as u64,
            at_ms: times[n % times.len()],
            data: Bytes::from(format!("{n}:").repeat(length.div_ceil(2))).slice(..*length),
        };
        lengths.iter().enumerate().map(event).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_run_gives_back_what_was_packed(
            lengths in prop::collection::vec(0_usize..700, 1..90),
            times in prop::collection::vec(any::<u64>(), 1..9),
            complete in any::<bool>(),
        ) {
            let events = packed(&lengths, &times);
            let shape = if complete { Shape::Complete } else { Shape::Open };
            let data = Packer::default().pack(&events, shape);
            let read = unpack(7, events[0].at_ms, events.len() as u64, data.into()).unwrap();
            prop_assert_eq!(read.len(), events.len());
            for (read, event) in read.iter().zip(&events) {
                prop_assert_eq!((read.id, read.at_ms, &read.data), (event.id, event.at_ms, &event.data));
            }
        }

        #[test]
        fn runs_are_whole_and_bounded(lengths in prop::collection::vec(prop_oneof![199 => 0_usize..500, 1 => Just(LARGE_EVENT)], 0..1200)) {
            let events = packed(&lengths, &[1]);
            let runs: Vec<&[StoredEvent]> = split(&events).collect();
            let ids: Vec<u64> = runs.iter().flat_map(|run| run.iter().map(|event| event.id)).collect();
            prop_assert!(ids.into_iter().eq(7..7 + events.len() as u64));
            for run in runs {
                let bytes: usize = run.iter().map(|event| event.data.len()).sum();
                prop_assert!(run.len() <= RUN_EVENTS && (run.len() == 1 || bytes <= RUN_BYTES));
            }
        }

        #[test]
        fn bytes_that_are_no_run_are_refused(data in prop::collection::vec(any::<u8>(), 0..200), count in 0_u64..300) {
            // Random bytes may form a run by chance. Then the run has as many events as the row says.
            if let Some(events) = unpack(1, 0, count, data.into()) {
                prop_assert_eq!(events.len() as u64, count);
            }
        }
    }
}

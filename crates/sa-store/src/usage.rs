//! Usage: tokens and cost, one row for each turn.
//!
//! A row is written in the commit of the events that it sums up, so a crash neither loses nor repeats it. Rows name their session by its
//! id and outlive it. Events that come by an import or a fork write none: their turns were counted where they ran.

use crate::checksum::Checksum;
use crate::error::{Result, StoreError};
use crate::limits::USAGE_TRIM;
use crate::queries::damaged;
use crate::statements::Statements as _;
use crate::writer::Transaction;
use rusqlite::{Connection, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Tokens by kind, each absent if no agent reported it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    pub input: Option<u64>,
    pub output: Option<u64>,
    pub cached_read: Option<u64>,
    pub cached_write: Option<u64>,
    pub thought: Option<u64>,
    pub total: Option<u64>,
}

/// Tokens and cost that one commit adds to a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageNote {
    pub turn: String,
    pub agent: String,
    /// The model; empty if that is not known.
    pub model: String,
    /// The time of use, in milliseconds since 1970.
    pub at_ms: u64,
    /// Turns that ended: one or none.
    pub turns: u64,
    pub tokens: Tokens,
    /// The currency of the cost; empty if there is none.
    pub currency: String,
    /// The cost in billionths of the currency.
    pub cost: u64,
}

/// A member of a row by which usage is grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UsageDimension {
    Day,
    Agent,
    Model,
    Session,
}

/// The values that the rows of a group share. Those that are not grouped by are absent. Groups are ordered by them.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageKey {
    pub day: Option<u64>,
    pub agent: Option<String>,
    /// The model; empty if that is not known.
    pub model: Option<String>,
    pub session: Option<String>,
}

/// The sum of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageSum {
    pub turns: u64,
    pub tokens: Tokens,
    /// Cost in billionths, by currency.
    pub costs: BTreeMap<String, u64>,
}

/// The usage to sum up, and its grouping. An empty set stands for any.
#[derive(Debug, Clone, Default)]
pub struct UsageQuery {
    /// The first millisecond that counts.
    pub from_ms: u64,
    /// The first millisecond that does not count any more.
    pub to_ms: Option<u64>,
    pub sessions: BTreeSet<String>,
    pub agents: BTreeSet<String>,
    /// Models.
    pub models: BTreeSet<String>,
    /// Properties that the rows of a group share.
    pub group_by: BTreeSet<UsageDimension>,
    /// The last group of the page before.
    pub after: Option<UsageKey>,
    /// The most groups of a page.
    pub limit: usize,
}

/// A page of groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsagePage {
    /// The groups, in their order.
    pub groups: Vec<(UsageKey, UsageSum)>,
    pub has_more: bool,
    /// The sum of all groups, those of other pages included.
    pub total: UsageSum,
}

impl Tokens {
    fn columns(&self) -> [Option<i64>; 6] {
        let Self { input, output, cached_read, cached_write, thought, total } = self;
        [input, output, cached_read, cached_write, thought, total]
            .map(|count| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX)))
    }

    fn from_columns(columns: [Option<i64>; 6]) -> Self {
        let [input, output, cached_read, cached_write, thought, total] =
            columns.map(|count| count.map(i64::cast_unsigned));
        Self { input, output, cached_read, cached_write, thought, total }
    }

    fn add(&mut self, other: &Self) {
        let sums = self.columns().into_iter().zip(other.columns());
        let mut columns = [None; 6];
        for (column, (one, more)) in columns.iter_mut().zip(sums) {
            *column = match (one, more) {
                (Some(one), Some(more)) => Some(one.saturating_add(more)),
                (one, more) => one.or(more),
            };
        }
        *self = Self::from_columns(columns);
    }
}

impl UsageSum {
    fn add(&mut self, row: &UsageNote) {
        self.turns = self.turns.saturating_add(row.turns);
        self.tokens.add(&row.tokens);
        if !row.currency.is_empty() {
            let cost = self.costs.entry(row.currency.clone()).or_default();
            *cost = cost.saturating_add(row.cost);
        }
    }
}

impl UsageKey {
    fn of(session: &str, row: &UsageNote, group_by: &BTreeSet<UsageDimension>) -> Self {
        let by = |dimension| group_by.contains(&dimension);
        Self {
            day: by(UsageDimension::Day).then_some(row.at_ms / DAY_MS),
            agent: by(UsageDimension::Agent).then(|| row.agent.clone()),
            model: by(UsageDimension::Model).then(|| row.model.clone()),
            session: by(UsageDimension::Session).then(|| session.to_owned()),
        }
    }
}

impl UsageQuery {
    fn takes(&self, session: &str, row: &UsageNote) -> bool {
        let has = |set: &BTreeSet<String>, value: &str| set.is_empty() || set.contains(value);
        has(&self.sessions, session) && has(&self.agents, &row.agent) && has(&self.models, &row.model)
    }
}

const COLUMNS: &str = "number, session, turn, currency, agent, model, at_ms, turns,
    input, output, cached_read, cached_write, thought, total, cost, checksum";

/// A row.
struct Entry {
    number: i64,
    session: String,
    note: UsageNote,
}

impl Entry {
    fn sum(&self) -> i64 {
        let note = &self.note;
        let sum = Checksum::default().number(self.number);
        let texts = [&self.session, &note.turn, &note.currency, &note.agent, &note.model];
        let sum = texts.into_iter().fold(sum, |sum, text| sum.bytes(text.as_bytes()));
        let sum = sum.number(note.at_ms.cast_signed()).number(note.turns.cast_signed());
        let add = |sum: Checksum, count: Option<i64>| {
            sum.optional(count.map(i64::to_le_bytes).as_ref().map(<[u8; 8]>::as_slice))
        };
        note.tokens.columns().into_iter().fold(sum, add).number(note.cost.cast_signed()).sum()
    }

    fn read(row: &Row<'_>) -> Result<Self> {
        let number: i64 = row.get(0)?;
        let count = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let tokens = [row.get(8)?, row.get(9)?, row.get(10)?, row.get(11)?, row.get(12)?, row.get(13)?];
        let note = UsageNote {
            turn: row.get(2)?,
            currency: row.get(3)?,
            agent: row.get(4)?,
            model: row.get(5)?,
            at_ms: count(6)?,
            turns: count(7)?,
            tokens: Tokens::from_columns(tokens),
            cost: count(14)?,
        };
        let entry = Self { number, session: row.get(1)?, note };
        let whole = row.get::<_, i64>(15)? == entry.sum();
        whole.then_some(entry).ok_or_else(|| damaged(format!("row {number} of the usage")))
    }

    fn find(connection: &Connection, session: &str, turn: &str, currency: &str) -> Result<Option<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM usage WHERE session = ?1 AND turn = ?2 AND currency = ?3");
        connection.first(&sql, [session, turn, currency], Self::read)
    }

    fn save(&self, connection: &Connection) -> Result<()> {
        let note = &self.note;
        let sql = format!(
            "INSERT OR REPLACE INTO usage ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
        );
        let [input, output, cached_read, cached_write, thought, total] = note.tokens.columns();
        let row = (
            self.number,
            &self.session,
            &note.turn,
            &note.currency,
            &note.agent,
            &note.model,
            note.at_ms.cast_signed(),
            note.turns.cast_signed(),
            input,
            output,
            cached_read,
            cached_write,
            thought,
            total,
            i64::try_from(note.cost).unwrap_or(i64::MAX),
            self.sum(),
        );
        connection.change(&sql, row)
    }
}

/// Adds to the row of a turn. The oldest rows go when there are too many.
pub(crate) fn add(transaction: &Transaction<'_>, session: &str, note: &UsageNote) -> Result<()> {
    // Outside of turns a row is a day's.
    let turn = match note.turn.as_str() {
        "" => (note.at_ms / DAY_MS).to_string(),
        turn => turn.to_owned(),
    };
    let known = match Entry::find(transaction.connection, session, &turn, &note.currency) {
        // A damaged figure must not stop the session that it is of.
        Err(error @ StoreError::Corrupt(_)) => {
            tracing::error!(%error, "usage cannot be read and begins again");
            None
        }
        found => found?,
    };
    let mut entry = match known {
        Some(known) => known,
        None => {
            let number = next_number(transaction)?;
            Entry { number, session: session.to_owned(), note: UsageNote::default() }
        }
    };
    let before = entry.note;
    let mut tokens = before.tokens;
    tokens.add(&note.tokens);
    entry.note = UsageNote {
        turn,
        turns: before.turns.saturating_add(note.turns),
        tokens,
        cost: before.cost.saturating_add(note.cost),
        ..note.clone()
    };
    entry.save(transaction.connection)
}

fn next_number(transaction: &Transaction<'_>) -> Result<i64> {
    let highest =
        transaction.first("SELECT coalesce(max(number), 0) FROM usage", [], |row| Ok(row.get(0)?))?;
    let number = highest.unwrap_or(0_i64).saturating_add(1);
    if number % USAGE_TRIM == 0 {
        let kept = i64::try_from(transaction.retention.usage_rows()).unwrap_or(i64::MAX);
        transaction.change("DELETE FROM usage WHERE number <= ?1", [number.saturating_sub(kept)])?;
    }
    Ok(number)
}

/// Sums up the rows that a query takes. One that is damaged is left out; the log says so. A page needs as much memory as it has groups, however many rows and groups there are.
pub(crate) fn sum(connection: &mut Connection, query: &UsageQuery) -> Result<UsagePage> {
    let snapshot = connection.transaction()?;
    let sql = format!("SELECT {COLUMNS} FROM usage WHERE at_ms >= ?1 AND at_ms < ?2");
    let mut select = snapshot.prepare_cached(&sql)?;
    let bound = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
    let mut rows = select.query([bound(query.from_ms), bound(query.to_ms.unwrap_or(u64::MAX))])?;
    let mut groups: BTreeMap<UsageKey, UsageSum> = BTreeMap::new();
    let mut total = UsageSum::default();
    let mut has_more = false;
    while let Some(row) = rows.next()? {
        let entry = match Entry::read(row) {
            Err(error @ StoreError::Corrupt(_)) => {
                tracing::error!(%error, "usage cannot be read and is left out");
                continue;
            }
            read => read?,
        };
        if !query.takes(&entry.session, &entry.note) {
            continue;
        }
        total.add(&entry.note);
        let key = UsageKey::of(&entry.session, &entry.note, &query.group_by);
        if query.after.as_ref().is_some_and(|after| key <= *after) {
            continue;
        }
        groups.entry(key).or_default().add(&entry.note);
        // A group that does not fit is above all that do, and those only get lower: it never comes back.
        if groups.len() > query.limit {
            groups.pop_last();
            has_more = true;
        }
    }
    Ok(UsagePage { groups: groups.into_iter().collect(), has_more, total })
}

//! Statements in one call: each is prepared once, then taken from the connection's cache.

use crate::error::Result;
use rusqlite::{Connection, Params, Row};

/// Something that statements run on.
pub(crate) trait Statements {
    fn connection(&self) -> &Connection;

    /// Executes a statement that returns no rows.
    fn change(&self, sql: &str, params: impl Params) -> Result<()> {
        self.connection().prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    /// Reads the first row of a query, if there is one.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection().prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }

    /// Reads all rows of a query.
    fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.connection().prepare_cached(sql)?.query_and_then(params, read)?.collect()
    }
}

impl Statements for Connection {
    fn connection(&self) -> &Connection {
        self
    }
}

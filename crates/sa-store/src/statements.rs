//! Statements in one call: each is prepared once, then taken from the connection's cache.

use crate::error::Result;
use rusqlite::{Connection, Params, Row};

pub(crate) trait Statements {
    /// Executes a statement that returns no rows.
    fn change(&self, sql: &str, params: impl Params) -> Result<()>;

    /// Reads the first row of a query, if there is one.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;
}

impl Statements for Connection {
    fn change(&self, sql: &str, params: impl Params) -> Result<()> {
        self.prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        rows.next()?.map(read).transpose()
    }
}

//! The list of sessions, page by page.

use crate::operations::operations;
use crate::{Client, Page, Result};
use sa_api::sessions::{Session, SessionList, SessionState};

/// Filter of sessions. An empty filter matches any.
#[derive(Debug, Clone, Default)]
pub struct SessionQuery {
    pub page: Page,
    pub states: Vec<SessionState>,
    pub agents: Vec<String>,
    /// Members of their metadata, all of which they must have.
    pub metadata: Vec<(String, String)>,
    /// Also returns `choices` of each session.
    pub include_choices: bool,
}

/// All sessions that match a query, fetched as they are read.
#[derive(Debug)]
pub struct SessionPages {
    client: Client,
    query: SessionQuery,
    page: std::vec::IntoIter<Session>,
    is_last: bool,
}

operations! {
    /// Lists a page of sessions.
    list_sessions(query: &SessionQuery) -> SessionList =
        GET ["v1", "sessions"], query query.pairs(), query query.page;
}

impl Client {
    /// Lists all sessions that match, over as many pages as it takes.
    pub fn all_sessions(&self, query: SessionQuery) -> SessionPages {
        SessionPages { client: self.clone(), query, page: Vec::new().into_iter(), is_last: false }
    }
}

impl SessionPages {
    /// Returns the next session; nothing after the last.
    pub async fn next(&mut self) -> Result<Option<Session>> {
        loop {
            if let Some(session) = self.page.next() {
                return Ok(Some(session));
            }
            if self.is_last {
                return Ok(None);
            }
            let list = self.client.list_sessions(&self.query).await?;
            self.is_last = list.next.is_none();
            self.query.page.after = list.next;
            self.page = list.sessions.into_iter();
        }
    }
}

impl SessionQuery {
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        pairs.extend(self.states.iter().map(|state| ("state", state.name().to_owned())));
        pairs.extend(self.agents.iter().map(|agent| ("agent", agent.clone())));
        pairs.extend(self.metadata.iter().map(|(key, value)| ("metadata", format!("{key}:{value}"))));
        pairs.extend(self.include_choices.then(|| ("include", "choices".to_owned())));
        pairs
    }
}

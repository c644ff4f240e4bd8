//! Ids of messages: how the agent's own ids become ours, and ours the agent's.
//!
//! A message of the agent has the agent's id, one of the user `user:<id>`, a tool call `tool:<id>`. A message that continues
//! after it was closed has `~2`, `~3` and so on behind it. Agents may count from one again whenever they are started, so
//! what comes of their second run has `~r2` behind it, and so on. Names that look like one of these are escaped with `%`.

use sa_api::sessions::Role;
use std::collections::{HashMap, VecDeque};

/// Ids that are remembered, so that none is given twice.
const REMEMBERED: usize = 4096;

pub(crate) const USER: &str = "user:";
pub(crate) const TOOL: &str = "tool:";

/// Our id for a message that the agent calls `id`.
pub(crate) fn of_message(role: Role, id: &str) -> String {
    let id = escaped(id);
    match role {
        Role::User => format!("{USER}{id}"),
        Role::Assistant if id.starts_with(USER) || id.starts_with(TOOL) => id.replacen(':', "%3A", 1),
        Role::Assistant => id,
    }
}

/// Our id for the message that a tool call is.
pub(crate) fn of_tool(id: &str) -> String {
    format!("{TOOL}{}", escaped(id))
}

fn escaped(id: &str) -> String {
    id.replace('%', "%25").replace('~', "%7E")
}

/// The ids that are in use.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The agent's run, from the second on.
    run: Option<u32>,
    used: HashMap<String, u32>,
    order: VecDeque<String>,
}

/// An id that was not given before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) id: String,
    /// The message that the agent calls the same, and that this one continues.
    pub(crate) continues: Option<String>,
}

impl Names {
    /// The names of the agent's `run`th run, none of which another run has.
    pub(crate) fn of_run(run: u32) -> Self {
        Self { run: Some(run).filter(|run| *run > 1), ..Self::default() }
    }

    /// The id for what is called `base`, or for what follows it if there is one already.
    pub(crate) fn claim(&mut self, base: &str) -> Claimed {
        let first = match self.run {
            Some(run) => format!("{base}~r{run}"),
            None => base.to_owned(),
        };
        if let Some(uses) = self.used.get_mut(&first) {
            *uses += 1;
            return Claimed { id: format!("{first}~{uses}"), continues: Some(first) };
        }
        if self.order.len() >= REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.used.remove(&oldest);
        }
        self.used.insert(first.clone(), 1);
        self.order.push_back(first.clone());
        Claimed { id: first, continues: None }
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, of_message, of_tool};
    use crate::testing::agents;
    use sa_api::sessions::Role;

    #[test]
    fn ids_of_different_things_differ_and_lead_back() {
        for id in ["a", "tool:a", "user:a", "a~2", "%7E", "100%", "tool%3Aa", ""] {
            let ours = [of_message(Role::User, id), of_message(Role::Assistant, id), of_tool(id)];
            for (index, one) in ours.iter().enumerate() {
                assert_eq!(agents(one), id, "{one}");
                assert!(ours.iter().skip(index + 1).all(|other| other != one), "{ours:?}");
            }
        }
        assert_ne!(of_message(Role::Assistant, "tool:a"), of_tool("a"));
    }

    #[test]
    fn no_id_is_given_twice() {
        let mut names = Names::default();
        assert_eq!(["a", "b", "a", "a"].map(|base| names.claim(base).id), ["a", "b", "a~2", "a~3"]);
        assert_eq!(agents("a~3"), "a");
        let mut names = Names::of_run(3);
        assert_eq!(["a", "b", "a"].map(|base| names.claim(base).id), ["a~r3", "b~r3", "a~r3~2"]);
        assert_eq!(names.claim("a").continues.as_deref(), Some("a~r3"));
        assert_eq!(agents("a~r3~2"), "a");
    }
}

//! The permission rules of the server for each mode: allowed, asked about, or denied. The rules of a session come
//! after those of its agent, and the last one that fits counts.

use crate::native::ask::{Action, Rule, fits};
use sa_acp::BasicMode as Mode;
use sa_shell::Names;
use std::path::PathBuf;

/// Permissions that change nothing outside of the conversation.
const SAFE: Names = Names(
    "read grep glob list lsp todowrite todoread question skill task plan_enter plan_exit \
     external_directory doom_loop invalid",
);

/// Permissions that change something. The server's configuration asks about these by default.
const CHANGING: [&str; 2] = ["edit", "bash"];

/// Returns what an agent's rules say about something in general.
fn general(own: &[Rule], permission: &str) -> Action {
    let fitting = |rule: &&Rule| fits(&rule.permission, permission) && rule.pattern == "*";
    own.iter().rev().find(fitting).map_or(Action::Allow, |rule| rule.action)
}

/// The rules for a mode. `own` are those of the agent, `planner` those of the one that makes plans; `directories` may be
/// read in addition to the session's own, and tools of the servers `foreign` are other sessions'.
pub(super) fn rules(
    mode: Mode,
    own: &[Rule],
    planner: &[Rule],
    directories: &[PathBuf],
    foreign: &[String],
) -> Vec<Rule> {
    // The rules of the server's configuration are not the agent's.
    let is_ours = |rule: &&Rule| {
        CHANGING.contains(&rule.permission.as_str()) && rule.pattern == "*" && rule.action == Action::Ask
    };
    let own: Vec<Rule> = own.iter().filter(|rule| !is_ours(rule)).cloned().collect();
    let mut rules = match mode {
        Mode::Bypass => unasked(&own),
        Mode::Default => asked(&own),
        Mode::Plan => reading(&own, planner),
    };
    for directory in directories {
        let pattern = directory.join("*").to_string_lossy().into_owned();
        rules.push(Rule::new("external_directory", &pattern, Action::Allow));
    }
    rules.extend(foreign.iter().map(|server| Rule::new(&format!("{server}_*"), "*", Action::Deny)));
    rules
}

/// Returns the rules that ask nothing. Denials of the agent stay. Everything but safe calls is asked about and allowed at
/// once, so that a file is known as it was before, another mode counts from its moment on, and tools of servers that another
/// session has brought meanwhile are out of reach.
fn unasked(own: &[Rule]) -> Vec<Rule> {
    let free = |action| if action == Action::Deny { Action::Deny } else { Action::Allow };
    let noted = |action| if action == Action::Deny { Action::Deny } else { Action::Ask };
    let is_safe = |permission: &str| SAFE.contains(permission);
    let mut rules = vec![Rule::new("*", "*", noted(general(own, "*")))];
    rules.extend(SAFE.iter().map(|permission| Rule::new(permission, "*", free(general(own, permission)))));
    rules.extend(CHANGING.map(|permission| Rule::new(permission, "*", noted(general(own, permission)))));
    for rule in own.iter().filter(|rule| rule.permission != "*") {
        let action = if is_safe(&rule.permission) { free(rule.action) } else { noted(rule.action) };
        rules.push(Rule { action, ..rule.clone() });
    }
    rules
}

/// Returns the rules that ask about everything that is not known to be harmless, unless the agent has an exact rule.
fn asked(own: &[Rule]) -> Vec<Rule> {
    let mut rules = begin(own);
    for permission in CHANGING {
        let action = if general(own, permission) == Action::Deny { Action::Deny } else { Action::Ask };
        rules.push(Rule::new(permission, "*", action));
    }
    let exact = |rule: &&Rule| {
        let is_general = rule.pattern == "*" && CHANGING.contains(&rule.permission.as_str());
        rule.permission != "*" && !SAFE.contains(&rule.permission) && !is_general
    };
    rules.extend(own.iter().filter(exact).cloned());
    rules
}

/// Nothing is changed but the plan. Changes are asked about, to be refused here unless they are commands that only look: the
/// rules of a turn stay what they were when it began, and a plan may be approved in its midst.
fn reading(own: &[Rule], planner: &[Rule]) -> Vec<Rule> {
    let mut rules = begin(own);
    let denied = |rule: &&Rule| {
        rule.action == Action::Deny && rule.permission != "*" && !SAFE.contains(&rule.permission)
    };
    rules.extend(own.iter().filter(denied).cloned());
    rules.extend(CHANGING.map(|permission| Rule::new(permission, "*", Action::Ask)));
    let is_plan = |rule: &&Rule| {
        rule.permission == "edit" && rule.action == Action::Allow && rule.pattern.contains("plans/")
    };
    rules.extend(planner.iter().filter(is_plan).cloned());
    rules.push(Rule::new("plan_exit", "*", Action::Allow));
    rules
}

/// Everything that is not known is asked about; what is harmless is as the agent has it.
fn begin(own: &[Rule]) -> Vec<Rule> {
    let unknown = if general(own, "*") == Action::Deny { Action::Deny } else { Action::Ask };
    let mut rules = vec![Rule::new("*", "*", unknown)];
    for permission in SAFE.iter() {
        rules.push(Rule::new(permission, "*", general(own, permission)));
        rules.extend(own.iter().filter(|rule| rule.permission == permission && rule.pattern != "*").cloned());
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use Action::{Allow, Ask, Deny};

    fn own(more: &[(&str, &str, Action)]) -> Vec<Rule> {
        let first = [("*", "*", Allow), ("doom_loop", "*", Ask), ("external_directory", "*", Ask)];
        let read = [("read", "*", Allow), ("read", "*.env", Ask), ("plan_exit", "*", Deny)];
        let ours = [("bash", "*", Ask), ("edit", "*", Ask)];
        let all = first.iter().chain(&read).chain(more).chain(&ours);
        all.map(|(permission, pattern, action)| Rule::new(permission, pattern, *action)).collect()
    }

    /// Returns what comes of the rules of an agent with those of a session behind them.
    fn decided(mode: Mode, own: &[Rule], permission: &str, pattern: &str) -> Action {
        let all = [own.to_vec(), rules(mode, own, own, &[], &[])].concat();
        let fitting = |rule: &&Rule| fits(&rule.permission, permission) && fits(&rule.pattern, pattern);
        all.iter().rev().find(fitting).unwrap().action
    }

    fn check(mode: Mode, own: &[Rule], expected: Action, cases: &[(&str, &str)]) {
        for (permission, pattern) in cases {
            assert_eq!(decided(mode, own, permission, pattern), expected, "{permission} {pattern}");
        }
    }

    #[test]
    fn by_default_changes_are_asked_about_and_rules_of_the_user_count() {
        let own = own(&[("bash", "git *", Allow), ("edit", "secret/*", Deny), ("files_list", "*", Allow)]);
        let changes =
            [("edit", "a.txt"), ("bash", "touch a"), ("webfetch", "https://a"), ("files_write", "*")];
        check(Mode::Default, &own, Ask, &changes);
        check(Mode::Default, &own, Ask, &[("read", "x.env"), ("external_directory", "/etc/*")]);
        check(Mode::Default, &own, Deny, &[("edit", "secret/a"), ("plan_exit", "*")]);
        let harmless = [("bash", "git status"), ("files_list", "*"), ("read", "a.txt"), ("task", "general")];
        check(Mode::Default, &own, Allow, &harmless);
    }

    #[test]
    fn in_plan_mode_nothing_is_changed_unasked_whatever_the_user_allows() {
        let plans = ("edit", ".opencode/plans/*.md", Allow);
        let own =
            own(&[("bash", "git *", Allow), ("edit", "src/*", Allow), plans, ("files_write", "*", Allow)]);
        check(Mode::Plan, &own, Ask, &[("edit", "src/a"), ("bash", "git push"), ("files_write", "*")]);
        check(
            Mode::Plan,
            &own,
            Allow,
            &[("edit", ".opencode/plans/a.md"), ("read", "a.txt"), ("plan_exit", "*")],
        );
    }

    #[test]
    fn without_asking_what_is_denied_stays_denied() {
        let own = own(&[("bash", "rm *", Deny), ("edit", "secret/*", Deny), ("webfetch", "*", Ask)]);
        check(Mode::Bypass, &own, Deny, &[("edit", "secret/a"), ("bash", "rm -r /")]);
        // The machine answers these by itself.
        let changes = [("edit", "a.txt"), ("bash", "ls"), ("webfetch", "https://a"), ("files_write", "*")];
        check(Mode::Bypass, &own, Ask, &changes);
        check(Mode::Bypass, &own, Allow, &[("doom_loop", "*"), ("read", "x.env")]);
    }

    #[test]
    fn agents_that_may_not_edit_stay_so_and_servers_of_others_are_out_of_reach() {
        let reader = own(&[("*", "*", Deny), ("grep", "*", Allow)]);
        assert_eq!(decided(Mode::Default, &reader, "edit", "a"), Deny);
        assert_eq!(decided(Mode::Default, &reader, "grep", "a"), Allow);
        assert_eq!(decided(Mode::Bypass, &reader, "edit", "a"), Deny);
        let rules = rules(Mode::Bypass, &own(&[]), &[], &["/more".into()], &["files".to_owned()]);
        assert!(rules.contains(&Rule::new("files_*", "*", Deny)), "{rules:?}");
        assert!(rules.contains(&Rule::new("external_directory", "/more/*", Allow)), "{rules:?}");
    }
}

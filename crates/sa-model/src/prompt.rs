//! Finds the prompt that counts, and the script in it, among all that agents wrap around it.

use crate::conversation::{Conversation, Said, Turn};
use crate::script::{Misuse, Script};

/// The prompt that the model has to answer.
#[derive(Debug)]
pub(crate) struct Prompt<'a> {
    /// The user's text, without the agent's additions.
    pub(crate) text: String,
    pub(crate) script: Result<Option<Script>, Misuse>,
    /// The number of answers of the model since.
    pub(crate) step: usize,
    /// The prompt's own turn and those of the user's side since: images and results of tools are there.
    pub(crate) since: Vec<&'a Said>,
}

/// Elements that agents add to prompts.
const WRAPPERS: [&str; 14] = [
    "system-reminder",
    "system_reminder",
    "environment_context",
    "environment_details",
    "context",
    "session_context",
    "user_instructions",
    "task-notification",
    "turn_aborted",
    "local-command-stdout",
    "local-command-caveat",
    "current_datetime",
    "reminder",
    "attached_files",
];

/// The beginnings of agents' messages in the user's place.
const NUDGES: [&str; 4] = [
    INTERRUPTION,
    "[Your previous response had no visible output",
    "Output token limit hit. Resume directly",
    "Your response above was stopped by a safety classifier",
];

/// The mark of a turn that the user stopped: the text after it is a new prompt.
const INTERRUPTION: &str = "[Request interrupted by user";

/// The prompt that counts: the last script in what the user's side said since the model spoke; or, when that holds no
/// tool result, its last text; or else the same further back. So a reminder or a notice does not end a script.
pub(crate) fn find(conversation: &Conversation) -> Option<Prompt<'_>> {
    let mut end = conversation.turns.len();
    while end > 0 {
        let before = conversation.turns.get(..end).unwrap_or_default();
        let start =
            before.iter().rposition(|turn| matches!(turn, Turn::Assistant { .. })).map_or(0, |at| at + 1);
        let group = said(before.get(start..).unwrap_or_default());
        if let Some((text, script)) = choose(&group) {
            let later = conversation.turns.get(start..).unwrap_or_default();
            return Some(Prompt { text, script, step: step(later), since: said(later) });
        }
        end = start.saturating_sub(1);
    }
    None
}

type Found = (String, Result<Option<Script>, Misuse>);

fn choose(group: &[&Said]) -> Option<Found> {
    let texts: Vec<String> = group.iter().flat_map(|said| &said.texts).map(|text| unwrapped(text)).collect();
    let interrupted = texts.iter().any(|text| text.starts_with(INTERRUPTION));
    let mut plain = None;
    for text in texts.into_iter().rev() {
        let empty = text.is_empty() || NUDGES.iter().any(|nudge| text.starts_with(nudge));
        match Script::parse(&text) {
            Ok(None) if empty || plain.is_some() => {}
            Ok(None) => plain = Some((text, Ok(None))),
            script => return Some((text, script)),
        }
    }
    let answered = group.iter().any(|said| !said.results.is_empty());
    plain.filter(|_| interrupted || !answered)
}

fn said(turns: &[Turn]) -> Vec<&Said> {
    turns.iter().filter_map(Turn::said).collect()
}

/// Returns the number of steps played in these turns: those that the calls show, and one more for each turn after the
/// last of these.
fn step(turns: &[Turn]) -> usize {
    turns.iter().fold(0, |played, turn| match turn {
        Turn::User(_) => played,
        Turn::Assistant { step: Some(step) } => step + 1,
        Turn::Assistant { step: None } => played + 1,
    })
}

/// A text without the elements that agents add, and without the quotes that some put around a whole prompt.
pub(crate) fn unwrapped(text: &str) -> String {
    let mut text = text.to_owned();
    for name in WRAPPERS {
        while let Some(without) = without_element(&text, name) {
            text = without;
        }
    }
    let trimmed = text.trim();
    match trimmed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\\\"", "\""),
        None => trimmed.to_owned(),
    }
}

fn without_element(text: &str, name: &str) -> Option<String> {
    let opening = format!("<{name}");
    let (start, _) = text.match_indices(&opening).find(|(at, _)| {
        let next = text.get(at + opening.len()..).and_then(|rest| rest.chars().next());
        next.is_some_and(|c| c == '>' || c.is_whitespace())
    })?;
    let (before, element) = text.split_at_checked(start)?;
    let (_, after) = element.split_once(&format!("</{name}>"))?;
    Some(format!("{before}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(texts: &[&str], results: &[&str]) -> Turn {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        Turn::User(Said { texts: owned(texts), images: Vec::new(), results: owned(results) })
    }

    const MODEL: Turn = Turn::Assistant { step: None };

    fn found(turns: Vec<Turn>) -> Option<(String, bool, usize)> {
        let conversation = Conversation { turns, ..Conversation::default() };
        let prompt = find(&conversation)?;
        let scripted = prompt.script.unwrap().is_some();
        Some((prompt.text, scripted, prompt.step))
    }

    fn script(text: &str, step: usize) -> Option<(String, bool, usize)> {
        Some((text.to_owned(), true, step))
    }

    #[test]
    fn reminders_are_not_the_prompt() {
        let reminder = "<system-reminder>\nsay: no\n</system-reminder>";
        assert_eq!(found(vec![user(&[reminder, "say: yes"], &[])]), script("say: yes", 0));
        assert_eq!(found(vec![user(&["say: yes"], &[]), user(&[reminder], &[])]), script("say: yes", 0));
        assert_eq!(
            found(vec![user(&["<context ref=\"a\">say: no</context>say: yes"], &[])]),
            script("say: yes", 0)
        );
        assert_eq!(found(vec![user(&[reminder], &[])]), None);
    }

    #[test]
    fn elements_of_other_names_stay() {
        assert_eq!(
            unwrapped("<contextual>a</contextual> <context>b"),
            "<contextual>a</contextual> <context>b"
        );
    }

    #[test]
    fn steps_count_the_answers_since_the_prompt() {
        let turns = || {
            vec![
                user(&["say: a"], &[]),
                MODEL,
                user(&["say: b\nthen\nsay: c"], &[]),
                MODEL,
                user(&[], &["ok"]),
            ]
        };
        assert_eq!(found(turns()), script("say: b\nthen\nsay: c", 1));
        let mut longer = turns();
        longer.extend([MODEL, user(&["<task-notification>done</task-notification>"], &[])]);
        assert_eq!(found(longer), script("say: b\nthen\nsay: c", 2));
    }

    #[test]
    fn calls_tell_their_step_in_whatever_order_they_return() {
        let call = |step| Turn::Assistant { step };
        let turns = vec![
            user(&["say: a"], &[]),
            call(Some(0)),
            user(&[], &["x"]),
            call(Some(0)),
            user(&[], &["y"]),
            call(Some(1)),
            user(&[], &["z"]),
        ];
        assert_eq!(found(turns), script("say: a", 2));
    }

    #[test]
    fn text_beside_tool_results_counts_only_as_a_script() {
        let turns = |text| vec![user(&["say: a"], &[]), MODEL, user(&[text], &["ok"])];
        assert_eq!(found(turns("go on")), script("say: a", 1));
        assert_eq!(found(turns("say: b")), script("say: b", 0));
    }

    #[test]
    fn what_agents_say_in_the_users_place_is_no_prompt() {
        fn turns(texts: &[&str], results: &[&str]) -> Vec<Turn> {
            vec![user(&["say: a"], &[]), MODEL, user(texts, results)]
        }
        assert_eq!(
            found(turns(&["Output token limit hit. Resume directly, please."], &[])),
            script("say: a", 1)
        );
        let stopped = "[Request interrupted by user for tool use]";
        assert_eq!(found(turns(&[stopped], &["ok"])), script("say: a", 1));
        assert_eq!(found(turns(&[stopped, "hello"], &["ok"])), Some(("hello".to_owned(), false, 0)));
    }

    #[test]
    fn the_last_of_merged_prompts_counts() {
        assert_eq!(found(vec![user(&["say: a\nhang", "say: b"], &[])]), script("say: b", 0));
        assert_eq!(found(vec![user(&["say: a"], &[]), user(&["b"], &[])]), script("say: a", 0));
        let plain = found(vec![user(&["say: a"], &[]), MODEL, user(&["b"], &[])]);
        assert_eq!(plain, Some(("b".to_owned(), false, 0)));
    }

    #[test]
    fn quotes_around_a_whole_prompt_are_the_agents() {
        let quoted = "\"tool: shell {\\\"command\\\":\\\"ls\\\"}\"";
        assert_eq!(found(vec![user(&[quoted], &[])]), script("tool: shell {\"command\":\"ls\"}", 0));
    }
}

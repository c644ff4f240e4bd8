//! Decides what the model does for one request: the step of the script, an echo, or a short answer for a helper call.

use crate::conversation::Conversation;
use crate::prompt::{self, Prompt};
use crate::script::{Directive, Failure, Fault, Script, Usage};
use crate::shapes;
use crate::tools::{self, Call};
use crate::variables::Variables;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// All that is to happen for a request.
#[derive(Debug, Default)]
pub(crate) struct Direction {
    /// An error in place of the answer.
    pub(crate) failure: Option<Failure>,
    /// The step of the script.
    pub(crate) step: usize,
    pub(crate) cues: Vec<Cue>,
    pub(crate) usage: Usage,
    pub(crate) stop: Option<String>,
}

/// The two kinds of text that a model makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Think,
    Say,
}

/// One thing that happens while the answer goes out.
#[derive(Debug, PartialEq)]
pub(crate) enum Cue {
    Text(Kind, String),
    Repeat {
        count: usize,
        bytes: usize,
    },
    Call(Call),
    /// The conversation so far, summed up for the vendor's eyes only.
    Compaction,
    Chunk(usize),
    Slow(Duration),
    Pause(Duration),
    /// Never [`Fault::Fail`]: that one comes before any answer.
    Fault(Fault),
}

/// A fault in a script: the request that meets it, however often it is retried, and the line.
pub(crate) type Place = (u64, usize);

/// Characters of a prompt that an echo repeats.
const ECHO: usize = 400;

/// Texts of agents in calls that are not part of a conversation, in lower case, and the answers.
const HELPERS: [(&str, &str); 4] = [
    ("title", "Scripted title"),
    ("summar", "Scripted summary"),
    ("topic", "Scripted topic"),
    ("classif", "allow"),
];

/// Returns the actions for this request. `is_due` says whether a fault that comes so many times is still to come, and
/// counts it.
pub(crate) fn direct(conversation: &Conversation, is_due: impl Fn(Place, u32) -> bool) -> Direction {
    if conversation.compaction {
        return Direction { cues: vec![Cue::Compaction], ..Direction::default() };
    }
    let Some(prompt) = prompt::find(conversation) else { return saying("ok") };
    if let Some(answer) = helper(conversation, &prompt) {
        return saying(&answer);
    }
    match &prompt.script {
        Err(misuse) => saying(&format!("script error: `{}` does not fit `{}`", misuse.line, misuse.usage)),
        Ok(None) => match &conversation.schema {
            Some(schema) => saying(&shapes::instance(schema, "scripted").to_string()),
            None => saying(&echo(&prompt)),
        },
        Ok(Some(script)) => match script.steps.get(prompt.step).or_else(|| held(script)) {
            Some(step) => scripted(step, conversation, &prompt, &is_due),
            None => saying("The script is over."),
        },
    }
}

/// Returns the last step, if it stops for a special reason: agents ask again then, and the answer must stay the same.
fn held(script: &Script) -> Option<&Vec<Directive>> {
    script.steps.last().filter(|step| step.iter().any(|directive| matches!(directive, Directive::Stop(_))))
}

fn saying(text: &str) -> Direction {
    Direction { cues: vec![Cue::Text(Kind::Say, text.to_owned())], ..Direction::default() }
}

fn echo(prompt: &Prompt<'_>) -> String {
    let text: String = prompt.text.chars().take(ECHO).collect();
    match prompt.since.iter().map(|said| said.images.len()).sum::<usize>() {
        0 => format!("You said: {text}"),
        images => format!("You said: {text} (images: {images})"),
    }
}

/// The answer to a call that offers no tools and wants a title, a summary or a verdict about other texts: those may
/// hold a script, which is not meant for this call.
fn helper(conversation: &Conversation, prompt: &Prompt<'_>) -> Option<String> {
    if !conversation.tools.is_empty() {
        return None;
    }
    if let Some(schema) = &conversation.schema {
        return Some(shapes::instance(schema, "Scripted title").to_string());
    }
    if conversation.max_tokens == Some(1) {
        return Some("ok".to_owned());
    }
    let asked = |text: &str| {
        let lower = text.to_lowercase();
        HELPERS.iter().find(|(word, _)| lower.contains(word)).map(|row| row.1.to_owned())
    };
    let plain = matches!(prompt.script, Ok(None)).then_some(prompt.text.as_str());
    asked(&conversation.system).or_else(|| asked(plain.filter(|_| !conversation.system.is_empty())?))
}

fn scripted(
    step: &[Directive],
    conversation: &Conversation,
    prompt: &Prompt<'_>,
    is_due: &impl Fn(Place, u32) -> bool,
) -> Direction {
    let key = key(conversation, prompt);
    let due = |line: usize, times: Option<u32>| times.is_none_or(|times| is_due((key, line), times));
    let mut direction = Direction { step: prompt.step, ..Direction::default() };
    // Errors in place of the answer come first: the faults in it are not met then, and not counted.
    direction.failure = step.iter().enumerate().find_map(|(line, directive)| match directive {
        Directive::Fault { fault: Fault::Fail(failure), times } if due(line, *times) => Some(failure.clone()),
        _ => None,
    });
    if direction.failure.is_some() {
        return direction;
    }
    let variables = Variables::new(conversation, prompt);
    for (line, directive) in step.iter().enumerate() {
        match directive {
            Directive::Think(text) => direction.cues.push(Cue::Text(Kind::Think, variables.expand(text))),
            Directive::Say(text) => direction.cues.push(Cue::Text(Kind::Say, variables.expand(text))),
            Directive::Repeat { count, bytes } => {
                direction.cues.push(Cue::Repeat { count: *count, bytes: *bytes });
            }
            Directive::Tool { name, input } => {
                let calls = tools::translate(name, &variables.expand_value(input), &conversation.tools);
                for call in calls {
                    let is_joined = match direction.cues.last_mut() {
                        Some(Cue::Call(last)) => tools::join(last, &call),
                        _ => false,
                    };
                    if !is_joined {
                        direction.cues.push(Cue::Call(call));
                    }
                }
            }
            Directive::Chunk(characters) => direction.cues.push(Cue::Chunk(*characters)),
            Directive::Slow(pause) => direction.cues.push(Cue::Slow(*pause)),
            Directive::Pause(pause) => direction.cues.push(Cue::Pause(*pause)),
            Directive::Stop(reason) => direction.stop = Some(reason.clone()),
            Directive::Usage(usage) => direction.usage = *usage,
            Directive::Fault { fault: Fault::Fail(_), .. } => {}
            Directive::Fault { fault, times } if due(line, *times) => {
                direction.cues.push(Cue::Fault(fault.clone()))
            }
            Directive::Fault { .. } => {}
        }
    }
    direction
}

/// Returns a key that a request shares with its retries only: agents do not number their attempts.
fn key(conversation: &Conversation, prompt: &Prompt<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    conversation.session.hash(&mut hasher);
    conversation.turns.len().hash(&mut hasher);
    (&prompt.text, prompt.step).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Form, Offer, Said};
    use serde_json::{Value, json};

    fn conversation(text: &str, system: &str, tools: usize) -> Conversation {
        let mut conversation = Conversation::default();
        conversation.instruct(system);
        conversation.user(Said { texts: vec![text.to_owned()], ..Said::default() });
        let offer =
            || Offer { name: "Bash".into(), namespace: None, form: Form::Function, schema: Value::Null };
        conversation.tools = std::iter::repeat_with(offer).take(tools).collect();
        conversation
    }

    fn said(conversation: &Conversation) -> String {
        match direct(conversation, |_, _| true).cues.as_slice() {
            [Cue::Text(Kind::Say, text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn prompts_without_a_script_are_echoed() {
        assert_eq!(said(&conversation("hello", "", 0)), "You said: hello");
        assert_eq!(said(&conversation("hello", "Generate titles.", 1)), "You said: hello");
        assert_eq!(said(&Conversation::default()), "ok");
    }

    #[test]
    fn helper_calls_get_short_answers_whatever_they_quote() {
        assert_eq!(said(&conversation("say: hi", "You are a title generator.", 0)), "Scripted title");
        assert_eq!(said(&conversation("say: hi", "Generate titles.", 1)), "hi");
        let mut structured = conversation("say: hi", "", 0);
        structured.schema = Some(
            json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}),
        );
        assert_eq!(said(&structured), r#"{"title":"Scripted title"}"#);
        let mut probe = conversation("quota", "", 0);
        probe.max_tokens = Some(1);
        assert_eq!(said(&probe), "ok");
    }

    #[test]
    fn a_script_has_an_end_and_tells_its_mistakes() {
        let mut over = conversation("say: hi", "", 1);
        over.assistant(None);
        over.user(Said { results: vec!["ok".to_owned()], ..Said::default() });
        assert_eq!(said(&over), "The script is over.");
        assert_eq!(
            said(&conversation("chunk: no", "", 1)),
            "script error: `chunk: no` does not fit `chunk: CHARACTERS`"
        );
    }

    #[test]
    fn faults_are_met_again_by_retries_alone() {
        let place = |text: &str, session: Option<&str>| {
            let session = session.map(str::to_owned);
            let met = std::cell::Cell::new(None);
            direct(&Conversation { session, ..conversation(text, "", 1) }, |place, _| {
                met.set(Some(place));
                true
            });
            met.get().unwrap()
        };
        assert_eq!(place("fail: 500 x1", None), place("fail: 500 x1", None));
        assert_ne!(place("fail: 500 x1", None), place("fail: 500 x2", None));
        assert_ne!(place("fail: 500 x1", None), place("fail: 500 x1", Some("a")));
    }

    #[test]
    fn faults_that_are_over_leave_the_rest() {
        let text = "say: a\ncut: x1\nfail: 500 x1\nfail: 429\nsay: b";
        let due = |due: &[usize]| {
            let due = due.to_vec();
            direct(&conversation(text, "", 1), move |(_, line), _| due.contains(&line))
        };
        assert_eq!(due(&[1, 2]).failure.map(|failure| failure.status), Some(500));
        assert_eq!(due(&[1]).failure.map(|failure| failure.status), Some(429));
        let cut = direct(&conversation("say: a\ncut: x1", "", 1), |_, _| true);
        assert_eq!(cut.cues.last(), Some(&Cue::Fault(Fault::Cut)));
        let whole = direct(&conversation("say: a\ncut: x1", "", 1), |_, _| false);
        assert_eq!(whole.cues, [Cue::Text(Kind::Say, "a".to_owned())]);
    }
}

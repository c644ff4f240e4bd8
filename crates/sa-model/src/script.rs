//! The script language: reads the text of a prompt as directives, one per line, in steps separated by `then`.
//! Pure: it knows neither model APIs nor tools.

use crate::dialect::Tokens;
use serde_json::{Map, Value};
use std::time::Duration;

/// The actions of a model, turn by turn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Script {
    /// Never empty. A step may be: such a turn says nothing.
    pub(crate) steps: Vec<Vec<Directive>>,
}

/// One line of a script, understood.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Directive {
    Think(String),
    Say(String),
    Repeat {
        count: usize,
        bytes: usize,
    },
    Tool {
        name: String,
        input: Value,
    },
    Chunk(usize),
    Slow(Duration),
    Pause(Duration),
    Stop(String),
    Usage(Usage),
    /// A fault, and its number of requests; all of them without a number.
    Fault {
        fault: Fault,
        times: Option<u32>,
    },
}

/// A fault on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An HTTP error in place of the answer.
    Fail(Failure),
    /// An error in the midst of the answer.
    Error {
        kind: Option<String>,
        message: String,
    },
    Malformed,
    Cut,
    Hang,
}

/// Token counts that a script prescribes; what it leaves out is made up from the texts.
pub(crate) type Usage = Tokens<Option<u64>>;

/// An HTTP error in place of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u64>,
    pub(crate) kind: Option<String>,
    pub(crate) message: Option<String>,
}

/// A line that names a directive but does not fit its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misuse {
    pub(crate) line: String,
    pub(crate) usage: &'static str,
}

/// The longest that a script may wait in one place.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

/// The most text that one `repeat` may make.
const LARGEST_REPEAT: usize = 256 << 20;

/// A directive's name, its form for error messages, and its reader.
type Row = (&'static str, &'static str, fn(&str) -> Option<Directive>);

const DIRECTIVES: [Row; 14] = [
    ("think", "think: TEXT", |rest| Some(Directive::Think(rest.to_owned()))),
    ("say", "say: TEXT", |rest| Some(Directive::Say(rest.to_owned()))),
    ("repeat", "repeat: COUNT [x BYTES]", repeat),
    ("tool", "tool: NAME [JSON OBJECT]", tool),
    ("chunk", "chunk: CHARACTERS", |rest| number(rest).filter(|n| *n > 0).map(Directive::Chunk)),
    ("slow", "slow: DURATION", |rest| duration(rest).map(Directive::Slow)),
    ("pause", "pause: DURATION", |rest| duration(rest).map(Directive::Pause)),
    ("stop", "stop: REASON", |rest| word(rest).map(Directive::Stop)),
    ("usage", "usage: [input=N] [output=N] [cache_read=N] [cache_write=N] [reasoning=N]", usage),
    ("fail", "fail: STATUS [xN] [retry-after=SECONDS] [type=TYPE] [MESSAGE]", fail),
    ("error", "error: [xN] [type=TYPE] [MESSAGE]", error),
    ("malformed", "malformed[: xN]", |rest| bare(rest, Fault::Malformed)),
    ("cut", "cut[: xN]", |rest| bare(rest, Fault::Cut)),
    ("hang", "hang[: xN]", |rest| bare(rest, Fault::Hang)),
];

/// Directives that stand alone; all others need their colon, so that prose is not taken for a script.
const BARE: [&str; 4] = ["malformed", "cut", "hang", "error"];

impl Script {
    /// The script that a text holds, if it holds one. Lines that are no directives are passed over.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, Misuse> {
        let mut steps = vec![Vec::new()];
        let mut found = false;
        for line in text.lines() {
            match read(line)? {
                Line::Prose => {}
                Line::Then => steps.push(Vec::new()),
                Line::Directive(directive) => {
                    found = true;
                    if let Some(step) = steps.last_mut() {
                        step.push(directive);
                    }
                }
            }
        }
        Ok(found.then_some(Self { steps }))
    }
}

enum Line {
    Prose,
    Then,
    Directive(Directive),
}

fn read(line: &str) -> Result<Line, Misuse> {
    let line = line.trim_start().trim_end_matches('\r');
    let (name, rest) = match line.split_once(':') {
        Some((name, rest)) => (name, Some(rest.strip_prefix(' ').unwrap_or(rest))),
        None => (line.trim_end(), None),
    };
    if name == "then" && rest.unwrap_or_default().trim().is_empty() {
        return Ok(Line::Then);
    }
    let Some((_, usage, read)) = DIRECTIVES.iter().find(|row| row.0 == name) else { return Ok(Line::Prose) };
    if rest.is_none() && !BARE.contains(&name) {
        return Ok(Line::Prose);
    }
    let directive = read(rest.unwrap_or_default());
    directive.map(Line::Directive).ok_or_else(|| Misuse { line: line.to_owned(), usage })
}

fn bare(rest: &str, fault: Fault) -> Option<Directive> {
    let rest = rest.trim();
    let times = if rest.is_empty() { None } else { Some(times(rest)?) };
    Some(Directive::Fault { fault, times })
}

/// `x3`: three times.
fn times(word: &str) -> Option<u32> {
    word.strip_prefix('x').and_then(number)
}

fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim().parse().ok()
}

fn word(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty() && !text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// `250ms`, `2s`, or a bare number of milliseconds.
fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let found = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => Duration::from_millis(number.trim().parse().ok()?),
        (None, Some(number)) => Duration::from_secs(number.trim().parse().ok()?),
        (None, None) => Duration::from_millis(text.parse().ok()?),
    };
    (found <= LONGEST_PAUSE).then_some(found)
}

fn repeat(rest: &str) -> Option<Directive> {
    let (count, bytes) = match rest.split_once('x') {
        Some((count, bytes)) => (number(count)?, number(bytes)?),
        None => (number(rest)?, 16),
    };
    let fits = usize::checked_mul(count, bytes).is_some_and(|all| all <= LARGEST_REPEAT);
    fits.then_some(Directive::Repeat { count, bytes })
}

fn tool(rest: &str) -> Option<Directive> {
    let rest = rest.trim();
    let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let input = match values.next() {
        None => Value::Object(Map::new()),
        Some(Ok(value)) if value.is_object() || value.is_string() => value,
        Some(Ok(_)) => return None,
        // A comment where the input could be.
        Some(Err(_)) if rest.trim_start().starts_with('#') => Value::Object(Map::new()),
        Some(Err(_)) => return None,
    };
    let after = rest.get(values.byte_offset()..).unwrap_or_default().trim_start();
    let fits = !name.is_empty() && (after.is_empty() || after.starts_with('#'));
    fits.then(|| Directive::Tool { name: name.to_owned(), input })
}

fn usage(rest: &str) -> Option<Directive> {
    let mut usage = Usage::default();
    for pair in rest.split_whitespace() {
        let (name, value) = pair.split_once('=')?;
        let field = match name {
            "input" => &mut usage.input,
            "output" => &mut usage.output,
            "cache_read" => &mut usage.cache_read,
            "cache_write" => &mut usage.cache_write,
            "reasoning" => &mut usage.reasoning,
            _ => return None,
        };
        *field = Some(number(value)?);
    }
    Some(Directive::Usage(usage))
}

fn fail(rest: &str) -> Option<Directive> {
    let (status, rest) = first_word(rest);
    let status = number(status).filter(|status| (400..600).contains(status))?;
    let Options { times, retry_after, kind, rest } = options(rest)?;
    let message = Some(rest.trim().to_owned()).filter(|message| !message.is_empty());
    let fault = Fault::Fail(Failure { status, retry_after, kind, message });
    Some(Directive::Fault { fault, times })
}

fn error(rest: &str) -> Option<Directive> {
    let Options { times, kind, rest, .. } = options(rest)?;
    Some(Directive::Fault { fault: Fault::Error { kind, message: rest.trim().to_owned() }, times })
}

#[derive(Default)]
struct Options<'a> {
    times: Option<u32>,
    retry_after: Option<u64>,
    kind: Option<String>,
    rest: &'a str,
}

/// The options of a fault, up to the first word that is none.
fn options(rest: &str) -> Option<Options<'_>> {
    let mut options = Options { rest, ..Options::default() };
    loop {
        let (word, after) = first_word(options.rest);
        if let Some(times) = times(word) {
            options.times = Some(times);
        } else if let Some(seconds) = word.strip_prefix("retry-after=") {
            options.retry_after = Some(number(seconds)?);
        } else if let Some(kind) = word.strip_prefix("type=") {
            options.kind = Some(kind.to_owned());
        } else {
            return Some(options);
        }
        options.rest = after;
    }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests;

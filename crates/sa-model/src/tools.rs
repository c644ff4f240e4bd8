//! Tool calls of scripts, translated into the tools that the calling agent offers: which name, and which form.
//! How inputs are shaped is in [`crate::shapes`].

use crate::conversation::{Form, Offer};
use crate::shapes;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// A tool call as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) input: Input,
}

/// The input of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Object(Map<String, Value>),
    Text(String),
}

impl Input {
    /// Returns the input as text: JSON, unless it is plain text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Object(fields) => Value::Object(fields).to_string(),
            Self::Text(text) => text,
        }
    }
}

/// The neutral names, and the tools of agents that do the same, the likeliest first. The first stands in when none is
/// offered: agents hold tools back until their model asks for them.
const TRANSLATIONS: [(&str, &[&str]); 12] = [
    (
        "shell",
        &[
            "Bash",
            "exec_command",
            "shell_command",
            "shell",
            "bash",
            "run_shell_command",
            "run_in_terminal",
            "execute_command",
        ],
    ),
    ("write", &["Write", "write", "write_file", "create_file", "create", "apply_patch"]),
    ("edit", &["Edit", "edit", "edit_file", "replace", "str_replace", "apply_patch"]),
    ("read", &["Read", "read", "read_file", "view"]),
    (
        "todo",
        &["TodoWrite", "todowrite", "update_plan", "write_todos", "todo_write", "update_todo", "TaskCreate"],
    ),
    ("question", &["AskUserQuestion", "question", "request_user_input", "ask_user", "ask_user_question"]),
    ("task", &["Agent", "Task", "task", "spawn_agent", "agent"]),
    ("exit_plan", &["ExitPlanMode", "exit_plan_mode", "plan_exit"]),
    ("glob", &["Glob", "glob"]),
    ("grep", &["Grep", "grep", "grep_search", "search_file_content"]),
    ("fetch", &["WebFetch", "webfetch", "web_fetch", "read_web_page"]),
    ("search", &["WebSearch", "websearch", "web_search", "google_web_search"]),
];

/// Agents whose lists of tools are held back in part, known by a tool that they always offer: what stands in there.
const STAND_INS: [(&str, &str, &str); 4] = [
    ("Bash", "todo", "TaskCreate"),
    ("exec_command", "todo", "update_plan"),
    ("exec_command", "question", "request_user_input"),
    ("exec_command", "task", "spawn_agent"),
];

/// The tool that runs JavaScript.
const RUNNER: &str = "exec";

/// Inputs of tools that agents hold back, or describe in prose alone.
static KNOWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("known_tools.json")).unwrap_or_default());

/// The calls that a script's line means for this agent. Most lines are one call; a list of tasks can be several.
pub(crate) fn translate(name: &str, input: &Value, offers: &[Offer]) -> Vec<Call> {
    let neutral = if name == "bash" { "shell" } else { name };
    let Some((_, candidates)) = TRANSLATIONS.iter().find(|row| row.0 == neutral) else {
        return vec![exact(name, input, offers)];
    };
    let offered =
        candidates.iter().find_map(|candidate| offers.iter().find(|offer| offer.name == *candidate));
    let offer = match offered {
        Some(offer) => offer.clone(),
        None if neutral == "read" && offers.iter().any(|offer| offer.name == "exec_command") => {
            return translate("shell", &shapes::read_by_shell(input), offers);
        }
        None => held_back(stand_in(neutral, candidates, offers), offers),
    };
    let shaped = shapes::shape(neutral, input, &offer.name, schema(&offer));
    shaped.into_iter().map(|input| call(&offer, input, offers)).collect()
}

/// Returns the schema of an offer, or the known one of the tool.
fn schema(offer: &Offer) -> &Value {
    match &offer.schema {
        Value::Null => KNOWN.get(&offer.name).unwrap_or(&Value::Null),
        told => told,
    }
}

fn stand_in<'a>(neutral: &str, candidates: &[&'a str], offers: &[Offer]) -> &'a str {
    let special = STAND_INS
        .iter()
        .find(|(mark, tool, _)| *tool == neutral && offers.iter().any(|offer| offer.name == *mark));
    special.map(|row| row.2).or_else(|| candidates.first().copied()).unwrap_or_default()
}

/// A tool that is not offered, in the form in which this agent takes calls.
fn held_back(name: &str, offers: &[Offer]) -> Offer {
    let nested = offers.iter().any(|offer| offer.form == Form::Nested);
    let form = if nested { Form::Nested } else { Form::Function };
    Offer::new(name, form, None)
}

/// A server's tool that is not offered. Most agents put the server before the name, one has namespaces.
fn held_back_of_server(server: &str, tool: &str, offers: &[Offer]) -> Offer {
    let spaced = offers.iter().any(|offer| offer.name == "exec_command" && offer.form == Form::Function);
    if spaced {
        return Offer { namespace: Some(format!("mcp__{server}")), ..held_back(tool, offers) };
    }
    held_back(&format!("mcp__{server}__{tool}"), offers)
}

/// A call by the agent's own name; `SERVER/TOOL` means a tool of an MCP server, whatever the agent calls it.
fn exact(name: &str, input: &Value, offers: &[Offer]) -> Call {
    let named = offers.iter().find(|offer| offer.name == name || full_name(offer) == name);
    let offer = named.cloned().or_else(|| of_server(name, offers));
    let offer = offer.unwrap_or_else(|| match name.split_once('/') {
        Some((server, tool)) => held_back_of_server(server, tool, offers),
        None => held_back(name, offers),
    });
    let input = match input {
        Value::Object(fields) => Input::Object(fields.clone()),
        other => Input::Text(other.as_str().map_or_else(|| other.to_string(), str::to_owned)),
    };
    call(&offer, input, offers)
}

fn full_name(offer: &Offer) -> String {
    match &offer.namespace {
        Some(namespace) => format!("{namespace}__{}", offer.name),
        None => offer.name.clone(),
    }
}

fn of_server(name: &str, offers: &[Offer]) -> Option<Offer> {
    let plain = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "_").to_lowercase();
    let (server, tool) = name.split_once('/').map(|(server, tool)| (plain(server), plain(tool)))?;
    let fits = |offer: &&Offer| {
        let full = plain(&full_name(offer));
        full.strip_suffix(&tool).is_some_and(|rest| rest.contains(&server))
    };
    offers.iter().find(fits).cloned()
}

/// Puts an input into the form that the tool takes.
fn call(offer: &Offer, input: Input, offers: &[Offer]) -> Call {
    let (name, namespace) = (offer.name.clone(), offer.namespace.clone());
    match offer.form {
        Form::Function => Call { name, namespace, input },
        Form::Custom => Call { name, namespace, input: Input::Text(input.into_text()) },
        Form::Nested => {
            let argument = match input {
                Input::Text(text) => Value::String(text),
                Input::Object(fields) => Value::Object(fields),
            };
            let runner = offers.iter().find(|offer| offer.name == RUNNER);
            let source = format!(
                "const r = await tools.{name}({argument});\ntext(typeof r === \"string\" ? r : r?.output ?? r);\n"
            );
            let namespace = runner.and_then(|runner| runner.namespace.clone());
            Call { name: RUNNER.to_owned(), namespace, input: Input::Text(source) }
        }
    }
}

/// The text around programs that run at once.
const TOGETHER: (&str, &str) = ("await Promise.all([\n", "]);\n");

/// Makes one program of two that belong to the same answer, so that their calls are made at once: programs wait for each
/// other. `false` if these are not two programs.
pub(crate) fn join(earlier: &mut Call, later: &Call) -> bool {
    let (Input::Text(program), Input::Text(more)) = (&mut earlier.input, &later.input) else { return false };
    if earlier.name != RUNNER || later.name != RUNNER {
        return false;
    }
    let part = |program: &str| format!("(async () => {{\n{program}}})().catch((e) => text(String(e))),\n");
    let (start, end) = TOGETHER;
    let joined = program.strip_prefix(start).and_then(|parts| parts.strip_suffix(end));
    let parts = joined.map_or_else(|| part(program), str::to_owned);
    *program = format!("{start}{parts}{}{end}", part(more));
    true
}

/// The tools that can be called from the JavaScript which a custom tool runs, as its description lists them.
pub(crate) fn nested(description: &str) -> impl Iterator<Item = Offer> {
    let names = description.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    names.map(|name| Offer::new(name, Form::Nested, None))
}

#[cfg(test)]
mod tests;

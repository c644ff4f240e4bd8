//! The command `tour`: a bug is found, fixed and tested in about 40 seconds. Everything in it is invented, so nothing on
//! the disk changes.

use super::action::{Action, Then};
use super::config::{self, Select};
use super::content::text;
use super::core::{Call, Core};
use super::permissions::{self, Permission};
use super::plan;
use super::questions;
use super::session::Session;
use super::tools::{change, completed, failed, file_call, new_call, started, update};
use agent_client_protocol_schema::v1::{
    ContentChunk, CreateElicitationRequest, Diff, ElicitationFormMode, ElicitationSchema,
    ElicitationSessionScope, EnumOption, MessageId, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
    StringPropertySchema, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use sa_acp::{Reply, paragraph};
use serde_json::json;
use std::time::Duration;

const QUESTION: &str = "How long may a retry wait at most?";
const FIELD: &str = "limit";

/// Answers to the question: the label, what it means, and the constant that it becomes.
const LIMITS: [(&str, &str, &str); 3] = [
    ("30 seconds", "Long enough for a restart of the server", "30_000"),
    ("5 seconds", "For calls that somebody waits for", "5_000"),
    ("1 minute", "For jobs in the background", "60_000"),
];

const STEPS: [(&str, PlanEntryPriority); 3] = [
    ("Find out why the test fails", PlanEntryPriority::Medium),
    ("Fix the delay", PlanEntryPriority::Medium),
    ("Run the tests again", PlanEntryPriority::Medium),
];

const PROPOSAL: &str = "\
### Double the delay after each failure

1. **`src/retry.ts`**: let `delayOf` return `baseMs * 2 ** (attempt - 1)`.
2. Add an optional `maxMs` to `RetryOptions`. Doubling grows without end, so delays stop at 30 seconds.
3. Run `npm test`: *delays double after each failure* has to pass, and so do the other 41 tests.

No caller changes, because `maxMs` has a default.
";

const OLD: &str = include_str!("tour/retry.ts");

/// The command `tour`, up to the first answer that it needs.
pub(super) fn tour(session: &mut Session, core: &Core) -> Vec<Action> {
    let mut actions = think(
        session,
        "The test is called \"delays double after each failure\". So the delay is probably computed in a \
         linear way. I should look at the code first, then run the test to see the numbers.",
    );
    actions.extend([plan(0), pause(900)]);
    actions.extend(search(session));
    actions.extend(read(session));
    if session.about.settings.get(Select::Mode) == config::PLAN {
        actions.extend(propose(session));
        return actions;
    }
    actions.extend(test(session, FAILING, 1));
    actions.extend(say(
        session,
        "`delayOf` multiplies by the attempt, but the test expects the delay to **double**: 800 ms before \
         the fifth attempt instead of 400 ms.\n\nDoubling grows without end, so the fix needs a limit.",
    ));
    actions.extend([plan(1), pause(600)]);
    if core.client.handshake.shows_forms() {
        actions.push(ask(session));
    } else {
        let mode = session.about.settings.get(Select::Mode).to_owned();
        actions.extend(edit(session, LIMITS[0].2, &mode));
    }
    actions
}

/// In plan mode nothing runs and nothing is edited before the user agrees to a plan.
fn propose(session: &mut Session) -> Vec<Action> {
    let next = session.about.settings.after_plan().to_owned();
    let mut actions = say(
        session,
        "`delayOf` multiplies by the attempt, so the fifth attempt waits 400 ms where the test expects 800 ms. \
         Here is how I would fix it.",
    );
    let build = edit(session, LIMITS[0].2, &next);
    let stay = say(session, "I keep planning. Tell me what should change.");
    actions.extend(permissions::propose(session, PROPOSAL, |mut agreed, mut refused| {
        agreed.extend(build);
        refused.extend(stay);
        Permission::silent("tour", agreed, refused)
    }));
    actions
}

/// Continues with the limit that the user chose.
pub(super) fn answered(session: &mut Session, answer: Reply) -> Vec<Action> {
    let chosen = questions::text_answer(answer, FIELD);
    let (label, _, value) =
        LIMITS.iter().find(|(label, ..)| Some(*label) == chosen.as_deref()).unwrap_or(&LIMITS[0]);
    let mut actions = say(session, &format!("A limit of {label} it is."));
    let mode = session.about.settings.get(Select::Mode).to_owned();
    actions.extend(edit(session, value, &mode));
    actions
}

fn ask(session: &Session) -> Action {
    let choice = |(label, about, _): &(&str, &str, &str)| {
        EnumOption::new(*label, *label).description((*about).to_owned())
    };
    let input = StringPropertySchema::new().one_of(LIMITS.iter().map(choice).collect::<Vec<_>>());
    let schema = ElicitationSchema::new().property(FIELD, input, true);
    let mode = ElicitationFormMode::new(ElicitationSessionScope::new(session.about.id.clone()), schema);
    let request = CreateElicitationRequest::new(mode, QUESTION);
    Action::Call(Box::new(Call::new("elicitation/create", &request, Then::Tour)))
}

/// Edits the file, after asking if the mode says so, and comes to the end.
fn edit(session: &mut Session, limit: &str, mode: &str) -> Vec<Action> {
    let (tool, call, path) = file_call(session, ToolKind::Edit, "src/retry.ts", Some(9));
    let diff = Diff::new(path.clone(), fixed(limit)).old_text(OLD.to_owned());
    let mut done = vec![started(tool.clone()), pause(500)];
    done.push(completed(tool.clone(), vec![diff.clone().into()], json!({ "path": path })));
    done.extend([plan(2), pause(600)]);
    done.extend(test(session, PASSING, 0));
    done.push(plan(3));
    done.extend(say(session, &summary(limit)));
    let mut refused = vec![update(failed(tool.clone(), "Not allowed by the client."))];
    refused.extend(say(session, "I left the file as it is. The test will fail until the delay doubles."));
    let fields = ToolCallUpdateFields::new()
        .title("Edit src/retry.ts".to_owned())
        .kind(ToolKind::Edit)
        .content(vec![diff.into()]);
    let mut actions = vec![update(SessionUpdate::ToolCall(call)), pause(700)];
    match mode {
        config::BYPASS => actions.extend(done),
        config::PLAN => actions.extend(refused),
        _ => actions.extend(permissions::ask(
            session,
            ToolCallUpdate::new(tool, fields),
            Permission::silent("edit", done, refused),
        )),
    }
    actions
}

fn fixed(limit: &str) -> String {
    let option = format!(
        "  baseMs: number;\n  /** The longest delay. Defaults to {limit} ms. */\n  maxMs?: number;\n"
    );
    OLD.replace("  baseMs: number;\n", &option)
        .replace("{ baseMs }", &format!("{{ baseMs, maxMs = {limit} }}"))
        .replace("baseMs * attempt", "Math.min(maxMs, baseMs * 2 ** (attempt - 1))")
}

fn summary(limit: &str) -> String {
    let last = limit.trim_end_matches("_000");
    format!(
        "The test was right: the delay grew by the same amount each time instead of doubling.\n\n\
         | attempt | before | now |\n|---|---|---|\n| 1 | 100 ms | 100 ms |\n| 4 | 400 ms | 800 ms |\n\
         | 12 | 1.2 s | {last} s, the limit |\n\n\
         `maxMs` is optional, so no caller has to change.\n\n\
         *I am the demo agent: the files were made up, and nothing on your disk has changed.*"
    )
}

fn search(session: &mut Session) -> Vec<Action> {
    let input = json!({ "pattern": "delayOf", "path": session.about.cwd });
    let (tool, call) = new_call(session, "search", ToolKind::Search, "Search delayOf", input);
    let hits = "src/retry.ts:9:export function delayOf(attempt: number, { baseMs }: RetryOptions): number {\n\
                src/retry.ts:19:      await sleep(delayOf(attempt, options));\n\
                test/retry.test.ts:14:  expect(delayOf(4, { attempts: 5, baseMs: 100 })).toBe(800);\n";
    vec![
        update(SessionUpdate::ToolCall(call)),
        started(tool.clone()),
        pause(1_100),
        completed(tool, vec![paragraph(hits)], json!({ "matches": 3 })),
        pause(500),
    ]
}

fn read(session: &mut Session) -> Vec<Action> {
    let (tool, call, _) = file_call(session, ToolKind::Read, "src/retry.ts", Some(1));
    vec![
        update(SessionUpdate::ToolCall(call)),
        started(tool.clone()),
        pause(700),
        completed(tool, vec![paragraph(OLD)], json!({ "lines": OLD.lines().count() })),
        pause(600),
    ]
}

const FAILING: [&str; 4] = [
    "> retry@1.4.0 test\n> vitest run\n\n",
    " \u{1b}[32m✓\u{1b}[39m test/backoff.test.ts (18 tests)\n \u{1b}[32m✓\u{1b}[39m test/limits.test.ts (18 tests)\n",
    " \u{1b}[31m✗ test/retry.test.ts > delays double after each failure\u{1b}[39m\n   \
     \u{1b}[31mAssertionError: expected 400 to be 800\u{1b}[39m\n\n",
    " Test Files  \u{1b}[31m1 failed\u{1b}[39m | \u{1b}[32m2 passed\u{1b}[39m (3)\n      \
     Tests  \u{1b}[31m1 failed\u{1b}[39m | \u{1b}[32m41 passed\u{1b}[39m (42)\n",
];

const PASSING: [&str; 4] = [
    "> retry@1.4.0 test\n> vitest run\n\n",
    " \u{1b}[32m✓\u{1b}[39m test/backoff.test.ts (18 tests)\n \u{1b}[32m✓\u{1b}[39m test/limits.test.ts (18 tests)\n",
    " \u{1b}[32m✓\u{1b}[39m test/retry.test.ts (6 tests)\n\n",
    " Test Files  \u{1b}[32m3 passed\u{1b}[39m (3)\n      Tests  \u{1b}[32m42 passed\u{1b}[39m (42)\n",
];

/// A run of the tests whose output arrives in pieces.
fn test(session: &mut Session, output: [&str; 4], code: i32) -> Vec<Action> {
    let input = json!({ "command": "npm test", "cwd": session.about.cwd });
    let (tool, call) = new_call(session, "run_command", ToolKind::Execute, "npm test", input);
    let mut actions = vec![update(SessionUpdate::ToolCall(call)), started(tool.clone())];
    let mut printed = String::new();
    for piece in output {
        printed.push_str(piece);
        let fields = ToolCallUpdateFields::new().content(vec![paragraph(printed.clone())]);
        actions.extend([pause(800), update(change(tool.clone(), fields))]);
    }
    let status = if code == 0 { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
    let fields = ToolCallUpdateFields::new()
        .status(status)
        .content(vec![paragraph(printed)])
        .raw_output(json!({ "exitCode": code }));
    actions.extend([pause(500), update(change(tool, fields)), pause(700)]);
    actions
}

/// The plan with so many steps done.
fn plan(done: usize) -> Action {
    plan::at(&STEPS, done, &PlanEntryStatus::InProgress)
}

fn say(session: &mut Session, words: &str) -> Vec<Action> {
    stream(session, words, SessionUpdate::AgentMessageChunk)
}

fn think(session: &mut Session, words: &str) -> Vec<Action> {
    stream(session, words, SessionUpdate::AgentThoughtChunk)
}

/// One message, a few words at a time, as models write.
fn stream(session: &mut Session, words: &str, kind: fn(ContentChunk) -> SessionUpdate) -> Vec<Action> {
    let message = MessageId::new(session.next_id("msg"));
    let words: Vec<_> = words.split_inclusive(' ').collect();
    let chunk = |words: &[&str]| {
        let chunk = ContentChunk::new(text(words.concat())).message_id(message.clone());
        [update(kind(chunk)), pause(110)]
    };
    words.chunks(2).flat_map(chunk).chain([pause(400)]).collect()
}

fn pause(milliseconds: u64) -> Action {
    Action::Pause(Duration::from_millis(milliseconds))
}

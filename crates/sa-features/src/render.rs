//! Scripts in the words of each agent.

use crate::script::{Script, Step};
use anyhow::{Result, bail};
use serde_json::{Value, json};

/// For the scripted model server (docs/model-server.md).
pub(crate) fn for_model(script: &Script) -> String {
    let turns = script.turns.iter().map(|turn| turn.iter().map(model_line).collect::<Vec<_>>().join("\n"));
    turns.collect::<Vec<_>>().join("\nthen\n")
}

/// Renders a script for the scripted model server behind Codex. Plans end a turn there, and acting on them is another
/// turn, which is given the plan; the results of other agents are waited for.
pub(crate) fn for_codex(script: &Script) -> String {
    let mut turns = Vec::new();
    for (index, turn) in script.turns.iter().enumerate() {
        let plan = turn.iter().find_map(|step| match step {
            Step::LeavePlan { plan } => Some(plan),
            _ => None,
        });
        if let Some(plan) = plan {
            let rest = Script { turns: script.turns.iter().skip(index + 1).cloned().collect() };
            let lines = [plan.clone(), for_codex(&rest)].join("\n");
            let said = lines.lines().map(|line| format!("say: {line}\n")).collect::<String>();
            turns.push(format!("say: <proposed_plan>\n{said}say: </proposed_plan>"));
            break;
        }
        turns.push(turn.iter().map(codex_line).collect::<Vec<_>>().join("\n"));
    }
    turns.join("\nthen\n")
}

/// Renders a script for the scripted model server behind OpenCode, which names its sub-agents and reports a retry in
/// the words of the model's API.
pub(crate) fn for_opencode(script: &Script) -> String {
    let turns = script.turns.iter().map(|turn| turn.iter().map(opencode_line).collect::<Vec<_>>().join("\n"));
    turns.collect::<Vec<_>>().join("\nthen\n")
}

fn opencode_line(step: &Step) -> String {
    match step {
        Step::Todo(_) => codex_line(step),
        Step::Delegate { script, .. } => {
            let input =
                json!({ "description": "Help out", "agent": "general", "prompt": for_opencode(script) });
            tool("task", &input)
        }
        Step::Fail { status: 429, .. } => {
            format!("{} HTTP 429: too many requests", model_line(step).trim_end())
        }
        other => model_line(other),
    }
}

fn codex_line(step: &Step) -> String {
    match step {
        Step::Todo(items) => {
            let status = |index| if index == 0 { "in_progress" } else { "pending" };
            let item = |(index, item): (usize, &String)| json!({ "content": item, "status": status(index) });
            tool("todo", &json!({ "items": items.iter().enumerate().map(item).collect::<Vec<_>>() }))
        }
        Step::Delegate { script, .. } => {
            let input = json!({ "description": "Help out", "prompt": for_codex(script) });
            let wait = tool("wait_agent", &json!({ "timeout_ms": 60_000 }));
            format!("{}\nthen\n{wait}", tool("task", &input))
        }
        other => model_line(other),
    }
}

fn tool(name: &str, input: &Value) -> String {
    format!("tool: {name} {input}")
}

fn times(count: Option<u32>) -> String {
    count.map(|count| format!("x{count}")).unwrap_or_default()
}

/// Paths start at the directory in which the agent works, as the model knows it.
fn placed(path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { format!("${{CWD}}/{path}") }
}

fn model_line(step: &Step) -> String {
    match step {
        Step::Say(text) => format!("say: {text}"),
        Step::Stream { pieces } => format!("repeat: {pieces} x 16"),
        Step::SayResult => "say: ${LAST_TOOL_RESULT}".to_owned(),
        Step::SaySettings => "say: model=${MODEL} effort=${EFFORT}".to_owned(),
        Step::SayImages => "say: images: ${IMAGES}".to_owned(),
        Step::Think(text) => format!("think: {text}"),
        Step::Shell { command, background: false } => tool("shell", &json!({ "command": command })),
        Step::Shell { command, background: true } => {
            tool("shell", &json!({ "command": command, "background": true }))
        }
        Step::Write { path, content } => tool("write", &json!({ "path": placed(path), "content": content })),
        Step::Edit { path, old, new } => {
            tool("edit", &json!({ "path": placed(path), "old": old, "new": new }))
        }
        Step::Read { path } => tool("read", &json!({ "path": placed(path) })),
        Step::Todo(items) => {
            let status = |index| if index == 0 { "in_progress" } else { "pending" };
            let item = |(index, item): (usize, &String)| json!({ "content": item, "status": status(index) });
            let items: Vec<_> = items.iter().enumerate().map(item).collect();
            // Tasks are made first and begun then.
            let begin = json!({ "taskId": "1", "status": "in_progress" });
            format!("{}\nthen\n{}", tool("todo", &json!({ "items": items })), tool("TaskUpdate", &begin))
        }
        Step::Question => {
            let options = ["Red", "Green", "Blue"];
            tool("question", &json!({ "question": "Which color?", "header": "Color", "options": options }))
        }
        // The plan is what is in its file.
        Step::LeavePlan { plan } => {
            let write = tool("write", &json!({ "path": "${PLAN_FILE}", "content": plan }));
            format!("{write}\nthen\n{}", tool("exit_plan", &json!({ "plan": plan })))
        }
        Step::Delegate { script, background } => {
            let prompt = for_model(script);
            let input = json!({ "description": "Help out", "prompt": prompt, "background": background });
            tool("task", &input)
        }
        Step::Mcp { server, tool: name, input } => tool(&format!("{server}/{name}"), input),
        Step::Own { tool: name, input } => tool(name, input),
        Step::Stop(reason) => format!("stop: {reason}"),
        Step::Usage { input, output } => format!("usage: input={input} output={output}"),
        Step::Hang => "hang".to_owned(),
        Step::Pause(time) => format!("pause: {}ms", time.as_millis()),
        Step::Fail { status, times: count } => format!("fail: {status} {}", times(*count)),
        Step::Cut { times: None } => "cut".to_owned(),
        Step::Cut { times: count } => format!("cut: {}", times(*count)),
        Step::Compact => "/compact".to_owned(),
        // Its program is another one then, see `subject`.
        Step::Noise => String::new(),
    }
}

/// Renders a script for the demo agent (docs/demo-agent.md), which can do less. Other steps are an error.
pub(crate) fn for_demo(script: &Script) -> Result<String> {
    let mut lines = Vec::new();
    for step in script.turns.iter().flatten() {
        lines.push(demo_line(step)?);
    }
    Ok(lines.join("\n"))
}

fn demo_line(step: &Step) -> Result<String> {
    Ok(match step {
        Step::Say(text) => format!("say {text}"),
        Step::Stream { pieces } => format!("stream {pieces} 16"),
        Step::SaySettings => "config".to_owned(),
        Step::SayImages => "image".to_owned(),
        // Its commands report their results themselves.
        Step::SayResult => String::new(),
        Step::Think(text) => format!("think {text}"),
        Step::Shell { command, background: false } => format!("run {command}"),
        Step::Write { path, .. } | Step::Edit { path, .. } => format!("edit {path}"),
        Step::Read { path } => format!("read {path}"),
        Step::Todo(_) => "plan".to_owned(),
        Step::Question => "question".to_owned(),
        Step::LeavePlan { .. } => "leave-plan".to_owned(),
        Step::Stop(reason) => format!("stop {reason}"),
        Step::Usage { .. } => "usage".to_owned(),
        Step::Hang => "hang".to_owned(),
        Step::Compact => "compact".to_owned(),
        Step::Noise => "garbage json".to_owned(),
        other => bail!("the demo agent has no command for {other:?}"),
    })
}

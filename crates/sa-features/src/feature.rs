//! The list of features.

use crate::bodies::{
    asking, cancelling, content, failures, permissions, planning, servers, sessions, settings, talking,
    tools, turns, work,
};
use crate::stage::{Setup, Stage};
use anyhow::Result;
use futures_util::future::BoxFuture;
use std::fmt;

/// Something that agents can do.
pub struct Feature {
    /// Names it in the names of trials.
    pub id: &'static str,
    /// Features that belong together.
    pub group: &'static str,
    pub title: &'static str,
    /// The subject of the test.
    pub meaning: &'static str,
    pub(crate) setup: Setup,
    pub(crate) body: Body,
}

/// The steps and checks that show that a feature works.
pub(crate) type Body = fn(&Stage) -> BoxFuture<'_, Result<()>>;

impl fmt::Debug for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

const USUAL: Setup = Setup { formless: false, keyless: false, noisy: false, bare: false };

/// One row of the list; the body has the feature's name.
macro_rules! feature {
    ($module:ident::$id:ident, $group:expr, $title:expr, $meaning:expr) => {
        feature!($module::$id, $group, $title, $meaning, USUAL)
    };
    ($module:ident::$id:ident, $group:expr, $title:expr, $meaning:expr, $setup:expr) => {
        Feature {
            id: stringify!($id),
            group: $group,
            title: $title,
            meaning: $meaning,
            setup: $setup,
            body: |stage| Box::pin($module::$id(stage)),
        }
    };
}

const TALKING: &str = "Talking";
const TOOLS: &str = "Tools";
const ASKING: &str = "Permissions and questions";
const CONTENT: &str = "Content and MCP servers";
const SETTINGS: &str = "Settings";
const TURNS: &str = "Turns";
const SESSIONS: &str = "Sessions";
const FAILURES: &str = "Failures";

/// All features, in the order in which they are shown.
pub static FEATURES: &[Feature] = &[
    feature!(talking::text, TALKING, "Text", "The model's text reaches the client, turn after turn"),
    feature!(
        talking::streaming,
        TALKING,
        "Streaming",
        "Words arrive while the model still speaks, as pieces of one message"
    ),
    feature!(talking::reasoning, TALKING, "Reasoning", "Thoughts come as thoughts, before the words"),
    feature!(talking::usage, TALKING, "Usage", "Tokens of the turn, and how full the context is"),
    feature!(talking::cost, TALKING, "Cost", "Cost of the session so far"),
    feature!(talking::title, TALKING, "Title", "The session gets a name"),
    feature!(
        talking::compaction,
        TALKING,
        "Compaction",
        "The conversation is summarized and the client notified; the model forgets the rest"
    ),
    feature!(
        work::commands,
        TALKING,
        "Slash commands",
        "The agent's own commands are listed and can be called"
    ),
    feature!(
        tools::tool_call,
        TOOLS,
        "Tool call",
        "Kind, title, place, input; it goes from pending to completed"
    ),
    feature!(tools::tool_result, TOOLS, "Tool result", "The client and the model get what the tool found"),
    feature!(tools::diff_create, TOOLS, "Diff of a new file", "The reported diff matches the disk"),
    feature!(tools::diff_edit, TOOLS, "Diff of an edit", "The file before and after, as they are on disk"),
    feature!(tools::terminal, TOOLS, "Commands", "Output of a command on both streams, and its exit code"),
    feature!(
        tools::failing_tool,
        TOOLS,
        "Failing tool",
        "The call fails with a reason, and the turn continues"
    ),
    feature!(
        tools::parallel_tools,
        TOOLS,
        "Parallel tools",
        "Two commands run at once; each result is with its call"
    ),
    feature!(work::todo, TOOLS, "To-do list as plan", "Open tasks, and the one in progress"),
    feature!(
        work::subagent,
        TOOLS,
        "Sub-agent",
        "Its calls name the call that started it; its result comes back"
    ),
    feature!(
        work::subagent_permission,
        TOOLS,
        "Sub-agent asks",
        "Changes by a sub-agent need a permission too"
    ),
    feature!(
        work::background_task,
        TOOLS,
        "Background task",
        "A command outlives its turn; when it ends, the agent speaks by itself"
    ),
    feature!(
        permissions::permission_once,
        ASKING,
        "Allow once",
        "Nothing happens before the permission; the next change is asked about again"
    ),
    feature!(
        permissions::permission_always,
        ASKING,
        "Allow always",
        "Not asked again in this session; other sessions are; nothing is written into the project"
    ),
    feature!(
        permissions::permission_reject,
        ASKING,
        "Reject",
        "Nothing is changed, the model is notified, and the turn continues"
    ),
    feature!(
        permissions::permission_cancelled,
        ASKING,
        "Answer “cancelled”",
        "Nothing is changed, and the session continues"
    ),
    feature!(
        permissions::bypass,
        ASKING,
        "Never ask",
        "In the mode for it, nothing is asked, not even as the superuser"
    ),
    feature!(asking::question, ASKING, "Question as a form", "The user's choice reaches the model"),
    feature!(
        asking::question_without_forms,
        ASKING,
        "Question without forms",
        "A client without forms is asked with a choice",
        Setup { formless: true, ..USUAL }
    ),
    feature!(asking::question_rejected, ASKING, "Question declined", "The turn continues without an answer"),
    feature!(
        planning::plan_read_only,
        ASKING,
        "Plan mode reads only",
        "Nothing is changed, not even what the user's own rules allow"
    ),
    feature!(
        planning::plan_unsandboxed,
        ASKING,
        "Plan mode without a sandbox",
        "The same where the agent's own sandbox, if it has one, does not work",
        Setup { bare: true, ..USUAL }
    ),
    feature!(
        planning::plan_accepted,
        ASKING,
        "Plan accepted",
        "The plan is shown; accepted, the mode changes and the work is done"
    ),
    feature!(planning::plan_rejected, ASKING, "Plan rejected", "The mode stays, and nothing is changed"),
    feature!(content::image, CONTENT, "Image", "The model sees an image of the prompt"),
    feature!(
        content::embedded_resource,
        CONTENT,
        "Embedded resource",
        "The model has the content of a file in the prompt"
    ),
    feature!(content::resource_link, CONTENT, "Resource link", "The model knows where a linked file is"),
    feature!(
        servers::mcp_stdio,
        CONTENT,
        "MCP on standard streams",
        "A tool of the client's server is called, with the server's environment"
    ),
    feature!(servers::mcp_http, CONTENT, "MCP over HTTP", "The same, with the headers that the client gave"),
    feature!(servers::mcp_sse, CONTENT, "MCP over SSE", "The same in the older form"),
    feature!(
        servers::mcp_slow,
        CONTENT,
        "Slow MCP server",
        "The first prompt waits for a server that takes seconds"
    ),
    feature!(settings::model_switch, SETTINGS, "Model", "The next turn asks another model"),
    feature!(settings::effort_switch, SETTINGS, "Effort", "The next turn asks with another effort"),
    feature!(
        settings::mode_switch,
        SETTINGS,
        "Mode",
        "The next change is asked about, and unknown modes are refused"
    ),
    feature!(
        cancelling::cancel_text,
        TURNS,
        "Cancel while it speaks",
        "The turn ends as cancelled, and the session continues"
    ),
    feature!(
        cancelling::cancel_tool,
        TURNS,
        "Cancel while a command runs",
        "The command's process is gone, too"
    ),
    feature!(
        cancelling::cancel_permission,
        TURNS,
        "Cancel while it asks",
        "The question is taken back; a late answer does no harm"
    ),
    feature!(
        turns::queued_prompts,
        TURNS,
        "Queued prompts",
        "Prompts that come early are answered one after the other"
    ),
    feature!(
        turns::several_sessions,
        TURNS,
        "Several sessions at once",
        "One works while another waits for its user; commands of several run at once"
    ),
    feature!(sessions::list, SESSIONS, "List", "Sessions with directory and title"),
    feature!(
        sessions::load,
        SESSIONS,
        "Load",
        "After a restart: the conversation is replayed, and the model remembers"
    ),
    feature!(
        sessions::load_tools,
        SESSIONS,
        "Load tool calls",
        "After a restart: tool calls are replayed with their outcome"
    ),
    feature!(
        sessions::resume,
        SESSIONS,
        "Resume",
        "After a restart: nothing is replayed, and the model remembers"
    ),
    feature!(sessions::fork, SESSIONS, "Fork", "The copy remembers, and the original goes its own way"),
    feature!(
        sessions::close,
        SESSIONS,
        "Close",
        "The program ends if it is the session's own; the session can be loaded again"
    ),
    feature!(sessions::delete, SESSIONS, "Delete", "It is not listed and cannot be loaded any more"),
    feature!(
        settings::user_settings,
        SESSIONS,
        "User's settings",
        "Working in a directory leaves them as they were"
    ),
    feature!(
        failures::auth_required,
        FAILURES,
        "No credentials",
        "Opening a session says so, without asking the model",
        Setup { keyless: true, ..USUAL }
    ),
    feature!(
        failures::error_401,
        FAILURES,
        "Wrong credentials (401)",
        "The prompt fails at once with the error that asks for credentials"
    ),
    feature!(
        failures::error_429,
        FAILURES,
        "Rate limit (429)",
        "After its retries the prompt fails with a clear error, and the session continues"
    ),
    feature!(failures::error_529_retried, FAILURES, "Overloaded (529)", "It is tried again"),
    feature!(
        failures::retry_told,
        FAILURES,
        "Waiting for the model",
        "The client is notified that a request is retried, and why"
    ),
    feature!(
        failures::cut_stream,
        FAILURES,
        "Connection cut",
        "Tried again or a clear error; never half an answer for a whole one"
    ),
    feature!(
        failures::hanging_model,
        FAILURES,
        "Model that hangs",
        "The turn can be cancelled, and the session continues"
    ),
    feature!(
        failures::unknown_model,
        FAILURES,
        "Unknown model",
        "A clear error; another model can be chosen"
    ),
    feature!(failures::refusal, FAILURES, "Refusal", "The turn ends for that reason"),
    feature!(failures::max_tokens, FAILURES, "Output limit", "The turn ends for that reason"),
    feature!(
        failures::crash,
        FAILURES,
        "Crash of the agent's program",
        "The prompt fails with the exit code or signal; the next one continues in a new process that remembers"
    ),
    feature!(
        failures::unknown_lines,
        FAILURES,
        "Unknown output",
        "Lines of the agent's program that nobody knows are passed on and do no harm",
        Setup { noisy: true, ..USUAL }
    ),
];

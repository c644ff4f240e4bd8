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

/// The rows of the list by group: the function that shows a feature, the feature's title, and its meaning. The feature has
/// the function's name. Words in brackets are the differences from the usual stage.
macro_rules! features {
    ($($group:literal {
        $($module:ident::$id:ident: $title:literal, $([$setup:ident],)? $meaning:literal,)*
    })*) => {
        &[$($(Feature {
            id: stringify!($id),
            group: $group,
            title: $title,
            meaning: $meaning,
            setup: Setup { $($setup: true,)? ..USUAL },
            body: |stage| Box::pin($module::$id(stage)),
        },)*)*]
    };
}

/// All features, in the order in which they are shown.
pub static FEATURES: &[Feature] = features! {
    "Talking" {
        talking::text: "Text",
            "The model's text reaches the client, turn after turn",
        talking::streaming: "Streaming",
            "Words arrive while the model still speaks, as pieces of one message",
        talking::reasoning: "Reasoning",
            "Thoughts come as thoughts, before the words",
        talking::usage: "Usage",
            "Tokens of the turn, and how full the context is",
        talking::cost: "Cost",
            "Cost of the session so far",
        talking::title: "Title",
            "The session gets a name",
        talking::compaction: "Compaction",
            "The conversation is summarized and the client notified; the model forgets the rest",
        work::commands: "Slash commands",
            "The agent's own commands are listed and can be called",
    }
    "Tools" {
        tools::tool_call: "Tool call",
            "Kind, title, place, input; it goes from pending to completed",
        tools::tool_result: "Tool result",
            "The client and the model get what the tool found",
        tools::diff_create: "Diff of a new file",
            "The reported diff matches the disk",
        tools::diff_edit: "Diff of an edit",
            "The file before and after, as they are on disk",
        tools::terminal: "Commands",
            "Output of a command on both streams, and its exit code",
        tools::failing_tool: "Failing tool",
            "The call fails with a reason, and the turn continues",
        tools::parallel_tools: "Parallel tools",
            "Two commands run at once; each result is with its call",
        work::todo: "To-do list as plan",
            "Open tasks, and the one in progress",
        work::subagent: "Sub-agent",
            "Its calls name the call that started it; its result comes back",
        work::subagent_permission: "Sub-agent asks",
            "Changes by a sub-agent need a permission too",
        work::background_task: "Background task",
            "A command outlives its turn; when it ends, the agent speaks by itself",
    }
    "Permissions and questions" {
        permissions::permission_once: "Allow once",
            "Nothing happens before the permission; the next change is asked about again",
        permissions::permission_always: "Allow always",
            "Not asked again in this session; other sessions are; nothing is written into the project",
        permissions::permission_reject: "Reject",
            "Nothing is changed, the model is notified, and the turn continues",
        permissions::permission_cancelled: "Answer “cancelled”",
            "Nothing is changed, and the session continues",
        permissions::bypass: "Never ask",
            "In the mode for it, nothing is asked, not even as the superuser",
        asking::question: "Question as a form",
            "The user's choice reaches the model",
        asking::question_without_forms: "Question without forms", [formless],
            "A client without forms is asked with a choice",
        asking::question_rejected: "Question declined",
            "The turn continues without an answer",
        planning::plan_read_only: "Plan mode reads only",
            "Nothing is changed, not even what the user's own rules allow",
        planning::plan_unsandboxed: "Plan mode without a sandbox", [bare],
            "The same where the agent's own sandbox, if it has one, does not work",
        planning::plan_accepted: "Plan accepted",
            "The plan is shown; accepted, the mode changes and the work is done",
        planning::plan_rejected: "Plan rejected",
            "The mode stays, and nothing is changed",
    }
    "Content and MCP servers" {
        content::image: "Image",
            "The model sees an image of the prompt",
        content::embedded_resource: "Embedded resource",
            "The model has the content of a file in the prompt",
        content::resource_link: "Resource link",
            "The model knows where a linked file is",
        servers::mcp_stdio: "MCP on standard streams",
            "A tool of the client's server is called, with the server's environment",
        servers::mcp_http: "MCP over HTTP",
            "The same, with the headers that the client gave",
        servers::mcp_sse: "MCP over SSE",
            "The same in the older form",
        servers::mcp_slow: "Slow MCP server",
            "The first prompt waits for a server that takes seconds",
    }
    "Settings" {
        settings::model_switch: "Model",
            "The next turn asks another model",
        settings::effort_switch: "Effort",
            "The next turn asks with another effort",
        settings::mode_switch: "Mode",
            "The next change is asked about, and unknown modes are refused",
    }
    "Turns" {
        cancelling::cancel_text: "Cancel while it speaks",
            "The turn ends as cancelled, and the session continues",
        cancelling::cancel_tool: "Cancel while a command runs",
            "The command's process is gone, too",
        cancelling::cancel_permission: "Cancel while it asks",
            "The question is taken back; a late answer does no harm",
        turns::queued_prompts: "Queued prompts",
            "Prompts that come early are answered one after the other",
        turns::several_sessions: "Several sessions at once",
            "One works while another waits for its user; commands of several run at once",
    }
    "Sessions" {
        sessions::list: "List",
            "Sessions with directory and title",
        sessions::load: "Load",
            "After a restart: the conversation is replayed, and the model remembers",
        sessions::load_tools: "Load tool calls",
            "After a restart: tool calls are replayed with their outcome",
        sessions::resume: "Resume",
            "After a restart: nothing is replayed, and the model remembers",
        sessions::fork: "Fork",
            "The copy remembers, and the original goes its own way",
        sessions::close: "Close",
            "The program ends if it is the session's own; the session can be loaded again",
        sessions::delete: "Delete",
            "It is not listed and cannot be loaded any more",
        settings::user_settings: "User's settings",
            "Working in a directory leaves them as they were",
    }
    "Failures" {
        failures::auth_required: "No credentials", [keyless],
            "Opening a session says so, without asking the model",
        failures::error_401: "Wrong credentials (401)",
            "The prompt fails at once with the error that asks for credentials",
        failures::error_429: "Rate limit (429)",
            "After its retries the prompt fails with a clear error, and the session continues",
        failures::error_529_retried: "Overloaded (529)",
            "It is tried again",
        failures::retry_told: "Waiting for the model",
            "The client is notified that a request is retried, and why",
        failures::cut_stream: "Connection cut",
            "Tried again or a clear error; never half an answer for a whole one",
        failures::hanging_model: "Model that hangs",
            "The turn can be cancelled, and the session continues",
        failures::unknown_model: "Unknown model",
            "A clear error; another model can be chosen",
        failures::refusal: "Refusal",
            "The turn ends for that reason",
        failures::max_tokens: "Output limit",
            "The turn ends for that reason",
        failures::crash: "Crash of the agent's program",
            "The prompt fails with the exit code or signal; the next one continues in a new process that remembers",
        failures::unknown_lines: "Unknown output", [noisy],
            "Lines of the agent's program that nobody knows are passed on and do no harm",
    }
};

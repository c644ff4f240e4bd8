//! What an agent can do, as the eighteen facts that clients of the API know.

use serde::Deserialize;

macro_rules! capabilities {
    ($($(#[$doc:meta])* $variant:ident,)*) => {
        /// One thing that an agent can or cannot do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Capability {
            $($(#[$doc])* $variant,)*
        }

        impl Capability {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
        }
    };
}

capabilities! {
    /// Has a mode that only plans.
    PlanMode,
    /// Asks before it acts.
    Permissions,
    /// Asks the user questions.
    Questions,
    /// Tells of its tool calls.
    ToolCalls,
    /// Tells what they returned.
    ToolResults,
    /// Speaks in text.
    TextMessages,
    /// Takes images in prompts.
    Images,
    /// Takes files in prompts.
    FileAttachments,
    /// Sessions can be listed, loaded or resumed.
    SessionLifecycle,
    /// Tells of errors as such.
    ErrorEvents,
    /// Tells what it thinks.
    Reasoning,
    /// Tells what it is busy with.
    Status,
    /// Tells of commands it runs, and their output.
    CommandExecution,
    /// Tells of changes to files as differences.
    FileChanges,
    /// Uses tools of MCP servers.
    McpTools,
    /// Streams its text in pieces.
    StreamingDeltas,
    /// Tells of an item when it starts, not only when it is done.
    ItemStarted,
    /// One process serves several sessions.
    SharedProcess,
}

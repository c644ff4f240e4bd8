//! The abilities of an agent, as the eighteen facts that clients of the API know.

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
            /// Every capability.
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
    /// Reports its tool calls.
    ToolCalls,
    /// Reports their results.
    ToolResults,
    /// Speaks in text.
    TextMessages,
    /// Takes images in prompts.
    Images,
    /// Takes files in prompts.
    FileAttachments,
    /// Sessions can be listed, loaded or resumed.
    SessionLifecycle,
    /// Reports errors as such.
    ErrorEvents,
    /// Reports its thoughts.
    Reasoning,
    /// Reports its status.
    Status,
    /// Reports the commands it runs, and their output.
    CommandExecution,
    /// Reports changes to files as differences.
    FileChanges,
    /// Uses tools of MCP servers.
    McpTools,
    /// Streams its text in pieces.
    StreamingDeltas,
    /// Reports an item when it starts, not only when it is done.
    ItemStarted,
    /// One process serves several sessions.
    SharedProcess,
}

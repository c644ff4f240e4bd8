//! The names of attributes. Those of the semantic conventions for generative AI are written as the conventions have them; a test
//! compares them with the published list. Our own begin with `sandbox_agent.`.

pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const AGENT_VERSION: &str = "gen_ai.agent.version";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const MODEL: &str = "gen_ai.request.model";
pub(crate) const FINISH: &str = "gen_ai.response.finish_reasons";
pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(crate) const CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const CACHE_CREATION: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(crate) const REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
pub(crate) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(crate) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(crate) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(crate) const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub(crate) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const TOOL_RESULT: &str = "gen_ai.tool.call.result";
pub(crate) const ERROR_TYPE: &str = "error.type";

pub(crate) const TURN: &str = "sandbox_agent.turn.id";
pub(crate) const TOOL_KIND: &str = "sandbox_agent.tool.kind";
pub(crate) const PERMISSION: &str = "sandbox_agent.permission.id";
pub(crate) const QUESTION: &str = "sandbox_agent.question.id";
pub(crate) const OUTCOME: &str = "sandbox_agent.outcome";
pub(crate) const RESOLVED_BY: &str = "sandbox_agent.resolved_by";
pub(crate) const INSTALLED_VERSION: &str = "sandbox_agent.install.version";

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of spans of agents and tools in the registry of the semantic conventions for generative AI (schema 1.42), and
    /// `error.type` of the general conventions.
    const PUBLISHED: [&str; 27] = [
        "error.type",
        "gen_ai.agent.description",
        "gen_ai.agent.id",
        "gen_ai.agent.name",
        "gen_ai.agent.version",
        "gen_ai.conversation.id",
        "gen_ai.data_source.id",
        "gen_ai.input.messages",
        "gen_ai.operation.name",
        "gen_ai.output.messages",
        "gen_ai.output.type",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.response.finish_reasons",
        "gen_ai.response.id",
        "gen_ai.response.model",
        "gen_ai.token.type",
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.id",
        "gen_ai.tool.call.result",
        "gen_ai.tool.name",
        "gen_ai.tool.type",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.reasoning.output_tokens",
    ];

    #[test]
    fn names_are_those_of_the_conventions_or_our_own() {
        let conventional = [
            OPERATION,
            PROVIDER,
            AGENT,
            AGENT_VERSION,
            CONVERSATION,
            MODEL,
            FINISH,
            INPUT_TOKENS,
            OUTPUT_TOKENS,
            CACHE_READ,
            CACHE_CREATION,
            REASONING,
            INPUT_MESSAGES,
            OUTPUT_MESSAGES,
            TOOL_NAME,
            TOOL_CALL,
            TOOL_ARGUMENTS,
            TOOL_RESULT,
            ERROR_TYPE,
        ];
        for name in conventional {
            assert!(PUBLISHED.contains(&name), "{name} is not in the conventions");
        }
        let own = [TURN, TOOL_KIND, PERMISSION, QUESTION, OUTCOME, RESOLVED_BY, INSTALLED_VERSION];
        assert!(own.iter().all(|name| name.starts_with("sandbox_agent.")));
    }
}

//! OpenCode: one entry for each provider in `auth.json`, or in the variable that replaces the file; below them the
//! providers' own variables (1.18.34 prefers a stored entry to a variable).

use super::entries;
use crate::search::{Search, syntax};
use crate::{Origin, Secret};
use serde_json::{Map, Value};

/// The variable that stands in for `auth.json`.
pub(crate) const AUTH_CONTENT: &str = "OPENCODE_AUTH_CONTENT";

/// Providers that are reached with one key, and the variables that OpenCode takes it from. `GITHUB_TOKEN` is missing on
/// purpose: it is set on many machines for other reasons, and Copilot wants a login.
#[rustfmt::skip]
const VARIABLES: [(&str, &[&str]); 24] = [
    ("anthropic", &["ANTHROPIC_API_KEY"]),
    ("openai", &["OPENAI_API_KEY"]),
    ("google", &["GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("opencode", &["OPENCODE_API_KEY"]),
    ("alibaba", &["DASHSCOPE_API_KEY"]),
    ("baseten", &["BASETEN_API_KEY"]),
    ("cerebras", &["CEREBRAS_API_KEY"]),
    ("cohere", &["COHERE_API_KEY"]),
    ("deepinfra", &["DEEPINFRA_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("fireworks-ai", &["FIREWORKS_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
    ("huggingface", &["HF_TOKEN"]),
    ("minimax", &["MINIMAX_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("moonshotai", &["MOONSHOT_API_KEY"]),
    ("nvidia", &["NVIDIA_API_KEY"]),
    ("ollama-cloud", &["OLLAMA_API_KEY"]),
    ("perplexity", &["PERPLEXITY_API_KEY"]),
    ("togetherai", &["TOGETHER_API_KEY"]),
    ("vercel", &["AI_GATEWAY_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
    ("zhipuai", &["ZHIPU_API_KEY"]),
];

pub(super) fn search(search: &mut Search) {
    stored(search);
    entries::add_variables(search, &VARIABLES);
}

fn stored(search: &mut Search) {
    let origin = Origin::Variable(AUTH_CONTENT);
    let content = search.host.variable(AUTH_CONTENT).map(serde_json::from_str::<Value>);
    let (document, origin) = match content {
        Some(Ok(document)) => (document, origin),
        broken_or_none => {
            if let Some(Err(error)) = broken_or_none {
                search.problem(origin, syntax(&error));
            }
            let path = search.host.folder("XDG_DATA_HOME", ".local/share").join("opencode/auth.json");
            let Some(document) = search.json(&path) else { return };
            (document, Origin::File(path))
        }
    };
    entries::add(search, &document, &origin, &VARIABLES, Some(AUTH_CONTENT));
}

/// Merges values of the variable, each of which holds entries of other providers.
pub(crate) fn merged_content(values: &[&Secret]) -> Secret {
    let mut entries = Map::new();
    for value in values {
        if let Ok(Value::Object(more)) = serde_json::from_str(value.expose()) {
            entries.extend(more);
        }
    }
    Secret::new(Value::Object(entries).to_string())
}

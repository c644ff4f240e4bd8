//! pi: entries in its `auth.json`, below them the providers' variables.

use super::entries;
use crate::Origin;
use crate::search::Search;

#[rustfmt::skip]
const VARIABLES: [(&str, &[&str]); 8] = [
    ("anthropic", &["ANTHROPIC_API_KEY"]),
    ("openai", &["OPENAI_API_KEY"]),
    ("google", &["GEMINI_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("cerebras", &["CEREBRAS_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
];

pub(super) fn search(search: &mut Search) {
    let path = search.host.folder("PI_CODING_AGENT_DIR", ".pi/agent").join("auth.json");
    if let Some(document) = search.json(&path) {
        entries::add(search, &document, &Origin::File(path), &VARIABLES, None);
    }
    entries::add_variables(search, &VARIABLES);
}

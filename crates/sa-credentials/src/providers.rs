//! The one cheap call to each provider that checks a credential, as data.

use crate::Kind;

/// A call that costs nothing and that only the holder of a credential may make.
pub(crate) struct Probe {
    pub(crate) provider: &'static str,
    /// The variable by which agents are sent to another address.
    pub(crate) base_variable: Option<&'static str>,
    pub(crate) base: &'static str,
    /// Appended to the base.
    pub(crate) path: &'static str,
    /// The body of a POST; without it the call is a GET.
    pub(crate) body: Option<&'static str>,
    /// Headers that the provider wants with every call.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Kinds that the call is for, and how they are shown.
    pub(crate) schemes: &'static [(Kind, Scheme)],
    /// The statuses that say that the credential is no good. Others may have other reasons.
    pub(crate) refusals: &'static [u16],
}

/// The way in which a secret is put into a request.
#[derive(Clone, Copy)]
pub(crate) enum Scheme {
    Header(&'static str),
    Bearer,
    /// A bearer token, which needs Anthropic's header for logins.
    AnthropicLogin,
}

pub(crate) fn probe(provider: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.provider == provider)
}

/// Returns the call that lists models in OpenAI's way. Those of other providers differ from it in a few parts.
const fn models(provider: &'static str, base: &'static str, base_variable: Option<&'static str>) -> Probe {
    Probe {
        provider,
        base_variable,
        base,
        path: "/models",
        body: None,
        headers: &[],
        schemes: &[(Kind::ApiKey, Scheme::Bearer)],
        refusals: &[401],
    }
}

const PROBES: [Probe; 10] = [
    Probe {
        path: "/v1/models?limit=1",
        headers: &[("anthropic-version", "2023-06-01")],
        schemes: &[
            (Kind::ApiKey, Scheme::Header("x-api-key")),
            (Kind::AuthToken, Scheme::Bearer),
            (Kind::OAuth, Scheme::AnthropicLogin),
        ],
        ..models("anthropic", "https://api.anthropic.com", Some("ANTHROPIC_BASE_URL"))
    },
    models("openai", "https://api.openai.com/v1", Some("OPENAI_BASE_URL")),
    Probe {
        path: "/v1beta/models?pageSize=1",
        schemes: &[(Kind::ApiKey, Scheme::Header("x-goog-api-key"))],
        refusals: &[400, 401, 403],
        ..models("google", "https://generativelanguage.googleapis.com", Some("GOOGLE_GEMINI_BASE_URL"))
    },
    Probe {
        path: "/api/internal?getUserInfo",
        body: Some(r#"{"method":"getUserInfo","params":{}}"#),
        refusals: &[401, 403],
        ..models("amp", "https://ampcode.com", Some("AMP_URL"))
    },
    Probe {
        path: "/rate_limit",
        schemes: &[(Kind::AuthToken, Scheme::Bearer)],
        ..models("github", "https://api.github.com", Some("GITHUB_API_URL"))
    },
    Probe { path: "/key", ..models("openrouter", "https://openrouter.ai/api/v1", None) },
    models("deepseek", "https://api.deepseek.com", None),
    models("groq", "https://api.groq.com/openai/v1", None),
    models("mistral", "https://api.mistral.ai/v1", None),
    models("xai", "https://api.x.ai/v1", None),
];

//! The contract as an OpenAPI document.

use crate::router;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// What the routes themselves do not say.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "sandbox-agent",
        description = "One HTTP API in front of coding agents that run in a sandbox.",
        license(name = "Apache-2.0")
    ),
    tags(
        (name = "meta", description = "The daemon itself"),
        (name = "agents", description = "Agents that can be started"),
        (name = "acp", description = "ACP servers: one agent process behind a client-chosen id"),
        (name = "acp-standard", description = "The ACP remote transport, for stock ACP clients"),
    ),
    components(schemas(sa_api::AgentExit, sa_api::Gap, sa_api::Unparsed)),
    security(("bearer" = []), ("header" = [])),
    modifiers(&Schemes)
)]
pub(crate) struct Contract;

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let header = ApiKeyValue::new("X-Sandbox-Agent-Token");
        components.add_security_scheme("header", SecurityScheme::ApiKey(ApiKey::Header(header)));
    }
}

/// The OpenAPI document, as it is checked in and served.
pub fn openapi_json() -> String {
    let mut text = router::contract().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

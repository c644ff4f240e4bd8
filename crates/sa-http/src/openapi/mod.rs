//! The contract as an OpenAPI document.

mod unions;

use crate::router;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, Schema};
use utoipa::{Modify, OpenApi};

/// What the routes themselves do not say.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "sandbox-agent",
        description = "One HTTP API in front of coding agents that run in a sandbox.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    servers((url = "/", description = "The daemon that serves this document; http://127.0.0.1:2468 by default")),
    tags(
        (name = "meta", description = "The daemon itself"),
        (name = "agents", description = "Agents that can be started"),
        (name = "processes", description = "Commands, processes and their terminals"),
        (name = "sessions", description = "Universal sessions: the same for every agent, durable, without any knowledge of ACP"),
        (name = "acp", description = "ACP servers: one agent process behind a client-chosen id"),
        (name = "files", description = "Files of the sandbox"),
        (name = "config", description = "MCP servers and skills, kept for a directory"),
        (name = "acp-standard", description = "The ACP remote transport, for stock ACP clients"),
    ),
    components(schemas(sa_api::FsOverflow, sa_api::FsWatchReady, sa_api::AgentExit, sa_api::Gap, sa_api::Problem, sa_api::Unparsed, sa_api::ProcessExit, sa_api::ProcessLogGap, sa_api::TerminalClientFrame, sa_api::TerminalServerFrame, sa_api::sessions::WebhookDelivery)),
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

/// What the layers around the routes, not the handlers, answer with.
struct LayerResponse {
    name: &'static str,
    status: &'static str,
    description: &'static str,
    from: Answering,
}

/// Which operations have a response of the layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answering {
    All,
    NeedingToken,
    TakingBody,
}

impl Answering {
    fn has(self, operation: &Operation) -> bool {
        match self {
            Self::All => true,
            Self::NeedingToken => operation.security.is_none(),
            Self::TakingBody => operation.request_body.is_some(),
        }
    }
}

const LAYER_RESPONSES: [LayerResponse; 4] = [
    LayerResponse {
        name: "TokenInvalid",
        status: "401",
        description: "The token is missing or wrong",
        from: Answering::NeedingToken,
    },
    LayerResponse {
        name: "PermissionDenied",
        status: "403",
        description: "The daemon asks for no token and refuses this `Host` or `Origin`",
        from: Answering::All,
    },
    LayerResponse {
        name: "RequestTimeout",
        status: "408",
        description: "The body brought nothing for too long",
        from: Answering::TakingBody,
    },
    LayerResponse {
        name: "Internal",
        status: "500",
        description: "A bug of the daemon",
        from: Answering::All,
    },
];

/// Adds to every operation what its annotations need not repeat.
pub(crate) fn complete(document: &mut utoipa::openapi::OpenApi) {
    let components = document.components.get_or_insert_default();
    for layer in &LAYER_RESPONSES {
        components.responses.insert(layer.name.to_owned(), problem(layer.description).into());
    }
    components.schemas.values_mut().for_each(drop_null_defaults);
    unions::name_variants(&mut components.schemas);
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        let has: Vec<_> = LAYER_RESPONSES.iter().filter(|layer| layer.from.has(operation)).collect();
        for layer in has {
            let reference = RefOr::Ref(Ref::from_response_name(layer.name));
            // An operation that has the status for reasons of its own says more.
            operation.responses.responses.entry(layer.status.to_owned()).or_insert(reference);
        }
        drop_null_parameters(operation);
        drop_null_body(operation);
    }
}

fn problem(description: &str) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(description).content("application/problem+json", content).build()
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch].into_iter().flatten()
}

/// An optional header may be absent, but there is no null in HTTP.
fn drop_null_parameters(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && let Some(RefOr::T(Schema::Object(schema))) = &mut parameter.schema
            && let SchemaType::Array(types) = &mut schema.schema_type
        {
            types.retain(|kind| *kind != Type::Null);
            if let [kind] = &types[..] {
                schema.schema_type = SchemaType::Type(kind.clone());
            }
        }
    }
}

/// An optional body may be absent; `null` would be a body, and is none that is taken.
fn drop_null_body(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content
            && let Some(RefOr::T(Schema::OneOf(one_of))) = &mut content.schema
        {
            one_of.items.retain(|item| !is_null(item));
            if let [only] = &one_of.items[..] {
                content.schema = Some(only.clone());
            }
        }
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}

/// What is absent is absent; `null` as the default would be no value of the member's type.
fn drop_null_defaults(schema: &mut RefOr<Schema>) {
    let RefOr::T(Schema::Object(object)) = schema else { return };
    for member in object.properties.values_mut() {
        let default = match member {
            RefOr::Ref(reference) => &mut reference.default,
            RefOr::T(Schema::Object(object)) => &mut object.default,
            RefOr::T(_) => continue,
        };
        default.take_if(|value| value.is_null());
    }
}

/// The OpenAPI document, as it is checked in and served.
pub fn openapi_json() -> String {
    let mut text = router::contract().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Each operation as `GET /path`, with what the document says of it.
    fn operations(document: &Value) -> Vec<(String, &Value)> {
        let mut all = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                all.push((format!("{} {path}", method.to_uppercase()), operation));
            }
        }
        all
    }

    fn resolve<'a>(document: &'a Value, response: &'a Value) -> &'a Value {
        match response["$ref"].as_str() {
            Some(reference) => document.pointer(reference.strip_prefix('#').unwrap()).unwrap(),
            None => response,
        }
    }

    #[test]
    fn every_operation_says_what_it_is_and_how_it_answers() {
        let document: Value = serde_json::from_str(&super::openapi_json()).unwrap();
        let mut ids = BTreeSet::new();
        for (name, operation) in operations(&document) {
            let id = operation["operationId"].as_str().unwrap_or_default();
            assert!(!id.is_empty() && ids.insert(id.to_owned()), "{name}: operationId '{id}'");
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name}: no summary");
            let responses = operation["responses"].as_object().unwrap();
            assert_eq!(responses.contains_key("401"), name != "GET /v1/health", "{name}: 401");
            for (status, response) in responses {
                let response = resolve(&document, response);
                assert!(
                    response["description"].as_str().is_some_and(|text| !text.is_empty()),
                    "{name} {status}"
                );
                let is_error = status.starts_with(['4', '5']);
                let schema = &response["content"]["application/problem+json"]["schema"]["$ref"];
                assert_eq!(is_error, schema == "#/components/schemas/Problem", "{name} {status}");
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{name}: {parameter}");
                assert!(parameter["schema"]["type"].is_string(), "{name}: {parameter}");
            }
        }
        assert!(ids.len() >= 17, "{ids:?}");
    }
}

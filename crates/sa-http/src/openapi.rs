//! The contract as an OpenAPI document.

mod examples;
mod links;
mod mirror;
mod parameters;
mod problems;
mod schemas;
mod streams;
#[cfg(test)]
mod tests;
mod unions;

use self::problems::Located;
use crate::acp;
use crate::routes::{agents, config, fs, meta, processes, sessions};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{Modify, OpenApi};

/// The document apart from the routes.
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
    components(schemas(sa_api::FsOverflow, sa_api::FsWatchReady, sa_api::AgentExit, sa_api::Gap, sa_api::Problem, sa_api::Unparsed, sa_api::ProcessExit, sa_api::ProcessLogGap, sa_api::TerminalClientFrame, sa_api::TerminalServerFrame, sa_api::sessions::WebhookDelivery, sa_api::sessions::TranscriptOrder, sa_api::UsageGrouping)),
    security(("bearer" = []), ("header" = [])),
    modifiers(&Schemes)
)]
struct Contract;

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

/// Operations that have a response of the layers.
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

/// Name, status and description, and the operations that have it.
const LAYER_RESPONSES: [(&str, &str, &str, Answering); 5] = [
    ("TokenInvalid", "401", "The token is missing or wrong", Answering::NeedingToken),
    (
        "PermissionDenied",
        "403",
        "The daemon asks for no token and refuses this `Host` or `Origin`",
        Answering::All,
    ),
    ("RequestTimeout", "408", "The body brought nothing for too long", Answering::TakingBody),
    (
        "TooManyAttempts",
        "429",
        "The daemon's token has fewer than 12 characters, and too many wrong ones were sent",
        Answering::NeedingToken,
    ),
    ("Internal", "500", "A bug of the daemon", Answering::All),
];

/// Assembles the document from the annotations of the routes.
pub(crate) fn contract() -> utoipa::openapi::OpenApi {
    let mut document = Contract::openapi();
    for (tag, mut area) in [
        ("meta", meta::Operations::openapi()),
        ("agents", agents::Operations::openapi()),
        ("processes", processes::Operations::openapi()),
        ("sessions", sessions::Operations::openapi()),
        ("acp", acp::ServerOperations::openapi()),
        ("files", fs::Operations::openapi()),
        ("config", config::Operations::openapi()),
        ("acp-standard", acp::StandardOperations::openapi()),
    ] {
        for (_, operation) in area.paths.paths.values_mut().flat_map(operations) {
            operation.tags = Some(vec![tag.to_owned()]);
        }
        document.merge(area);
    }
    complete(&mut document);
    document
}

/// Adds to every operation what its annotations need not repeat.
fn complete(document: &mut utoipa::openapi::OpenApi) {
    let components = document.components.get_or_insert_default();
    for (name, _, description, _) in LAYER_RESPONSES {
        components.responses.insert(name.to_owned(), problems::problem(description).into());
    }
    components.schemas.values_mut().for_each(schemas::embed);
    unions::name_variants(&mut components.schemas);
    streams::add_components(&mut components.schemas);
    components.schemas.iter_mut().for_each(|(name, schema)| schemas::correct(name, schema));
    let examples = examples::Examples::load();
    mirror::add_agent_connections(&mut document.paths);
    let known: Vec<String> = (document.paths.paths.values_mut().flat_map(operations))
        .filter_map(|(_, operation)| operation.operation_id.clone())
        .collect();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            parameters::add_of_path(path, operation);
            problems::complete(&mut Located { path, method, operation });
            for (name, status, _, from) in LAYER_RESPONSES {
                if from.has(operation) {
                    let reference = RefOr::Ref(Ref::from_response_name(name));
                    // An operation that has the status for reasons of its own says more.
                    operation.responses.responses.entry(status.to_owned()).or_insert(reference);
                }
            }
            drop_null_body(operation);
            parameters::bound(operation);
            schemas::mark_binary(operation);
            streams::describe(operation);
            links::add(operation, &known);
            examples.add(operation);
        }
    }
}

/// Returns the operations at a path, each with its method.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    [
        ("get", &mut item.get),
        ("head", &mut item.head),
        ("put", &mut item.put),
        ("post", &mut item.post),
        ("delete", &mut item.delete),
        ("patch", &mut item.patch),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// An optional body may be absent; `null` would be a body, and is none that is taken.
fn drop_null_body(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content {
            content.schema.iter_mut().for_each(schemas::drop_null);
        }
    }
}

/// Returns the OpenAPI document in the form that is checked in.
pub fn openapi_json() -> String {
    let mut text = contract().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

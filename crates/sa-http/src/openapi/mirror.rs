//! `/v1/agents/{agent}/acp`, which is `/acp` with the agent in the path: its operations are copies.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, Parameter, Paths};

const ORIGINAL: &str = "/acp";
const COPY: &str = "/v1/agents/{agent}/acp";

/// Adds the copies.
pub(super) fn add_agent_connections(paths: &mut Paths) {
    let Some(mut item) = paths.paths.get(ORIGINAL).cloned() else { return };
    let texts = [
        (
            &mut item.post,
            "postAgentAcpConnection",
            "Open a connection to an agent or send a message",
            "Does the same as `POST /acp?agent=`, for clients that cannot send a query.",
        ),
        (
            &mut item.get,
            "streamAgentAcpConnection",
            "Stream a connection of an agent",
            "Does the same as `GET /acp?agent=`, for clients that cannot send a query.",
        ),
        (
            &mut item.delete,
            "closeAgentAcpConnection",
            "Close a connection of an agent",
            "Does the same as `DELETE /acp`.",
        ),
    ];
    for (operation, id, summary, description) in texts {
        if let Some(operation) = operation {
            operation.operation_id = Some(id.to_owned());
            operation.summary = Some(summary.to_owned());
            operation.description = Some(description.to_owned());
            drop_query_agent(operation);
        }
    }
    paths.paths.insert(COPY.to_owned(), item);
}

fn drop_query_agent(operation: &mut Operation) {
    let is_agent =
        |parameter: &RefOr<Parameter>| matches!(parameter, RefOr::T(parameter) if parameter.name == "agent");
    operation
        .parameters
        .iter_mut()
        .for_each(|parameters| parameters.retain(|parameter| !is_agent(parameter)));
}

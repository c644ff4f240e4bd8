//! Links from operations that create or list something to those that use it, so that tools can follow up on an answer.

use utoipa::openapi::RefOr;
use utoipa::openapi::link::Link;
use utoipa::openapi::path::Operation;

/// From an operation, and the member of its answer that has the id, to the parameter of others.
struct Chain {
    from: &'static [&'static str],
    member: &'static str,
    parameter: &'static str,
    to: &'static [&'static str],
}

const CHAINS: &[Chain] = &[
    Chain {
        from: &["createSession", "createNewSession", "forkSession", "importSession", "getSession"],
        member: "/sessionId",
        parameter: "sessionId",
        to: SESSION,
    },
    Chain { from: &["listSessions"], member: "/sessions/0/sessionId", parameter: "sessionId", to: SESSION },
    Chain { from: &["createProcess"], member: "/id", parameter: "processId", to: PROCESS },
    Chain { from: &["listProcesses"], member: "/processes/0/id", parameter: "processId", to: PROCESS },
    Chain {
        from: &["listAcpServers"],
        member: "/servers/0/serverId",
        parameter: "serverId",
        to: &["streamAcpMessages", "deleteAcpServer"],
    },
    Chain {
        from: &["listAgents"],
        member: "/agents/0/id",
        parameter: "agent",
        to: &["getAgent", "listAgentModes", "listAgentModels", "getLatestAgentVersion"],
    },
];

const SESSION: &[&str] = &[
    "getSession",
    "patchSession",
    "deleteSession",
    "terminateSession",
    "postMessage",
    "getEvents",
    "getMessages",
    "cancelTurn",
    "resumeSession",
    "forkSession",
    "exportSession",
];

const PROCESS: &[&str] =
    &["getProcess", "getProcessLogs", "sendProcessInput", "stopProcess", "killProcess", "deleteProcess"];

/// Questions and permissions are in a session's state, next to its id.
const ASKED: &[(&str, &str, &str)] = &[
    ("replyToQuestion", "questionId", "/questions/0/id"),
    ("rejectQuestion", "questionId", "/questions/0/id"),
    ("replyToPermission", "permissionId", "/permissions/0/id"),
];

/// Adds links to the successful answers of an operation. `known` says which operations there are.
pub(super) fn add(operation: &mut Operation, known: &[String]) {
    let id = operation.operation_id.clone().unwrap_or_default();
    let mut links = Vec::new();
    for chain in CHAINS.iter().filter(|chain| chain.from.contains(&id.as_str())) {
        let to = chain.to.iter().filter(|to| **to != id);
        links.extend(to.map(|to| (*to, vec![(chain.parameter, chain.member)])));
    }
    if id == "getSession" {
        let asked = ASKED.iter();
        links.extend(
            asked.map(|(to, name, member)| (*to, vec![("sessionId", "/sessionId"), (*name, *member)])),
        );
    }
    links.retain(|(to, _)| known.iter().any(|known| known == to));
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        if !status.starts_with('2') || !response.content.contains_key("application/json") {
            continue;
        }
        for (to, parameters) in &links {
            let mut link = Link::builder().operation_id(*to);
            for (name, member) in parameters {
                link = link.parameter(*name, format!("$response.body#{member}"));
            }
            response.links.insert((*to).to_owned(), RefOr::T(link.build()));
        }
    }
}

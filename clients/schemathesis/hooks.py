"""Hooks of schemathesis: how streams and bytes are described, which values make sense, which findings are no defects."""

import re
from dataclasses import dataclass
from typing import Any

import schemathesis

schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
schemathesis.serializer.alias("application/x-ndjson", "application/octet-stream")

@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    """Describes streams as schemathesis reads them, and makes examples work in a sandbox.

    The contract describes the JSON in `data:`, as generators of clients expect. Schemathesis compares a schema with the
    whole event, an object with the members `event`, `id` and `data`.
    """
    for methods in raw_schema["paths"].values():
        for operation in methods.values():
            if "requestBody" in operation:
                operation["requestBody"] = with_demo_agent(operation["requestBody"])
            for answer in operation.get("responses", {}).values():
                stream = answer.get("content", {}).get("text/event-stream")
                if stream is not None:
                    stream["schema"] = whole_event(stream["schema"])
    for schema in raw_schema["components"]["schemas"].values():
        for key in {"example", "examples"} & schema.keys():
            schema[key] = with_demo_agent(schema[key])


def whole_event(data: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of an event whose `data:` holds JSON that conforms to `data`."""
    if data.get("type") == "string":
        return {"type": "object", "properties": {"data": data}}
    content = {"type": "string", "contentMediaType": "application/json", "contentSchema": data}
    return {"type": "object", "required": ["data"], "properties": {"data": content}}


def with_demo_agent(value: Any) -> Any:
    """Replaces the agents in examples of requests, which need a login, by the demo agent in its own directory."""
    if isinstance(value, list):
        return [with_demo_agent(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("agent") in {"claude", "codex", "opencode", "amp"}:
        kept = {key: value[key] for key in ("title", "metadata") if key in value}
        return {"agent": "demo", **kept}
    return {key: with_demo_agent(item) for key, item in value.items()}


@dataclass(frozen=True)
class Explained:
    """A finding that is no defect."""

    # Schemathesis' code of the finding; `st explain <code>` describes it.
    finding: str
    # A pattern that matches the ids of the operations.
    operations: str
    # Patterns that match the code of the problem that the daemon reports, and its detail.
    problem: str
    detail: str
    reason: str

    def covers(self, finding: str, operation: str, problem: dict[str, Any]) -> bool:
        """Returns whether this explains a finding."""
        return (
            finding == self.finding
            and re.fullmatch(self.operations, operation) is not None
            and re.fullmatch(f"urn:sandbox-agent:error:({self.problem})", problem.get("type", "")) is not None
            and re.search(self.detail, problem.get("detail", "")) is not None
        )


SERVER_ERROR = "ST101"
ACCEPTED = "ST201"
REJECTED = "ST202"

EXPLAINED = [
    Explained(
        REJECTED, "createProcess|runProcess", "invalid_request", "^program not found",
        "the daemon finds no programs, so that no generated command can run",
    ),
    Explained(
        REJECTED, "createProcess|runProcess", "invalid_request", "^working directory does not exist",
        "a random directory does not exist",
    ),
    Explained(
        REJECTED, "uploadFsBatch", "invalid_request", "tar archive",
        "random bytes are no archive",
    ),
    Explained(
        REJECTED, "importSession", "invalid_request", "export of a session",
        "random bytes are no export",
    ),
    Explained(
        REJECTED, "createSession|createNewSession|post.*Acp.*", "unsupported_agent", "",
        "a random name is no agent",
    ),
    Explained(
        REJECTED, "createSession|createNewSession", "invalid_request", "^cwd: there is no directory",
        "a random directory does not exist",
    ),
    Explained(
        REJECTED, "setProcessConfig", "invalid_request", "must not exceed",
        "one limit bounds another, which a schema cannot say",
    ),
    Explained(
        REJECTED, "readFsFile|writeFsFile", "precondition_failed", "If-(None-)?Match",
        "a random entity tag is not that of the file",
    ),
    Explained(
        REJECTED, "(stream|post|close)(Agent)?AcpConnection", "invalid_request", "Acp-Connection-Id'?( is|:) missing|name the agent",
        "header and agent are optional for some messages only, which a schema cannot say",
    ),
    Explained(
        REJECTED, "(post|stream|delete)Acp(Message|Messages|Server)", "invalid_request", "as in the path|name an agent",
        "the header repeats the path, and only the first message names an agent, which a schema cannot say",
    ),
    Explained(
        REJECTED, "getEvents|streamEvents|getProcessLogs|streamProcessLogs|listAgents|getAgent|listAgentModels|listAgentModes|uninstallAgent", "invalid_request", "are spellings of one and differ|has another value",
        "a deprecated parameter and its successor must agree, which a schema cannot say",
    ),
    Explained(
        REJECTED, "getEvents|streamEvents|postMessageStream", "invalid_request", "which deltas=false leaves out",
        "types must not name what deltas=false leaves out, which a schema cannot say",
    ),
    Explained(
        REJECTED, "forkSession", "invalid_request", "must be the id of an event that is kept",
        "a random number is no id of an event",
    ),
    Explained(
        REJECTED, "searchFs", "invalid_request", "is not a valid regular expression",
        "a random text is no regular expression",
    ),
    Explained(
        REJECTED, "reorderQueue", "invalid_request", "names a message twice",
        "random ids may repeat",
    ),
    Explained(
        REJECTED, "listSessions", "invalid_request", "'after': expected the `next`|'metadata': expected key:value|'include': expected",
        "a random text is no cursor, no filter and nothing to include",
    ),
    Explained(
        REJECTED, "getUsage", "invalid_request", "'after': expected the `next`|'to': must be later|'(from|to)': expected a time that is not before",
        "a random text is no cursor, and two random times may be in the wrong order",
    ),
    Explained(
        REJECTED, "createSession|createNewSession|patchSession", "invalid_value|unsupported", "",
        "a random mode, model, variant or webhook is none, and the demo agent takes no token",
    ),
    Explained(
        REJECTED, "postMessage|postMessageStream", "invalid_request", "^part [0-9]+: |the message is empty",
        "messages have more kinds of parts than a client may send, and share their schema",
    ),
    Explained(
        REJECTED, "createProcess|runProcess|create(New)?Session", "invalid_(request|value)", "name of an environment variable|^env",
        "the contract lists values of variables, not what their names may be",
    ),
    Explained(
        REJECTED, "(get|set|delete)(Mcp|Skills)Config", "invalid_request", "none of them a control character",
        "a pattern of control characters would be longer than the sentence that says it",
    ),
    Explained(
        REJECTED, ".*", "invalid_request", "NUL byte",
        "no name of a file holds a NUL byte, which the contract does not repeat for each path",
    ),
    Explained(
        REJECTED, "issueTicket|createTicket", "invalid_request", "'path': expected the path of a stream",
        "a random path is not that of a stream",
    ),
    Explained(
        REJECTED, ".*", "invalid_request", "expected a (whole )?number.* got [0-9]+$",
        "JSON Schema takes 1.0 for an integer; the daemon wants 1",
    ),
    Explained(
        REJECTED, "setMcpConfig|setSkillsConfig", "invalid_request", "^`[^`]+` must be ",
        "members of open objects are checked one by one, which the contract describes in words",
    ),
    Explained(
        REJECTED, "createSession|createNewSession", "invalid_request", "^member '(mcp|skills)[.][^']+' (must|is missing)",
        "the same for those of a session",
    ),
    Explained(
        REJECTED, "readFsFile|writeFsFile", "invalid_request", "if-(none-)?match is neither",
        "schemathesis sends `0` in headers, whatever their pattern",
    ),
    Explained(
        REJECTED, "forkSession", "invalid_request|conflict", "has not begun",
        "a session can be forked after its first turn",
    ),
    Explained(
        REJECTED, "updateAgent", "unsupported|version_not_found", "is not installed",
        "a random version is not installed",
    ),
    Explained(
        REJECTED, "getLatestAgentVersion", "invalid_request", "nothing to install",
        "the demo agent is part of the daemon",
    ),
    Explained(
        SERVER_ERROR, "installAgent|streamAgentInstallation|getLatestAgentVersion", "install_failed", "",
        "the daemon reaches no network",
    ),
]


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Keeps a failure unless it is explained."""
    if failure.code == ACCEPTED and (
        has_unknown_header(failure.message)
        or has_null_member(failure.message, case.body)
        or deletes_nothing(failure.message, case.method, response.status_code)
    ):
        return False
    if failure.code == REJECTED and case.method == "HEAD":
        # Its answers do not say why; those to GET do, and are checked.
        return False
    try:
        problem = response.json()
    except ValueError:
        return True
    if not isinstance(problem, dict):
        return True
    operation = case.operation.definition.raw.get("operationId", "")
    return not any(explained.covers(failure.code, operation, problem) for explained in EXPLAINED)


def has_unknown_header(message: str) -> bool:
    """Returns whether the request is invalid by a header that the contract does not name, which HTTP ignores."""
    return "in header - object with unexpected properties" in message


def has_null_member(message: str, body: Any) -> bool:
    """Returns whether the request is invalid by a `null`, which counts as an absent member."""
    member = re.search(r"in body - (?:(\w+): Incorrect type|violates `type` at /properties/(\w+))", message)
    return member is not None and isinstance(body, dict) and body.get(member[1] or member[2], "") is None


def deletes_nothing(message: str, method: str, status: int) -> bool:
    """Returns whether the request deletes something whose name cannot exist, which succeeds like any other deletion."""
    return method == "DELETE" and status == 204 and " in path - " in message

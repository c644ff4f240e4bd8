"""Uses the daemon through the package that openapi-python-client generates."""

import faulthandler
import json
import os
from collections.abc import Iterator
from http import HTTPStatus
from io import BytesIO
from typing import Any, TypeVar

from sandbox_agent_client import AuthenticatedClient
from sandbox_agent_client.api.agents import stream_agent_installation
from sandbox_agent_client.api.files import read_fs_file, write_fs_file
from sandbox_agent_client.api.processes import create_process, stream_process_logs
from sandbox_agent_client.api.sessions import (
    create_session,
    export_session,
    get_messages,
    get_session,
    import_session,
    list_sessions,
    post_message,
    reply_to_permission,
    reply_to_question,
    stream_events,
)
from sandbox_agent_client.models import (
    CreateSession,
    CreateSessionMetadata,
    FsWriteResponse,
    InstallDoneEvent,
    MessageAccepted,
    PermissionAskedEvent,
    PermissionMode,
    PermissionReply,
    PermissionReplyKind,
    PostTextMessage,
    Problem,
    ProcessCreateRequest,
    ProcessInfo,
    ProcessLogEntry,
    QuestionAskedEvent,
    QuestionReply,
    Session,
    SessionList,
    StopReason,
    StreamProcessLogsEncoding,
    TextPart,
    TranscriptPage,
    TurnEndedEvent,
)
from sandbox_agent_client.types import File, Response, Unset

# A program that hangs must not hold the test.
faulthandler.dump_traceback_later(60, exit=True)

SESSION = "python"
client = AuthenticatedClient(
    base_url=os.environ["SANDBOX_AGENT_URL"],
    token=os.environ["SANDBOX_AGENT_TOKEN"],
)

T = TypeVar("T")


def ok(answer: Response[Any], kind: type[T], status: HTTPStatus = HTTPStatus.OK) -> T:
    """Returns the body of an answer, which must be the expected one."""
    assert answer.status_code == status, answer
    assert isinstance(answer.parsed, kind), answer
    return answer.parsed


def server_sent_events(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the data of a stream's events. Generated functions wait for the end of an answer."""
    with client.get_httpx_client().stream(**request) as answer:
        assert answer.status_code == HTTPStatus.OK, answer
        for line in answer.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))


def converse() -> None:
    metadata = CreateSessionMetadata.from_dict({"ticket": "ABC-1"})
    wanted = CreateSession(agent="demo", permission_mode=PermissionMode.DEFAULT, metadata=metadata)
    created = create_session.sync_detailed(SESSION, client=client, body=wanted)
    assert ok(created, Session, HTTPStatus.CREATED).healthy

    message = PostTextMessage(message="say Hello\npermission Send it\nquestion single")
    posted = post_message.sync_detailed(SESSION, client=client, body=message)
    accepted = ok(posted, MessageAccepted, HTTPStatus.ACCEPTED)

    seen = []
    for event in server_sent_events(stream_events._get_kwargs(SESSION)):
        seen.append(event["type"])
        match event["type"]:
            case "permissionAsked":
                answer_permission(PermissionAskedEvent.from_dict(event))
            case "questionAsked":
                answer_question(QuestionAskedEvent.from_dict(event))
            case "turnEnded":
                ended = TurnEndedEvent.from_dict(event).data.turn_ended
                assert ended.turn_id == accepted.turn_id
                assert ended.stop_reason == StopReason.ENDTURN
                break
            case "error":
                raise AssertionError(event)
    assert {"started", "message", "permissionResolved", "questionResolved"} <= set(seen), seen


def answer_permission(event: PermissionAskedEvent) -> None:
    asked = event.data.permission_asked
    option = next(option for option in asked.options if option.reply == PermissionReplyKind.ONCE)
    reply = PermissionReply(reply=option.reply, option_id=option.id)
    answer = reply_to_permission.sync_detailed(SESSION, asked.id, client=client, body=reply)
    assert answer.status_code == HTTPStatus.NO_CONTENT, answer


def answer_question(event: QuestionAskedEvent) -> None:
    asked = event.data.question_asked
    options = asked.questions[0].options
    assert not isinstance(options, Unset)
    assert [option.label for option in options] == ["Red", "Green", "Blue"]
    reply = QuestionReply(answers=[["Green"]])
    answer = reply_to_question.sync_detailed(SESSION, asked.id, client=client, body=reply)
    assert answer.status_code == HTTPStatus.NO_CONTENT, answer


def read_transcript() -> None:
    page = ok(get_messages.sync_detailed(SESSION, client=client), TranscriptPage)
    said = [part.text for message in page.messages for part in message.parts if isinstance(part, TextPart)]
    assert "Hello" in said, said


def move_files() -> None:
    content = bytes(range(256))
    written = write_fs_file.sync_detailed(
        client=client, path="bytes.bin", body=File(payload=BytesIO(content))
    )
    assert ok(written, FsWriteResponse, HTTPStatus.CREATED).bytes_written == 256
    read = ok(read_fs_file.sync_detailed(client=client, path="bytes.bin"), File)
    assert read.payload.read() == content


def install_agent() -> None:
    steps = list(server_sent_events(stream_agent_installation._get_kwargs("published")))
    assert "downloading" in [event["step"] for event in steps], steps
    assert InstallDoneEvent.from_dict(steps[-1]).version == "1.0.0"


def move_session() -> None:
    exported = ok(export_session.sync_detailed(SESSION, client=client), File)
    copy = import_session.sync_detailed(client=client, session_id="python-copy", body=exported)
    imported = ok(copy, Session, HTTPStatus.CREATED)
    original = ok(get_session.sync_detailed(SESSION, client=client), Session)
    assert imported.session_id == "python-copy"
    assert imported.last_event_id >= original.last_event_id


def page_through_sessions() -> None:
    page = ok(list_sessions.sync_detailed(client=client, limit=1), SessionList)
    seen = [session.session_id for session in page.sessions]
    while page.has_more:
        page = ok(list_sessions.sync_detailed(client=client, limit=1, after=page.next_), SessionList)
        seen += [session.session_id for session in page.sessions]
    assert sorted(seen) == ["python", "python-copy"], seen


def follow_process() -> None:
    wanted = ProcessCreateRequest(command="sh", args=["-c", "echo one; echo two"])
    created = ok(create_process.sync_detailed(client=client, body=wanted), ProcessInfo, HTTPStatus.CREATED)
    output = ""
    for event in server_sent_events(stream_process_logs._get_kwargs(created.id, encoding=StreamProcessLogsEncoding.TEXT)):
        if "data" not in event:
            break
        output += ProcessLogEntry.from_dict(event).data
    assert output == "one\ntwo\n", output


def refuse() -> None:
    problem = ok(get_session.sync_detailed("nobody", client=client), Problem, HTTPStatus.NOT_FOUND)
    assert problem.status == HTTPStatus.NOT_FOUND


converse()
read_transcript()
move_files()
install_agent()
move_session()
page_through_sessions()
follow_process()
refuse()
print("openapi-python-client: ok")

//! The smallest adapter there is, and what it gets for being one.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::testing::{self, Peer, answer, request, stop_reason};
use crate::{
    Conversation, Core, Login, Machine, Now, Processes, Profile, PromptPart, Reply, SetRequest, chosen,
    new_parts,
};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, ListSessionsRequest, ListSessionsResponse, PermissionOption, PermissionOptionKind,
    SessionModeState, StopReason, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::{Value, json};
use std::path::Path;

static PROFILE: Profile = Profile {
    name: "parrot",
    title: "Parrot",
    namespace: "parrot",
    login: Login { id: "none", name: "None", description: "Nothing to do" },
    extras: &[],
};

/// One process for all sessions: it asks `may I?`, and is done with a prompt when it says `done`.
struct Parrot {
    now: Now,
    client: crate::Client,
    processes: Processes<&'static str>,
    child: Option<ChildId>,
}

struct Chat {
    conversation: Conversation<()>,
    child: ChildId,
}

impl Core for Parrot {
    type Launch = &'static str;

    fn parts(&mut self) -> (&mut Now, &mut crate::Client, &mut Processes<&'static str>) {
        (&mut self.now, &mut self.client, &mut self.processes)
    }
}

impl Adapter for Parrot {
    type Session = Chat;

    fn open(&mut self, sessions: &mut Sessions<Chat>, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        workspace.resolve(|path| path == Path::new("/project"), |_| Ok(()))?;
        let child = *self.child.get_or_insert_with(|| self.processes.start("parrot"));
        let id = how.continued().cloned().unwrap_or_else(|| SessionId::new("polly"));
        let modes = SessionModeState::new("loud", Vec::new());
        self.client.opened(&key, &how, &id, modes, Vec::new());
        sessions.insert(id.0.clone(), Chat { conversation: Conversation::new(id), child });
        Ok(())
    }

    fn list(
        &mut self,
        _: &mut Sessions<Chat>,
        key: &RequestKey,
        _: ListSessionsRequest,
    ) -> Result<(), Error> {
        self.client.reply(key, ListSessionsResponse::new(Vec::new()));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, _: SessionId) -> Result<(), Error> {
        self.client.reply(key, DeleteSessionResponse::new());
        Ok(())
    }
}

impl Session for Chat {
    type Core = Parrot;
    type Ask = ();

    fn conversation(&mut self) -> &mut Conversation<()> {
        &mut self.conversation
    }

    fn is_busy(&self) -> bool {
        self.conversation.is_awaited()
    }

    fn start_next(&mut self, core: &mut Parrot) {
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let [PromptPart::Text(text)] = prompt.parts.as_slice() else { panic!("{:?}", prompt.parts) };
        core.processes.write(self.child, format!("{}\n", json!(text)).into_bytes());
    }

    fn interrupt(&mut self, core: &mut Parrot) {
        self.conversation.withdraw_all(&mut core.client);
        self.conversation.finish(&mut core.client, Ok(StopReason::Cancelled), None);
    }

    fn on_reply(&mut self, core: &mut Parrot, _: &str, (): (), reply: Reply) {
        core.processes.write(self.child, format!("{}\n", json!(chosen(reply))).into_bytes());
    }

    fn set(&mut self, _: &mut Parrot, request: SetRequest) -> Result<(), Error> {
        Err(invalid(format!("no option {}", request.option)))
    }

    fn close(&mut self, core: &mut Parrot) {
        self.cancel(core);
        self.conversation.close(&mut core.client);
    }

    fn wake(&self) -> Option<Duration> {
        self.conversation.is_awaited().then(|| Duration::from_secs(60))
    }

    fn tick(&mut self, core: &mut Parrot) {
        self.conversation.finish(&mut core.client, Ok(StopReason::MaxTurnRequests), None);
    }

    fn owns(&self, child: ChildId) -> bool {
        self.child == child
    }

    fn on_line(&mut self, core: &mut Parrot, line: InputLine<'_>) {
        match line {
            InputLine::Whole(b"\"may I?\"") => {
                let call = ToolCallUpdate::new("call", ToolCallUpdateFields::new());
                let yes = PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce);
                self.conversation.ask_permission(&mut core.client, "ask", (), call, vec![yes]);
            }
            _ => {
                self.conversation.finish(&mut core.client, Ok(StopReason::EndTurn), None);
                self.send_next(core);
            }
        }
    }
}

#[derive(Default)]
struct Process(Vec<Value>);

impl Peer for Process {
    fn wrote(&mut self, line: Value) {
        self.0.push(line);
    }
}

type Client = testing::Client<Parrot, Process>;

fn silent() -> Client {
    let (now, client, processes) = new_parts(&PROFILE);
    let parrot = Parrot { now, client, processes, child: None };
    testing::Client::new(Machine::new(parrot), Process::default())
}

fn open() -> Client {
    let mut client = silent();
    client.greet(json!({}));
    let opened = client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
    assert_eq!(answer(&opened)["result"]["sessionId"], "polly");
    client
}

#[test]
fn nothing_is_served_before_hello_nor_what_the_agent_cannot() {
    let mut client = silent();
    let place = json!({ "cwd": "/project", "mcpServers": [] });
    assert_eq!(answer(&client.call("session/new", place))["error"]["code"], -32600);
    let hello = client.greet(json!({}));
    let able = &answer(&hello)["result"]["agentCapabilities"];
    assert!(able["sessionCapabilities"]["fork"].is_null() && able["loadSession"] == true, "{able}");
    for unknown in ["session/fork", "session/set_model", "logout", "session/sing"] {
        assert_eq!(answer(&client.call(unknown, json!({})))["error"]["code"], -32601, "{unknown}");
    }
    let wrong = client.call("authenticate", json!({ "methodId": "other" }));
    assert_eq!(answer(&wrong)["error"]["code"], -32602);
    assert_eq!(answer(&client.call("authenticate", json!({ "methodId": "none" })))["result"], json!({}));
}

#[test]
fn a_place_has_to_be_one_that_the_agent_can_work_in() {
    let mut client = silent();
    client.greet(json!({}));
    for (place, reason) in [
        (json!({ "cwd": "project", "mcpServers": [] }), "not an absolute path: project"),
        (json!({ "cwd": "/nowhere", "mcpServers": [] }), "no such directory: /nowhere"),
        (
            json!({ "cwd": "/nowhere", "additionalDirectories": ["/project"], "mcpServers": [] }),
            "Parrot works in one directory",
        ),
    ] {
        let refused = client.call("session/new", place);
        assert_eq!(answer(&refused)["error"]["data"]["reason"], reason);
    }
    assert!(client.starts.is_empty());
}

#[test]
fn prompts_wait_for_each_other_and_each_can_be_cancelled() {
    let mut client = open();
    assert!(client.prompt_in("polly", "one").is_empty());
    assert!(client.prompt_in("polly", "two").is_empty());
    assert!(client.prompt_in("polly", "three").is_empty());
    assert_eq!(client.peer.0, [json!("one")]);
    let second = client.notify("$/cancel_request", json!({ "requestId": 4 }));
    assert_eq!((&second[0]["id"], &second[0]["error"]["code"]), (&json!(4), &json!(-32800)));
    assert!(client.notify("$/cancel_request", json!({ "requestId": 4 })).is_empty(), "it is answered");
    let first = client.native(&json!("done"));
    assert_eq!((first[0]["id"].clone(), stop_reason(&first)), (json!(3), "end_turn"));
    assert!(client.prompt_in("polly", "four").is_empty());
    let all = client.cancel_in("polly");
    assert_eq!(all.iter().map(|message| &message["id"]).collect::<Vec<_>>(), [6, 5]);
}

#[test]
fn questions_find_their_way_there_and_back() {
    let mut client = open();
    client.prompt_in("polly", "one");
    let asked = request(&client.native(&json!("may I?")), "session/request_permission");
    client.choose(&asked, "yes");
    assert_eq!(client.peer.0, [json!("one"), json!({ "Ok": "yes" })]);
    client.choose(&asked, "yes");
    assert_eq!(client.peer.0.len(), 2, "what was answered is not answered again");
    let open = request(&client.native(&json!("may I?")), "session/request_permission");
    let cancelled = client.cancel_in("polly");
    assert_eq!(request(&cancelled, "$/cancel_request")["params"]["requestId"], open["id"]);
}

#[test]
fn time_is_told_and_what_is_closed_is_forgotten() {
    let mut client = open();
    client.prompt_in("polly", "one");
    assert_eq!(client.machine.wake(), Some(Duration::from_secs(60)));
    assert!(client.pass(Duration::from_secs(59)).is_empty());
    assert_eq!(stop_reason(&client.pass(Duration::from_secs(1))), "max_turn_requests");
    assert_eq!(answer(&client.call("session/close", json!({ "sessionId": "polly" })))["result"], json!({}));
    assert!(client.machine.sessions.is_empty());
    let gone = client.call("session/close", json!({ "sessionId": "polly" }));
    assert_eq!(answer(&gone)["error"]["message"], "Session not found: polly");
    assert_eq!(answer(&client.call("session/delete", json!({ "sessionId": "polly" })))["result"], json!({}));
}

//! The smallest adapter there is, and what it gets for being one.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::testing::{self, Peer, answer, request, stop_reason};
use crate::{
    AskReason, Conversation, Core, Io, Login, Machine, PermissionRequest, Profile, PromptPart, Reply,
    SetRequest, chosen,
};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, ListSessionsResponse, PermissionOption, PermissionOptionKind, SessionModeState,
    StopReason, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) static PROFILE: Profile = Profile {
    name: "parrot",
    title: "Parrot",
    namespace: "parrot",
    login: Login { id: "none", name: "None", description: "Nothing to do" },
    extras: &[],
};

/// One process for all sessions: it asks `may I?`, and is done with a prompt when it says `done`.
struct Parrot {
    io: Io<&'static str>,
    child: Option<ChildId>,
}

struct Chat {
    conversation: Conversation<()>,
    child: ChildId,
}

impl Core for Parrot {
    type Launch = &'static str;
    type Session = Chat;

    fn io(&mut self) -> &mut Io<&'static str> {
        &mut self.io
    }
}

impl Adapter for Parrot {
    fn open(&mut self, sessions: &mut Sessions<Chat>, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, .. } =
            request.resolve(|path| path == Path::new("/project"), |_| Ok(()))?;
        let child = *self.child.get_or_insert_with(|| self.io.processes.start("parrot"));
        let id = how.continued().cloned().unwrap_or_else(|| SessionId::new("polly"));
        let modes = SessionModeState::new("loud", Vec::new());
        self.io.client.opened(&key, &how, &id, modes, Vec::new());
        sessions.insert(id.0.clone(), Chat { conversation: Conversation::new(id), child });
        Ok(())
    }

    fn list(&mut self, _: &mut Sessions<Chat>, request: ListRequest) -> Result<(), Error> {
        self.io.client.reply(&request.key, ListSessionsResponse::new(Vec::new()));
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, _: SessionId) -> Result<(), Error> {
        self.io.client.reply(key, DeleteSessionResponse::new());
        Ok(())
    }
}

impl Session<Parrot> for Chat {
    type Ask = ();

    fn conversation(&mut self) -> &mut Conversation<()> {
        &mut self.conversation
    }

    fn process(&self) -> Option<ChildId> {
        Some(self.child)
    }

    fn start_next(&mut self, core: &mut Parrot) {
        if self.conversation.is_awaited() {
            return;
        }
        let Some(prompt) = self.conversation.next_prompt() else { return };
        let [PromptPart::Text(text)] = prompt.parts.as_slice() else { panic!("{:?}", prompt.parts) };
        core.io.processes.write(self.child, format!("{}\n", json!(text)).into_bytes());
    }

    fn interrupt(&mut self, core: &mut Parrot) {
        self.conversation.withdraw_all(&mut core.io.client);
        self.conversation.finish(&mut core.io.client, Ok(StopReason::Cancelled), None);
    }

    fn on_reply(&mut self, core: &mut Parrot, _: &str, (): (), reply: Reply) {
        core.io.processes.write(self.child, format!("{}\n", json!(chosen(reply))).into_bytes());
    }

    fn set(&mut self, _: &mut Parrot, request: SetRequest) -> Result<(), Error> {
        Err(invalid(format!("no option {}", request.setting.option)))
    }

    fn close(&mut self, core: &mut Parrot) {
        self.conversation.close(&mut core.io.client);
    }

    fn wake(&self) -> Option<Duration> {
        self.conversation.is_awaited().then(|| Duration::from_secs(60))
    }

    fn tick(&mut self, core: &mut Parrot) {
        self.conversation.finish(&mut core.io.client, Ok(StopReason::MaxTurnRequests), None);
    }

    fn on_line(&mut self, core: &mut Parrot, line: &[u8]) {
        match line {
            b"\"may I?\"" => {
                let call = ToolCallUpdate::new("call", ToolCallUpdateFields::new());
                let yes = PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce);
                let request = PermissionRequest { call, options: vec![yes], reason: AskReason::Needed };
                self.conversation.ask_permission(&mut core.io.client, "ask", (), request);
            }
            _ => {
                self.conversation.finish(&mut core.io.client, Ok(StopReason::EndTurn), None);
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
    let parrot = Parrot { io: Io::new(&PROFILE), child: None };
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

//! `sandbox-agent api sessions …`.

mod bodies;
mod events;
mod messages;
mod moving;

use super::{print, show};
use crate::args::{AnswerArgs, CreateArgs, ListArgs, SessionsCommand};
use crate::commands::render::{NONE, Table, age, or_none, print_text};
use crate::commands::terminal::key_variable;
use crate::failure::Failure;
use anyhow::anyhow;
pub(crate) use bodies::{CLIENT, read_text};
pub(crate) use moving::export;
use sa_api::Timestamp;
use sa_api::sessions::{AgentError, ForkSession, QuestionReply, QueueOrder, Session, SessionList};
use sa_client::{Client, Page, SessionQuery};
use sa_terminal::{Explanation, explain_agent_error};
use std::io;

/// The most sessions that the daemon returns at once.
const LARGEST_PAGE: usize = 1000;

pub(super) async fn call(client: &Client, command: SessionsCommand) -> Result<(), Failure> {
    match command {
        SessionsCommand::List(args) => list(client, args).await,
        SessionsCommand::Create(args) => create(client, args).await,
        SessionsCommand::Get(args) => show(args.output, client.get_session(&args.id), describe).await,
        SessionsCommand::Patch(args) => {
            let (id, output) = (args.id.clone(), args.output);
            show(output, client.patch_session(&id, &bodies::patch(args)?), describe).await
        }
        SessionsCommand::Delete { id } => Ok(client.delete_session(&id).await?),
        SessionsCommand::Terminate(args) => {
            show(args.output, client.terminate_session(&args.id), print_state).await
        }
        SessionsCommand::Resume(args) => {
            let session = client.resume_session(&args.id).await?;
            print(args.output, &session, print_state)?;
            ready(&session)
        }
        SessionsCommand::Withdraw { id, message_id } => Ok(client.withdraw_message(&id, &message_id).await?),
        SessionsCommand::Reorder { id, message_ids, output } => {
            show(output, client.reorder_queue(&id, &QueueOrder { message_ids }), print_queue).await
        }
        SessionsCommand::Send(args) => events::send(client, args).await,
        SessionsCommand::Cancel(args) => {
            show(args.output, client.cancel_turn(&args.id), |result| {
                print_text(result.turn_id.as_deref().unwrap_or("nothing runs"))
            })
            .await
        }
        SessionsCommand::Fork { id, new_id, title, until, output } => {
            let fork = ForkSession { session_id: new_id, title, until };
            let created = client.fork_session(&id, &fork).await?;
            print(output, &created, |created| print_text(&created.session_id))?;
            ready(&created)
        }
        SessionsCommand::Messages(args) => messages::page(client, &args).await,
        SessionsCommand::Events { id, events, limit } => events::page(client, &id, &events, limit).await,
        SessionsCommand::Follow { id, events, json } => events::follow(client, &id, &events, json).await,
        SessionsCommand::Answer(args) => answer(client, args).await,
        SessionsCommand::Reject { id, question_id } => Ok(client.reject_question(&id, &question_id).await?),
        SessionsCommand::Decide(args) => {
            let (id, permission) = (args.id.clone(), args.permission_id.clone());
            Ok(client.reply_to_permission(&id, &permission, &bodies::decision(args)).await?)
        }
        SessionsCommand::Export { id, to } => moving::export(client, &id, to.as_deref()).await,
        SessionsCommand::Import { file, id, output } => {
            let upload = moving::open(file.as_deref())?;
            let imported = client.import_session(upload, id.as_deref());
            show(output, imported, |session| print_text(&session.session_id)).await
        }
    }
}

/// Creates a session under the given id, or under one that the daemon chooses.
async fn create(client: &Client, args: CreateArgs) -> Result<(), Failure> {
    let (id, key, output) = (args.id.clone(), args.idempotency_key.clone(), args.output);
    let body = bodies::create(args)?;
    let created = match id {
        Some(id) => client.create_session(&id, &body).await?,
        None => client.create_new_session(&body, key.as_deref()).await?,
    };
    print(output, &created, |created| print_text(&created.session_id))?;
    ready(&created)
}

fn print_state(session: &Session) -> io::Result<()> {
    print_text(session.state.name())
}

/// Prints the ids of messages that wait, the next one first.
fn print_queue(session: &Session) -> io::Result<()> {
    session.queue.iter().try_for_each(|message| print_text(&message.message_id))
}

async fn answer(client: &Client, args: AnswerArgs) -> Result<(), Failure> {
    let answers = match args.answers {
        Some(json) => bodies::parse("--answers", &json)?,
        None => args.answer.into_iter().map(|answer| vec![answer]).collect(),
    };
    let reply = QuestionReply { answers, client: Some(CLIENT.to_owned()) };
    Ok(client.reply_to_question(&args.id, &args.question_id, &reply).await?)
}

/// Lists sessions over as many pages as it takes.
async fn list(client: &Client, args: ListArgs) -> Result<(), Failure> {
    let most = args.limit.unwrap_or(usize::MAX);
    let mut pages = client.all_sessions(SessionQuery {
        page: Page { limit: Some(most.clamp(1, LARGEST_PAGE)), after: None },
        states: args.state,
        agents: args.agent,
        metadata: args.metadata,
        include_choices: args.choices,
    });
    let mut sessions = Vec::new();
    let mut has_more = false;
    while let Some(session) = pages.next().await? {
        if sessions.len() == most {
            has_more = true;
            break;
        }
        sessions.push(session);
    }
    print(args.output, &SessionList { sessions, has_more, next: None }, |list| table(&list.sessions).print())
}

/// Fails if the agent of a session is not ready.
fn ready(created: &Session) -> Result<(), Failure> {
    if created.healthy {
        return Ok(());
    }
    let id = &created.session_id;
    let again = format!("hint: session '{id}' exists; its next message tries again");
    Err(Failure::Failed(match &created.error {
        Some(error) => anyhow!("{}\n{again}", agent_error(&created.agent, error).text()),
        None => anyhow!("the agent is not ready\n{again}"),
    }))
}

/// Puts the error of a session's agent into words.
fn agent_error(agent: &str, error: &AgentError) -> Explanation {
    explain_agent_error(agent, error, key_variable(agent).as_deref())
}

fn table(sessions: &[Session]) -> Table {
    let mut table = Table::new(&["ID", "AGENT", "STATE", "QUEUED", "WAITING", "EVENTS", "AGE", "TITLE"]);
    let now = Timestamp::now().as_millis();
    for session in sessions {
        table.add(&[
            &session.session_id,
            &session.agent,
            session.state.name(),
            &session.queued.to_string(),
            &(session.questions.len() + session.permissions.len()).to_string(),
            &session.last_event_id.to_string(),
            &age(now.saturating_sub(session.created_at.as_millis())),
            session.title.as_deref().unwrap_or(NONE),
        ]);
    }
    table
}

fn describe(session: &Session) -> io::Result<()> {
    let mut rows = vec![
        ("id", session.session_id.clone()),
        ("agent", session.agent.clone()),
        ("state", session.state.name().to_owned()),
        ("turn", or_none(session.turn.as_ref().map(|turn| &turn.turn_id))),
        ("queued", format!("{}{}", session.queued, if session.queue_held { ", held" } else { "" })),
        ("agent mode", session.agent_mode.clone()),
        ("permission mode", session.permission_mode.name().to_owned()),
        ("model", or_none(session.model.as_ref().or_else(|| session.choices.as_ref()?.model.as_ref()))),
        ("directory", session.cwd.clone()),
        ("title", or_none(session.title.as_ref())),
        ("metadata", serde_json::to_string(&session.metadata)?),
        ("agent's own id", or_none(session.native_session_id.as_ref())),
        ("newest event", session.last_event_id.to_string()),
    ];
    for message in &session.queue {
        rows.push(("waiting message", message.message_id.clone()));
    }
    if let Some(error) = &session.error {
        let explanation = agent_error(&session.agent, error);
        rows.push(("error", explanation.what));
        rows.extend(explanation.next.map(|next| ("hint", next)));
    }
    for question in &session.questions {
        let texts: Vec<&str> = question.questions.iter().map(|question| question.question.as_str()).collect();
        rows.push(("question", format!("{}: {}", question.id, texts.join(" "))));
    }
    for permission in &session.permissions {
        rows.push(("permission", format!("{}: {}", permission.id, permission.title)));
    }
    Table::of_pairs(rows).print()
}

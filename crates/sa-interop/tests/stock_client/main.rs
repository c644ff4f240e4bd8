//! The official Rust client of ACP, unchanged, against the standard transport of the daemon.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod stock;

use agent_client_protocol::UntypedMessage;
use agent_client_protocol::v1::schema::{
    CancelNotification, CloseSessionRequest, ListSessionsRequest, LoadSessionRequest, StopReason,
};
use anyhow::Result;
use sa_testkit::{Daemon, daemon_path, until};
use serde_json::json;
use std::collections::HashSet;
use stock::{WAYS, described};

fn counted(count: u32) -> String {
    (1..=count).map(|number| format!("{number} ")).collect()
}

#[tokio::test]
async fn a_prompt_is_answered_with_all_its_updates() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        way.run(&daemon, "demo", async |stock| {
            assert_eq!(stock.greeting.agent_info.as_ref().unwrap().name, "demo");
            let session = stock.new_session().await?;
            assert_eq!(stock.ask(&session, "stream 300", &counted(300)).await?, StopReason::EndTurn);
            assert_eq!(stock.ask(&session, "say no\nstop refusal", "no").await?, StopReason::Refusal);
            assert_eq!(stock.said(&session), format!("{}no", counted(300)));
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn permissions_and_questions_are_answered() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        way.run(&daemon, "demo", async |stock| {
            let session = stock.new_session().await?;
            let allowed = "Permission for \"Deploy\": allow_once.";
            stock.ask(&session, "permission Deploy", allowed).await?;
            stock.ask(&session, "permission Deploy", &allowed.repeat(2)).await?;
            stock.ask(&session, "question", "Which color do you like? Green").await?;
            assert_eq!(stock.permissions(), 2);
            assert_eq!(stock.questions(), ["Which color do you like?"]);
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn sessions_run_side_by_side() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        way.run(&daemon, "demo", async |stock| {
            let (one, two) = (stock.new_session().await?, stock.new_session().await?);
            let ends = [format!("{}one", counted(50)), format!("{}two", counted(50))];
            let (first, second) = tokio::join!(
                stock.ask(&one, "stream 50 every 2\nsay one", &ends[0]),
                stock.ask(&two, "stream 50 every 2\nsay two", &ends[1]),
            );
            assert_eq!((first?, second?), (StopReason::EndTurn, StopReason::EndTurn));
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_turn_is_cancelled() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        way.run(&daemon, "demo", async |stock| {
            let session = stock.new_session().await?;
            let cancelling = async {
                stock.heard(&session, "begun").await?;
                let cancel = CancelNotification::new(session.clone());
                stock.connection.send_notification(cancel).map_err(described)
            };
            let (reason, cancelled) = tokio::join!(stock.prompt(&session, "say begun\nhang"), cancelling);
            cancelled?;
            assert_eq!(reason.map_err(described)?, StopReason::Cancelled);
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_session_is_loaded_with_its_history_by_another_connection() -> Result<()> {
    let state = tempfile::tempdir()?;
    let line = format!("{} acp demo --state-dir {}", daemon_path()?.display(), state.path().display());
    let daemon = Daemon::builder().agent("kept", &line).start().await?;
    for way in &WAYS {
        let session = way
            .run(&daemon, "kept", async |stock| {
                let session = stock.new_session().await?;
                stock.ask(&session, "say remember\nstream 100", &counted(100)).await?;
                Ok(session)
            })
            .await?;
        way.run(&daemon, "kept", async |stock| {
            let list = ListSessionsRequest::new();
            let list = stock.connection.send_request(list).block_task().await.map_err(described)?;
            assert!(list.sessions.iter().any(|listed| listed.session_id == session));
            let load = LoadSessionRequest::new(session.clone(), "/");
            stock.connection.send_request(load).block_task().await.map_err(described)?;
            stock.heard(&session, &format!("remember{}", counted(100))).await?;
            stock.ask(&session, "say more", "more").await?;
            let close = CloseSessionRequest::new(session.clone());
            stock.connection.send_request(close).block_task().await.map_err(described)?;
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn errors_of_the_agent_leave_the_connection_alone() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        way.run(&daemon, "demo", async |stock| {
            let unknown = UntypedMessage::new("_no/such", json!({ "a": 1 })).map_err(described)?;
            let refused = stock.connection.send_request(unknown).block_task().await.unwrap_err();
            assert_eq!(i32::from(refused.code), -32601);
            let session = stock.new_session().await?;
            let failed = stock.prompt(&session, "error -32050 No luck").await.unwrap_err();
            assert_eq!((i32::from(failed.code), failed.message.as_str()), (-32050, "No luck"));
            stock.ask(&session, "say still here", "still here").await?;
            Ok(())
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_end_of_an_agent_is_told_and_the_next_connection_works() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for way in &WAYS {
        let ended = way
            .run(&daemon, "demo", async |stock| {
                let session = stock.new_session().await?;
                Ok(stock.prompt(&session, "crash 3").await.unwrap_err())
            })
            .await?;
        assert_eq!(i32::from(ended.code), -32603, "{}: {ended:?}", way.name);
        assert_eq!(ended.data.unwrap()["code"], json!(3), "{}", way.name);
        way.run(&daemon, "demo", async |stock| stock.new_session().await).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_closed_connection_leaves_no_agent() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let pids = || daemon.children().into_iter().map(|process| process.pid).collect::<HashSet<_>>();
    for way in &WAYS {
        let during = way.run(&daemon, "demo", async |_| Ok(pids())).await?;
        // The launcher outlives its agents; the agent itself must go.
        until("the agent to be gone", || during.difference(&pids()).next().is_some()).await?;
    }
    Ok(())
}

//! Several prompts, several sessions.

use crate::fifo::Fifo;
use crate::policy::Policy;
use crate::script::{say, script};
use crate::stage::Stage;
use anyhow::{Result, ensure};

pub(crate) async fn queued_prompts(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Leave);
    let script = script().write("first.txt", "one\n").then().say("The first.");
    let (first, question) = session.begin_asked(&stage.text(&script)?).await?;
    let second = session.begin(&stage.text(&say("The second."))?).await?;
    let third = session.begin(&stage.text(&say("The third."))?).await?;
    stage.reply(&question, &Policy::Choose("allow_once")).await?;
    let first = first.end().await?;
    ensure!(first.stop_reason() == "end_turn" && first.text().ends_with("The first."), "{first:?}");
    let position = |messages: &[serde_json::Value], text: &str| {
        let all: String = messages.iter().filter_map(crate::session::said_by).collect();
        all.find(text)
    };
    ensure!(
        position(&first.messages, "The second.").is_none(),
        "the second comes after the first: {first:?}"
    );
    let (second, third) = (second.end().await?, third.end().await?);
    ensure!(second.stop_reason() == "end_turn" && third.stop_reason() == "end_turn", "{second:?} {third:?}");
    let order =
        ["The first.", "The second.", "The third."].map(|text| position(&session.messages_since(0), text));
    ensure!(order.iter().all(Option::is_some) && order.is_sorted(), "one after the other: {order:?}");
    Ok(())
}

pub(crate) async fn several_sessions(stage: &Stage) -> Result<()> {
    let (one, two) = (stage.asking_session().await?, stage.asking_session().await?);
    ensure!(one.id != two.id, "two sessions");
    stage.answer_with(Policy::Leave);
    let script = script().write("one.txt", "one\n").then().say("From one.");
    let (waiting, question) = one.begin_asked(&stage.text(&script)?).await?;
    // While one waits for its user, the other works.
    let turn = two.turn(&stage.text(&say("From two."))?).await?;
    ensure!(turn.text() == "From two.", "said: {:?}", turn.text());
    ensure!(!waiting.is_over(), "the first one still waits");
    stage.reply(&question, &Policy::Choose("allow_once")).await?;
    let turn = waiting.end().await?;
    ensure!(turn.text().ends_with("From one.") && !turn.text().contains("two"), "said: {:?}", turn.text());
    ensure!(stage.file("one.txt").is_some(), "and did its work");
    work_at_once(stage).await
}

async fn work_at_once(stage: &Stage) -> Result<()> {
    const NAMES: [&str; 4] = ["north", "east", "south", "west"];
    let mut sessions = Vec::new();
    for name in NAMES {
        sessions.push((name, stage.free_session().await?, Fifo::new(&stage.project, name)?));
    }
    let mut running = Vec::new();
    for (name, session, gate) in &sessions {
        let script = script().shell(&format!("sort {name}")).then().say(&format!("From the {name}."));
        running.push((name, session.begin(&stage.text(&script)?).await?, gate));
    }
    // Each can be opened only while its reader runs: all of them run at once.
    let mut writers = Vec::new();
    for (name, _, gate) in &running {
        writers.push((name, gate.writer().await?));
    }
    for (name, mut writer) in writers {
        writer.write(&format!("it is {name}\n"))?;
    }
    for (name, turn, _) in running {
        let turn = turn.end().await?;
        ensure!(turn.text().ends_with(&format!("From the {name}.")), "said: {:?}", turn.text());
        let others = NAMES.iter().filter(|other| *other != name);
        let strays: Vec<_> = others.filter(|other| turn.text().contains(**other)).collect();
        ensure!(strays.is_empty(), "{name} heard what was said to {strays:?}: {:?}", turn.text());
        let (output, _) = turn.tool("execute")?.ran(stage.host())?;
        ensure!(output.contains(&format!("it is {name}")), "printed: {output:?}");
    }
    Ok(())
}

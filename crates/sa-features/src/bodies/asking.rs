//! Questions to the user.

use crate::policy::Policy;
use crate::script::{Step, script};
use crate::stage::Stage;
use anyhow::{Result, ensure};
use serde_json::json;

pub(crate) async fn question(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    stage.answer_with(Policy::Fill(json!({ "question_1": "Blue" })));
    let script = script().step(Step::Question).then().step(Step::SayResult);
    let turn = session.turn(&stage.text(&script)?).await?;
    let questions = turn.questions();
    ensure!(questions.len() == 1 && questions[0]["method"] == "elicitation/create", "{questions:?}");
    let property = &questions[0]["params"]["requestedSchema"]["properties"]["question_1"];
    ensure!(["Red", "Green", "Blue"].iter().all(|word| property.to_string().contains(word)), "{property}");
    ensure!(turn.text().contains("Blue"), "the agent has the answer: {:?}", turn.text());
    Ok(())
}

pub(crate) async fn question_without_forms(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    stage.answer_with(Policy::Pick("Green"));
    let script = script().step(Step::Question).then().step(Step::SayResult);
    let turn = session.turn(&stage.text(&script)?).await?;
    let questions = turn.questions();
    ensure!(questions.len() == 1 && questions[0]["method"] == "session/request_permission", "{questions:?}");
    ensure!(turn.text().contains("Green"), "the agent has the answer: {:?}", turn.text());
    Ok(())
}

pub(crate) async fn question_rejected(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    stage.answer_with(Policy::Decline);
    let script = script().step(Step::Question).then().say("Never mind.");
    let turn = session.turn(&stage.text(&script)?).await?;
    ensure!(turn.questions().len() == 1, "{:?}", turn.questions());
    ensure!(turn.text().ends_with("Never mind."), "the turn goes on: {:?}", turn.text());
    Ok(())
}

//! When the model, its API or the agent's own program fails.

use crate::log::Entry;
use crate::script::{Script, Step, say, script};
use crate::session::{Session, Turn};
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The session takes the next prompt as if nothing had happened.
async fn goes_on(stage: &Stage, session: &Session<'_>) -> Result<()> {
    let after = session.turn(&stage.text(&say("Going on."))?).await?;
    ensure!(after.text() == "Going on.", "said: {:?}", after.text());
    Ok(())
}

/// Prompts with a script on which the prompt must fail, and checks that the error is clear and the session continues.
async fn fails(stage: &Stage, script: &Script) -> Result<Turn> {
    let session = stage.session().await?;
    let turn = session.prompt(&stage.text(script)?).await?;
    let error = turn.error()?;
    ensure!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    ensure!(!turn.text().contains("API Error"), "an error is not what the model says: {:?}", turn.text());
    goes_on(stage, &session).await?;
    Ok(turn)
}

fn failing(status: u16) -> Script {
    script().step(Step::Fail { status, times: None }).say("Never said.")
}

pub(crate) async fn auth_required(stage: &Stage) -> Result<()> {
    let params = json!({ "cwd": stage.project, "mcpServers": [] });
    let answer = stage.attempt("session/new", &params).await?;
    ensure!(answer["error"]["code"] == -32000, "{answer}");
    let methods = stage.hello["authMethods"].as_array();
    ensure!(methods.is_some_and(|methods| !methods.is_empty()), "how to log in is told: {}", stage.hello);
    ensure!(stage.conversations()?.is_empty(), "the model is not asked");
    Ok(())
}

pub(crate) async fn error_401(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.prompt(&stage.text(&failing(401))?).await?;
    ensure!(turn.error()?["code"] == -32000, "{}", turn.answer);
    let tries = stage.conversations()?.len();
    ensure!(tries == 1, "it is not tried again with credentials that are wrong: {tries} times");
    goes_on(stage, &session).await
}

pub(crate) async fn error_429(stage: &Stage) -> Result<()> {
    let turn = fails(stage, &failing(429)).await?;
    ensure!(turn.error()?["data"]["errorKind"] == "rate_limit", "{}", turn.answer);
    Ok(())
}

pub(crate) async fn error_529_retried(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().step(Step::Fail { status: 529, times: Some(1) }).say("Here I am.");
    let turn = session.turn(&stage.text(&script)?).await?;
    ensure!(turn.text() == "Here I am.", "said: {:?}", turn.text());
    ensure!(stage.conversations()?.len() >= 2, "it was tried again");
    Ok(())
}

pub(crate) async fn retry_told(stage: &Stage) -> Result<()> {
    let status = stage.subject.retried_status();
    let session = stage.session().await?;
    let script = script().step(Step::Fail { status, times: Some(1) }).say("Here I am.");
    let turn = session.turn(&stage.text(&script)?).await?;
    ensure!(turn.text() == "Here I am.", "said: {:?}", turn.text());
    let told = turn.messages.iter().any(|message| message.to_string().contains(&status.to_string()));
    ensure!(told, "the client knows why it takes long: {:?}", turn.messages);
    Ok(())
}

pub(crate) async fn cut_stream(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().say("The first half.").step(Step::Cut { times: Some(1) }).say("The second half.");
    let turn = session.prompt(&stage.text(&script)?).await?;
    // Some versions try again, others give up; none may pretend that all was said.
    match turn.answer.get("error") {
        Some(error) => ensure!(error["message"].as_str().is_some_and(|it| !it.is_empty()), "{error}"),
        None => ensure!(turn.text().contains("The second half."), "said: {:?}", turn.text()),
    }
    goes_on(stage, &session).await
}

pub(crate) async fn hanging_model(stage: &Stage) -> Result<()> {
    stage.asked_of_model()?;
    let session = stage.session().await?;
    let running = session.begin(&stage.text(&script().step(Step::Hang))?).await?;
    sa_testkit::until("the model to be asked", || stage.conversations().is_ok_and(|all| !all.is_empty()))
        .await?;
    ensure!(!running.is_over(), "nothing is heard");
    session.cancel().await?;
    let turn = running.end().await?;
    ensure!(turn.stop_reason() == "cancelled", "{}", turn.answer);
    goes_on(stage, &session).await
}

pub(crate) async fn unknown_model(stage: &Stage) -> Result<()> {
    stage.asked_of_model()?;
    let session = stage.session().await?;
    let id = session.option("model")?["id"].as_str().context("an id")?.to_owned();
    let before = session.option("model")?["currentValue"].as_str().context("a model")?.to_owned();
    session.set_option(&id, "no-such-model").await?;
    let turn = session.prompt(&stage.text(&failing(404))?).await?;
    let error = turn.error()?;
    let asked = stage.conversations()?.pop().context("a request")?;
    ensure!(asked["model"] == "no-such-model", "the model that was chosen is asked: {}", asked["model"]);
    ensure!(error["data"]["errorKind"] == "model_not_found", "{error}");
    session.set_option(&id, &before).await?;
    goes_on(stage, &session).await
}

pub(crate) async fn refusal(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.prompt(&stage.text(&script().say("I").step(Step::Stop("refusal")))?).await?;
    ensure!(turn.stop_reason() == "refusal", "{}", turn.answer);
    goes_on(stage, &session).await
}

pub(crate) async fn max_tokens(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().say("And so on").step(Step::Stop("max_tokens"));
    let turn = session.prompt(&stage.text(&script)?).await?;
    ensure!(turn.stop_reason() == "max_tokens", "{}", turn.answer);
    goes_on(stage, &session).await
}

pub(crate) async fn crash(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    session.turn(&stage.text(&say("The word is xyzzy."))?).await?;
    let running = session.begin(&stage.text(&script().say("Wait").step(Step::Hang))?).await?;
    running.said("Wait").await?;
    let pids = stage.native_processes();
    let [pid] = pids.as_slice() else { anyhow::bail!("no program of the agent's own: {pids:?}") };
    stage.kill(*pid)?;
    let turn = running.end().await?;
    let error = turn.error()?;
    ensure!(error["data"]["signal"] == 9, "it tells what happened: {error}");
    goes_on(stage, &session).await?;
    let last = stage.last_dialogue()?;
    ensure!(last.contains("The word is xyzzy."), "nothing that was said is lost: {last}");
    ensure!(stage.native_processes() != pids, "another process does the work");
    Ok(())
}

pub(crate) async fn unknown_lines(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.turn(&stage.text(&script().step(Step::Noise).say("Unimpressed."))?).await?;
    ensure!(turn.text() == "Unimpressed.", "said: {:?}", turn.text());
    let is_kept = |entry: &Entry| match entry {
        Entry::Message(message) => unparsed(&message["params"]["update"]),
        Entry::Fact { name, .. } => name == "unparsed",
    };
    ensure!(stage.log().since(0).iter().any(is_kept), "what is not understood is passed on");
    Ok(())
}

/// Returns whether an update reports a line that was not understood, outside of the protocol.
fn unparsed(update: &Value) -> bool {
    let own = update["_meta"].as_object();
    own.is_some_and(|own| own.values().any(|about| !about["unparsed"].is_null()))
}

//! Asking before something is changed.

use crate::policy::Policy;
use crate::script::script;
use crate::stage::Stage;
use anyhow::{Result, ensure};

pub(crate) async fn permission_once(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Choose("allow_once"));
    for name in ["first.txt", "second.txt"] {
        let script = script().write(name, "allowed\n").then().say("Done.");
        let turn = session.turn(&stage.text(&script)?).await?;
        ensure!(turn.questions().len() == 1, "asked about each: {:?}", turn.questions());
        ensure!(stage.file(name).is_some(), "{name} is there");
        ensure!(turn.tool("edit")?.status() == "completed", "{:?}", turn.tools());
    }
    Ok(())
}

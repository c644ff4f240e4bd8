//! Words and thoughts.

use crate::script::say;
use crate::stage::Stage;
use anyhow::{Result, ensure};

pub(crate) async fn text(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.turn(&stage.text(&say("Hello over there."))?).await?;
    ensure!(turn.text() == "Hello over there.", "said: {:?}", turn.text());
    let again = session.turn(&stage.text(&say("Hello again."))?).await?;
    ensure!(again.text() == "Hello again.", "said: {:?}", again.text());
    Ok(())
}

//! A client of everything else: files, commands, and copies of sessions.

use super::Round;
use super::reading::Page;
use crate::dice::Dice;
use crate::model::{Fate, Files, Session};
use crate::wire::{Outcome, Trouble, Wire};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Files that it writes again and again.
const FILES: u64 = 4;

/// Writes and reads files, runs commands, exports and imports.
pub(crate) struct Visitor {
    wire: Wire,
    sessions: Vec<Arc<Session>>,
    files: Arc<Files>,
    directory: PathBuf,
    dice: Dice,
    name: String,
    serial: u64,
}

impl Visitor {
    pub(crate) fn new(
        wire: &Wire,
        sessions: &[Arc<Session>],
        files: &Arc<Files>,
        directory: PathBuf,
        dice: Dice,
        name: String,
    ) -> Self {
        let sessions = sessions.to_vec();
        Self { wire: wire.clone(), sessions, files: Arc::clone(files), directory, dice, name, serial: 0 }
    }

    /// Acts until the round is over or the daemon is gone.
    pub(crate) async fn run(mut self, round: Round) {
        while !round.is_over() {
            self.serial += 1;
            let outcome = match self.dice.below(10) {
                0..4 => self.write_file().await,
                4..7 => self.read_file().await,
                7..9 => self.run_command().await,
                _ => self.copy_session().await,
            };
            if outcome.status() == 0 && self.wire.may_break() {
                return;
            }
            tokio::time::sleep(self.dice.millis(5, 120)).await;
        }
    }

    fn file(&mut self) -> String {
        self.directory.join(format!("file-{}", self.dice.below(FILES))).display().to_string()
    }

    async fn write_file(&mut self) -> Outcome {
        let path = self.file();
        let line = format!("{}-{}\n", self.name, self.serial);
        let content = line.repeat(usize::try_from(self.dice.between(1, 4000)).unwrap_or(1));
        self.files.is_being_written(&path, &content);
        let request = self.wire.http.put(&format!("/v1/fs/file?path={path}")).body(content.clone());
        let outcome = self.wire.send("files", request, |status| matches!(status, 200 | 201)).await;
        if matches!(outcome.status(), 200 | 201) {
            self.files.was_written(&path, &content);
        }
        outcome
    }

    async fn read_file(&mut self) -> Outcome {
        let path = self.file();
        let request = self.wire.http.get(&format!("/v1/fs/file?path={path}"));
        let outcome = self.wire.send("files", request, |status| matches!(status, 200 | 404)).await;
        let content = match &outcome {
            Outcome::Reply(reply) if reply.status == 200 => Some(reply.text()),
            Outcome::Reply(reply) if reply.status == 404 => None,
            Outcome::Reply(_) | Outcome::Lost => return outcome,
        };
        let wrong = self.files.judge(&path, content.as_deref());
        self.wire.oracle.expect(wrong.is_none(), "files", || wrong.clone().unwrap_or_default());
        outcome
    }

    async fn run_command(&mut self) -> Outcome {
        let nonce = format!("{}-{}", self.name, self.serial);
        let script = format!("sleep 300 & echo {nonce}; echo problem >&2; exit 3");
        let body = json!({ "command": "sh", "args": ["-c", script], "timeoutMs": 20000 });
        let request = self.wire.http.post("/v1/processes/run").json(body.to_string());
        let outcome = self.wire.send("run", request, |status| status == 200).await;
        if let Outcome::Reply(reply) = &outcome
            && reply.status == 200
            && self.wire.trouble() == Trouble::None
        {
            let result: Value = reply.json().unwrap_or_default();
            let is_right = result["stdout"] == format!("{nonce}\n") && result["stderr"] == "problem\n";
            // A fault may have killed the command.
            let is_whole = is_right && result["exitCode"] == 3 || result["signal"] == 9;
            self.wire.oracle.expect(is_whole, "run", || format!("{nonce}: {result}"));
        }
        outcome
    }

    /// Exports a session that others use, imports it under another id, and deletes the copy.
    async fn copy_session(&mut self) -> Outcome {
        let Some(session) = self.dice.pick(&self.sessions).cloned() else { return Outcome::Lost };
        let allowed = |status| status == 200 || session.fate().allows(status);
        let (request, is_deleted) =
            (self.wire.http.get(&session.path("/export")), || session.fate() == Fate::Deleting);
        let exported = self.wire.send_for(&session.id, request, allowed, is_deleted).await;
        let Outcome::Reply(export) = &exported else { return exported };
        if export.status != 200 {
            return exported;
        }
        let copy = format!("copy-{}-{}", self.name, self.serial);
        let request =
            self.wire.http.post(&format!("/v1/sessions/import?sessionId={copy}")).body(export.body.clone());
        let request = request.header("content-type", "application/x-ndjson");
        let imported = self.wire.send(&copy, request, |status| status == 201).await;
        if imported.status() != 201 {
            return imported;
        }
        let lines = export.text().lines().count();
        let page = self.wire.http.get(&format!("/v1/sessions/{copy}/events?limit=1000"));
        if let Outcome::Reply(reply) = self.wire.send(&copy, page, |status| status == 200).await
            && reply.status == 200
        {
            let (events, has_more) = match Page::read(&reply) {
                Ok(page) => (page.events, page.has_more),
                Err(_) => (Vec::new(), false),
            };
            let is_ordered = events.iter().map(|(id, _)| *id).eq(1..=events.len() as u64);
            // The first line is the record; the end of what was under way is added.
            let is_complete = has_more || events.len() + 1 >= lines;
            self.wire.oracle.expect(is_ordered && is_complete, &copy, || {
                format!("{} lines of {} became {} events", lines, session.id, events.len())
            });
        }
        self.wire
            .send(&copy, self.wire.http.delete(&format!("/v1/sessions/{copy}")), |status| status == 204)
            .await
    }
}

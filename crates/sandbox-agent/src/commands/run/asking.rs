//! What an agent asks, decided by whoever sits at the terminal, or else by a flag.

use crate::args::PermissionArg;
use crate::commands::api::explain;
use crate::commands::api::sessions::CLIENT;
use crate::commands::transcript::{Transcript, printable};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use sa_api::sessions::{
    EventData, PermissionReply, PermissionReplyKind, PermissionRequest, Question, QuestionReply,
    QuestionRequest,
};
use sa_client::{Client, ClientError};
use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};
use tokio::sync::mpsc;

/// Lines that may be typed ahead.
const LINES: usize = 16;

/// Whether somebody can be asked.
pub(super) fn at_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// What waits for a decision, the oldest first.
pub(super) struct Asking<'a> {
    client: &'a Client,
    session: &'a str,
    at_terminal: bool,
    permission: Option<PermissionArg>,
    open: VecDeque<Open>,
    /// Lines that are typed; read by a thread of its own from the first question on.
    lines: Option<mpsc::Receiver<String>>,
}

enum Open {
    Permission(PermissionRequest),
    Question { request: QuestionRequest, answers: Vec<Vec<String>> },
}

impl Open {
    fn id(&self) -> &str {
        match self {
            Self::Permission(request) => &request.id,
            Self::Question { request, .. } => &request.id,
        }
    }
}

impl<'a> Asking<'a> {
    pub(super) fn new(
        client: &'a Client,
        session: &'a str,
        at_terminal: bool,
        permission: Option<PermissionArg>,
    ) -> Self {
        Self { client, session, at_terminal, permission, open: VecDeque::new(), lines: None }
    }

    /// A line that was typed, while something is asked; nothing at the end of the input.
    pub(super) async fn line(&mut self) -> Option<String> {
        match &mut self.lines {
            Some(lines) if !self.open.is_empty() => lines.recv().await,
            _ => std::future::pending().await,
        }
    }

    /// Takes note of what is asked, and of what others have decided.
    pub(super) async fn heed(
        &mut self,
        data: &EventData,
        transcript: &mut Transcript,
    ) -> Result<(), Failure> {
        let open = match data {
            EventData::PermissionAsked(request) => Open::Permission(request.clone()),
            EventData::QuestionAsked(request) => {
                Open::Question { request: request.clone(), answers: Vec::new() }
            }
            EventData::PermissionResolved(resolved) => return self.close(&resolved.id, transcript),
            EventData::QuestionResolved(resolved) => return self.close(&resolved.id, transcript),
            _ => return Ok(()),
        };
        if !self.at_terminal {
            return self.decide_alone(open, transcript).await;
        }
        self.open.push_back(open);
        self.lines.get_or_insert_with(typed_lines);
        if self.open.len() == 1 { self.prompt(transcript) } else { Ok(()) }
    }

    fn close(&mut self, id: &str, transcript: &mut Transcript) -> Result<(), Failure> {
        let first = self.open.front().is_some_and(|open| open.id() == id);
        self.open.retain(|open| open.id() != id);
        if first {
            diagnose!();
            transcript.note("decided elsewhere")?;
            return self.prompt(transcript);
        }
        Ok(())
    }

    async fn decide_alone(&self, open: Open, transcript: &mut Transcript) -> Result<(), Failure> {
        let sent = match open {
            Open::Permission(request) => {
                let (reply, word) = match self.permission {
                    Some(PermissionArg::Allow) => (PermissionReplyKind::Once, "allowed"),
                    Some(PermissionArg::Reject) | None => (PermissionReplyKind::Reject, "rejected"),
                };
                transcript.note(word)?;
                self.decide(&request.id, reply).await
            }
            Open::Question { request, .. } => {
                transcript.note("rejected, because nobody can be asked")?;
                self.client.reject_question(self.session, &request.id).await
            }
        };
        tolerate(sent)
    }

    /// Takes a line for the oldest question.
    pub(super) async fn take(
        &mut self,
        line: Option<String>,
        transcript: &mut Transcript,
    ) -> Result<(), Failure> {
        let Some(open) = self.open.pop_front() else { return Ok(()) };
        let word = line.as_deref().map(str::trim);
        let sent = match open {
            Open::Permission(request) => {
                let reply = match word.map(str::to_lowercase).as_deref() {
                    Some("y" | "yes" | "once") => PermissionReplyKind::Once,
                    Some("a" | "always") => PermissionReplyKind::Always,
                    Some("n" | "no" | "reject") | None => PermissionReplyKind::Reject,
                    Some(_) => {
                        self.open.push_front(Open::Permission(request));
                        return self.prompt(transcript);
                    }
                };
                self.decide(&request.id, reply).await
            }
            Open::Question { request, mut answers } => {
                let Some(word) = word else {
                    tolerate(self.client.reject_question(self.session, &request.id).await)?;
                    return self.prompt(transcript);
                };
                answers.push(
                    request.questions.get(answers.len()).map_or_else(Vec::new, |asked| chosen(asked, word)),
                );
                if answers.len() < request.questions.len() {
                    self.open.push_front(Open::Question { request, answers });
                    return self.prompt(transcript);
                }
                let reply = QuestionReply { answers, client: Some(CLIENT.to_owned()) };
                match self.client.reply_to_question(self.session, &request.id, &reply).await {
                    // It did not fit; ask again from the beginning.
                    Err(error) if error.problem_status() == Some(400) => {
                        transcript.note(&error.to_string())?;
                        self.open.push_front(Open::Question { request, answers: Vec::new() });
                        Ok(())
                    }
                    sent => sent,
                }
            }
        };
        tolerate(sent)?;
        self.prompt(transcript)
    }

    async fn decide(&self, id: &str, reply: PermissionReplyKind) -> Result<(), ClientError> {
        let reply = PermissionReply {
            reply,
            option_id: None,
            message: None,
            rule: None,
            client: Some(CLIENT.to_owned()),
        };
        self.client.reply_to_permission(self.session, id, &reply).await
    }

    /// Shows what is to be decided next.
    fn prompt(&self, transcript: &mut Transcript) -> Result<(), Failure> {
        let text = match self.open.front() {
            None => return Ok(()),
            Some(Open::Permission(_)) => "allow? [y]es, [a]lways, [n]o: ".to_owned(),
            Some(Open::Question { request, answers }) => match request.questions.get(answers.len()) {
                Some(question) => prompt_of(question),
                None => "go on? [enter]: ".to_owned(),
            },
        };
        transcript.end_line()?;
        let mut err = io::stderr().lock();
        write!(err, "{}", printable(&text))?;
        Ok(err.flush()?)
    }
}

fn prompt_of(question: &Question) -> String {
    let mut text = question.header.clone().unwrap_or_else(|| question.question.clone());
    for (index, option) in question.options.iter().enumerate() {
        text += &format!("\n  {}. {}", index + 1, option.label);
    }
    let how = match (question.options.is_empty(), question.multi_select, question.custom) {
        (true, ..) => "answer",
        (false, false, false) => "number",
        (false, false, true) => "number, or an answer of your own",
        (false, true, _) => "numbers, separated by commas",
    };
    format!("{text}\n{how}: ")
}

/// What a line says: numbers of options, or words.
fn chosen(question: &Question, line: &str) -> Vec<String> {
    if line.is_empty() {
        return Vec::new();
    }
    let label = |word: &str| {
        let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.and_then(|index| question.options.get(index)).map(|option| option.label.clone())
    };
    if question.options.is_empty() || !question.multi_select {
        return vec![label(line).unwrap_or_else(|| line.to_owned())];
    }
    line.split(',').map(str::trim).map(|word| label(word).unwrap_or_else(|| word.to_owned())).collect()
}

/// Somebody else may have decided first, which is as good.
fn tolerate(sent: Result<(), ClientError>) -> Result<(), Failure> {
    match sent {
        Err(error) if matches!(error.problem_status(), Some(404 | 409)) => Ok(()),
        sent => sent.map_err(explain),
    }
}

/// Lines from the terminal, read by a thread that ends with the program.
fn typed_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn question(labels: &[&str], multi_select: bool) -> Question {
        let options: Vec<_> = labels.iter().map(|label| json!({ "label": label })).collect();
        serde_json::from_value(json!({
            "question": "Which?", "kind": "choice", "options": options,
            "multiSelect": multi_select, "custom": true, "required": true,
        }))
        .unwrap()
    }

    #[test]
    fn a_line_is_a_number_several_or_words() {
        let one = question(&["Red", "Green"], false);
        assert_eq!(chosen(&one, "2"), ["Green"]);
        assert_eq!(chosen(&one, "Blue, dark"), ["Blue, dark"]);
        assert_eq!(chosen(&one, "3"), ["3"]);
        let many = question(&["Apple", "Banana"], true);
        assert_eq!(chosen(&many, "1, 2,Cherry"), ["Apple", "Banana", "Cherry"]);
        assert_eq!(chosen(&many, ""), [""; 0]);
    }
}

//! Messages that clients sent, and what the log must have of them.

use super::turns::Turns;
use serde_json::Value;

/// The answer to one attempt to send a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// 202 with this body.
    Accepted(Value),
    /// Any error status: it never appears in the log.
    Refused(u16),
    /// The connection broke: it may have been accepted.
    Lost,
}

/// A message and all attempts to send it.
#[derive(Debug, Clone)]
pub(crate) struct Post {
    pub(crate) nonce: String,
    pub(crate) key: Option<String>,
    pub(crate) text: String,
    pub(crate) answers: Vec<Answer>,
}

impl Post {
    pub(crate) fn accepted(&self) -> Option<&Value> {
        self.answers.iter().find_map(|answer| match answer {
            Answer::Accepted(body) => Some(body),
            Answer::Refused(_) | Answer::Lost => None,
        })
    }

    /// Compares the answers with each other and with the log.
    pub(super) fn judge(&self, turns: &Turns) -> Result<(), String> {
        let found = turns.messages_of(&self.nonce);
        let fail = |what: String| Err(format!("message {} ({:?}): {what}", self.nonce, self.key));
        if let Some(other) = found.get(1) {
            return fail(format!("it is twice in the log, at events {} and {}", found[0].event, other.event));
        }
        let Some(accepted) = self.accepted() else {
            let may_be_there = self.answers.contains(&Answer::Lost);
            return match found.first() {
                Some(message) if !may_be_there => {
                    fail(format!("it was refused ({:?}), and is event {}", self.answers, message.event))
                }
                _ => Ok(()),
            };
        };
        let differs = |answer: &&Answer| matches!(answer, Answer::Accepted(body) if body != accepted);
        if let Some(other) = self.answers.iter().find(differs) {
            return fail(format!("a repetition was answered {other:?} instead of {accepted}"));
        }
        let Some(message) = found.first() else {
            return fail(format!("it was accepted with {accepted}, and is lost"));
        };
        if message.is(&self.text, accepted) {
            Ok(())
        } else {
            fail(format!("it was accepted with {accepted}, and the log has {message:?}"))
        }
    }
}

//! Changes of clients that are taken back if they cannot be stored.
//!
//! Nothing else happens between the attempt to store such a change and its outcome.

use super::Effect;
use super::change::Given;
use super::machine::Machine;
use super::queue::Queued;
use crate::command::{Reply, Withdrawal};
use crate::record::Record;
use sa_api::sessions::MessageAccepted;
use sa_store::StoreError;

pub(super) enum Trial {
    Accept {
        message: Queued,
        accepted: MessageAccepted,
        begun_before: bool,
        held_before: bool,
        reply: Reply<MessageAccepted>,
    },
    Withdraw {
        at: usize,
        message: Queued,
        held_before: bool,
        reply: Reply<Withdrawal>,
    },
    Reorder {
        queue_before: Vec<String>,
        order_before: Vec<String>,
        reply: Reply<()>,
    },
    Change {
        before: Box<Record>,
        given: Given,
        reply: Reply<()>,
    },
}

impl Machine {
    pub(super) fn on_stored(&mut self, outcome: Result<(), StoreError>) {
        let Some(trial) = self.trial.take() else { return };
        match outcome {
            Ok(()) => self.complete(trial),
            Err(error) => {
                self.forget_commit();
                self.take_back(trial, error);
            }
        }
    }

    fn complete(&mut self, trial: Trial) {
        match trial {
            Trial::Accept { message, accepted, reply, .. } => {
                self.is_interrupted = message.interrupts;
                self.queue.push(message);
                self.effect(Effect::Show);
                self.reply(reply, Ok(accepted));
            }
            Trial::Withdraw { reply, .. } => self.reply(reply, Ok(Withdrawal::Withdrawn)),
            Trial::Reorder { reply, .. } => self.reply(reply, Ok(())),
            Trial::Change { given, reply, .. } => {
                self.take_environment(given);
                self.reply(reply, Ok(()));
            }
        }
    }

    fn take_back(&mut self, trial: Trial, error: StoreError) {
        match trial {
            Trial::Accept { begun_before, held_before, reply, .. } => {
                (self.record.begun, self.record.queue_held) = (begun_before, held_before);
                self.reply(reply, Err(error.into()));
            }
            Trial::Withdraw { at, message, held_before, reply } => {
                self.queue.put_back(at, message);
                self.record.queue_held = held_before;
                self.reply(reply, Err(error.into()));
            }
            Trial::Reorder { queue_before, order_before, reply } => {
                self.queue.reorder(&queue_before);
                self.record.queue_order = order_before;
                self.reply(reply, Err(error.into()));
            }
            Trial::Change { before, reply, .. } => {
                self.record = *before;
                self.reply(reply, Err(error.into()));
            }
        }
    }
}

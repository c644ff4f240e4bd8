//! How an agent comes to be: its program is looked for, installed if need be, and started.

use super::Owner;
use crate::CallError;
use crate::command::Command;
use crate::pipes::Pipes;
use crate::stats::add;
use sa_api::AcpServerStatus;
use sa_install::Launchable;
use std::pin::pin;

impl Owner {
    pub(super) async fn start(&mut self) -> Result<(), CallError> {
        let launchable = match self.prepare().await {
            Ok(launchable) => launchable,
            // Nothing failed: the server is being ended.
            Err(CallError::Deleted) => return Err(CallError::Deleted),
            Err(error) => return Err(self.start_failed(error)),
        };
        self.shared.state().status = AcpServerStatus::Starting;
        let spawned = match self.parts.supervisor.spawn(launchable.command).await {
            Ok(spawned) => spawned,
            Err(error) => {
                let (agent, reason) = (self.parts.agent.id.clone(), error.to_string());
                return Err(self.start_failed(CallError::Spawn { agent, reason }));
            }
        };
        let process = spawned.process.clone();
        tracing::info!(
            server = %self.parts.server.id(), agent = %self.parts.agent.id, version = launchable.version,
            pid = process.pid(), "agent started"
        );
        add(&self.parts.stats.starts, 1);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Running;
            state.version = launchable.version;
            state.pid = Some(process.pid());
            state.exit = None;
        }
        self.pipes = Some(Pipes::new(spawned));
        self.exit_wait = Some(Box::pin(async move { process.wait().await }));
        self.run_deadline = None;
        self.patience.heard();
        Ok(())
    }

    /// The command that starts the agent. Its program may have to be installed first, which takes minutes at worst:
    /// meanwhile streams can be opened, messages wait, and the server can be ended.
    async fn prepare(&mut self) -> Result<Launchable, CallError> {
        let launcher = self.parts.options.launcher.clone();
        let agent = self.parts.agent.clone();
        let version = self.parts.server.asked_version().map(str::to_owned);
        if !launcher.is_ready(&agent, version.as_deref()) {
            tracing::info!(server = %self.parts.server.id(), agent = %agent.id, "installing the agent first");
            self.shared.state().status = AcpServerStatus::Installing;
        }
        let mut preparing = pin!(async move { launcher.prepare(&agent, version.as_deref()).await });
        loop {
            let has_room = self.waiting.len() < self.parts.options.limits.pending_requests;
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(CallError::Deleted),
                prepared = &mut preparing => return Ok(prepared?),
                command = self.commands.recv(), if has_room => match command {
                    Some(Command::Subscribe { from, kind, reply }) => {
                        drop(reply.send(Ok(self.subscribe(from, kind))));
                    }
                    Some(command) => self.waiting.push_back(command),
                    None => return Err(CallError::Deleted),
                },
            }
        }
    }

    fn start_failed(&mut self, error: CallError) -> CallError {
        tracing::warn!(server = %self.parts.server.id(), %error, "agent not started");
        if self.last_exit.is_none() {
            // It never ran: there is nothing to keep the server for, and whoever waits learns why.
            self.parts.registry.forget(&self.parts.server);
            self.done = true;
            // Set once here, by the first start; whoever still holds the handle finds it there.
            let _ = self.shared.failure.set(error.clone());
            self.commands.close();
            self.refuse_waiting(&error);
        } else {
            self.shared.state().status = AcpServerStatus::Exited;
        }
        error
    }

    /// Answers those that have not had their turn.
    pub(super) fn refuse_waiting(&mut self, error: &CallError) {
        for command in self.waiting.drain(..) {
            command.fail(error.clone());
        }
        while let Ok(command) = self.commands.try_recv() {
            command.fail(error.clone());
        }
    }
}

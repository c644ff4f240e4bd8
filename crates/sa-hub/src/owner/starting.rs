//! Starts an agent: its program is looked up, installed if it is missing, and spawned.

use super::Owner;
use super::run::{Agent, Exited, Phase, Preparing, Progress, Run};
use crate::CallError;
use crate::command::ServerCommand;
use crate::pipes::Pipes;
use crate::stats::add;
use sa_api::AcpServerStatus;
use sa_install::Launchable;
use std::ops::ControlFlow;

impl Owner {
    /// Begins to prepare an agent for this command. Its program may have to be installed first, which takes minutes at
    /// worst. Meanwhile streams can be opened, messages wait, and the server can be deleted.
    pub(super) fn prepare(&mut self, command: ServerCommand) {
        let previous = match std::mem::replace(&mut self.run, Run::Idle) {
            Run::Live { agent, phase: Phase::Draining { exit, .. } } => Some(self.end_run(agent, exit)),
            Run::Exited(exited) => Some(exited),
            Run::Idle | Run::Preparing(_) | Run::Live { .. } => None,
        };
        let launcher = self.parts.hub.options.launcher.clone();
        let agent = self.parts.agent.clone();
        let version = self.parts.server.asked_version().map(str::to_owned);
        if !launcher.is_ready(&agent, version.as_deref()) {
            tracing::info!(server = %self.parts.server.id(), agent = %agent.id, "installing the agent first");
            self.shared.state().status = AcpServerStatus::Installing;
        }
        let launch = Box::pin(async move { launcher.prepare(&agent, version.as_deref()).await });
        self.run = Run::Preparing(Box::new(Preparing { launch, command, previous }));
    }

    /// Handles the step that the agent's state waited for. Breaks if the server is to end.
    pub(super) async fn on_progress(&mut self, progress: Progress) -> ControlFlow<()> {
        match progress {
            Progress::Exit(exit) => {
                self.on_exit(exit);
                ControlFlow::Continue(())
            }
            Progress::Prepared(launch) => {
                let Run::Preparing(preparing) = std::mem::replace(&mut self.run, Run::Idle) else {
                    return ControlFlow::Continue(());
                };
                let Preparing { command, previous, .. } = *preparing;
                let started = match launch {
                    Ok(launchable) => self.spawn(launchable).await,
                    Err(error) => Err(error.into()),
                };
                match started {
                    Ok(()) => {
                        self.execute(command);
                        ControlFlow::Continue(())
                    }
                    Err(error) => {
                        command.fail(error.clone());
                        self.on_start_failed(error, previous).await
                    }
                }
            }
        }
    }

    async fn spawn(&mut self, launchable: Launchable) -> Result<(), CallError> {
        self.shared.state().status = AcpServerStatus::Starting;
        let spawned = self.parts.hub.supervisor.spawn(launchable.command).await.map_err(|error| {
            CallError::Spawn { agent: self.parts.agent.id.clone(), reason: error.to_string() }
        })?;
        let process = spawned.process.clone();
        tracing::info!(
            server = %self.parts.server.id(), agent = %self.parts.agent.id, version = launchable.version,
            pid = process.pid(), "agent started"
        );
        add(&self.parts.hub.stats.starts, 1);
        {
            let mut state = self.shared.state();
            state.status = AcpServerStatus::Running;
            state.version = launchable.version;
            state.pid = Some(process.pid());
            state.exit = None;
        }
        let exit = Box::pin(async move { process.wait().await });
        self.run = Run::Live { agent: Agent { pipes: Pipes::new(spawned), exit }, phase: Phase::Running };
        self.run_began = self.shared.journal.ring().newest();
        self.patience.restart();
        Ok(())
    }

    async fn on_start_failed(&mut self, error: CallError, previous: Option<Exited>) -> ControlFlow<()> {
        tracing::warn!(server = %self.parts.server.id(), %error, "agent not started");
        if let Some(exited) = previous {
            self.shared.state().status = AcpServerStatus::Exited;
            self.run = Run::Exited(exited);
            return ControlFlow::Continue(());
        }
        // No agent ever ran, so there is nothing to keep the server for.
        self.parts.hub.registry.forget(&self.parts.server);
        // Set once, by the first start. Handles that are left report it.
        let _ = self.shared.failure.set(error.clone());
        self.refuse_waiting(&error).await;
        ControlFlow::Break(())
    }

    /// Takes no more commands, and fails those that were not executed. Waits for senders that have their place in the queue
    /// already: what they put there after it was dropped would never be answered.
    pub(super) async fn refuse_waiting(&mut self, error: &CallError) {
        self.commands.close();
        for command in self.waiting.drain(..) {
            command.fail(error.clone());
        }
        while let Some(command) = self.commands.recv().await {
            command.fail(error.clone());
        }
    }
}

//! Slash commands: what the CLI can do besides answering, and its skills.

use super::Session;
use crate::core::Core;
use crate::native::answer::Skills;
use crate::replies::Outcome;
use agent_client_protocol_schema::v1::{AvailableCommandsUpdate, SessionUpdate};
use sa_acp::{command, one_line};

impl Session {
    pub(crate) fn skills_known(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if let Ok(skills) = outcome.read::<Skills>() {
            let all = skills.data.into_iter().flat_map(|of| of.skills);
            self.skills =
                all.filter(|skill| skill.enabled && !skill.name.contains(char::is_whitespace)).collect();
        }
        let mut commands = vec![
            command("compact", "Sum the conversation up to make room", None),
            command("review", "Review the changes that are not committed", Some("what to review instead")),
        ];
        let known = |name: &str| name == "compact" || name == "review";
        let skills = self.skills.iter().filter(|skill| !known(&skill.name));
        commands
            .extend(skills.map(|skill| {
                command(&skill.name, &one_line(&skill.description), Some("what to do with it"))
            }));
        self.conversation.update(
            &mut core.client,
            &SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands)),
        );
        self.answer_opening(core);
    }
}

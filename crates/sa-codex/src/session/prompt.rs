//! Prompts in the CLI's own form, and slash commands: those of the CLI, and its skills.

use super::Session;
use crate::core::Core;
use crate::native::answer::{Skill, entries};
use crate::replies::Outcome;
use sa_acp::{PromptPart, command, one_line};
use serde_json::{Value, json};

/// The work that a prompt asks for.
#[derive(Debug)]
pub(super) enum Work {
    Turn(Vec<Value>),
    Compact,
    /// A review of this subject.
    Review(Value),
}

fn input(part: PromptPart) -> Value {
    match part {
        PromptPart::Text(text) => json!({ "type": "text", "text": text }),
        PromptPart::Image { media_type, data } => {
            json!({ "type": "image", "url": format!("data:{media_type};base64,{data}") })
        }
        PromptPart::ImageUrl(url) => json!({ "type": "image", "url": url }),
    }
}

impl Session {
    /// Takes commands for what they are.
    pub(super) fn work_of(&self, parts: Vec<PromptPart>) -> Work {
        let mut input: Vec<_> = parts.into_iter().map(input).collect();
        let text = input.first().and_then(|part| part["text"].as_str()).unwrap_or_default();
        let Some(line) = text.trim().strip_prefix('/') else { return Work::Turn(input) };
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match name {
            "compact" if rest.is_empty() => Work::Compact,
            "review" if rest.is_empty() => Work::Review(json!({ "type": "uncommittedChanges" })),
            "review" => Work::Review(json!({ "type": "custom", "instructions": rest })),
            _ => {
                let skill = self.skills.iter().find(|skill| skill.name == name);
                let skill = skill.map(|it| json!({ "type": "skill", "name": it.name, "path": it.path }));
                input.splice(0..0, skill);
                Work::Turn(input)
            }
        }
    }

    pub(crate) fn on_skills(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if let Ok(listed) = outcome.read::<Value>() {
            let folders = listed["data"].as_array().into_iter().flatten();
            let skills = folders.flat_map(|folder| entries::<Skill>(&folder["skills"]));
            self.skills =
                skills.filter(|skill| skill.enabled && !skill.name.contains(char::is_whitespace)).collect();
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
        self.conversation.report_commands(&mut core.io.client, commands);
        self.answer_opening(core);
    }
}

//! The kinds of text in a user's line: words of a person, a command, or something that the CLI wrote there itself.

use sa_acp::uncolored;

/// A user's text, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Speech {
    Said(String),
    /// A slash command, by its name, as it was typed.
    Command {
        name: String,
        typed: String,
    },
    /// The output of a command of the CLI.
    Printed(String),
    /// Nothing that people said or saw.
    Silence,
}

/// Marks of text that the CLI puts into the user's mouth.
const NOTES: [&str; 5] = [
    "[Request interrupted",
    "<local-command-caveat>",
    "<task-notification>",
    "<teammate-message",
    "Caveat: The messages below were generated",
];

impl Speech {
    pub(super) fn read(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() || NOTES.iter().any(|note| text.starts_with(note)) {
            return Self::Silence;
        }
        if let Some(name) = text.starts_with("<command-").then(|| tagged(text, "command-name")).flatten() {
            let name = name.trim().trim_start_matches('/').to_owned();
            let arguments = tagged(text, "command-args").unwrap_or_default().trim();
            let typed = format!("/{name} {arguments}").trim_end().to_owned();
            return Self::Command { name, typed };
        }
        if let Some(command) = text.strip_prefix("<bash-input>").and_then(|_| tagged(text, "bash-input")) {
            return Self::Said(format!("! {}", command.trim()));
        }
        for tag in ["local-command-stdout", "local-command-stderr", "bash-stdout"] {
            if text.starts_with(&format!("<{tag}>")) {
                return Self::printed(tagged(text, tag).unwrap_or_default());
            }
        }
        match without_reminders(text).trim() {
            "" => Self::Silence,
            words => Self::Said(words.to_owned()),
        }
    }

    fn printed(text: &str) -> Self {
        match uncolored(text).trim() {
            "" => Self::Silence,
            words => Self::Printed(words.to_owned()),
        }
    }
}

/// Returns what stands between a tag and its end.
fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    rest.split_once(&format!("</{tag}>")).map(|(inner, _)| inner)
}

/// The text without notes to the model.
fn without_reminders(text: &str) -> String {
    let mut rest = text;
    let mut words = String::new();
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        words.push_str(before);
        rest = after.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_what_the_cli_writes() {
        let said = |text: &str| Speech::Said(text.to_owned());
        assert_eq!(Speech::read("  Hello <b>there</b>\n"), said("Hello <b>there</b>"));
        assert_eq!(Speech::read("a<system-reminder>x</system-reminder> b<system-reminder>y"), said("a b"));
        assert_eq!(Speech::read("<system-reminder>\nx\n</system-reminder>"), Speech::Silence);
        assert_eq!(Speech::read("[Request interrupted by user for tool use]"), Speech::Silence);
        assert_eq!(Speech::read("<task-notification>x</task-notification>"), Speech::Silence);
        assert_eq!(Speech::read("<bash-input>ls</bash-input>"), said("! ls"));
    }

    #[test]
    fn commands_are_shown_as_typed() {
        let text = "<command-name>/review</command-name>\n  <command-message>review</command-message>\n  \
                    <command-args>1 2</command-args>";
        let expected = Speech::Command { name: "review".to_owned(), typed: "/review 1 2".to_owned() };
        assert_eq!(Speech::read(text), expected);
        let text = "<command-message>x is running</command-message>\n<command-name>x</command-name>";
        let expected = Speech::Command { name: "x".to_owned(), typed: "/x".to_owned() };
        assert_eq!(Speech::read(text), expected);
    }

    #[test]
    fn output_is_told_without_colors() {
        let text = "<local-command-stdout>\u{1b}[1;31mred\u{1b}[0m ü\u{1b}[2m</local-command-stdout>";
        assert_eq!(Speech::read(text), Speech::Printed("red ü".to_owned()));
        assert_eq!(Speech::read("<local-command-stdout></local-command-stdout>"), Speech::Silence);
    }
}

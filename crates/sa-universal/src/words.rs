//! Words of ACP's lists of values, and ours.

use sa_api::sessions::{NoticeSeverity, PlanPriority, PlanStatus, StopReason, ToolKind, ToolStatus};

/// A value that ACP has a word for.
pub(crate) trait Word: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn read(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
    }
}

impl Word for ToolKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("read", Self::Read),
        ("edit", Self::Edit),
        ("delete", Self::Delete),
        ("move", Self::Move),
        ("search", Self::Search),
        ("execute", Self::Execute),
        ("think", Self::Think),
        ("fetch", Self::Fetch),
        ("switch_mode", Self::SwitchMode),
        ("other", Self::Other),
    ];
}

impl Word for ToolStatus {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("pending", Self::Pending),
        ("in_progress", Self::InProgress),
        ("completed", Self::Completed),
        ("failed", Self::Failed),
    ];
}

impl Word for PlanStatus {
    const WORDS: &'static [(&'static str, Self)] =
        &[("pending", Self::Pending), ("in_progress", Self::InProgress), ("completed", Self::Completed)];
}

impl Word for PlanPriority {
    const WORDS: &'static [(&'static str, Self)] =
        &[("high", Self::High), ("medium", Self::Medium), ("low", Self::Low)];
}

impl Word for NoticeSeverity {
    const WORDS: &'static [(&'static str, Self)] =
        &[("info", Self::Info), ("warning", Self::Warning), ("error", Self::Error)];
}

impl Word for StopReason {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("end_turn", Self::EndTurn),
        ("max_tokens", Self::MaxTokens),
        ("max_turn_requests", Self::MaxTurnRequests),
        ("refusal", Self::Refusal),
        ("cancelled", Self::Cancelled),
    ];
}

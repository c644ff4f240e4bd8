//! Skills: where they come from.

use super::SkillsConfig;
use super::entry::{ConfigEntry, InvalidEntry, Object};
use super::field::{Field, Shape, check, excerpt, optional, required, wrong};
use serde_json::Value;

const SOURCE: [Field; 5] = [
    required("type", Shape::Text),
    required("source", Shape::Text),
    optional("ref", Shape::Text, &[]),
    optional("subpath", Shape::Text, &[]),
    optional("skills", Shape::Texts, &[]),
];

/// Kinds of sources: a repository on GitHub as `owner/name`, any other repository, a directory.
const KINDS: [&str; 3] = ["github", "git", "local"];

impl ConfigEntry for SkillsConfig {
    fn normalize(mut skills: Object) -> Result<Object, InvalidEntry> {
        let sources = match skills.get_mut("sources") {
            Some(Value::Array(sources)) if !sources.is_empty() => sources,
            Some(Value::Array(_)) => return Err(wrong("", "sources", "must name at least one source")),
            Some(_) => return Err(wrong("", "sources", "must be a list")),
            None => return Err(wrong("", "sources", "is missing")),
        };
        for (index, source) in sources.iter_mut().enumerate() {
            let place = format!("sources[{index}]");
            let Value::Object(source) = source else { return Err(wrong("", &place, "must be an object")) };
            check(source, &format!("{place}."), &SOURCE)?;
            let kind = source.get("type").and_then(Value::as_str).unwrap_or_default();
            if !KINDS.contains(&kind) {
                let known = KINDS.map(|kind| format!("`{kind}`")).join(", ");
                return Err(wrong(
                    "",
                    &format!("{place}.type"),
                    &format!("must be one of {known}, not `{}`", excerpt(kind)),
                ));
            }
            let climbs = source
                .get("subpath")
                .and_then(Value::as_str)
                .is_some_and(|path| path.starts_with('/') || path.split('/').any(|part| part == ".."));
            if climbs {
                return Err(wrong("", &format!("{place}.subpath"), "must stay within the source"));
            }
        }
        Ok(skills)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn sources_are_checked_one_by_one() {
        let check = |value: Value| SkillsConfig::normalize(value.as_object().unwrap().clone());
        let good = json!({"sources": [
            {"type": "github", "source": "a/b", "skills": ["x"], "ref": "main", "subpath": "skills/x"},
            {"type": "local", "source": "/opt/skills", "mine": true},
        ]});
        assert_eq!(Value::Object(check(good.clone()).unwrap()), good);
        for (bad, why) in [
            (json!({}), "`sources` is missing"),
            (json!({"sources": []}), "at least one"),
            (json!({"sources": ["x"]}), "`sources[0]` must be an object"),
            (json!({"sources": [{"type": "local"}]}), "`sources[0].source` is missing"),
            (json!({"sources": [{"type": "svn", "source": "x"}]}), "not `svn`"),
            (json!({"sources": [{"type": "git", "source": "x", "subpath": "a/../b"}]}), "must stay within"),
            (json!({"sources": [{"type": "git", "source": "x", "skills": [1]}]}), "`sources[0].skills[0]`"),
        ] {
            let error = check(bad).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}

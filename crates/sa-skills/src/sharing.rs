//! Several sessions in one directory: each has what it wants there for as long as it lasts.

use crate::error::Result;
use crate::manifest::{Manifest, Wanted};
use crate::placing::Placement;
use std::collections::BTreeMap;

/// The result of placing skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// For the people of this session.
    pub warnings: Vec<String>,
    /// Sessions that had another skill under the name of one of these.
    pub displaced: Vec<Displaced>,
}

/// A session that no longer finds its own skill, because one that started later has another of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displaced {
    /// The session that started earlier.
    pub session: String,
    pub warning: String,
}

impl Placement {
    /// Places the skills of a session next to those of others, and removes those that no session wants any more.
    pub(crate) fn place(&self, session: &str, wanted: BTreeMap<String, Wanted>) -> Result<Placed> {
        let mut manifest = Manifest::read(&self.manifest)?;
        if wanted.is_empty() && !manifest.concerns(session) {
            return Ok(Placed::default());
        }
        let before = manifest.wanted();
        manifest.admit(session, BTreeMap::new());
        let mut placed = Placed::default();
        for (name, (other, old)) in manifest.wanted() {
            if let Some(new) = wanted.get(&name).filter(|new| new.target != old.target) {
                let (old, new) = (&old.origin, &new.origin);
                placed.warnings.push(format!(
                    "the skill `{name}` of {new} takes the place of that of {old}, which the session `{other}` has in the same directory"
                ));
                // A session that was displaced before has been notified.
                if before.get(&name).is_none_or(|(first, _)| *first != other) {
                    continue;
                }
                let warning = format!(
                    "the skill `{name}` of {old} is replaced by that of {new} for as long as the session `{session}`, which started later in the same directory, lasts"
                );
                placed.displaced.push(Displaced { session: other, warning });
            }
        }
        manifest.admit(session, wanted);
        placed.warnings.extend(self.settle(manifest, Some(session))?);
        Ok(placed)
    }

    /// Forgets the sessions that are not to be kept, and removes what nobody else wants.
    pub(crate) fn retain(&self, keep: &dyn Fn(&str) -> bool) -> Result<()> {
        let mut manifest = Manifest::read(&self.manifest)?;
        let before = manifest.owners.len();
        manifest.owners.retain(|owner| keep(&owner.session));
        if manifest.owners.len() == before {
            return Ok(());
        }
        // Noted first: what cannot be removed now is then known to be nobody's.
        manifest.write(&self.manifest)?;
        self.settle(manifest, None)?;
        Ok(())
    }
}

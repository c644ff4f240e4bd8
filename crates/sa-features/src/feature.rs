//! The list of features.

use crate::bodies::{permissions, talking, tools};
use crate::stage::{Setup, Stage};
use anyhow::Result;
use futures_util::future::BoxFuture;
use std::fmt;

/// Something that agents can do.
pub struct Feature {
    /// Names it in the names of trials.
    pub id: &'static str,
    /// Features that belong together.
    pub group: &'static str,
    /// A few words.
    pub title: &'static str,
    /// What is tested.
    pub meaning: &'static str,
    pub(crate) setup: Setup,
    pub(crate) body: Body,
}

/// What is done and seen to show that a feature works.
pub(crate) type Body = fn(&Stage) -> BoxFuture<'_, Result<()>>;

impl fmt::Debug for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

const USUAL: Setup = Setup { formless: false, keyless: false, noisy: false };

/// One row of the list; the body has the feature's name.
macro_rules! feature {
    ($module:ident::$id:ident, $group:expr, $title:expr, $meaning:expr) => {
        feature!($module::$id, $group, $title, $meaning, USUAL)
    };
    ($module:ident::$id:ident, $group:expr, $title:expr, $meaning:expr, $setup:expr) => {
        Feature {
            id: stringify!($id),
            group: $group,
            title: $title,
            meaning: $meaning,
            setup: $setup,
            body: |stage| Box::pin($module::$id(stage)),
        }
    };
}

const TALKING: &str = "Talking";
const TOOLS: &str = "Tools";
const PERMISSIONS: &str = "Permissions";

/// All features, in the order in which they are shown.
pub static FEATURES: &[Feature] = &[
    feature!(talking::text, TALKING, "Text", "What the model says reaches the client, and the turn ends"),
    feature!(tools::diff_create, TOOLS, "Diff of a new file", "The diff that is told is what is on disk"),
    feature!(
        permissions::permission_once,
        PERMISSIONS,
        "Allow once",
        "Nothing happens before the permission; the next change is asked about again"
    ),
];

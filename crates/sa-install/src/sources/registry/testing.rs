//! The index of the ACP registry, as any bytes.

use super::{Entry, Index, chosen, program, split_package};
use crate::artifact::Contents;
use crate::sources::template::Wanted;
use crate::sources::testing::{check_file, check_name};
use crate::sources::{Request, Resolver};
use sa_agents::Recipe;

/// Panics unless every program of this index stays in bounds.
pub(in crate::sources) fn check_index(resolver: &Resolver, recipe: &Recipe, data: &[u8]) {
    let Ok(index) = serde_json::from_slice::<Index>(data) else { return };
    for agent in index.agents {
        for word in [None, Some("preview"), Some("1.2.3")] {
            let request = Request { resolver, recipe, wanted: Wanted::new(word) };
            let Ok(entry) = serde_json::from_value::<Entry>(agent.clone()) else { break };
            let Ok((version, distribution)) = chosen(&request, entry) else { continue };
            if word != Some("preview") {
                check_name(&version);
            }
            for binary in distribution.binary.values() {
                let Ok(artifact) = program(version.clone(), binary, resolver) else { continue };
                let Contents::File(file) = &artifact.contents else { continue };
                check_file(file, &resolver.index);
            }
            if let Some(npx) = &distribution.npx {
                let (name, pinned) = split_package(&npx.package);
                assert!(npx.package.starts_with(name));
                pinned.into_iter().for_each(check_name);
            }
        }
    }
}

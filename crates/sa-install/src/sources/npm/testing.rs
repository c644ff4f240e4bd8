//! The metadata of a package, as any bytes.

use super::{Document, Package};
use crate::sources::Resolver;
use crate::sources::template::Wanted;
use crate::sources::testing::{check_file, check_name};
use sa_agents::Unpack;
use url::Url;

const NAME: &str = "@scope/agent";

/// Panics unless every version and tarball of this document stays in bounds.
pub(in crate::sources) fn check_metadata(resolver: &Resolver, registry: &Url, data: &[u8]) {
    let Ok(document) = serde_json::from_slice::<Document>(data) else { return };
    let words: Vec<String> = document.tags.keys().chain(document.versions.keys()).cloned().collect();
    let (name, url, registry) = (NAME.to_owned(), registry.clone(), registry.clone());
    let package = Package { resolver, name, url, registry, document };
    for word in std::iter::once("latest").chain(words.iter().map(String::as_str)) {
        let wanted = Wanted::new(Some(word));
        let Ok(version) = package.version(wanted) else { continue };
        check_name(&version);
        let Ok(release) = package.release(&version, wanted) else { continue };
        if let Ok(file) = package.tarball(&release, Unpack::default()) {
            check_file(&file, &package.registry);
        }
        let _alone = release.stands_alone();
        if let Some(bin) = &release.bin {
            let found = bin.program(NAME, Some(word)).or_else(|| bin.program(NAME, None));
            assert!(found.is_none_or(|(program, _)| !program.is_empty() || word.is_empty()));
        }
    }
}

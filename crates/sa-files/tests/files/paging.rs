//! Pages of a search, with the text that answers carry from one to the next.

use sa_files::Query;
use sa_files::testing::{World, run};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn names_that_are_no_utf8_are_found_once_each() {
    let world = World::new(false);
    let names: [&[u8]; 6] = [b"%FF1", b"a", b"b%2F", b"\xff1", b"\xff2", b"\xff3"];
    for name in names {
        std::fs::write(world.inside().join(OsStr::from_bytes(name)), "").unwrap();
    }
    let (mut found, mut after) = (Vec::new(), None);
    // Two more pages than there are names, so that a search that does not get on ends, too.
    for _ in 0..names.len() + 2 {
        let query = Query { limit: Some(1), after, ..Query::default() };
        let results = run(world.files.search(".".as_ref(), query)).unwrap();
        for hit in results.matches {
            let is_encoded = hit.encoded_path.is_some();
            let path = hit.encoded_path.unwrap_or(hit.path);
            found.push((path.rsplit('/').next().unwrap().to_owned(), is_encoded));
        }
        let Some(next) = results.next else { break };
        after = Some(next.into());
    }
    let plain = ["%FF1", "a", "b%2F"].map(|name| (name.to_owned(), false));
    let encoded = ["%FF1", "%FF2", "%FF3"].map(|name| (name.to_owned(), true));
    assert_eq!(found, [plain, encoded].concat());
}

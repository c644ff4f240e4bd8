//! Pages of a search, with the text that answers carry from one to the next.

use sa_files::testing::{World, run};
use sa_files::{Query, resume_path, resume_text};
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
        found.extend(results.matches.into_iter().map(|hit| hit.path.file_name().unwrap().to_owned()));
        let Some(next) = results.next else { break };
        after = Some(resume_path(resume_text(&next).into()).unwrap());
    }
    assert_eq!(found, names.map(OsStr::from_bytes));
}

//! Files that clients wrote: a file has the last content that was acknowledged, or a later one, and never a part of any.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The contents that each file may have; `None` is no file.
#[derive(Debug, Default)]
pub(crate) struct Files(Mutex<BTreeMap<String, Vec<Option<String>>>>);

impl Files {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Option<String>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request is under way: from now on the file may have this content.
    pub(crate) fn is_being_written(&self, path: &str, content: &str) {
        self.files().entry(path.to_owned()).or_insert_with(|| vec![None]).push(Some(content.to_owned()));
    }

    /// Notes that a request was acknowledged: it has this content and no other.
    pub(crate) fn was_written(&self, path: &str, content: &str) {
        self.files().insert(path.to_owned(), vec![Some(content.to_owned())]);
    }

    /// Compares a file that was read; returns what is wrong with it.
    pub(crate) fn judge(&self, path: &str, content: Option<&str>) -> Option<String> {
        let files = self.files();
        let possible = files.get(path).map(Vec::as_slice).unwrap_or(&[None]);
        let is_possible = possible.iter().any(|one| one.as_deref() == content);
        let brief = |content: Option<&str>| {
            content.map_or_else(|| "no file".to_owned(), |text| format!("{} bytes {:.40}", text.len(), text))
        };
        (!is_possible).then(|| {
            let possible: Vec<String> = possible.iter().map(|one| brief(one.as_deref())).collect();
            format!("{path} has {}; possible are {possible:?}", brief(content))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Files;

    #[test]
    fn a_file_is_old_or_new_until_a_write_is_acknowledged() {
        let files = Files::default();
        assert_eq!(files.judge("f", None), None);
        files.was_written("f", "old");
        files.is_being_written("f", "new");
        assert_eq!((files.judge("f", Some("old")), files.judge("f", Some("new"))), (None, None));
        assert!(files.judge("f", Some("ne")).is_some() && files.judge("f", None).is_some());
        files.was_written("f", "new");
        assert!(files.judge("f", Some("old")).is_some());
    }
}

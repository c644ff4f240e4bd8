//! The files of the sandbox as one service: where paths start, who waits for the disk, what all operations share.

use crate::error::{At, FilesError, Result, text};
use crate::limits::FilesLimits;
use crate::root::{Root, absolute};
use parking_lot::{Mutex, MutexGuard};
use sa_disk::on_disk;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Longer paths are refused before the system is asked.
const PATH_BYTES: usize = 16 * 1024;

/// The place and the limits of the service.
#[derive(Debug, Clone)]
pub struct FilesOptions {
    /// The directory that relative paths start at. Without it the daemon's own working directory, or the root where
    /// that lies outside of it.
    pub workspace: Option<PathBuf>,
    /// The directory that no path may leave. Without it every path is allowed.
    pub root: Option<PathBuf>,
    /// Walk paths name by name also where the kernel can resolve them itself, as on a kernel that cannot.
    pub by_steps: bool,
    pub limits: FilesLimits,
}

/// The files of the sandbox. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Files(Arc<Shared>);

/// The state that operations share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) root: Root,
    /// The root as it was given and as it really is; both begin paths beneath it.
    prefixes: Vec<PathBuf>,
    workspace: PathBuf,
    pub(crate) limits: FilesLimits,
    operations: Arc<Semaphore>,
    archives: Arc<Semaphore>,
    watches: Arc<Semaphore>,
    searches: Arc<Semaphore>,
    /// Held while a name is checked and then changed, so that conditions hold against other requests.
    names: Mutex<()>,
    closed: CancellationToken,
}

/// A path of a request, found to be allowed.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    /// For people and answers.
    pub(crate) absolute: PathBuf,
    /// From the root on.
    pub(crate) beneath: PathBuf,
}

impl Files {
    /// Opens the directories that the options name.
    pub fn open(options: FilesOptions) -> Result<Self> {
        let limits = options.limits;
        let (root, prefixes) = match &options.root {
            None => (PathBuf::from("/"), vec![PathBuf::from("/")]),
            Some(given) => {
                let real = real(given)?;
                let given = std::path::absolute(given).at(given)?;
                (real.clone(), vec![real, given])
            }
        };
        let workspace = match &options.workspace {
            Some(given) => Some(real(given)?),
            None => real(Path::new(".")).ok().filter(|here| here.starts_with(&root)),
        };
        let workspace = workspace.unwrap_or_else(|| root.clone());
        if !workspace.starts_with(&root) {
            return Err(FilesError::Outside(text(&workspace)));
        }
        let mut root = Root::open(&root, options.root.is_some()).at(&root)?;
        root.by_steps |= options.by_steps;
        Ok(Self(Arc::new(Shared {
            root,
            prefixes,
            workspace,
            operations: Arc::new(Semaphore::new(limits.operations.max(1))),
            archives: Arc::new(Semaphore::new(limits.archives)),
            watches: Arc::new(Semaphore::new(limits.watches)),
            searches: Arc::new(Semaphore::new(limits.searches)),
            names: Mutex::new(()),
            closed: CancellationToken::new(),
            limits,
        })))
    }

    /// Returns the directory that relative paths start at.
    pub fn workspace(&self) -> &Path {
        &self.0.workspace
    }

    /// Returns the bounds in force.
    pub fn limits(&self) -> &FilesLimits {
        &self.0.limits
    }

    /// Ends all watches: the daemon stops.
    pub fn close(&self) {
        self.0.closed.cancel();
    }

    /// Cancelled when the service closes.
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.0.closed
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// Returns the absolute form of a path, if it is one that requests may name. Nothing is looked up.
    pub fn absolute(&self, given: &OsStr) -> Result<PathBuf> {
        Ok(self.locate(given)?.absolute)
    }

    pub(crate) fn locate(&self, given: &OsStr) -> Result<Located> {
        self.0.locate(given)
    }

    /// Runs work that waits for the disk on another thread. It runs to its end even if the caller is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(&self.0);
        let permit = Arc::clone(&shared.operations).acquire_owned().await.map_err(|_| stopping())?;
        on_disk(move || {
            let _permit = permit;
            work(&shared)
        })
        .await
    }

    /// Reserves a slot for one archive that is packed or unpacked.
    pub(crate) fn reserve_archive(&self) -> Result<OwnedSemaphorePermit> {
        slot(&self.0.archives, "archives are packed or unpacked; see files.archives")
    }

    pub(crate) fn reserve_watch(&self) -> Result<OwnedSemaphorePermit> {
        slot(&self.0.watches, "watches exist; see files.watches")
    }

    /// Reserves a slot for one search. It may take long, and others must not wait for it.
    pub(crate) fn reserve_search(&self) -> Result<OwnedSemaphorePermit> {
        slot(&self.0.searches, "searches run; see files.searches")
    }
}

fn slot(slots: &Arc<Semaphore>, what: &str) -> Result<OwnedSemaphorePermit> {
    let taken = |_| FilesError::TooMany(format!("too many {what}"));
    Arc::clone(slots).try_acquire_owned().map_err(taken)
}

impl Shared {
    pub(crate) fn locate(&self, given: &OsStr) -> Result<Located> {
        let bytes = given.as_bytes();
        if bytes.is_empty() {
            return Err(FilesError::Invalid("the path is empty".to_owned()));
        }
        if bytes.contains(&0) {
            return Err(FilesError::Invalid("the path holds a NUL byte, which no file name can".to_owned()));
        }
        if bytes.len() > PATH_BYTES {
            return Err(FilesError::Invalid(format!("the path has more than {PATH_BYTES} bytes")));
        }
        let absolute = absolute(&self.workspace, given);
        let beneath = self.prefixes.iter().find_map(|prefix| absolute.strip_prefix(prefix).ok());
        match beneath.map(Path::to_owned) {
            Some(beneath) => Ok(Located { absolute, beneath }),
            None => Err(FilesError::Outside(text(&absolute))),
        }
    }

    /// Keeps other requests from changing names until it is dropped.
    pub(crate) fn lock_names(&self) -> MutexGuard<'_, ()> {
        self.names.lock()
    }
}

fn real(path: &Path) -> Result<PathBuf> {
    std::fs::canonicalize(path).at(path)
}

fn stopping() -> FilesError {
    FilesError::Io { path: "files".to_owned(), reason: "the daemon is stopping".to_owned() }
}

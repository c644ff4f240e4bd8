//! Repositories on the disk: each at a point of its history, without `git`'s own files, whole or not there.
//!
//! ```text
//! <home>/sources/<key>/lock          held while it is fetched or read
//!                      state.json    what is there, and when to look again
//!                      <commit>/     the files
//!                      current       a link to that
//! ```
//!
//! Agents are shown copies. Should the files differ from those that were fetched all the same, they are fetched again.

use crate::complaint::{Work, meaning};
use crate::credentials::split_credentials;
use crate::error::Result;
use crate::git::{Git, GitFailure};
use crate::lock::lock;
use crate::source::{Reference, Repository, shown, without_secrets};
use crate::tree::{Size, drop_foreign_links, key, measure, seal};
use crate::{SkillsError, SkillsFault, SkillsLimits};
use sa_api::Timestamp;
use sa_disk::{
    DiskError, Durability, FileLock, VersionedDirectory, at, on_disk, remove_all, try_on_disk, write_atomic,
};
use sa_supervisor::Supervisor;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const STATE: &str = "state.json";

/// The state of a repository on the disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct State {
    /// For people who look.
    address: String,
    reference: String,
    /// A branch moves on; tags and commits do not.
    moves: bool,
    next_look_ms: u64,
    #[serde(flatten)]
    files: Files,
    /// The error of the last fetch.
    failure: Option<String>,
}

/// The files of a commit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Files {
    commit: String,
    /// The digest of the files.
    seal: String,
    /// Links that led out and were left out.
    dropped_links: Vec<String>,
}

/// The files of a repository.
#[derive(Debug)]
pub(crate) struct Checkout {
    /// Stays the same when the repository moves on.
    pub(crate) root: PathBuf,
    /// Links that led out and were left out, from the root.
    pub(crate) dropped_links: Vec<String>,
    pub(crate) warning: Option<String>,
    /// To be held while the files are read.
    pub(crate) lock: FileLock,
}

/// Fetches repositories and keeps them.
#[derive(Debug)]
pub(crate) struct Cache<'a> {
    pub(crate) home: &'a Path,
    pub(crate) supervisor: &'a Supervisor,
    pub(crate) limits: &'a SkillsLimits,
}

/// A commit to fetch.
struct Want {
    /// A full name, or a commit.
    name: String,
    /// Known beforehand, except for tags.
    commit: Option<String>,
    moves: bool,
}

/// A repository, and whom errors are about.
struct Wish<'a> {
    origin: &'a str,
    repository: &'a Repository,
    directory: &'a VersionedDirectory,
}

impl Wish<'_> {
    fn failed(&self, work: Work, limits: &SkillsLimits) -> impl Fn(GitFailure) -> SkillsError {
        let (origin, action) = (self.origin.to_owned(), work.as_str());
        let address = self.repository.address.clone();
        let limits = limits.clone();
        move |failure| {
            let origin = origin.clone();
            match failure {
                GitFailure::Missing => SkillsError::NoGit { origin },
                GitFailure::TimedOut => {
                    SkillsError::TimedOut { origin, action, seconds: limits.git_timeout.as_secs() }
                }
                GitFailure::TooLarge => {
                    SkillsError::TooLarge { origin, bytes: limits.source_bytes, files: limits.source_files }
                }
                GitFailure::Said(text) => {
                    let reason = without_secrets(&text, &address);
                    // Without another host it is this machine's fault.
                    let meaning = work.is_remote().then(|| meaning(&reason));
                    let (fault, remedy) = meaning.unwrap_or((SkillsFault::Machine, ""));
                    SkillsError::Git { origin, action, reason: reason + remedy, fault }
                }
            }
        }
    }
}

impl Cache<'_> {
    /// Returns the files of a repository, fetched if there are none, or if they are of a branch and old. A copy is
    /// used as long as there is nothing better.
    pub(crate) async fn checkout(&self, origin: &str, repository: &Repository) -> Result<Checkout> {
        let name = key(&[repository.address.as_bytes(), repository.reference.as_str().as_bytes()]);
        let directory = VersionedDirectory::new(self.home.join("sources").join(name));
        let lock = lock(&directory.root().join("lock"), self.limits.lock_wait).await?;
        let wish = Wish { origin, repository, directory: &directory };
        let known = self.read_state(&directory).await;
        let state = match known {
            Some(state) if !state.moves || Timestamp::now().as_millis() < state.next_look_ms => state,
            known => match (self.look(&wish, known.as_ref()).await, known) {
                (Ok(state), _) => state,
                (Err(error), None) => return Err(error),
                (Err(error), Some(state)) => {
                    let next_look_ms = after(self.limits.failure_pause);
                    State { failure: Some(error.to_string()), next_look_ms, ..state }
                }
            },
        };
        write_state(directory.root(), &state)?;
        let warning = state.failure.map(|reason| {
            let commit: String = state.files.commit.chars().take(12).collect();
            format!("{reason}; the copy of commit {commit} is used, which may be old")
        });
        let (root, dropped_links) = (directory.current_link(), state.files.dropped_links);
        Ok(Checkout { root, dropped_links, warning, lock })
    }

    async fn look(&self, wish: &Wish<'_>, known: Option<&State>) -> Result<State> {
        let directory = wish.directory.clone();
        let staging = on_disk(move || directory.clean().and_then(|()| directory.stage())).await?;
        let looked = self.look_in(wish, known, staging.path()).await;
        on_disk(move || drop(staging)).await;
        looked
    }

    async fn look_in(&self, wish: &Wish<'_>, known: Option<&State>, staging: &Path) -> Result<State> {
        let (supervisor, limits) = (self.supervisor, self.limits);
        let (address, credentials) = split_credentials(&wish.repository.address);
        let (repository, credentials) = (&staging.join("repository"), credentials.as_ref());
        let git = Git { supervisor, limits, repository, staging, address: &address, credentials };
        let prepared = git.run(&["init", "--quiet", "--bare", "--template="]).await;
        prepared.map_err(wish.failed(Work::Prepare, limits))?;
        let want = self.resolve(wish, &git).await?;
        let known = known.map(|known| &known.files);
        let files = match known.filter(|known| want.commit.as_ref() == Some(&known.commit)) {
            Some(known) => known.clone(),
            None => self.fetch(wish, &git, &want, known).await?,
        };
        Ok(State {
            address: shown(&wish.repository.address),
            reference: wish.repository.reference.as_str().to_owned(),
            moves: want.moves,
            next_look_ms: after(limits.branch_age),
            files,
            failure: None,
        })
    }

    /// Fetches what is wanted, and puts it in the place of what is known.
    async fn fetch(
        &self,
        wish: &Wish<'_>,
        git: &Git<'_>,
        want: &Want,
        known: Option<&Files>,
    ) -> Result<Files> {
        let commit = self.download(wish, git, want).await?;
        let tree = git.staging.join("tree");
        fs::create_dir(&tree).map_err(at(&tree))?;
        let unpacked =
            git.run(&["--work-tree=tree", "checkout", "--quiet", "--force", "--detach", &commit, "--"]).await;
        unpacked.map_err(wish.failed(Work::Unpack, self.limits))?;
        let (dropped_links, seal) = self.check(wish, &tree).await?;
        let (directory, named) = (wish.directory.clone(), commit.clone());
        let before = known.map(|known| known.commit.clone());
        try_on_disk(tree.clone(), move || install(&directory, &tree, &named, before.as_deref())).await?;
        Ok(Files { commit, seal, dropped_links })
    }

    /// Resolves the reference at this moment.
    async fn resolve(&self, wish: &Wish<'_>, git: &Git<'_>) -> Result<Want> {
        let names = match &wish.repository.reference {
            Reference::Commit(commit) => {
                return Ok(Want { name: commit.clone(), commit: Some(commit.clone()), moves: false });
            }
            Reference::Head => vec!["HEAD".to_owned()],
            Reference::Named(name) if name.starts_with("refs/") => vec![name.clone()],
            Reference::Named(name) => vec![format!("refs/heads/{name}"), format!("refs/tags/{name}")],
        };
        let mut args = vec!["ls-remote", "--quiet", "--", git.address];
        args.extend(names.iter().map(String::as_str));
        let listed = git.run(&args).await.map_err(wish.failed(Work::Ask, self.limits))?;
        let commit_of = |name: &str| {
            let mut lines = listed.lines().filter_map(|line| line.split_once('\t'));
            lines.find(|(_, listed)| *listed == name).map(|(commit, _)| commit.to_owned())
        };
        for name in names {
            if let Some(commit) = commit_of(&name) {
                let moves = !name.starts_with("refs/tags/");
                return Ok(Want { name, commit: moves.then_some(commit), moves });
            }
        }
        let (origin, reference) = (wish.origin.to_owned(), wish.repository.reference.as_str().to_owned());
        Err(SkillsError::NoReference { origin, reference })
    }

    /// Gets what is wanted, and as little else as the other side allows.
    async fn download(&self, wish: &Wish<'_>, git: &Git<'_>, want: &Want) -> Result<String> {
        const FETCH: [&str; 4] = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"];
        let address = git.address;
        let alone =
            async |depth: &[&str]| git.run(&[&FETCH[..], depth, &["--", address, &want.name]].concat()).await;
        let mut fetched = alone(&["--depth=1"]).await;
        // Plain web servers have no part of a history.
        if matches!(&fetched, Err(GitFailure::Said(text)) if text.contains("shallow")) {
            fetched = alone(&[]).await;
        }
        let is_commit = matches!(wish.repository.reference, Reference::Commit(_));
        let mut revision = "FETCH_HEAD^{commit}".to_owned();
        // Some servers give only what they list; the commit may be in there.
        if is_commit && matches!(fetched, Err(GitFailure::Said(_))) {
            let all = ["--", address, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
            fetched = git.run(&[&FETCH[..], &all[..]].concat()).await;
            revision = format!("{}^{{commit}}", want.name);
        }
        fetched.map_err(wish.failed(Work::Fetch, self.limits))?;
        let commit = git.run(&["rev-parse", "--verify", "--quiet", &revision]).await;
        let commit = commit.map_err(|failure| match failure {
            GitFailure::Said(_) => GitFailure::Said(format!("it holds no commit {}", want.name)),
            other => other,
        });
        let commit = commit.map_err(wish.failed(Work::Fetch, self.limits))?.trim().to_owned();
        let is_name = commit.len() >= 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
        is_name.then_some(commit).ok_or_else(|| {
            wish.failed(Work::Fetch, self.limits)(GitFailure::Said("git named no commit".to_owned()))
        })
    }

    /// Checks what was unpacked. Returns the links that it removed, and the digest of the rest.
    async fn check(&self, wish: &Wish<'_>, tree: &Path) -> Result<(Vec<String>, String)> {
        let (tree, limits) = (tree.to_owned(), self.limits.clone());
        let too_large = wish.failed(Work::Unpack, self.limits)(GitFailure::TooLarge);
        try_on_disk(tree.clone(), move || match measure(&tree, &limits).map_err(at(&tree))? {
            Size::TooLarge => Err(too_large),
            Size::Fits => {
                let dropped = drop_foreign_links(&tree).map_err(at(&tree))?;
                Ok((dropped, seal(&tree, &limits).map_err(at(&tree))?))
            }
        })
        .await
    }

    /// Returns the cached tree if it is complete and unchanged since it was fetched.
    async fn read_state(&self, directory: &VersionedDirectory) -> Option<State> {
        let (directory, limits) = (directory.clone(), self.limits.clone());
        on_disk(move || {
            let state = read_state(&directory)?;
            let Files { commit, seal: known, .. } = &state.files;
            let is_same = seal(&directory.version(commit), &limits).is_ok_and(|seal| seal == *known);
            if !is_same {
                let address = &state.address;
                tracing::warn!(address, "files of a repository were changed; they are fetched again");
            }
            is_same.then_some(state)
        })
        .await
    }
}

/// Gives a whole tree its name and makes it the current one. The one before stays: somebody may be reading it.
fn install(
    directory: &VersionedDirectory,
    tree: &Path,
    commit: &str,
    before: Option<&str>,
) -> Result<(), DiskError> {
    directory.publish(tree, commit, Durability::Eventual)?;
    directory.select(commit, Durability::Eventual)?;
    let is_commit = |name: &str| name.len() >= 40 && name.chars().all(|c| c.is_ascii_hexdigit());
    let is_unused = |name: &str| is_commit(name) && name != commit && Some(name) != before;
    let root = directory.root();
    for entry in fs::read_dir(root).map_err(at(root))? {
        let entry = entry.map_err(at(root))?;
        if entry.file_name().to_str().is_some_and(is_unused) {
            remove_all(&entry.path())?;
        }
    }
    Ok(())
}

/// Returns the state if the files that it speaks of are there.
fn read_state(directory: &VersionedDirectory) -> Option<State> {
    let state: State = serde_json::from_slice(&fs::read(directory.root().join(STATE)).ok()?).ok()?;
    (directory.current()? == state.files.commit && directory.current_link().is_dir()).then_some(state)
}

fn write_state(directory: &Path, state: &State) -> Result<(), DiskError> {
    let path = directory.join(STATE);
    let text = serde_json::to_vec_pretty(state).map_err(io::Error::from).map_err(at(&path))?;
    write_atomic(&path, &text, 0o666, Durability::Eventual)
}

fn after(pause: Duration) -> u64 {
    Timestamp::now().as_millis().saturating_add(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX))
}

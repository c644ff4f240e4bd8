//! The entrance: what is configured in, links on the disk out.

use crate::cache::Cache;
use crate::error::Result;
use crate::find::{Chosen, SearchRoot, find};
use crate::lock::lock;
use crate::manifest::{Manifest, Place, Wanted};
use crate::placing::Placement;
use crate::source::{self, From, Request};
use crate::tree::key;
use crate::{Placed, Places, SkillsError, SkillsLimits};
use sa_api::SkillsConfig;
use sa_disk::{at, try_on_disk};
use sa_supervisor::Supervisor;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory, in the cache's, that says what was placed where.
const NOTED: &str = "placed";

/// Held while something is placed or removed.
const LOCK: &str = "lock";

/// Options that may differ between daemons.
#[derive(Debug, Clone)]
pub struct SkillsOptions {
    /// The directories in which agents look.
    pub places: Places,
    pub limits: SkillsLimits,
    /// The prefix of `owner/name` in the address of a `github` source.
    pub github: String,
    /// Set to copy skills even where they could be linked: for agents that see nothing but their own directory.
    pub copies: bool,
}

impl Default for SkillsOptions {
    fn default() -> Self {
        Self {
            places: Places::default(),
            limits: SkillsLimits::default(),
            github: "https://github.com".to_owned(),
            copies: false,
        }
    }
}

/// Puts skills in place. Clones share everything.
#[derive(Debug, Clone)]
pub struct Skills {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    home: PathBuf,
    supervisor: Supervisor,
    options: Arc<SkillsOptions>,
}

/// Skills of one source.
struct Found {
    root: PathBuf,
    skills: Vec<Chosen>,
    warnings: Vec<String>,
}

impl Skills {
    /// Keeps fetched sources beneath `home`; `places` says where agents look.
    pub fn new(home: PathBuf, supervisor: Supervisor, places: Places) -> Self {
        Self::with_options(home, supervisor, SkillsOptions { places, ..SkillsOptions::default() })
    }

    pub fn with_options(home: PathBuf, supervisor: Supervisor, options: SkillsOptions) -> Self {
        Self { inner: Arc::new(Inner { home, supervisor, options: Arc::new(options) }) }
    }

    /// Puts these skills where `agent` looks when it works in `cwd`, in place of those that `session` has there. Those of
    /// other sessions stay, except under a name that two of them have: there the session that started last has its own, until
    /// it ends.
    ///
    /// They stay until the session has others placed, or until [`release`](Self::release) is called for it.
    ///
    /// Sources are all fetched and checked before the first link is made, so an error leaves the directory as it was.
    pub async fn place_for(
        &self,
        session: &str,
        agent: &str,
        cwd: &Path,
        skills: &BTreeMap<String, SkillsConfig>,
    ) -> Result<Placed> {
        let Ok(cwd) = fs::canonicalize(cwd) else {
            return Err(SkillsError::Place { path: cwd.to_owned(), reason: "the directory does not exist" });
        };
        if skills.is_empty() && !self.inner.home.exists() {
            return Ok(Placed::default());
        }
        let home = self.home()?;
        let mut requests = Vec::new();
        for (set, config) in skills {
            for (at, source) in config.sources.iter().enumerate() {
                requests.push(source::read(set, at + 1, source, &cwd, &self.inner.options.github)?);
            }
        }
        let mut warnings = Vec::new();
        let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
        for request in requests {
            let found = self.open(&home, &request).await?;
            warnings.extend(found.warnings);
            for skill in found.skills {
                let target = found.root.join(&skill.inner);
                let origin = request.origin.clone();
                let new = Wanted { origin, target, boundary: found.root.clone() };
                add(&mut wanted, skill.name, new)?;
            }
        }
        let placed = self.apply(session, agent, cwd, home, wanted).await?;
        warnings.extend(placed.warnings);
        Ok(Placed { warnings, ..placed })
    }

    /// Removes the skills that were placed for a session that has ended and for nobody else, and restores those that
    /// it had displaced.
    ///
    /// Skills that cannot be removed now are removed when something else is placed there.
    pub async fn release(&self, session: &str) -> Result<()> {
        let session = session.to_owned();
        self.retain(move |other| other != session).await
    }

    /// Releases all sessions that are not kept: those that ended while no daemon was running.
    pub async fn retain(&self, keep: impl Fn(&str) -> bool + Send + 'static) -> Result<()> {
        let Ok(home) = fs::canonicalize(&self.inner.home) else { return Ok(()) };
        let noted = home.join(NOTED);
        if !noted.is_dir() {
            return Ok(());
        }
        let options = Arc::clone(&self.inner.options);
        let lock = lock(&noted.join(LOCK), options.limits.lock_wait).await?;
        try_on_disk(noted.clone(), move || {
            let mut outcome = Ok(());
            for manifest in manifests(&noted)? {
                let retained = Manifest::read(&manifest).and_then(|Manifest { place, .. }| {
                    let (home, options) = (home.clone(), Arc::clone(&options));
                    Placement { home, manifest, place, options }.retain(&keep)
                });
                // One directory that cannot be changed does not keep the others from it.
                outcome = outcome.and(retained);
            }
            drop(lock);
            outcome
        })
        .await
    }

    /// Returns the cache's directory, made if it is missing, without links: what leads into it is known by its path.
    fn home(&self) -> Result<PathBuf> {
        let home = &self.inner.home;
        fs::create_dir_all(home).map_err(at(home))?;
        Ok(fs::canonicalize(home).map_err(at(home))?)
    }

    /// Fetches a source and finds its skills.
    async fn open(&self, home: &Path, request: &Request) -> Result<Found> {
        let mut warnings = Vec::new();
        let (root, dropped_links, lock) = match &request.from {
            From::Directory(path) => {
                let root = fs::canonicalize(path).ok().filter(|root| root.is_dir());
                let (origin, path) = (request.origin.clone(), path.clone());
                (root.ok_or(SkillsError::NoDirectory { origin, path })?, Vec::new(), None)
            }
            From::Repository(repository) => {
                let (supervisor, limits) = (&self.inner.supervisor, &self.inner.options.limits);
                let cache = Cache { home, supervisor, limits };
                let checkout = cache.checkout(&request.origin, repository).await?;
                warnings.extend(checkout.warning);
                (checkout.root, checkout.dropped_links, Some(checkout.lock))
            }
        };
        let (home, origin) = (home.to_owned(), request.origin.clone());
        let (subpath, only) = (request.subpath.clone(), request.only.clone());
        try_on_disk(root.clone(), move || {
            let place = SearchRoot {
                origin: &origin,
                root: &root,
                subpath: &subpath,
                dropped_links: &dropped_links,
                home: &home,
            };
            let skills = find(&place, &only, &mut warnings)?;
            drop(lock);
            Ok(Found { root, skills, warnings })
        })
        .await
    }

    async fn apply(
        &self,
        session: &str,
        agent: &str,
        cwd: PathBuf,
        home: PathBuf,
        wanted: BTreeMap<String, Wanted>,
    ) -> Result<Placed> {
        let options = Arc::clone(&self.inner.options);
        let place = Place { cwd, relative: PathBuf::from(options.places.of(agent)) };
        let directory = place.cwd.join(&place.relative);
        let noted = home.join(NOTED);
        let name = key(&[directory.as_os_str().as_encoded_bytes()]);
        let manifest = noted.join(format!("{name}.json"));
        if wanted.is_empty() && !manifest.exists() {
            return Ok(Placed::default());
        }
        // One for all: places in one repository share a file in it.
        let lock = lock(&noted.join(LOCK), options.limits.lock_wait).await?;
        let placement = Placement { home, manifest, place, options };
        let session = session.to_owned();
        try_on_disk(directory, move || {
            let placed = placement.place(&session, wanted);
            drop(lock);
            placed
        })
        .await
    }
}

fn manifests(noted: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(noted).map_err(at(noted))? {
        let path = entry.map_err(at(noted))?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Adds a skill, unless another has its name.
fn add(wanted: &mut BTreeMap<String, Wanted>, name: String, new: Wanted) -> Result<()> {
    match wanted.get(&name) {
        Some(old) if old.target != new.target => {
            let (first, second) = (old.origin.clone(), new.origin);
            Err(SkillsError::SameName { name, first, second })
        }
        _ => {
            wanted.insert(name, new);
            Ok(())
        }
    }
}

//! A source as it is configured, checked: nothing of it reaches a command line or a path unread.

use crate::SkillsError;
use crate::error::Result;
use sa_api::SkillSource;
use std::path::{Component, Path, PathBuf};
use url::Url;

/// A source of skills.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The source, for people.
    pub(crate) origin: String,
    pub(crate) from: From,
    /// Beneath the source's root; neither absolute nor climbing.
    pub(crate) subpath: PathBuf,
    pub(crate) only: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum From {
    Directory(PathBuf),
    Repository(Repository),
}

/// A repository at a point of its history.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repository {
    /// The address for `git`.
    pub(crate) address: String,
    pub(crate) reference: Reference,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Whatever the repository shows first.
    Head,
    /// A branch or a tag.
    Named(String),
    /// All digits of it.
    Commit(String),
}

impl Reference {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Head => "HEAD",
            Self::Named(name) | Self::Commit(name) => name,
        }
    }
}

/// Reads the `number`-th source of a set. `github` comes before `owner/name`.
pub(crate) fn read(
    set: &str,
    number: usize,
    source: &SkillSource,
    cwd: &Path,
    github: &str,
) -> Result<Request> {
    let origin = format!("skills `{set}`, source {number} ({} {})", source.kind, shown(&source.source));
    let subpath = source.subpath.as_deref().unwrap_or_default();
    let mut request = Request {
        subpath: within(&origin, subpath)?,
        only: source.skills.clone().unwrap_or_default(),
        from: From::Directory(PathBuf::new()),
        origin,
    };
    let address = match source.kind.as_str() {
        "local" => {
            request.from = From::Directory(cwd.join(&source.source));
            return Ok(request);
        }
        "git" => source.source.clone(),
        "github" => {
            let (address, inner) = on_github(&request.origin, &source.source, github)?;
            request.subpath = within(&request.origin, inner)?.join(&request.subpath);
            address
        }
        kind => return Err(SkillsError::Kind { origin: request.origin, kind: kind.to_owned() }),
    };
    if let Err(reason) = check_address(&address) {
        return Err(SkillsError::Address { origin: request.origin, reason: reason.to_owned() });
    }
    let reference = reference(&request.origin, source.reference.as_deref())?;
    request.from = From::Repository(Repository { address, reference });
    Ok(request)
}

/// Returns a path that neither is absolute nor climbs.
fn within(origin: &str, subpath: &str) -> Result<PathBuf> {
    let mut inner = PathBuf::new();
    for part in Path::new(subpath).components() {
        match part {
            Component::Normal(name) if !subpath.contains('\0') => inner.push(name),
            Component::CurDir => {}
            _ => {
                let (origin, subpath) = (origin.to_owned(), subpath.to_owned());
                return Err(SkillsError::Subpath { origin, subpath, reason: "must stay within the source" });
            }
        }
    }
    Ok(inner)
}

/// Returns the address of `owner/name`, and what comes after it.
fn on_github<'a>(origin: &str, source: &'a str, github: &str) -> Result<(String, &'a str)> {
    let path = source.strip_prefix(github).unwrap_or(source).trim_matches('/');
    let mut parts = path.splitn(3, '/');
    let owner = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    let name = name.strip_suffix(".git").unwrap_or(name);
    if !is_plain(owner, "-_") || !is_plain(name, "-_.") || owner.starts_with('-') {
        let reason = "a `github` source is `owner/name`, or `owner/name/directory`".to_owned();
        return Err(SkillsError::Address { origin: origin.to_owned(), reason });
    }
    Ok((format!("{github}/{owner}/{name}.git"), parts.next().unwrap_or_default()))
}

fn is_plain(text: &str, besides: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || besides.contains(c);
    !text.is_empty() && !text.starts_with('.') && text.chars().all(plain)
}

/// Refuses addresses that `git` would take for an option, or for a program to run.
fn check_address(address: &str) -> Result<(), &'static str> {
    if address.starts_with('-') || address.chars().any(|c| c.is_control() || c == ' ') {
        return Err("it begins with `-`, or holds a space or a control character");
    }
    if let Some((scheme, rest)) = address.split_once("://") {
        if !["http", "https", "ssh", "file"].contains(&scheme) {
            return Err("it must be http, https, ssh or file");
        }
        let Ok(url) = Url::parse(address) else { return Err("it is not a URL") };
        // The parser makes a host of what comes after further slashes; git does not.
        let host = url.host_str().filter(|_| !rest.starts_with('/')).unwrap_or_default();
        if host.starts_with('-') || url.username().starts_with('-') {
            return Err("its host or user begins with `-`");
        }
        return match (scheme, host) {
            ("file", "" | "localhost") => Ok(()),
            ("file", _) | (_, "") => Err("its host is missing, or a file has one"),
            _ => Ok(()),
        };
    }
    if address.starts_with('/') {
        return Ok(());
    }
    let Some((host, path)) = address.split_once(':') else {
        return Err("it is not a URL; a directory with skills is of type `local`");
    };
    let (user, host) = host.split_once('@').unwrap_or(("git", host));
    if is_plain(user, "-_.") && !user.starts_with('-') && is_plain(host, "-.") && !host.starts_with('-') {
        return if path.is_empty() || path.starts_with([':', '-']) {
            Err("nothing useful comes after the colon")
        } else {
            Ok(())
        };
    }
    Err("it is neither a URL nor `user@host:path`")
}

/// Names of branches and tags as `git` has them, without the rarer characters.
fn reference(origin: &str, text: Option<&str>) -> Result<Reference> {
    let Some(text) = text.filter(|text| !text.is_empty() && *text != "HEAD") else {
        return Ok(Reference::Head);
    };
    if matches!(text.len(), 40 | 64) && text.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(Reference::Commit(text.to_ascii_lowercase()));
    }
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/+@#".contains(c));
    let is_part = |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock");
    let whole = plain && text.len() <= 200 && text.split('/').all(is_part);
    if !whole || text.contains("..") || text.ends_with('.') || text == "@" {
        return Err(SkillsError::Reference { origin: origin.to_owned(), reference: text.to_owned() });
    }
    Ok(Reference::Named(text.to_owned()))
}

/// Returns the address without secrets.
pub(crate) fn shown(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}/{path}")
}

/// Replaces the address in a text by the form that may be shown.
pub(crate) fn without_secrets(text: &str, address: &str) -> String {
    let text = text.replace(address, &shown(address));
    let user = address.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
    match user.rsplit_once('@') {
        Some((user, _)) if !user.is_empty() => {
            let password = user.split_once(':').map_or("", |(_, password)| password);
            let text = text.replace(user, "…");
            if password.is_empty() { text } else { text.replace(password, "…") }
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const GITHUB: &str = "https://github.com";

    fn source(kind: &str, source: &str) -> SkillSource {
        SkillSource { kind: kind.to_owned(), source: source.to_owned(), ..SkillSource::default() }
    }

    fn ask(source: &SkillSource) -> Result<Request> {
        read("set", 1, source, Path::new("/project"), GITHUB)
    }

    fn address(kind: &str, text: &str) -> Result<(String, PathBuf), String> {
        let request = ask(&source(kind, text)).map_err(|error| error.to_string())?;
        let From::Repository(repository) = request.from else { panic!("a repository") };
        Ok((repository.address, request.subpath))
    }

    #[test]
    fn directories_start_at_the_session() {
        for (text, path) in [("skills", "/project/skills"), ("/opt/x", "/opt/x"), ("../y", "/project/../y")] {
            assert_eq!(ask(&source("local", text)).unwrap().from, From::Directory(path.into()));
        }
        let unknown = ask(&source("npm", "x")).unwrap_err();
        assert!(matches!(unknown, SkillsError::Kind { .. }), "{unknown}");
    }

    #[test]
    fn github_is_an_owner_and_a_name() {
        let whole = ("https://github.com/a-b/c.d.git".to_owned(), PathBuf::new());
        for text in ["a-b/c.d", "a-b/c.d/", "a-b/c.d.git", "https://github.com/a-b/c.d"] {
            assert_eq!(address("github", text).unwrap(), whole, "{text}");
        }
        assert_eq!(address("github", "a/b/c/d").unwrap().1, Path::new("c/d"));
        for bad in
            ["", "a", "a/", "-a/b", "a/..", "../b", "a b/c", "a/b/../c", "a/b?x", "a@b/c", "a/--x/../y"]
        {
            address("github", bad).unwrap_err();
        }
    }

    #[test]
    fn only_addresses_that_are_addresses_reach_git() {
        for good in [
            "https://host/x.git",
            "http://[::1]:80/x",
            "ssh://git@host:22/x",
            "git@host.example:owner/name.git",
            "host:name",
            "file:///srv/x",
            "/srv/x",
        ] {
            address("git", good).unwrap();
        }
        for bad in [
            "",
            "x",
            "--upload-pack=touch",
            "-x@host:y",
            "ext::sh",
            "ext::sh -c x",
            "ext::https://x",
            "fd::7",
            "git://host/x",
            "ftp://host/x",
            "ssh://-oProxyCommand=x/y",
            "ssh://-x@host/y",
            "-oProxyCommand=x:y",
            "a@-b:c",
            "host:-x",
            "host::x",
            "file://host/x",
            "https:///x",
            "https://host/a b",
            "https://host/\n",
            "../x",
        ] {
            let error = address("git", bad).unwrap_err();
            assert!(error.contains("not used"), "{bad}: {error}");
        }
    }

    #[test]
    fn references_are_names_or_whole_commits() {
        let read = |text: &str| {
            let reference = Some(text.to_owned());
            let request = ask(&SkillSource { reference, ..source("git", "/x") })?;
            let From::Repository(repository) = request.from else { panic!("a repository") };
            Ok::<_, SkillsError>(repository.reference)
        };
        for good in ["main", "v1.2.3", "feature/a-b_c", "pkg@1.0", "abc123", "refs/heads/x"] {
            assert_eq!(read(good).unwrap(), Reference::Named(good.to_owned()));
        }
        assert_eq!(read("").unwrap(), Reference::Head);
        let commit = "ABCDEF0123".repeat(4);
        assert_eq!(read(&commit).unwrap(), Reference::Commit(commit.to_lowercase()));
        for bad in [
            "-x",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a*",
            "a?",
            "[a",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "@",
            "a@{1}",
            "a\n",
            "a/-b",
        ] {
            assert!(matches!(read(bad), Err(SkillsError::Reference { .. })), "{bad}");
        }
    }

    #[test]
    fn subpaths_stay_inside() {
        for bad in ["..", "../x", "a/../../b", "/etc", "a/..", "a\0b"] {
            for kind in ["git", "local"] {
                let subpath = Some(bad.to_owned());
                let error = ask(&SkillSource { subpath, ..source(kind, "/x") }).unwrap_err();
                assert!(matches!(error, SkillsError::Subpath { .. }), "{bad}: {error}");
            }
        }
        let subpath = Some("./a//b/".to_owned());
        assert_eq!(ask(&SkillSource { subpath, ..source("git", "/x") }).unwrap().subpath, Path::new("a/b"));
    }

    #[test]
    fn secrets_are_not_shown() {
        let address = "https://me:s3cret@host/x?token=t";
        let error = ask(&source("git", address)).unwrap().origin;
        assert!(error.contains("https://host/x") && !error.contains("s3cret"), "{error}");
        let said = without_secrets("fatal: 'https://me:s3cret@host/x' for me:s3cret, s3cret", address);
        assert!(!said.contains("s3cret"), "{said}");
        assert_eq!(shown("git@host:x"), "git@host:x");
    }
}

//! A search: reads files within bounds, and takes strings and times out of them. An error in one place is recorded
//! and hides nothing else.

use crate::validate::base_variable;
use crate::{Credential, Findings, Host, Kind, Origin, Problem, Secret, Variable};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use zeroize::Zeroizing;

/// The largest file that is read. Claude Code keeps its history in the file that may hold a key.
const LARGEST_FILE: u64 = 16 << 20;

/// Times after this, in milliseconds, cannot be meant: they are some other unit.
const LAST_MOMENT: f64 = 1e15;

pub(crate) struct Search<'a> {
    pub(crate) host: &'a Host,
    findings: Findings,
}

/// The unit of a number since 1970.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Seconds,
    Milliseconds,
}

impl<'a> Search<'a> {
    pub(crate) fn of(host: &'a Host) -> Self {
        Self { host, findings: Findings::default() }
    }

    pub(crate) fn finish(self) -> Findings {
        self.findings
    }

    /// Notes a credential. One that no environment can hold is a problem instead.
    pub(crate) fn add(&mut self, mut credential: Credential) {
        if credential.secret.as_ref().is_some_and(|secret| secret.expose().contains('\0')) {
            return self.problem(credential.origin, "its secret holds a NUL character");
        }
        if let Some(name) = base_variable(&credential.provider) {
            let known = credential.base_url.take();
            credential.base_url = known.or_else(|| self.host.variable(name).map(str::to_owned));
            // A gateway's token must not end up at the provider's own door.
            if let (Some(url), false) = (&credential.base_url, credential.variables.is_empty()) {
                credential.variables.push(Variable { name, value: Secret::new(url.as_str()) });
            }
        }
        if !credential.is_usable(self.host.now_ms) {
            self.problem(credential.origin.clone(), "its token has expired; sign in again");
        }
        self.findings.credentials.push(credential);
    }

    /// Notes the credential in a variable, if it is set. It is handed on as the same variable.
    pub(crate) fn add_variable(&mut self, provider: &str, kind: Kind, name: &'static str) {
        if let Some(secret) = self.host.variable(name) {
            let credential = Credential::new(provider, kind, Origin::Variable(name));
            self.add(credential.with_secret(secret).handed_as(name));
        }
    }

    pub(crate) fn problem(&mut self, origin: Origin, reason: impl Into<String>) {
        let problem = Problem { origin, reason: reason.into() };
        // A place may be asked for several things.
        if !self.findings.problems.contains(&problem) {
            self.findings.problems.push(problem);
        }
    }

    /// Returns the JSON in a file; nothing when there is no such file, and when there is a problem with it.
    pub(crate) fn json(&mut self, path: &Path) -> Option<Value> {
        let parsed = match read(path) {
            Ok(None) => return None,
            Ok(Some(bytes)) => serde_json::from_slice(&bytes).map_err(|error| syntax(&error)),
            Err(reason) => Err(reason),
        };
        parsed.map_err(|reason| self.problem(Origin::File(path.to_owned()), reason)).ok()
    }

    /// Reads a file that must hold an object.
    pub(crate) fn object(&mut self, path: &Path) -> Option<Value> {
        let value = self.json(path)?;
        if !value.is_object() {
            self.problem(Origin::File(path.to_owned()), format!("is {}, not an object", sort(&value)));
            return None;
        }
        Some(value)
    }

    /// Returns the string at a place in a document; nothing when it is missing or blank.
    pub(crate) fn text(&mut self, document: &Value, pointer: &str, origin: &Origin) -> Option<String> {
        match document.pointer(pointer)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::String(_) | Value::Null => None,
            other => {
                self.problem(origin.clone(), format!("{pointer} is {}, not a string", sort(other)));
                None
            }
        }
    }

    /// Returns the moment at a place in a document, in milliseconds.
    pub(crate) fn moment(
        &mut self,
        document: &Value,
        (pointer, unit): (&str, Unit),
        origin: &Origin,
    ) -> Option<u64> {
        let value = document.pointer(pointer).filter(|value| !value.is_null())?;
        let factor = if matches!(unit, Unit::Seconds) { 1000.0 } else { 1.0 };
        match value.as_f64().map(|number| number * factor) {
            // Some agents write nought where a token never expires.
            Some(0.0) => None,
            Some(moment) if (0.0..LAST_MOMENT).contains(&moment) => Some(moment as u64),
            Some(_) => {
                self.problem(origin.clone(), format!("{pointer} is no point in time"));
                None
            }
            None => {
                self.problem(origin.clone(), format!("{pointer} is {}, not a number", sort(value)));
                None
            }
        }
    }
}

/// Returns a parser's complaint. It names the place and never what stands there.
pub(crate) fn syntax(error: &serde_json::Error) -> String {
    format!("is not JSON: {error}")
}

/// Returns the kind of a value, for messages.
pub(crate) fn sort(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns a file's bytes, wiped when dropped; nothing when it does not exist.
fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, String> {
    let unreadable = |error: io::Error| format!("cannot be read: {error}");
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if path.is_symlink() { Err("is a link to nothing".to_owned()) } else { Ok(None) };
        }
        // A file where a folder should be: this agent was never here.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    // Reading a pipe would wait for its writer.
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Zeroizing::new(Vec::new());
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(format!("is larger than {} MiB", LARGEST_FILE >> 20));
    }
    Ok(Some(bytes))
}

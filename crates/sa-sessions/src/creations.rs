//! Requests for new sessions by their `Idempotency-Key`. A session's record has the key that it was created with, so keys last
//! as long as their sessions.

use crate::SessionError;
use crate::record::CreationKey;
use sa_api::sessions::CreateSession;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Which session each key stands for, those that are being created included.
#[derive(Debug, Default)]
pub(crate) struct Creations(Mutex<HashMap<String, Claim>>);

/// The session that a request stands for.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) session: String,
    digest: String,
    /// One permit, for the one of several equal requests that is creating the session. The others wait no longer than an agent may
    /// take to start.
    turn: Arc<Semaphore>,
}

impl CreationKey {
    /// Names a request. Secrets are left out: a digest of what is easily guessed gives it away.
    pub(crate) fn new(key: String, request: &CreateSession) -> Self {
        let mut request = request.clone();
        request.token = request.token.map(|_| String::new());
        request.env.values_mut().for_each(String::clear);
        let body = serde_json::to_vec(&request).unwrap_or_default();
        let digest = Sha256::digest(&body).iter().map(|byte| format!("{byte:02x}")).collect();
        Self { key, digest }
    }
}

impl Claim {
    fn new(creation: &CreationKey, session: String) -> Self {
        Self { session, digest: creation.digest.clone(), turn: Arc::new(Semaphore::new(1)) }
    }

    /// Waits until no equal request is creating the session.
    pub(crate) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.turn.acquire().await.ok()
    }
}

impl Creations {
    /// Returns the session that the request stands for, a new one the first time.
    pub(crate) fn claim(
        &self,
        creation: &CreationKey,
        new_id: impl FnOnce() -> String,
    ) -> Result<Claim, SessionError> {
        match self.claims().entry(creation.key.clone()) {
            Entry::Occupied(claim) if claim.get().digest != creation.digest => Err(SessionError::KeyReused),
            Entry::Occupied(claim) => Ok(claim.get().clone()),
            Entry::Vacant(vacant) => Ok(vacant.insert(Claim::new(creation, new_id())).clone()),
        }
    }

    /// Returns whether a key still stands for that session.
    pub(crate) fn holds(&self, key: &str, session: &str) -> bool {
        self.claims().get(key).is_some_and(|claim| claim.session == session)
    }

    /// Notes the key of a session that is there.
    pub(crate) fn remember(&self, creation: &CreationKey, session: &str) {
        let mut claims = self.claims();
        if claims.get(&creation.key).is_none_or(|claim| claim.session != session) {
            claims.insert(creation.key.clone(), Claim::new(creation, session.to_owned()));
        }
    }

    /// Forgets a key, if it stands for that session.
    pub(crate) fn forget(&self, key: &str, session: &str) {
        let mut claims = self.claims();
        if claims.get(key).is_some_and(|claim| claim.session == session) {
            claims.remove(key);
        }
    }

    fn claims(&self) -> MutexGuard<'_, HashMap<String, Claim>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

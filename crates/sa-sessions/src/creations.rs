//! Requests for new sessions by their `Idempotency-Key`, while they are under way. The store lists a session with the key that it was
//! created with, so keys last as long as their sessions.

use crate::SessionError;
use crate::record::CreationKey;
use parking_lot::{Mutex, MutexGuard};
use sa_api::sessions::CreateSession;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The session that is being created under each key.
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

    /// Returns whether a request still has its claim.
    pub(crate) fn holds(&self, key: &str, claim: &Claim) -> bool {
        self.claims().get(key).is_some_and(|held| held.session == claim.session)
    }

    /// Lets go of a claim: from now on the store says which session the key stands for.
    fn release(&self, key: &str, session: &str) {
        let mut claims = self.claims();
        if claims.get(key).is_some_and(|claim| claim.session == session) {
            claims.remove(key);
        }
    }

    /// Releases a claim when it is dropped.
    pub(crate) fn releasing<'a>(&'a self, key: &'a str, claim: &'a Claim) -> Releasing<'a> {
        Releasing { creations: self, key, session: &claim.session }
    }

    fn claims(&self) -> MutexGuard<'_, HashMap<String, Claim>> {
        self.0.lock()
    }
}

/// Releases a claim at its end, however the request ends.
pub(crate) struct Releasing<'a> {
    creations: &'a Creations,
    key: &'a str,
    session: &'a str,
}

impl Drop for Releasing<'_> {
    fn drop(&mut self) {
        self.creations.release(self.key, self.session);
    }
}

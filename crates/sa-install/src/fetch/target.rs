//! Where an address leads, without fetching what is there.

use super::address::local_path;
use super::answer::refusal;
use super::client::{Client, local_failure};
use crate::error::Result;
use reqwest::header::HeaderMap;
use url::Url;

impl Client {
    /// Returns the address that answers in the end, after all redirects. An address that has nothing is an error.
    pub(crate) async fn target(&self, url: &Url) -> Result<Url> {
        let asked = self.address(url);
        if asked.scheme() == "file" {
            std::fs::metadata(local_path(&asked)?).map_err(local_failure(&asked))?;
            return Ok(asked);
        }
        let response = self.get(url, &HeaderMap::new()).await.map_err(|failure| failure.error)?;
        if response.status().is_success() {
            Ok(response.url().clone())
        } else {
            Err(refusal(&response).error)
        }
    }
}

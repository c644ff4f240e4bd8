//! A large file: streamed into a partial file, continued after cuts and kills, and checked.

use super::address::{local_path, shown};
use super::answer::{broken, refusal};
use super::client::{Client, local_failure};
use super::hash::Hasher;
use super::partial::Note;
use super::retry::{Failure, Remedy};
use super::room;
use super::writer::Writer;
use crate::artifact::{Digest, RemoteFile};
use crate::error::{Result, SourceError};
use crate::limits::{LOCAL_READ_BYTES, MAX_DOWNLOAD_ATTEMPTS, MAX_DOWNLOAD_BYTES};
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, IF_RANGE, LAST_MODIFIED, RANGE};
use reqwest::{Response, StatusCode};
use sa_disk::on_disk;
use std::io::Read;
use std::path::Path;
use url::Url;

/// A callback with the number of bytes received, and of all bytes.
pub(crate) type Counter<'a> = &'a (dyn Fn(u64, Option<u64>) + Send + Sync);

impl Client {
    /// Gets the file into `to`, continuing what is there, and answers what it hashes to.
    ///
    /// Nobody else may use `to` at the same time. After a failure, what is there is a start for the next attempt; what is
    /// known to be wrong was deleted.
    pub(crate) async fn download(
        &self,
        file: &RemoteFile,
        to: &Path,
        progress: Counter<'_>,
    ) -> Result<Digest> {
        let mut download = Download {
            client: self,
            file,
            asked: self.address(&file.url),
            directory: to.parent().unwrap_or(Path::new("/")),
            writer: Writer::open(to, Hasher::like(file.digest.as_ref())).await?,
            progress,
            pieced: false,
        };
        match download.run().await {
            Ok(digest) => Ok(digest),
            Err(error) => {
                if matches!(error, SourceError::Checksum { .. } | SourceError::Nonsense { .. }) {
                    download.writer.delete().await?;
                }
                Err(error)
            }
        }
    }
}

struct Download<'a> {
    client: &'a Client,
    file: &'a RemoteFile,
    asked: Url,
    directory: &'a Path,
    writer: Writer,
    progress: Counter<'a>,
    /// Set if the bytes come from more than one answer.
    pieced: bool,
}

impl Download<'_> {
    async fn run(&mut self) -> Result<Digest> {
        loop {
            self.fill().await?;
            let found = self.writer.digest().await?;
            let Some(expected) = self.file.digest.as_ref().filter(|expected| **expected != found) else {
                return Ok(found);
            };
            if !self.pieced {
                let (expected, found) = (expected.to_string(), found.to_string());
                return Err(SourceError::Checksum { url: shown(&self.asked), expected, found });
            }
            // Pieces of two different files, or a disk that lost what it had been given: once more, in one piece.
            tracing::debug!(url = shown(&self.asked), "the pieces do not fit together; starting over");
            self.writer.restart().await?;
            self.pieced = false;
        }
    }

    /// Asks until everything is there, as long as there is hope.
    async fn fill(&mut self) -> Result<()> {
        let mut failed = 0;
        for _ in 0..MAX_DOWNLOAD_ATTEMPTS {
            if self.is_complete() {
                return Ok(());
            }
            let before = self.writer.len();
            let failure = match self.attempt().await {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if failure.remedy == Remedy::None {
                return Err(failure.error);
            }
            self.writer.flush().await?;
            failed = if self.writer.len() > before { 1 } else { failed + 1 };
            let Some(pause) = failure.pause(failed, self.client.first_pause()) else {
                return Err(failure.error);
            };
            tracing::debug!(error = %failure.error, received = self.writer.len(), ?pause, "continuing");
            tokio::time::sleep(pause).await;
        }
        Err(self.unreachable("broke off too often"))
    }

    /// Returns whether all bytes are there and only need to be verified.
    fn is_complete(&self) -> bool {
        let total = self.file.size.or_else(|| self.writer.note()?.total);
        self.file.digest.is_some() && self.writer.len() > 0 && total == Some(self.writer.len())
    }

    async fn attempt(&mut self) -> Result<(), Failure> {
        if self.asked.scheme() == "file" {
            return Ok(self.copy().await?);
        }
        let headers = self.question().await?;
        let response = self.client.get(&self.file.url, &headers).await?;
        let Some(total) = self.begin(&response).await? else { return Ok(()) };
        self.receive(response, total).await
    }

    /// Returns the headers of the next request. It asks for the missing bytes, if those that are there can be the
    /// start of the file.
    async fn question(&mut self) -> Result<HeaderMap> {
        let mut headers = self.file.headers.clone();
        let from = self.writer.len();
        if from == 0 {
            return Ok(headers);
        }
        let note = self.writer.note().filter(|note| note.url == shown(&self.asked));
        let validator = note.and_then(|note| note.validator.as_ref()?.parse::<HeaderValue>().ok());
        let too_long = self.file.size.is_some_and(|size| from > size);
        if too_long || (validator.is_none() && self.file.digest.is_none()) {
            self.writer.restart().await?;
            return Ok(headers);
        }
        let range = HeaderValue::try_from(format!("bytes={from}-")).map_err(|_| self.unreachable(""))?;
        headers.insert(RANGE, range);
        if let Some(validator) = validator {
            headers.insert(IF_RANGE, validator);
        }
        Ok(headers)
    }

    /// Reads the answer's head: the file's whole length as far as it is known; none if there is nothing to add.
    async fn begin(&mut self, response: &Response) -> Result<Option<Option<u64>>, Failure> {
        let from = self.writer.len();
        let range = ContentRange::of(response);
        let total = match response.status() {
            StatusCode::PARTIAL_CONTENT if from > 0 && range.start == Some(from) => {
                self.pieced = true;
                range.total
            }
            StatusCode::OK => {
                self.writer.restart().await?;
                response.content_length()
            }
            StatusCode::RANGE_NOT_SATISFIABLE if from > 0 && range.total == Some(from) => {
                self.pieced = true;
                return Ok(None);
            }
            StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PARTIAL_CONTENT if from > 0 => {
                self.writer.restart().await?;
                let error = self.unreachable("does not have the rest of what it began with");
                return Err(Failure { error, remedy: Remedy::Retry(None) });
            }
            _ => return Err(refusal(response)),
        };
        self.check_length(total)?;
        room::check(self.directory, total.unwrap_or(0).saturating_sub(self.writer.len()))?;
        let validator = validator_of(response.headers());
        self.writer.remember(Note { url: shown(&self.asked), validator, total }).await?;
        Ok(Some(total))
    }

    async fn receive(&mut self, mut response: Response, total: Option<u64>) -> Result<(), Failure> {
        let expected = self.file.size.or(total);
        (self.progress)(self.writer.len(), expected);
        while let Some(chunk) = response.chunk().await.map_err(broken(&self.asked))? {
            self.writer.push(&chunk).await?;
            self.check_growth(expected)?;
            (self.progress)(self.writer.len(), expected);
        }
        self.writer.flush().await?;
        if expected.is_some_and(|expected| self.writer.len() < expected) {
            let error = self.unreachable("broke off");
            return Err(Failure { error, remedy: Remedy::Retry(None) });
        }
        Ok(())
    }

    /// From this machine's own disk: there is nothing to continue.
    async fn copy(&mut self) -> Result<()> {
        let url = self.asked.clone();
        let (mut source, total) = on_disk(move || {
            let opened = std::fs::File::open(local_path(&url)?).map_err(local_failure(&url))?;
            let total = opened.metadata().map_err(local_failure(&url))?.len();
            Ok::<_, SourceError>((opened, total))
        })
        .await?;
        self.writer.restart().await?;
        self.check_length(Some(total))?;
        room::check(self.directory, total)?;
        loop {
            let url = self.asked.clone();
            let (read, back) = on_disk(move || {
                let mut piece = Vec::new();
                let read = (&mut source).take(LOCAL_READ_BYTES).read_to_end(&mut piece);
                read.map_err(local_failure(&url))?;
                Ok::<_, SourceError>((piece, source))
            })
            .await?;
            source = back;
            if read.is_empty() {
                return self.writer.flush().await;
            }
            self.writer.push(&read).await?;
            self.check_growth(None)?;
            (self.progress)(self.writer.len(), Some(total));
        }
    }

    fn check_length(&self, total: Option<u64>) -> Result<()> {
        let Some(total) = total else { return Ok(()) };
        let reason = match self.file.size {
            Some(size) if size != total => format!("is {total} bytes long, but {size} were published"),
            _ if total > MAX_DOWNLOAD_BYTES => format!("is {total} bytes long, more than are fetched"),
            _ => return Ok(()),
        };
        Err(SourceError::nonsense(&self.asked, reason))
    }

    fn check_growth(&self, expected: Option<u64>) -> Result<()> {
        let most = expected.unwrap_or(MAX_DOWNLOAD_BYTES);
        if self.writer.len() <= most {
            return Ok(());
        }
        Err(SourceError::nonsense(&self.asked, format!("goes on after {most} bytes")))
    }

    fn unreachable(&self, reason: &str) -> SourceError {
        SourceError::unreachable(&self.asked, reason)
    }
}

/// The start of a part, and the length of the whole.
#[derive(Default)]
struct ContentRange {
    start: Option<u64>,
    total: Option<u64>,
}

impl ContentRange {
    fn of(response: &Response) -> Self {
        let text = response.headers().get(CONTENT_RANGE).and_then(|value| value.to_str().ok());
        let Some((range, total)) = text.and_then(|text| text.strip_prefix("bytes ")?.split_once('/')) else {
            return Self::default();
        };
        let start = range.split_once('-').and_then(|(start, _)| start.trim().parse().ok());
        Self { start, total: total.trim().parse().ok() }
    }
}

/// Returns the host's name for this state of the file. A weak entity tag promises too little to join bytes by.
fn validator_of(headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let tag = text(ETAG).filter(|tag| !tag.starts_with("W/"));
    tag.or_else(|| text(LAST_MODIFIED)).map(str::to_owned)
}

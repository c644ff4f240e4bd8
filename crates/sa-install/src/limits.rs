//! Every limit of this crate, in one place.

use std::time::Duration;

/// The longest document that a source may answer with: version files, manifests, registry metadata.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 16 << 20;
/// The largest file that is fetched.
pub(crate) const MAX_DOWNLOAD_BYTES: u64 = 4 << 30;
/// The most redirects for one address.
pub(crate) const MAX_REDIRECTS: usize = 8;

/// Timeout for a host to accept a connection.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for a host that sends nothing.
pub(crate) const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// The first pause between two attempts; each further one is twice as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(300);
/// The longest pause, also when the host asks for more.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The most failed attempts in a row for one address.
pub(crate) const ATTEMPTS: u32 = 4;
/// The most failed attempts for a host that cannot be connected to: it may be unreachable from here.
pub(crate) const CONNECT_ATTEMPTS: u32 = 2;
/// The most attempts of a download, each of which adds some bytes.
pub(crate) const MAX_DOWNLOAD_ATTEMPTS: u32 = 200;
/// Bytes of one read of a local file.
pub(crate) const LOCAL_READ_BYTES: u64 = 1 << 20;
/// The longest id of an agent.
pub(crate) const MAX_AGENT_CHARS: usize = 64;
/// The longest name of a version.
pub(crate) const MAX_VERSION_CHARS: usize = 128;

/// Timeout of npm for installing a package and its dependencies.
pub(crate) const NPM_INSTALL_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Timeout of npm for reporting its registry.
pub(crate) const NPM_QUESTION_TIMEOUT: Duration = Duration::from_secs(15);
/// The most bytes of an archive on this disk that are searched for the version's name.
pub(crate) const MAX_SEARCHED_BYTES: u64 = 2 << 30;
/// The most files, directories and links in an archive.
pub(crate) const MAX_UNPACKED_ENTRIES: usize = 250_000;
/// The most bytes that an archive may unpack to.
pub(crate) const MAX_UNPACKED_BYTES: u64 = 8 << 30;
/// The most bytes that an archive may unpack to, as a multiple of its length.
pub(crate) const MAX_UNPACK_RATIO: u64 = 100;
/// So much is allowed whatever its length.
pub(crate) const UNPACK_RATIO_FREE_BYTES: u64 = 16 << 20;
/// The longest path of an entry.
pub(crate) const MAX_PATH_BYTES: usize = 1024;
/// The longest name in a path.
pub(crate) const MAX_NAME_BYTES: usize = 255;
/// The longest header that gives a tarball's entry a longer name.
pub(crate) const MAX_TAR_EXTENSION_BYTES: u64 = 64 << 10;

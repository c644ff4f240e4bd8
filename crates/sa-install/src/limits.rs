//! Every limit of this crate, in one place.

use std::time::Duration;

/// The longest document that a source may answer with: version files, manifests, registry metadata.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 16 << 20;
/// The largest file that is fetched.
pub(crate) const MAX_DOWNLOAD_BYTES: u64 = 4 << 30;
/// How many redirects are followed for one address.
pub(crate) const MAX_REDIRECTS: usize = 8;

/// How long a host may take to accept a connection.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a host may say nothing.
pub(crate) const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);
/// The first pause between two attempts; each further one is twice as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(300);
/// The longest pause, also when the host asks for more.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How often in a row an address is asked without any success.
pub(crate) const ATTEMPTS: u32 = 4;
/// The same for a host that cannot even be connected to: it may just be unreachable from here.
pub(crate) const CONNECT_ATTEMPTS: u32 = 2;
/// How often a download is continued, each time with a little more of it there.
pub(crate) const MAX_DOWNLOAD_ATTEMPTS: u32 = 200;
/// How much of a local file is read at once.
pub(crate) const LOCAL_READ_BYTES: u64 = 1 << 20;
/// How long an agent's id may be.
pub(crate) const MAX_AGENT_CHARS: usize = 64;
/// How long a version's name may be.
pub(crate) const MAX_VERSION_CHARS: usize = 128;

/// How long npm may take to put a package and its dependencies together.
pub(crate) const NPM_INSTALL_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// How long npm may take to say which registry it uses.
pub(crate) const NPM_QUESTION_TIMEOUT: Duration = Duration::from_secs(15);
/// How many bytes of an archive on this disk are searched for the version's name.
pub(crate) const MAX_SEARCHED_BYTES: u64 = 2 << 30;
/// How many files, directories and links an archive may hold.
pub(crate) const MAX_UNPACKED_ENTRIES: usize = 250_000;
/// How many bytes it may swell to.
pub(crate) const MAX_UNPACKED_BYTES: u64 = 8 << 30;
/// How many times its own length that may be.
pub(crate) const MAX_UNPACK_RATIO: u64 = 100;
/// So much is allowed whatever its length.
pub(crate) const UNPACK_RATIO_FREE_BYTES: u64 = 16 << 20;
/// How long the path of an entry may be.
pub(crate) const MAX_PATH_BYTES: usize = 1024;
/// How long each of its parts may be.
pub(crate) const MAX_NAME_BYTES: usize = 255;
/// How long a header may be that gives a tarball's entry a longer name.
pub(crate) const MAX_TAR_EXTENSION_BYTES: u64 = 64 << 10;

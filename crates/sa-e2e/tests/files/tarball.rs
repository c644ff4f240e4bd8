//! Tar archives made by hand, so that they can be as wrong as an attacker's.

/// An archive in the making.
pub(crate) struct Tarball {
    bytes: Vec<u8>,
    mode: u32,
}

impl Default for Tarball {
    fn default() -> Self {
        Self { bytes: Vec::new(), mode: 0o644 }
    }
}

impl Tarball {
    pub(crate) fn file(self, name: &str, contents: &[u8]) -> Self {
        self.entry(name, b'0', "", contents)
    }

    pub(crate) fn directory(self, name: &str) -> Self {
        self.entry(name, b'5', "", &[])
    }

    pub(crate) fn symlink(self, name: &str, target: &str) -> Self {
        self.entry(name, b'2', target, &[])
    }

    pub(crate) fn hard_link(self, name: &str, target: &str) -> Self {
        self.entry(name, b'1', target, &[])
    }

    /// Sets the permissions of the entries that `build` adds.
    pub(crate) fn with_mode(mut self, mode: u32, build: impl FnOnce(Self) -> Self) -> Self {
        let before = std::mem::replace(&mut self.mode, mode);
        let mut built = build(self);
        built.mode = before;
        built
    }

    /// Any entry; a name that is too long for the header is given before it as GNU does.
    pub(crate) fn entry(mut self, name: &str, kind: u8, link: &str, contents: &[u8]) -> Self {
        if name.len() > 100 {
            let long = [name.as_bytes(), b"\0"].concat();
            self = self.header(b"././@LongLink", b'L', "", long.len() as u64).contents(&long);
        }
        let short = name.as_bytes().get(..100).unwrap_or(name.as_bytes());
        self.header(short, kind, link, contents.len() as u64).contents(contents)
    }

    /// Only a header, which may announce any size.
    pub(crate) fn header(mut self, name: &[u8], kind: u8, link: &str, size: u64) -> Self {
        let mut header = [0_u8; 512];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, name);
        put(100, format!("{:07o}", self.mode).as_bytes());
        put(108, b"0001750\x000001750\0");
        put(124, format!("{size:011o}").as_bytes());
        put(136, format!("{:011o}", 1_700_000_000).as_bytes());
        put(148, b"        ");
        put(156, &[kind]);
        put(157, link.as_bytes());
        put(257, b"ustar\x0000");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.bytes.extend_from_slice(&header);
        self
    }

    /// Bytes, filled up to a block.
    pub(crate) fn contents(mut self, contents: &[u8]) -> Self {
        self.bytes.extend_from_slice(contents);
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
        self
    }

    /// Returns the archive with its end.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut bytes = self.bytes;
        bytes.resize(bytes.len() + 1024, 0);
        bytes
    }

    /// Returns the archive without its end.
    pub(crate) fn unfinished(self) -> Vec<u8> {
        self.bytes
    }
}

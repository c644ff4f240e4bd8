// Version of the daemon that providers install by default.

/** Equals the version of this package; the release script writes both. */
export const VERSION = "0.1.0";

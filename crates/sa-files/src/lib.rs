//! The sandbox's files: streaming, atomic, beneath a root that no link escapes.

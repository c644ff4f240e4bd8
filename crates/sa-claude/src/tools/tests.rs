//! Every kind of tool, as a client sees it.

//! Where each agent's CLI keeps its credentials, and whether a provider accepts one.

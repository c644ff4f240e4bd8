//! The processes that an adapter drives, and the driver that connects them with the state machine.

pub(crate) mod child;
pub(crate) mod children;
pub(crate) mod disk;
pub(crate) mod driver;
pub(crate) mod limits;
pub(crate) mod pending;
pub(crate) mod permission_socket;
pub(crate) mod processes;
pub(crate) mod program;
pub(crate) mod session_process;
pub(crate) mod version;
pub(crate) mod wire;

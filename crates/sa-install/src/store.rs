//! The directory of installed agents.
//!
//! ```text
//!  <data>/agents/<agent>/
//!      <version>/            one installed version, whole: it got here by a rename
//!          installed.json    its receipt
//!      current -> <version>  what runs when nobody names a version
//!      .lock                 held during every change here
//!      .partial/             downloads on their way
//!      .staging-*  .old-*    a version being put together or taken apart; removed by the next holder of the lock
//! ```

mod activate;
mod layout;
mod lock;
mod receipt;
mod remove;

pub(crate) use activate::locate_entry;
pub(crate) use layout::{AgentDirectory, check_version, is_newer};
pub(crate) use lock::Lock;
pub use receipt::Receipt;
pub(crate) use receipt::is_executable;

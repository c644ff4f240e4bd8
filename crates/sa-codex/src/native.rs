//! The messages of the app-server, as far as they are needed here. They are read leniently: first the frame, then
//! the body by its method, and a body of another shape than expected is passed on as it is.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod event;
pub(crate) mod item;
pub(crate) mod line;

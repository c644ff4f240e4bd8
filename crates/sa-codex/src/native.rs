//! What the app-server says and is told, as far as it is needed here. What is read is read leniently: first the frame, then
//! the body by its method, and a body of another shape than expected is passed on as it is.

pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod event;
pub(crate) mod item;
pub(crate) mod line;

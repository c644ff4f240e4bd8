//! Failures of processes as problems.

use sa_processes::{BadConfig, InputError, RemoveError, ResizeError, StartError};

codes! {
    StartError {
        StartError::TooMany(_) => Conflict,
        StartError::Refused(_) => InvalidRequest,
        StartError::Exhausted(_) => ResourceExhausted,
        StartError::Failed(_) => SpawnFailed,
        StartError::ShuttingDown => ShuttingDown,
    }
    InputError {
        _ => Conflict,
    }
    ResizeError {
        ResizeError::NoTerminal | ResizeError::Ended => Conflict,
        ResizeError::Io(_) => Internal,
    }
    RemoveError {
        RemoveError::Unknown => NotFound,
        RemoveError::Running => Conflict,
    }
    BadConfig {
        _ => InvalidRequest,
    }
}

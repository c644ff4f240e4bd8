//! Processes and terminals that a client starts: output by sequence, time-outs, PTYs.

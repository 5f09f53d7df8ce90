//! The small tree with `time_hfi`s: registers of every device are hardware.

mod cases;

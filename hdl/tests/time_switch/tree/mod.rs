//! A small tree on real links: a master, two `time_switch`es and two slaves, programmed by the manager library.

mod block;
mod cases;
mod rig;

//! Fabrics, the manager library and the clock tree of a board; `board` is what the last of these talks to.

mod board;
mod chain;
mod clock_tree;
mod failover;
mod link_delay;
mod manager;
mod scale;
mod sue_host;

//! The ladder, the set-up of the tools and the models of placed cells.

mod environment;
mod ladder;
mod offline;
mod placed;
mod placed_cells;
mod placed_support;

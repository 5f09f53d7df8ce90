//! The project as a whole: command line, documents, co-simulation of every block, boards and budgets.

mod board_bench;
mod board_cells;
mod board_designs;
mod budgets;
mod cli;
mod clock_tree;
mod clock_tree_scenarios;
mod cocotb;
mod cosim_all;
mod documents;
mod goodput_hardware;
mod kept;
mod line_scenario;
mod link_campaigns;
mod modules;
mod on_demand;
mod outside;
mod placed_blocks;
mod placed_board;
mod placed_clock_tree;
mod placed_port;
mod placed_sue_pair;
#[path = "../synth/flow/tests/placed_support/mod.rs"]
mod placed_support;
mod shapes;
mod sue_campaigns;
mod sue_pair;
mod sue_tap;
mod verilog_library;

//! The flow from Verilog to a bitstream: tool set-up, the ladder, targets, budgets and reports.

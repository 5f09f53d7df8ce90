//! Walker, checks, lint and Verilog writer; `rows` and `support` are shared by their tests.

mod content_names;
mod features;
mod foreign;
mod interface;
mod lint;
mod loud;
mod one_pll;
mod others;
mod primitives;
mod random;
mod rows;
mod silent;
mod stops;
mod support;
mod verilog_ecp5;
mod verilog_expressions;
mod verilog_hierarchy;
mod verilog_memory;
mod verilog_repeatable;
mod verilog_rows;
mod verilog_statements;
mod walk;

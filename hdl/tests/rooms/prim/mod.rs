//! Building blocks.

mod async_fifo;
mod counter;
mod debounce;
mod delay;
mod fifo;
mod literal;
mod ram;
mod register;
mod rom;
mod skid;
mod synchronizer;
mod uart;
mod uart_line;

//! The fabric link (chapter 10): flits, LTPs, CRC, lanes, retry.
//!
//! One folder per block of the chapter's table in section 2; each folder has `mod.rs` with the block, its
//! `Config` and its registry `ENTRY`, and `tests.rs`.

pub mod crc;

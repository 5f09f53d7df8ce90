//! The tests of the blocks of scale-up Ethernet: every file of `rooms` is a module, and has the name of its block.

#![allow(clippy::unwrap_used, clippy::expect_used)] // tests

mod rooms {
    automod::dir!("tests/rooms");
}

//! Building blocks: every file of this folder is a module.

automod::dir!("tests/rooms/prim");

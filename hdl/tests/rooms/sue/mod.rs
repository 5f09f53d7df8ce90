//! Scale-up Ethernet: every file of this folder is a module.

automod::dir!("tests/rooms/sue");

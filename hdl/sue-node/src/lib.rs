//! Nodes of scale-up Ethernet: compositions of blocks that a board carries. A node knows no board and no pin.

pub mod pair;

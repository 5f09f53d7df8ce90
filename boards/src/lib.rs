//! Boards, platform primitives and the designs that stand on them.

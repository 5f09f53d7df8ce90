//! Cases of every class, a choice of them.

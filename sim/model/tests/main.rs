//! The golden models against chapters 10 and 20, and what these tests share.

mod bits;
mod chapter10_crc;
mod chapter10_degrade;
mod chapter10_equality;
mod chapter10_isolate;
mod chapter10_lanes;
mod chapter10_losses;
mod chapter10_mutations;
mod chapter10_probation;
mod chapter10_proof;
mod chapter10_retry;
mod chapter10_retry_rules;
mod chapter10_train;
mod chapter10_train_random;
mod chapter10_vectors;
mod chapter20_blocks;
mod chapter20_ddmtd;
mod chapter20_faults;
mod chapter20_link_delay;
mod chapter20_numbers;
mod chapter20_ring;
mod chapter20_vectors;
mod pairs;
mod support;
mod training_times;
mod vectors;

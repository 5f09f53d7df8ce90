use crate::rooms::prim::fifo::{fill_and_drain, random_traffic};
use flitforge_hdl::prim::Skid;
use rust_hdl::prelude::*;

#[test]
fn it_fills_drains_and_runs_at_full_rate() {
    fill_and_drain(Skid::<Bits<32>>::default(), 2, 2, 1);
}

#[test]
fn random_words_keep_their_order() {
    random_traffic(Skid::<Bits<32>>::default(), 10_000);
}

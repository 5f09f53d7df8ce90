//! A failing stimulus is made as small as it can be.
#![allow(clippy::expect_used)] // helpers of tests

use crate::common::{Bug, StreamRegister};
use flitforge_elaborate::Value;
use flitforge_sim::kit::{find_failure, seed, Pace, SharedScoreboard, StreamSink, StreamSource, Testbench};
use flitforge_sim::{BackEnd, SimError};
use proptest::collection::vec;
use proptest::sample::select;

/// Sends these words through a register and expects them all.
fn send(bug: Bug, words: &[u64]) -> Result<(), SimError> {
    let bench = BackEnd::Graph.open("stream_register", StreamRegister::<12>::boxed(bug))?;
    let mut testbench = Testbench::new(bench);
    let board = SharedScoreboard::new("words");
    let items = words.iter().map(|word| Value::from_u64(12, *word)).collect();
    let source = StreamSource::new(testbench.bench(), "words_in", 1)?.pace(Pace::Always);
    let sink = StreamSink::new(testbench.bench(), "words_out", 1)?.pace(Pace::Always).checking(&board);
    testbench.add(source.list(items).feeding(&board)).add(sink);
    testbench.run(words.len() as u64 + 4)?;
    board.with(|board| board.expect_empty(testbench.clock()))
}

#[test]
fn a_lost_word_shrinks_to_that_word_alone() {
    let seed = seed(0x5881);
    // It loses words whose lowest two bits are 1; the first of these that it loses is 3.
    let strategy = vec(select(vec![0u64, 1, 2, 3, 7, 11, 4095]), 0..40);
    let run = |words: &Vec<u64>| send(Bug::LosesItems, words);
    let failure = find_failure(&strategy, 50, 2_000, seed, run).expect("makes stimuli").expect("loses words");
    println!("{failure}");
    assert_eq!(failure.stimulus, [3]);
    assert!(failure.shrinks > 0);
    assert!(matches!(failure.error, SimError::Scoreboard { .. }));
    let text = failure.to_string();
    assert!(text.contains("[3]") && text.contains(&format!("{seed:#x}")), "{text}");
    let again = find_failure(&strategy, 50, 2_000, seed, run).expect("makes stimuli").expect("loses words");
    assert_eq!(
        (again.case, again.shrinks, again.stimulus),
        (failure.case, failure.shrinks, failure.stimulus)
    );
}

#[test]
fn a_right_block_gives_no_failure_and_a_strategy_without_stimuli_is_an_error() {
    let seed = seed(0x5882);
    let run = |words: &Vec<u64>| send(Bug::None, words);
    assert!(find_failure(&vec(0u64..4096, 0..40), 50, 100, seed, run).expect("makes stimuli").is_none());
    let nothing = proptest::strategy::Strategy::prop_filter(0..4u64, "none", |_| false);
    let error = find_failure(&nothing, 5, 5, seed, |_| Ok(())).expect_err("refused").to_string();
    assert!(error.contains("no stimulus"), "{error}");
}

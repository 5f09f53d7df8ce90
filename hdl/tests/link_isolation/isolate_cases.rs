//! BenchBlock cases of `link_isolate`: the examples of chapter 10, section 8, what comes at the wrong time, clears.

use flitforge_elaborate::Value;
use flitforge_hdl::link::isolate::{IsolateGroups, LinkIsolate};
use flitforge_protocol::retry::IsolateAction;
use flitforge_testkit::{BenchBlock, Clocked};

/// Words 0 to 16 of the mode 0 LTP of section 8; words 17 to 31 are 0, word 32 is 3F790000.
const WORDS: [u32; 17] = [
    0x01020304, 0x80000142, 0x26242220, 0x2E2C2A28, 0x6C686462, 0x7C787470, 0x19110904, 0x00000001,
    0xD3B93F68, 0x014BEEFA, 0x00001824, 0xA0000000, 0x6AF37BC0, 0x804019E2, 0x91A2B381, 0x01000000,
    0x00000003,
];

pub fn good_words() -> Vec<u32> {
    let mut words = WORDS.to_vec();
    words.resize(32, 0);
    words.push(0x3F79_0000);
    words
}

/// Word 5 received as 7C687071 instead of 7C787470.
pub fn bad_words() -> Vec<u32> {
    let mut words = good_words();
    words[5] = 0x7C68_7071;
    words
}

fn row(words: &[u32]) -> Value {
    let word = |index: usize| u64::from(*words.get(index).unwrap_or(&0));
    Value::from_words(128, &[word(0) | word(1) << 32, word(2) | word(3) << 32])
}

/// Gives whole LTPs as rows; the last row is filled with zeros if the words do not fill it.
pub fn give(bench: &mut BenchBlock, words: &[u32], lanes: usize) {
    for row_words in words.chunks(lanes) {
        bench.set_value("rows.data", &row(row_words)).set("rows.valid", 1);
        bench.clock();
    }
    bench.set("rows.valid", 0);
    (0..3).for_each(|_| bench.clock());
}

fn groups(lanes: u64) -> BenchBlock {
    let mut bench = BenchBlock::new("isolate_groups", IsolateGroups::new().expect("valid"));
    bench.set("last_lane", lanes - 1).set("row_start", 1);
    bench.clock();
    bench.set("row_start", 0);
    bench
}

/// Group CRCs of the oldest LTP, as the chapter writes them, by group.
fn group_crcs(bench: &mut BenchBlock, lanes: usize) -> Vec<u16> {
    let state = bench.get("state") as usize;
    (0..lanes)
        .map(|group| (bench.get(&format!("crcs[{}]", (group + state) % lanes)) as u16).reverse_bits())
        .collect()
}

#[test]
fn the_group_crcs_are_those_of_section_8() {
    let mut damaged = good_words();
    damaged[32] ^= 1 << 16;
    for (lanes, words, expected) in [
        (4, good_words(), vec![0x3018, 0x2C98, 0xCF2A, 0x2BDD]),
        (4, bad_words(), vec![0x3018, 0xF659, 0xCF2A, 0x2BDD]),
        (4, damaged, vec![0xB226, 0x2C98, 0xCF2A, 0x2BDD]),
        (3, good_words(), vec![0xD000, 0x7461, 0xB3E8]),
        (2, good_words(), vec![0xE814, 0x03EA]),
    ] {
        let mut bench = groups(lanes as u64);
        // As LTPs 0 to 2 in a row: all sequence states a verdict may find.
        give(&mut bench, &words.repeat(3), lanes);
        for ltp in 0..3 {
            assert_eq!(bench.get("waiting"), 1, "LTP {ltp} on {lanes} lanes");
            assert_eq!(bench.get("state") as usize, 33 * ltp % lanes, "LTP {ltp} on {lanes} lanes");
            assert_eq!(group_crcs(&mut bench, lanes), expected, "LTP {ltp} on {lanes} lanes");
            bench.set("take", 1);
            bench.clock();
            bench.set("take", 0);
        }
        assert_eq!(bench.get("waiting"), 0);
    }
}

fn isolate(lanes: u64) -> BenchBlock {
    let mut bench = BenchBlock::new("link_isolate", LinkIsolate::new().expect("valid"));
    bench.set("active", 0xF >> (4 - lanes)).set("last_lane", lanes - 1).set("row_start", 1);
    bench.clock();
    bench.set("row_start", 0);
    bench
}

const EVENTS: [&str; 5] = ["lane_errors", "multi_lane", "iso_unknown", "iso_none", "iso_disagree"];

/// Gives the verdict of the next LTP and an action, and returns the events that follow: `EVENTS`.
fn judge(bench: &mut BenchBlock, good: bool, action: Option<IsolateAction>) -> [u64; 5] {
    let path = if good { "ltp_good" } else { "ltp_bad" };
    bench.set(path, 1);
    bench.clock();
    bench.set(path, 0);
    if let Some(action) = action {
        bench.set("action.valid", 1).set("action.data", action.code().into());
    }
    bench.clock();
    bench.set("action.valid", 0);
    bench.clock();
    let found = EVENTS.map(|event| bench.get(event));
    assert_eq!(bench.get("good_ltp"), u64::from(good));
    bench.clock();
    assert_eq!(EVENTS.map(|event| bench.get(event)), [0; 5], "events last one clock");
    found
}

#[test]
fn the_example_of_section_8_names_lane_3_and_not_the_lane_of_the_replay() {
    let mut bench = isolate(4);
    // The LTP as n = 2, its replay as n = 9.
    let (good, bad) = (good_words(), bad_words());
    let words: Vec<u32> = (0..11).flat_map(|n| if n == 2 { bad.clone() } else { good.clone() }).collect();
    let mut given = 0;
    for number in 0..10 {
        let until = (33 * (number + 1usize)).next_multiple_of(4);
        give(&mut bench, &words[given..until], 4);
        given = until;
        let (is_good, action, expected) = match number {
            2 => (false, Some(IsolateAction::Latch), [0; 5]),
            9 => (true, Some(IsolateAction::Compare), [1 << 3, 0, 0, 0, 0]),
            _ => (true, None, [0; 5]),
        };
        assert_eq!(judge(&mut bench, is_good, action), expected, "LTP {number}");
    }
}

#[test]
fn a_verdict_without_an_ltp_and_an_action_without_a_latch_do_nothing() {
    let mut bench = isolate(2);
    assert_eq!(judge(&mut bench, false, Some(IsolateAction::Latch)), [0; 5], "no LTP has come");
    give(&mut bench, &good_words().repeat(2), 2);
    for action in [IsolateAction::Compare, IsolateAction::Unknown] {
        assert_eq!(judge(&mut bench, true, Some(action)), [0; 5], "nothing is kept: {action:?}");
    }
}

#[test]
fn clear_and_a_new_start_discard_what_is_kept() {
    for how in ["clear", "row_start"] {
        let mut bench = isolate(2);
        give(&mut bench, &[bad_words(), good_words()].concat(), 2);
        assert_eq!(judge(&mut bench, false, Some(IsolateAction::Latch)), [0; 5]);
        // In the middle of an LTP.
        give(&mut bench, &good_words()[..10], 2);
        bench.set(how, 1);
        bench.clock();
        bench.set(how, 0);
        give(&mut bench, &[good_words(), bad_words(), good_words(), good_words()].concat(), 2);
        assert_eq!(judge(&mut bench, true, Some(IsolateAction::Compare)), [0; 5], "{how}");
        // The words are counted from the start on: the next LTP but one is compared group by group.
        assert_eq!(judge(&mut bench, false, Some(IsolateAction::Latch)), [0; 5], "{how}");
        assert_eq!(judge(&mut bench, true, Some(IsolateAction::Compare)), [1, 0, 0, 0, 0], "{how}");
    }
}

#[test]
fn a_null_ltp_is_unknown_and_a_discarded_one_nothing() {
    let mut bench = isolate(2);
    for (action, expected) in [
        (IsolateAction::Unknown, [0, 0, 1, 0, 0]),
        (IsolateAction::Discard, [0; 5]),
        (IsolateAction::Compare, [0, 0, 0, 1, 0]),
    ] {
        give(&mut bench, &good_words().repeat(2), 2);
        assert_eq!(judge(&mut bench, false, Some(IsolateAction::Latch)), [0; 5]);
        assert_eq!(judge(&mut bench, true, Some(action)), expected, "{action:?}");
    }
}

//! BenchBlock cases of `link_bit_isolate`: the example of chapter 10, section 8, what comes at the wrong time, clears, ALN rows.

use crate::link_isolation::isolate_cases::{bad_words, give, good_words};
use flitforge_hdl::link::bit_isolate::LinkBitIsolate;
use flitforge_protocol::bit_isolation::{bit_mask, bit_report};
use flitforge_protocol::retry::IsolateAction;
use flitforge_testkit::{BenchBlock, Clocked};

/// Clocks from `compare` to the report for 33 words: N + 10.
const LATENCY: usize = 43;

fn bit_isolate(lanes: u64) -> BenchBlock {
    let mut bench = BenchBlock::new("link_bit_isolate", LinkBitIsolate::new().expect("valid"));
    bench.set("active", 0xF >> (4 - lanes)).set("last_lane", lanes - 1).set("row_start", 1);
    bench.clock();
    bench.set("row_start", 0);
    bench
}

/// Gives the verdict of the next LTP and perhaps an action.
fn judge(bench: &mut BenchBlock, good: bool, action: Option<IsolateAction>) {
    let path = if good { "ltp_good" } else { "ltp_bad" };
    bench.set(path, 1);
    bench.clock();
    bench.set(path, 0);
    if let Some(action) = action {
        bench.set("action.valid", 1).set("action.data", action.code().into());
    }
    bench.clock();
    bench.set("action.valid", 0);
    (0..2).for_each(|_| bench.clock());
}

/// Word and wrong bits.
type Mask = (u64, u64);
/// When it came, and what it said.
type Report = (usize, u64);

/// The masks and the reports that follow within so many clocks.
fn watch(bench: &mut BenchBlock, clocks: usize) -> (Vec<Mask>, Vec<Report>) {
    let (mut masks, mut reports) = (vec![], vec![]);
    for clock in 0..clocks {
        if bench.get("masks.valid") == 1 {
            let data = u128::from(bench.get("masks.data"));
            masks.push((bit_mask::word::FIELD.get(data), bit_mask::mask::FIELD.get(data)));
        }
        if bench.get("report.valid") == 1 {
            reports.push((clock, bench.get("report.data")));
        }
        bench.clock();
    }
    (masks, reports)
}

#[test]
fn the_example_of_section_8_gives_three_bits_of_lane_3_after_43_clocks() {
    let mut bench = bit_isolate(4);
    // The LTP as n = 2, its replay as n = 9.
    let (good, bad) = (good_words(), bad_words());
    let words: Vec<u32> = (0..11).flat_map(|n| if n == 2 { bad.clone() } else { good.clone() }).collect();
    let mut given = 0;
    for number in 0..10 {
        let until = (33 * (number + 1usize)).next_multiple_of(4);
        give(&mut bench, &words[given..until], 4);
        given = until;
        match number {
            2 => judge(&mut bench, false, Some(IsolateAction::Latch)),
            9 => judge(&mut bench, true, Some(IsolateAction::Compare)),
            _ => judge(&mut bench, true, None),
        }
    }
    // `judge` has gone 3 clocks beyond the clock of the action.
    let (masks, reports) = watch(&mut bench, 100);
    assert_eq!(masks, [(5, 0x7C78_7470 ^ 0x7C68_7071)]);
    let [(clock, report)] = reports[..] else { panic!("one report: {reports:?}") };
    assert_eq!(clock + 3, LATENCY);
    let field = |field: flitforge_protocol::layout::Field| field.get(report.into());
    assert_eq!(field(bit_report::wrong_bits::FIELD), 3);
    // Word 5 is the second word of its lane; bits 0 and 20 of it.
    assert_eq!([bit_report::first_bit::FIELD, bit_report::last_bit::FIELD].map(field), [160, 180]);
    assert_eq!([bit_report::first_line_bit::FIELD, bit_report::last_line_bit::FIELD].map(field), [32, 52]);
    assert_eq!([bit_report::first_lane::FIELD, bit_report::last_lane::FIELD].map(field), [3, 3]);
}

#[test]
fn without_a_bad_ltp_there_is_no_report() {
    let mut bench = bit_isolate(2);
    judge(&mut bench, false, Some(IsolateAction::Latch)); // no LTP has come
    give(&mut bench, &good_words().repeat(4), 2);
    judge(&mut bench, true, Some(IsolateAction::Compare));
    assert_eq!(watch(&mut bench, 90), (vec![], vec![]), "nothing is kept");
    for action in [IsolateAction::Unknown, IsolateAction::Discard] {
        judge(&mut bench, false, Some(IsolateAction::Latch));
        judge(&mut bench, true, Some(action));
        give(&mut bench, &good_words().repeat(2), 2);
        judge(&mut bench, true, Some(IsolateAction::Compare));
        assert_eq!(watch(&mut bench, 120), (vec![], vec![]), "{action:?}");
    }
}

#[test]
fn clear_and_a_new_start_end_a_comparison_and_forget_the_bad_ltp() {
    for how in ["clear", "row_start"] {
        for in_comparison in [false, true] {
            let mut bench = bit_isolate(2);
            give(&mut bench, &[bad_words(), good_words()].concat(), 2);
            judge(&mut bench, false, Some(IsolateAction::Latch));
            watch(&mut bench, 40);
            if in_comparison {
                judge(&mut bench, true, Some(IsolateAction::Compare));
                watch(&mut bench, 10);
            }
            bench.set(how, 1);
            bench.clock();
            bench.set(how, 0);
            assert_eq!(watch(&mut bench, 60).1, [], "{how}");
            // Words and LTPs are counted from here on.
            give(&mut bench, &[good_words(), bad_words(), good_words(), good_words()].concat(), 2);
            judge(&mut bench, true, Some(IsolateAction::Compare));
            judge(&mut bench, false, Some(IsolateAction::Latch));
            judge(&mut bench, true, Some(IsolateAction::Compare));
            let (masks, reports) = watch(&mut bench, 120);
            assert_eq!((masks.len(), reports.len()), (1, 1), "{how}");
        }
    }
}

#[test]
fn the_bad_ltp_is_kept_while_thousands_of_rows_go_by_and_gaps_do_not_count() {
    let mut bench = bit_isolate(3);
    give(&mut bench, &[good_words(), bad_words()].concat(), 3);
    judge(&mut bench, true, None);
    judge(&mut bench, false, Some(IsolateAction::Latch));
    for _ in 0..130 {
        // 11 rows, and a clock without one as an ALN row leaves it.
        give(&mut bench, &good_words()[..30], 3);
        bench.clock();
        give(&mut bench, &good_words()[30..], 3);
        judge(&mut bench, true, None);
    }
    give(&mut bench, &good_words(), 3);
    judge(&mut bench, true, Some(IsolateAction::Compare));
    let (masks, reports) = watch(&mut bench, 100);
    assert_eq!((masks, reports.len()), (vec![(5, 0x7C78_7470 ^ 0x7C68_7071)], 1));
    assert_eq!(bit_report::first_lane::FIELD.get(reports[0].1.into()), 5 % 3);
}

use flitforge_elaborate::Value;
use flitforge_hdl::node::pattern::{PatternBeat, PatternChecker, PatternSource};
use flitforge_testkit::{Clocked, StockBlock};

/// The beat of the table in the module's documentation, written out anew.
fn beat(number: u32) -> Value {
    let n = u64::from(number);
    let inverse = u64::from(!number);
    let (flit0, type0, flit1, type1) = match number % 16 {
        0 => (1 << 63 | n, 0u64, (n ^ 0xA5C3_F00F) << 32 | (inverse ^ 0x5A0F_3C69), 1u64),
        15 => (1 << 62 | n, 0, 0, 0),
        _ => (inverse << 32 | n, 1, (n ^ 0xA5C3_F00F) << 32 | (inverse ^ 0x5A0F_3C69), 1),
    };
    Value::from_words(130, &[flit0, type0 | flit1 << 1, flit1 >> 63 | type1 << 1])
}

#[test]
fn the_beat_is_that_of_the_table() {
    let mut bench = StockBlock::new(PatternBeat::default());
    for number in (0..40).chain([0xFFFF_FFFF, 0x8000_000F, 0x1234_5670]) {
        bench.set("number", u64::from(number));
        assert_eq!(bench.get_value("beat"), beat(number), "{number:x}");
    }
}

#[test]
fn the_source_holds_under_stall_pauses_and_starts_again_after_clear() {
    let mut bench = StockBlock::new(PatternSource::default());
    for round in 0..2 {
        let (mut next, mut without) = (0u32, 0);
        for clock in 0..500u32 {
            let ready = clock % 3 != 1;
            bench.set("beats.ready", u64::from(ready));
            if bench.get("beats.valid") == 1 {
                assert_eq!(bench.get_value("beats.data"), beat(next), "round {round} clock {clock}");
                next += u32::from(ready);
            } else {
                without += 1;
            }
            bench.clock();
        }
        assert!(next > 200, "{next}");
        // The pause runs while the last beat before it still waits, here for one or two clocks.
        let pauses = u64::from((next - 1) / 64);
        assert!(without >= (PatternSource::PAUSE - 2) * pauses && pauses > 2, "{without} {pauses}");
        bench.set("clear", 1);
        bench.clock();
        bench.clock();
        assert_eq!(bench.get("beats.valid"), 0);
        bench.set("clear", 0);
        bench.clock();
    }
}

/// Feeds beats and sums the pulses: (good, wrong, gap).
fn check(bench: &mut StockBlock<PatternChecker>, beats: &[Value]) -> (u64, u64, u64) {
    let mut sum = (0, 0, 0);
    for index in 0..beats.len() + 4 {
        match beats.get(index) {
            Some(beat) => bench.set_value("beats.data", beat).set("beats.valid", 1),
            None => bench.set("beats.valid", 0),
        };
        bench.clock();
        sum.0 += bench.get("good");
        sum.1 += bench.get("wrong");
        sum.2 += bench.get("gap");
    }
    sum
}

#[test]
fn the_checker_counts_good_wrong_and_gaps() {
    let mut bench = StockBlock::new(PatternChecker::default());
    let good: Vec<Value> = (0..50).map(beat).collect();
    assert_eq!(check(&mut bench, &good), (50, 0, 0));
    let later: Vec<Value> = (58..70).map(beat).collect();
    assert_eq!(check(&mut bench, &later), (12, 0, 1));
    for bit in [32, 63, 64, 65, 96, 128, 129] {
        bench.set("clear", 1);
        bench.clock();
        bench.set("clear", 0);
        let mut beats: Vec<Value> = (0..20).map(beat).collect();
        let flipped = !beats[7].bit(bit);
        beats[7].set_bit(bit, flipped);
        assert_eq!(check(&mut bench, &beats), (19, 1, 0), "bit {bit}");
    }
}

#[test]
fn clear_in_the_pipeline_drops_the_beat() {
    let mut bench = StockBlock::new(PatternChecker::default());
    bench.set_value("beats.data", &beat(5)).set("beats.valid", 1);
    bench.clock();
    bench.set("beats.valid", 0).set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    assert_eq!(check(&mut bench, &[beat(0)]), (1, 0, 0));
}

use super::*;
use crate::rooms::link::gearbox::chapter_ltp;
use flitforge_elaborate::Value;
use flitforge_hdl::link::lane::LinkLaneTx;
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

/// Sends `words` with the given chance that a lane or the row source is willing in a clock.
fn send(bench: &mut StockBlock<LinkLaneTx<4>>, active: u64, words: &[u32], chance: f64) -> Vec<Vec<u64>> {
    let mut rng = random();
    bench.set("clear", 1).set("active", active).set("rows.valid", 0);
    bench.clock();
    bench.set("clear", 0).set("start", 1);
    bench.clock();
    bench.set("start", 0);
    let lanes = bench.get("last_lane") as usize + 1;
    assert_eq!(lanes as u32, active.count_ones());
    let mut rows = words.chunks_exact(lanes).peekable();
    let mut streams = vec![vec![]; 4];
    let (mut idle, mut offered) = (0, false);
    while idle < 40 {
        offered = offered || rng.random_bool(chance);
        bench.set("rows.valid", u64::from(offered && rows.peek().is_some()));
        if let Some(row) = rows.peek() {
            let wide: Vec<u64> = (0..2)
                .map(|half| {
                    (0..2).fold(0, |all, word| {
                        all | u64::from(row.get(2 * half + word).copied().unwrap_or(0)) << (32 * word)
                    })
                })
                .collect();
            bench.set_value("rows.data", &Value::from_words(128, &wide));
        }
        for (lane, stream) in streams.iter_mut().enumerate() {
            let ready = rng.random_bool(chance);
            bench.set(&format!("lanes[{lane}].ready"), u64::from(ready));
            if ready && bench.get(&format!("lanes[{lane}].valid")) == 1 {
                stream.push(bench.get(&format!("lanes[{lane}].data")));
            }
        }
        if bench.get("rows.ready") == 1 && bench.get("rows.valid") == 1 {
            rows.next();
            offered = false;
        }
        idle = if rows.peek().is_some() { 0 } else { idle + 1 };
        bench.clock();
    }
    streams
}

#[test]
fn the_start_row_and_the_first_words_are_those_of_the_chapter() {
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    bench.set("crc_mode", 1);
    let streams = send(&mut bench, 0xF, &chapter_ltp(), 1.0);
    assert_eq!(streams[2][0], CTL | 0xA5D2_2DBC, "SDS lane 2, mode 1, L=4");
    assert_eq!(streams[0][1..3], [0x2F1C_FDD8, 0x1970_C813]);
    assert_eq!(streams[1][1], 0x46EE_F172);
}

#[test]
fn lanes_that_stall_get_their_words_all_the_same() {
    let mut rng = random();
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    let words: Vec<u32> = (0..12 * 20).map(|_| rng.random()).collect();
    for active in 1..16 {
        bench.set("crc_mode", 3);
        let streams = send(&mut bench, active, &words, 0.6);
        assert_eq!(streams, lane_streams(active, 3, &words), "lanes {active:04b}");
    }
}

#[test]
fn lanes_not_in_use_send_training_words() {
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    bench.set("active", 0b0111).set("training[0].valid", 1).set("training[1].valid", 1);
    bench.set("training[2].valid", 1);
    bench.set("training[3].data", 0x1_2345_6789).set("training[0].data", 0x77);
    for lane in 0..4 {
        bench.set(&format!("lanes[{lane}].ready"), 1);
    }
    assert_eq!(bench.get("training[0].ready"), 1, "thrown away");
    bench.clock();
    assert_eq!(bench.get("lanes[0].valid"), 0, "lane 3 has no such word");
    bench.set("training[3].valid", 1);
    bench.clock();
    assert_eq!((bench.get("lanes[0].data"), bench.get("lanes[0].valid")), (0x77, 1), "before the start");
    bench.set("start", 1);
    bench.clock();
    bench.set("start", 0);
    bench.clock();
    assert_eq!(bench.get("lanes[0].data"), CTL | 0xA580_2DBC);
    assert_eq!((bench.get("lanes[3].data"), bench.get("lanes[3].valid")), (0x1_2345_6789, 1));
    let ready = ["training[0].ready", "training[3].ready"];
    assert_eq!(ready.map(|name| bench.get(name)), [0, 0], "no row");
    bench.clock();
    assert_eq!(bench.get("lanes[3].valid"), 0);
    bench.set("rows.valid", 1);
    bench.clock();
    assert_eq!(ready.map(|name| bench.get(name)), [0, 1], "with the row");
    bench.clock();
    assert_eq!(["lanes[0].valid", "lanes[3].valid"].map(|name| bench.get(name)), [1, 1]);
}

/// A row taken in clock n is on the lanes after the edge of clock n + 1. The ALN row goes after row 4095, in clock
/// 4097; the row that came meanwhile waits, so `ready` falls in the clock after that.
#[test]
fn two_clocks_to_the_lanes_a_row_per_clock_and_one_for_aln() {
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    bench.set("active", 1).set("start", 1);
    (0..4).for_each(|lane| {
        bench.set(&format!("lanes[{lane}].ready"), 1);
    });
    bench.clock();
    bench.set("start", 0);
    bench.clock();
    let (mut reference, mut offered) = (BitScrambler::new(0), 0);
    bench.set("rows.valid", 1);
    for clock in 0..4200u64 {
        let ready = bench.get("rows.ready");
        assert_eq!(ready, u64::from(clock != 4098), "clock {clock}");
        bench.set("rows.data", offered);
        bench.clock();
        offered += ready;
        assert_eq!(bench.get("lanes[0].valid"), u64::from(clock > 0), "clock {clock}");
        if clock > 0 {
            let row = clock - 1 - u64::from(clock > 4097);
            let aln = clock == 4097;
            let expected = if aln { CTL | 0x0001_1CBC } else { u64::from(reference.word()) ^ row };
            assert_eq!(bench.get("lanes[0].data"), expected, "clock {clock}");
        }
    }
}

#[test]
fn rows_come_two_clocks_after_their_words_in_any_order_of_lanes() {
    let words: Vec<u32> = (0..240).map(|word| word * 0x0101_0101).collect();
    let mut bench = StockBlock::new(LinkLaneRx::<4>::new().unwrap());
    for active in 1..16 {
        clear_receiver(&mut bench, active, 1);
        let heard = hear(&mut bench, &lane_streams(active, 1, &words), [0; 4]);
        assert_eq!((&heard.words, heard.starts), (&words, 1), "lanes {active:04b}");
        // Start row at clock 0, first words at 1; seen after the edge of clock 2 = two edges later.
        assert_eq!(heard.first_row, Some(2));
    }
    clear_receiver(&mut bench, 0xF, 1);
    for (lane, source) in [2, 0, 3, 1].into_iter().enumerate() {
        bench.set(&format!("source[{lane}]"), source);
    }
    let sent = lane_streams(0xF, 1, &words);
    let crossed = [sent[1].clone(), sent[3].clone(), sent[0].clone(), sent[2].clone()];
    assert_eq!(hear(&mut bench, &crossed, [0; 4]).words, words);
}

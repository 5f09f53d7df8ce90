use super::*;
use flitforge_hdl::link::lane::{LaneConfig, LinkLaneTx};
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

fn receiver() -> StockBlock<LinkLaneRx<4>> {
    StockBlock::new(LinkLaneRx::new().unwrap())
}

#[test]
fn other_numbers_of_lanes_are_refused() {
    for lanes in [0, 5] {
        assert!(LaneConfig { lanes }.check().is_err());
    }
    assert!(LinkLaneTx::<0>::new().is_err() && LinkLaneRx::<5>::new().is_err());
}

#[test]
fn clear_in_mid_transfer_stops_the_sender() {
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    bench.set("active", 0xF).set("rows.valid", 1);
    for ready in [1, 0, 0] {
        assert_eq!(bench.get("rows.ready"), ready, "not started: one row waits");
        bench.clock();
    }
    bench.set("start", 1);
    bench.clock();
    bench.set("start", 0);
    bench.clock();
    assert_eq!(bench.get("lanes[2].valid"), 1);
    bench.set("clear", 1);
    assert_eq!(bench.get("rows.ready"), 0);
    bench.clock();
    for lane in 0..4 {
        assert_eq!(bench.get(&format!("lanes[{lane}].valid")), 0);
    }
    bench.set("clear", 0);
    for ready in [1, 0, 0] {
        assert_eq!((bench.get("rows.ready"), bench.get("lanes[0].valid")), (ready, 0), "stopped, rows lost");
        bench.clock();
    }
}

#[test]
fn nothing_moves_without_an_active_lane() {
    let mut bench = StockBlock::new(LinkLaneTx::<4>::new().unwrap());
    bench.set("start", 1).set("rows.valid", 1);
    bench.clock();
    bench.set("start", 0);
    for clock in 0..5 {
        assert_eq!(bench.get("rows.ready"), u64::from(clock == 0), "two rows wait");
        bench.clock();
        assert!((0..4).all(|lane| bench.get(&format!("lanes[{lane}].valid")) == 0), "clock {clock}");
    }
}

#[test]
fn a_dead_lane_stops_all_and_is_told() {
    let mut bench = receiver();
    let words: Vec<u32> = (0..400).collect();
    for dead in 0..4 {
        clear_receiver(&mut bench, 0xF, 0);
        let mut streams = lane_streams(0xF, 0, &words);
        streams[dead].clear();
        let heard = hear(&mut bench, &streams, [0; 4]);
        assert_eq!((heard.words.len(), heard.lost), (0, 1), "lane {dead} never starts");
        clear_receiver(&mut bench, 0xF, 0);
        let mut streams = lane_streams(0xF, 0, &words);
        streams[dead].truncate(41);
        let heard = hear(&mut bench, &streams, [0; 4]);
        assert_eq!(heard.words, words[..160], "lane {dead} stops");
        assert_eq!(heard.lost, 1, "lane {dead} stops");
    }
}

#[test]
fn a_control_word_in_a_data_row_and_a_code_error_mark_one_word() {
    let mut bench = receiver();
    let words: Vec<u32> = (0..120).map(|word| word * 0x0123_4567).collect();
    for (place, flip) in [(3, CTL), (10, CODE_ERR), (17, CTL | CODE_ERR)] {
        for lane in 0..4 {
            clear_receiver(&mut bench, 0xF, 2);
            let mut streams = lane_streams(0xF, 2, &words);
            streams[lane][1 + place] ^= flip;
            let heard = hear(&mut bench, &streams, [0, 3, 1, 2]);
            assert_eq!(heard.words, words, "the scrambler must not slip");
            assert_eq!(heard.bad_words, [place * 4 + lane]);
            let mut expected = [0; 4];
            expected[lane] = 1;
            assert_eq!((heard.code_errors, heard.lost), (expected, 0));
        }
    }
}

#[test]
fn a_start_row_for_another_lane_width_or_mode_starts_nothing() {
    let mut bench = receiver();
    let words: Vec<u32> = (0..40).collect();
    for flip in [1 << 16, 1 << 20, 1 << 22] {
        clear_receiver(&mut bench, 0xF, 1);
        let mut streams = lane_streams(0xF, 1, &words);
        streams.iter_mut().for_each(|stream| stream[0] ^= flip);
        let heard = hear(&mut bench, &streams, [0; 4]);
        assert_eq!((heard.words.len(), heard.starts), (0, 0));
        assert_eq!(heard.mismatch, 1, "one pulse for the four in one clock");
    }
    for corrupt in [CTL, CODE_ERR, 1 << 8, 1 << 31] {
        clear_receiver(&mut bench, 0xF, 1);
        let mut streams = lane_streams(0xF, 1, &words);
        streams.iter_mut().for_each(|stream| stream[0] ^= corrupt);
        let heard = hear(&mut bench, &streams, [0; 4]);
        assert_eq!((heard.words.len(), heard.starts, heard.mismatch), (0, 0, 0), "no start row at all");
    }
}

#[test]
fn skew_to_seven_words_either_way_is_taken_out_and_more_is_told() {
    let mut rng = random();
    let mut bench = receiver();
    let words: Vec<u32> = (0..160).map(|_| rng.random()).collect();
    for skew in -7i32..=7 {
        for lane in 0..4 {
            clear_receiver(&mut bench, 0xF, 0);
            let mut late = [7; 4];
            late[lane] = (7 + skew) as usize;
            let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), late);
            assert_eq!((&heard.words, heard.lost, heard.starts), (&words, 0, 1), "lane {lane} {skew}");
        }
    }
    for _ in 0..8 {
        clear_receiver(&mut bench, 0xF, 0);
        let late = std::array::from_fn(|_| rng.random_range(0..=14));
        let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), late);
        assert_eq!((&heard.words, heard.lost), (&words, 0), "{late:?}");
    }
    clear_receiver(&mut bench, 0xF, 0);
    let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), [0, 0, 15, 0]);
    assert_eq!((&heard.words, heard.lost), (&words, 0), "one word beyond");
    // The loss comes one clock after the 17th word of the early lanes. A lane that starts only after it then
    // waits alone, and is lost in its turn.
    for (beyond, losses) in [(16, 1), (18, 1), (19, 2), (21, 2)] {
        clear_receiver(&mut bench, 0xF, 0);
        let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), [0, 0, beyond, 0]);
        assert_eq!((heard.words.len(), heard.lost), (0, losses), "{beyond} words apart");
    }
}

/// Rows up to one beyond the first ALN row, on two lanes to be quick.
fn streams_across_aln() -> (Vec<u32>, Vec<Vec<u64>>) {
    let words: Vec<u32> = (0..2 * 4100).map(|word: u32| word.wrapping_mul(0x9E37_79B9)).collect();
    let streams = lane_streams(0b1010, 0, &words);
    assert_eq!(streams[1][4097], CTL | 0x0001_1CBC, "section 8: ALN 1");
    (words, streams)
}

#[test]
fn a_wrong_aln_number_loses_the_deskew_and_other_words_are_code_errors() {
    let mut bench = receiver();
    let (words, streams) = streams_across_aln();
    clear_receiver(&mut bench, 0b1010, 0);
    let heard = hear(&mut bench, &streams, [0, 2, 0, 0]);
    assert_eq!((&heard.words, heard.lost, heard.code_errors), (&words, 0, [0; 4]));

    let mut wrong = streams.clone();
    wrong[3][4097] ^= 1 << 17;
    clear_receiver(&mut bench, 0b1010, 0);
    let heard = hear(&mut bench, &wrong, [0, 2, 0, 0]);
    assert_eq!((heard.words.len(), heard.lost), (2 * 4096, 1), "stops at the ALN row");

    let mut data = streams.clone();
    data[3][4097] ^= CTL;
    clear_receiver(&mut bench, 0b1010, 0);
    let heard = hear(&mut bench, &data, [0, 2, 0, 0]);
    assert_eq!((&heard.words, heard.lost), (&words, 0), "data in an ALN row");
    assert_eq!(heard.code_errors, [0, 0, 0, 1]);
}

#[test]
fn the_lanes_start_again_after_a_loss() {
    let mut bench = receiver();
    let words: Vec<u32> = (0..80).collect();
    clear_receiver(&mut bench, 0xF, 0);
    let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), [0, 19, 0, 0]);
    assert_eq!(heard.lost, 2, "once for the three, once for the late lane, which starts alone");
    clear_receiver(&mut bench, 0xF, 0);
    let heard = hear(&mut bench, &lane_streams(0xF, 0, &words), [0, 5, 0, 9]);
    assert_eq!((heard.words, heard.lost), (words, 0));
}

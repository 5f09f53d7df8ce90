use flitforge_hdl::link::lane::LaneScrambler;
use flitforge_protocol::lane_word::scrambler;
use flitforge_testkit::{Clocked, StockBlock};

/// Chapter 10, section 8.
const WORDS: [[u64; 4]; 4] = [
    [0x2E1E_FEDC, 0x7518_AC71, 0x1D85_EED5, 0xED4E_71E5],
    [0xC6EE_F030, 0x87A1_BA71, 0x673E_8106, 0xFC76_DD14],
    [0xE703_71BC, 0x2D24_58A9, 0xFE8A_9617, 0x30BB_A4C5],
    [0x21ED_818C, 0xAA85_E2D8, 0x99B4_1711, 0xCCCD_79D1],
];

#[test]
fn a_lane_without_a_seed_is_refused() {
    assert!(LaneScrambler::new(4).is_err());
}

#[test]
fn the_words_are_those_of_the_chapter_and_of_the_bit_serial_register() {
    for (lane, words) in WORDS.iter().enumerate() {
        let mut bench = StockBlock::new(LaneScrambler::new(lane).unwrap());
        let mut register = scrambler::SEEDS[lane];
        for index in 0..300 {
            let mut expected = 0;
            for bit in 0..32 {
                expected |= u64::from(register >> 22 & 1) << bit;
                register = register << 1 & 0x7F_FFFF | (register & scrambler::TAP_MASK).count_ones() & 1;
            }
            bench.set("advance", 0);
            bench.clock();
            assert_eq!(bench.get("word"), expected, "lane {lane} word {index}");
            if let Some(word) = words.get(index) {
                assert_eq!(bench.get("word"), *word, "lane {lane} word {index}");
            }
            bench.set("advance", 1);
            bench.clock();
        }
        bench.set("restart", 1);
        bench.clock();
        assert_eq!(bench.get("word"), words[0], "restart wins over advance");
    }
}

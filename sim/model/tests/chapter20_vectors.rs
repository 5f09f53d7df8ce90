//! Chapter 20, section 8: the worked examples. Every expected value is typed from the chapter.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::time::config::increment;
use flitforge_model::time::correction::wait_sixteenths;
use flitforge_model::time::delay::{clock_offset, clocks_to_fine, drift, ring_cycles_of_token, RingShape};
use flitforge_model::time::link_delay::{one_way, sent_to_received, turnaround, Stamp};
use flitforge_model::time::slot::SlotBits;
use flitforge_model::time::{
    join, RingContent, RingSlot, Servo, ServoConfig, TimeFlit, TimeHigh, TimeLow, TimeSource, TimeValue,
};
use flitforge_model::Flit;
use flitforge_protocol::time_ring::Embed;
use flitforge_protocol::time_servo::ServoState;

/// 0x0123456789ABCDEF ns + 10/16, tree 1, era 2.
fn example() -> (TimeLow, TimeHigh) {
    let low = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: 1, era: 2 };
    (low, TimeHigh { time: 0x0123_4567, index: 0x2C, tree: 1, era: 2, quality: 1 })
}

/// Encodes to this text and decodes back.
fn codec(flit: TimeFlit, text: &str) {
    assert_eq!(flit.encode().expect("fits").to_string(), text);
    assert_eq!(TimeFlit::decode(text.parse::<Flit>().expect("a flit")), Some(flit));
}

#[test]
fn vector_1_time_flits() {
    let (low, high) = example();
    codec(TimeFlit::Low(low), "0_0601A96789ABCDEF");
    codec(TimeFlit::High(high), "0_0602192C01234567");
    let ones = TimeLow { value: TimeValue::new(0xFF_FFFF_FFFF, 15), tree: 3, era: 3 };
    codec(TimeFlit::Low(ones), "0_0601FFFFFFFFFFFF");
    let ones = TimeHigh { time: 0xFFFF_FFFF, index: 0xFF, tree: 3, era: 3, quality: 15 };
    codec(TimeFlit::High(ones), "0_0602FFFFFFFFFFFF");
    codec(TimeFlit::Low(TimeLow { value: TimeValue::new(0, 0), tree: 0, era: 0 }), "0_0601000000000000");
    let zero = TimeHigh { time: 0, index: 0, tree: 0, era: 0, quality: 0 };
    codec(TimeFlit::High(zero), "0_0602000000000000");
}

#[test]
fn vector_2_ring_slots() {
    let (low, high) = example();
    let token = RingContent::Token { target: 5, returning: false, tag: 0x5A, waited: 0 };
    let cases = [
        (RingContent::Low(low), 0, Embed::Value, 0x0450_EA67_89AB_CDEF_u128),
        (RingContent::Low(low), 5, Embed::Value, 0x2C50_EA67_89AB_CDEF),
        (RingContent::High(high), 0, Embed::Value, 0x0690_E12C_0123_4567),
        (RingContent::Low(low), 0, Embed::Flit, 0x2286_0601_A967_89AB_CDEF),
        (token, 0, Embed::Value, 0x04C0_C000_0000_2D05),
    ];
    for (content, wait, embed, bits) in cases {
        let slot = RingSlot::new(content, 3, wait);
        assert_eq!(slot.encode(embed).expect("fits"), bits, "{content:?}");
        assert_eq!(RingSlot::decode(bits, embed), SlotBits::Occupied(slot));
    }
}

#[test]
fn vector_3_join() {
    let cases = [
        (0x0123_4567, 0, 0x67_89AB_CDEF, Some(0x0123_4567_89AB_CDEF)),
        (0x0123_45FF, 50_000_000, 0x00_0000_0010, Some(0x0123_4600_0000_0010)),
        (0x0123_4567, 100_000_000, 0x68_0000_0000, Some(0x0123_4568_0000_0000)),
        (0x0123_4567, 100_000_000, 0x69_0000_0000, None),
        (0x0123_4567, 100_000_000, 0x66_FFFF_FFFF, None),
        (0x0123_4567, 9_000_000_000, 0x69_0000_0001, Some(0x0123_4569_0000_0001)),
        (0xFFFF_FFFF, 100_000_000, 0x00_0000_0003, Some(3)),
    ];
    for (high, age, low, expected) in cases {
        assert_eq!(join(high, age, low), expected, "{high:08X}, {age}, {low:010X}");
    }
}

#[test]
fn vector_4_increments() {
    let periods = [
        (1_052_631_579_u64, 0x01_0D79_435E_u64), // 950 MHz in attoseconds
        (5_000_000_000, 0x05_0000_0000),
        (6_400_000_000, 0x06_6666_6666),
        (6_600_000_000, 0x06_9999_999A),
        (8_000_000_000, 0x08_0000_0000),
        (10_000_000_000, 0x0A_0000_0000),
    ];
    for (attoseconds, expected) in periods {
        if attoseconds % 1000 == 0 {
            assert_eq!(increment(attoseconds / 1000), expected);
        } else {
            // 1000/950 ns as a fraction, since the period is not a whole number of femtoseconds.
            assert_eq!(((1000_u128 << 32) + 475) / 950, u128::from(expected));
        }
    }
    let mut source = TimeSource::new(0x06_6666_6666).expect("156.25 MHz");
    source.advance(3);
    assert_eq!(source.sync(), 0x13_3333_3332);
    source.advance(997);
    assert_eq!(source.sync(), 0x18FF_FFFF_FE70);
    source.advance(156_250_000 - 1000);
    assert_eq!(source.sync(), 0x3B9A_C9FF_FC46_5360);
    // A clock d ppm fast has a period shorter by 1 / (1 + d).
    for (ppm, expected) in
        [(100_i64, 0x06_663C_760E_u64), (-100, 0x06_6690_58E4), (200, 0x06_6612_87DC), (-200, 0x06_66BA_4D88)]
    {
        let exact = (64_i128 << 32) * 1_000_000 / 10;
        let rate = i128::from(1_000_000 + ppm);
        assert_eq!((exact + rate / 2) / rate, i128::from(expected), "{ppm} ppm");
    }
}

#[test]
fn vector_5_corrections() {
    let (low, _) = example();
    let text = |value| TimeFlit::Low(TimeLow { value, ..low }).encode().expect("fits").to_string();
    assert_eq!(text(low.value.received(0x29A, 0)), "0_0601496789ABCDF2");
    assert_eq!(text(low.value.received(0x666, 0)), "0_0601096789ABCDF6");
    assert_eq!(text(low.value.received(-0x19A, 0)), "0_0601096789ABCDEE");
    let last = TimeValue::new(0xFF_FFFF_FFFF, 0xF).received(0x29A, 0);
    assert_eq!((last.nanoseconds(), last.frac()), (2, 9));
    assert_eq!(wait_sixteenths(9, 0x66_6666), 922);
    assert_eq!(text(low.value.offered(9, 0x66_6666, 0)), "0_0601496789ABCE29");
    assert_eq!(wait_sixteenths(5, 0x33_3333), 256);
}

#[test]
fn vector_6_link_delay() {
    codec(TimeFlit::DelayReq { tag: 0x5A }, "0_060300000000005A");
    let response = TimeFlit::DelayResp { turnaround: 0x39980, tag: 0x5A, phase_valid: true, locked: false };
    codec(response, "0_0604015A00039980");
    assert_eq!(one_way(0x733C0, 0x39980, 0), 0x1CD20);
    assert_eq!(one_way(0x733C0, 0x39980, -832), 0x1CB80); // -3.25 ns
                                                          // The same round trip from edges: 288 clocks of 6.4 ns and lags of 0.55 ns make 1843.75 ns.
    let edge = |clock, lag| Stamp { clock, lag };
    assert_eq!(sent_to_received(edge(0, -141), edge(288, 0), 0x06_6666_6666), 0x733C0);
    assert_eq!(turnaround(edge(0, -26), edge(144, 0), 0x06_6666_6666), Some(0x39980));
}

#[test]
fn vector_7_tokens() {
    let shape = |hop_registers| RingShape { stops: 48, hop_registers, ratio: 1 };
    for (registers, hops, cycles) in [(1, 1, 5), (1, 6, 15), (1, 24, 51), (2, 6, 27)] {
        assert_eq!(shape(registers).token_cycles(hops, 0), cycles);
        assert_eq!(ring_cycles_of_token(cycles, 0), Some(hops * registers));
    }
}

#[test]
fn vector_8_equation_1() {
    let shape = RingShape { stops: 12, hop_registers: 1, ratio: 2 };
    let clocks = |hops| shape.clocks(hops);
    assert_eq!([3, 5, 2, 6].map(clocks), [8, 9, 7, 9]);
    let ns = |hundredths: i64| hundredths * 256 / 100;
    let [dt1, dt3, dt5, dt7, dt9, dt10] = [41250, 65525, 39875, 70100, 40500, 53025].map(ns);
    let increment = 0x06_6666_6666;
    let offset = |links: &[i64], hops: &[u32]| {
        let switches: Vec<_> = hops.iter().map(|&hops| (clocks(hops), increment)).collect();
        clock_offset(links, &switches)
    };
    assert_eq!(offset(&[dt1, dt3, dt5], &[3, 5]), 0x6274D);
    assert_eq!(offset(&[dt1, dt3, dt7, dt9], &[3, 2, 6]), 0x9175A);
    // The backup's port at switch 1006 is one hop from the same downstream port.
    assert_eq!(clocks(1), 7);
    assert_eq!(offset(&[dt10, dt3, dt5], &[1, 5]), 0x696A6);
    assert_eq!(offset(&[dt10, dt3, dt7, dt9], &[1, 2, 6]), 0x986B3);
    assert_eq!(clocks_to_fine(17, increment), 27853); // 108.8 ns
}

/// A servo that has locked with errors of zero.
fn locked(config: ServoConfig) -> (Servo, TimeSource) {
    let mut source = TimeSource::new(0x06_6666_6666).expect("156.25 MHz");
    let mut servo = Servo::new(config);
    for _ in 0..5 {
        servo.elapse(config.nclk.into());
        servo.sample(&mut source, 0, false);
    }
    assert_eq!((servo.state(), source.f_acc()), (ServoState::Track, 0));
    (servo, source)
}

#[test]
fn vector_9_servo() {
    let config = ServoConfig::new(1, 0x06_6666_6666).expect("1.05 ms");
    assert_eq!((config.nclk, config.slew_n), (163_840, 81_920));
    assert_eq!((config.kp, config.ki, config.kacq), (0x66_6666, 0xC_CCCD, 0x66_6666));
    for (error, slew, f_acc) in [(896, 91_750, 751_619_456_u64), (-896, -91_751, 0x3F_FFFF_D333_3280)] {
        let (mut servo, mut source) = locked(config);
        servo.elapse(config.nclk.into());
        servo.sample(&mut source, error, false);
        assert_eq!(source.slew(), (slew, 81_920));
        assert_eq!(source.f_acc() as u64 & ((1 << 54) - 1), f_acc);
    }
    // 91750 * 2^-32 ns in each of 81920 clocks moves 1.74999 ns.
    assert_eq!((91_750_u64 * 81_920 * 100_000) >> 32, 174_999);

    let mut source = TimeSource::new(0x06_6666_6666).expect("156.25 MHz");
    let mut servo = Servo::new(config);
    servo.sample(&mut source, 0, false);
    servo.elapse(config.nclk.into());
    servo.sample(&mut source, 40_265, false);
    assert_eq!(source.inc_f() - source.inc_nom(), 4_123_135);

    let config = ServoConfig::new(95, 0x06_6666_6666).expect("99.6 ms");
    assert_eq!((config.kp, config.ki, config.kacq), (0x1_13F1, 0x227E, 0x1_13F1));
}

#[test]
fn vector_10_drift() {
    assert_eq!(drift(99_614_720, 99_604_759), Some(429_519));
    assert_eq!(drift(1, 0), None);
}

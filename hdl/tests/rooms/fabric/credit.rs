use flitforge_elaborate::Value;
use flitforge_hdl::fabric::credit::{CreditConfig, CreditRx, CreditTx};
use flitforge_testkit::{Clocked, StockBlock};

type Tx = CreditTx<2, 130, 4, 64>;
type Rx = CreditRx<2, 130, 4, 64, 12>;

/// Chapter 10, 4.10: 0, 1, 2, 4, 8, 16, 32, 64.
const TABLE: u64 = 0x4020_1008_0402_0100;
/// Flits of an AU at the default vAU.
const UNIT_FLITS: u64 = 8;

#[test]
fn wrong_parameters_are_refused() {
    assert!(CreditTx::<3, 195, 4, 64>::new().is_err_and(|error| error.parameter == "flits"));
    assert!(CreditTx::<2, 131, 4, 64>::new().is_err_and(|error| error.parameter == "FLITS_W"));
    assert!(CreditTx::<2, 130, 17, 272>::new().is_err_and(|error| error.parameter == "lanes"));
    assert!(CreditTx::<2, 130, 4, 32>::new().is_err_and(|error| error.parameter == "VIEW_W"));
    assert!(Rx::new(1_023).is_err_and(|error| error.parameter == "buffer"));
    assert!(Rx::new(32_761).is_err_and(|error| error.parameter == "buffer"));
    assert!(CreditRx::<2, 130, 4, 64, 8>::new(1_024).is_err_and(|error| error.parameter == "bits"));
    assert!(CreditRx::<2, 130, 4, 63, 12>::new(1_024).is_err_and(|error| error.parameter == "VIEW_W"));
    assert_eq!(CreditConfig::default().sizes(), [2048, 1024, 512, 256, 128, 64, 32, 16]);
}

/// A beat of two flits with these data, both with type bit 0.
fn beat(first: u64, second: u64) -> Value {
    let mut value = Value::zero(130);
    for bit in 0..64 {
        value.set_bit(bit, first >> bit & 1 == 1);
        value.set_bit(65 + bit, second >> bit & 1 == 1);
    }
    value
}

fn second_flit(beat: &Value) -> u64 {
    (0..64).fold(0, |bits, bit| bits | u64::from(beat.bit(65 + bit)) << bit)
}

const RETURN: u64 = 0x05 << 56;

/// A sender that has taken over the table.
fn sender() -> StockBlock<Tx> {
    let mut bench = StockBlock::new(Tx::new().unwrap());
    bench.set("v_au", 3).set("units", TABLE).set("clear", 1);
    (0..9).for_each(|_| bench.clock());
    bench.set("clear", 0);
    bench
}

/// One clock with these flits received.
fn receive(bench: &mut StockBlock<Tx>, first: u64, second: u64) {
    bench.set_value("beats_in.data", &beat(first, second));
    bench.set("beats_in.valid", 1);
    bench.clock();
    bench.set("beats_in.valid", 0);
}

#[test]
fn credits_come_back_four_clocks_after_their_crdt_ret_and_pay_for_one_unit_each() {
    let mut bench = sender();
    assert_eq!(bench.get("credit"), 0, "none at the start");
    // The worked example of section 8: VL 0 code 1, VL 2 code 3, in slot 1; a Body with the same bits is none.
    receive(&mut bench, 0, RETURN | 0xC1);
    let seen: Vec<u64> = (0..4)
        .map(|_| {
            let credit = bench.get("credit");
            bench.clock();
            credit
        })
        .collect();
    assert_eq!(seen, [0, 0, 0, 0b101]);
    assert_eq!(bench.get("available"), 4 << 32 | 1);
    // Lane 0 has one AU: four beats, the next is not paid.
    for beat in 0..4 {
        assert_eq!(bench.get("credit") & 1, 1, "beat {beat}");
        bench.set("sent", 1);
        bench.clock();
    }
    bench.set("sent", 0);
    assert_eq!(bench.get("credit"), 0b100);
    // Lane 2: packets of one beat cost an AU each.
    bench.set("sent", 4).set("sent_ends", 4);
    for _ in 0..4 {
        assert_eq!(bench.get("credit"), 0b100);
        bench.clock();
    }
    bench.set("sent", 0);
    assert_eq!(bench.get("credit"), 0);
    assert_eq!(bench.get("credit_ovf"), 0);
}

#[test]
fn all_slots_and_the_sideband_count() {
    let mut bench = sender();
    // Message 13 hexadecimal: VL 2 code 3, by sequence number mod 4.
    for (place, bits) in [(0, 3), (1, 0), (2, 1)] {
        bench.set("side_in.valid", 1).set("side_in.data", bits).set("side_place", place);
        bench.clock();
    }
    bench.set("side_in.data", 0).set("side_place", 3);
    // In the same clock two CrdtRet of lane 2, 64 AU each.
    receive(&mut bench, RETURN | 7 << 6, RETURN | 7 << 6);
    bench.set("side_in.valid", 0);
    (0..4).for_each(|_| bench.clock());
    assert_eq!(bench.get("available"), (64 + 64 + 4) << 32);
}

#[test]
fn more_than_65535_and_beats_without_credit_do_not_count() {
    let mut bench = sender();
    for _ in 0..1_023 {
        receive(&mut bench, RETURN | 7, 0);
    }
    (0..6).for_each(|_| bench.clock());
    assert_eq!((bench.get("available"), bench.get("credit_ovf")), (65_472, 0));
    let overflows = |bench: &mut StockBlock<Tx>| {
        (0..8)
            .filter(|_| {
                bench.clock();
                bench.set("sent", 0);
                bench.get("credit_ovf") == 1
            })
            .count()
    };
    receive(&mut bench, RETURN | 7, 0);
    assert_eq!(overflows(&mut bench), 1);
    assert_eq!(bench.get("available"), 65_472, "as it was");
    receive(&mut bench, RETURN | 6, 0);
    assert_eq!(overflows(&mut bench), 0);
    assert_eq!(bench.get("available"), 65_504);
    // Lane 1 has none.
    bench.set("sent", 2);
    assert_eq!(overflows(&mut bench), 1);
    assert_eq!(bench.get("available"), 65_504, "lane 1 stays at 0");
}

#[test]
fn clear_takes_the_credits_and_what_is_on_its_way() {
    let mut bench = sender();
    receive(&mut bench, RETURN | 0o7777, 0);
    (0..4).for_each(|_| bench.clock());
    bench.set("sent", 1);
    bench.clock();
    bench.set("sent", 0);
    receive(&mut bench, RETURN | 0o7777, 0);
    bench.set("clear", 1);
    (0..3).for_each(|_| bench.clock());
    bench.set("clear", 0);
    (0..6).for_each(|_| {
        assert_eq!((bench.get("credit"), bench.get("available")), (0, 0));
        bench.clock();
    });
}

/// A receiver of 100 AU per lane, cleared.
fn receiver(settings: &[(&str, u64)]) -> StockBlock<Rx> {
    let mut bench = StockBlock::new(Rx::new(6_400).unwrap());
    bench.set("v_au", 3).set("units", TABLE).set("delay", 64).set("beats_out.ready", 1);
    for (port, value) in settings {
        bench.set(port, *value);
    }
    bench.set("clear", 1);
    bench.clock();
    bench.set("clear", 0);
    bench
}

/// Clocks in which a CrdtRet is given, with its codes.
fn returns(bench: &mut StockBlock<Rx>, clocks: u64) -> Vec<(u64, u64)> {
    (0..clocks)
        .filter_map(|clock| {
            let there = bench.get("beats_out.valid") == 1;
            let flit = second_flit(&bench.get_value("beats_out.data"));
            bench.clock();
            (there && flit >> 56 == 5).then_some((clock, flit & 0xFFFF_FFFF_FFFF))
        })
        .collect()
}

#[test]
fn the_first_return_is_the_whole_buffer_by_the_normal_way() {
    let mut bench = receiver(&[]);
    // 100 AU: 64 and 32 at once, thirteen clocks apart; 4 after CRDT_DELAY.
    let codes = |code: u64| code * 0o1111;
    let came = returns(&mut bench, 200);
    assert_eq!(came.iter().map(|(_, codes)| *codes).collect::<Vec<_>>(), [codes(7), codes(6), codes(3)]);
    assert_eq!(came[1].0 - came[0].0, 13);
    assert!((64..=64 + 14).contains(&(came[2].0 - came[1].0)), "{came:?}");
    assert_eq!((bench.get("pending"), bench.get("occupied"), bench.get("credit_ovf")), (0, 0, 0));
}

#[test]
fn a_return_uses_an_idle_slot_and_waits_for_no_beat() {
    for (second, alone) in [(0, false), (1 << 62, true)] {
        let mut bench = receiver(&[]);
        bench.set_value("beats_in.data", &beat(1 << 62, second));
        bench.set("beats_in.valid", 1);
        // Every clock a beat goes out; the CrdtRet takes one for itself only if there is no Idle slot.
        let mut taken = 0;
        for clock in 0..40 {
            taken += bench.get("beats_in.ready");
            if clock > 0 {
                assert_eq!(bench.get("beats_out.valid"), 1, "a gap in clock {clock}");
                let data = bench.get_value("beats_out.data");
                let is_return = second_flit(&data) >> 56 == 5;
                assert_eq!(data.low_u64(), if is_return && alone { 0 } else { 1 << 62 }, "clock {clock}");
            }
            bench.clock();
        }
        // Two returns in these clocks.
        assert_eq!(taken, if alone { 38 } else { 40 });
    }
}

#[test]
fn in_mode_1_one_lane_after_the_other_goes_by_sideband() {
    let mut bench = receiver(&[("sideband", 1)]);
    // Four lanes are due: a CrdtRet goes.
    assert_eq!(returns(&mut bench, 20).len(), 1);
    let mut bench = receiver(&[]);
    returns(&mut bench, 200);
    // One AU of lane 1 and four of lane 2 come and go.
    bench.set("sideband", 1);
    for (vl, units) in [(1, 1), (2, 4)] {
        for _ in 0..units {
            bench.set("arrived.valid", 1).set("arrived.data", vl | 1 << 4 | 1 << 7 | 1 << 8);
            bench.clock();
            bench.set("arrived.valid", 0);
        }
        (0..4).for_each(|_| bench.clock());
        bench.set("released", 1 << vl);
        (0..units).for_each(|_| bench.clock());
        bench.set("released", 0);
    }
    let (mut messages, mut word) = (vec![], 0);
    for clock in 0..200_u64 {
        let place = clock / 5 % 4;
        bench.set("ltp_start", u64::from(clock % 5 == 4)).set("ltp_place", place);
        assert_eq!((bench.get("side_out.valid"), bench.get("beats_out.valid")), (1, 0));
        if clock % 5 == 4 {
            word = word >> 2 | bench.get("side_out.data") << 6;
            messages.extend((place == 3 && word != 0).then_some(word));
        }
        bench.clock();
    }
    assert_eq!(messages, [1 << 3 | 1, 2 << 3 | 3]);
    assert_eq!((bench.get("pending"), bench.get("occupied"), bench.get("credit_ovf")), (0, 0, 0));
}

#[test]
fn what_has_no_room_and_what_is_not_there_does_not_count() {
    let mut bench = receiver(&[]);
    // Nothing is granted yet: lane 1, two flits.
    bench.set("arrived.valid", 1).set("arrived.data", 1 | 2 << 4 | 1 << 7 | 1 << 8);
    bench.clock();
    // The flits count two clocks later than a release.
    bench.set("arrived.valid", 0);
    bench.clock();
    bench.set("released", 2);
    bench.clock();
    bench.set("released", 0);
    let events: Vec<u64> = (0..6)
        .map(|_| {
            let event = bench.get("credit_ovf");
            bench.clock();
            event
        })
        .collect();
    assert_eq!(events.iter().sum::<u64>(), 1, "both in one clock");
    assert_eq!(bench.get("occupied"), 0);
}

#[test]
fn a_packet_fills_units_and_its_reader_frees_them() {
    let mut bench = receiver(&[]);
    returns(&mut bench, 200);
    // 11 flits on lane 2 and a packet of one flit: two AU and one.
    let flits = 2 * UNIT_FLITS;
    let arrive = |bench: &mut StockBlock<Rx>, flits: u64, opens: u64, ends: u64| {
        bench.set("arrived.valid", 1).set("arrived.data", 2 | flits << 4 | ends << 7 | opens << 8);
        bench.clock();
        bench.set("arrived.valid", 0);
    };
    (0..5).for_each(|index| arrive(&mut bench, 2, u64::from(index == 0), 0));
    arrive(&mut bench, 1, 0, 1);
    arrive(&mut bench, 1, 1, 1);
    (0..5).for_each(|_| bench.clock());
    assert!(flits > 11 && bench.get("occupied") == 3 << 32, "{:x}", bench.get("occupied"));
    bench.set("released", 4);
    bench.clock();
    bench.set("released", 0);
    (0..2).for_each(|_| bench.clock());
    assert_eq!((bench.get("occupied"), bench.get("pending")), (2 << 32, 1 << 32));
    // One AU of 100 waits for the delay.
    let came = returns(&mut bench, 100);
    assert!(came.len() == 1 && (64..80).contains(&came[0].0) && came[0].1 == 1 << 6, "{came:?}");
}

#[test]
fn clear_in_mid_transfer_forgets_the_return_and_the_beat() {
    let mut bench = receiver(&[("beats_out.ready", 0)]);
    bench.set_value("beats_in.data", &beat(1 << 62, 0));
    bench.set("beats_in.valid", 1);
    (0..15).for_each(|_| bench.clock());
    assert_eq!(bench.get("beats_out.valid"), 1);
    bench.set("clear", 1);
    assert_eq!(bench.get("beats_in.ready"), 0, "ready while cleared");
    bench.clock();
    bench.set("clear", 0).set("beats_in.valid", 0).set("beats_out.ready", 1);
    assert_eq!(bench.get("beats_out.valid"), 0);
    bench.clock();
    assert_eq!(bench.get("pending"), 100 * 0x0001_0001_0001_0001);
    assert_eq!(returns(&mut bench, 18).len(), 1, "the first one again");
}

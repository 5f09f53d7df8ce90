use flitforge_elaborate::Value;
use flitforge_hdl::link::bond::{BondConfig, LinkBond1, LinkBond2};
use flitforge_testkit::{Clocked, StockBlock};

/// Two ports of one flit per beat, R = 16: a FIFO holds 258 shares at least.
type Bond = LinkBond1<2, 130, 8, 9>;
const CONFIG: BondConfig = BondConfig { links: 2, flits: 1, slots: 16 };
const ROOM: u64 = 16 * 16 + 2;

/// Clocks that a bond stays Down after its last port.
const SETTLE: u64 = 64;

const DOWN: u64 = 0;
const TRAINING: u64 = 2;
const INIT: u64 = 3;
const ACTIVE: u64 = 4;
const RETRAINING: u64 = 5;
const DEGRADED: u64 = 6;

/// Chapter 10, 3.2.
const FORCE_IDLE: u128 = 2 << 56;

const fn body(data: u64) -> u128 {
    1 << 64 | data as u128
}

fn value(flits: &[u128]) -> Value {
    let mut value = Value::zero(65 * flits.len() as u32);
    for (slot, flit) in flits.iter().enumerate() {
        (0..65).for_each(|bit| value.set_bit(65 * slot as u32 + bit, flit >> bit & 1 == 1));
    }
    value
}

fn flits(value: &Value) -> Vec<u128> {
    let flit = |slot: u32| (0..65).fold(0, |flit, bit| flit | u128::from(value.bit(65 * slot + bit)) << bit);
    (0..value.width() / 65).map(flit).collect()
}

fn states(bench: &mut StockBlock<Bond>, first: u64, second: u64) {
    bench.set("state[0]", first).set("state[1]", second);
}

/// A bond whose ports have just become Active.
fn up() -> StockBlock<Bond> {
    let mut bench = StockBlock::new(Bond::new(&CONFIG).unwrap());
    bench.set("bond_index[1]", 1);
    for state in [DOWN, TRAINING, INIT] {
        states(&mut bench, state, state);
        bench.clock();
    }
    assert_eq!((bench.get("up"), bench.get("flits_in.ready")), (0, 0));
    states(&mut bench, ACTIVE, DEGRADED);
    (0..2).for_each(|_| bench.clock());
    assert_eq!((bench.get("up"), bench.get("flits_in.ready")), (1, 1));
    bench.set("shares_out[0].ready", 1).set("shares_out[1].ready", 1);
    bench
}

/// One clock with this share on a port.
fn receive(bench: &mut StockBlock<Bond>, port: usize, share: u128) {
    bench.set_value(&format!("shares_in[{port}].data"), &value(&[share]));
    bench.set(&format!("shares_in[{port}].valid"), 1);
    bench.clock();
    bench.set(&format!("shares_in[{port}].valid"), 0);
}

/// The wide beats of so many clocks.
fn delivered(bench: &mut StockBlock<Bond>, clocks: usize) -> Vec<Vec<u128>> {
    let mut wide = vec![];
    for _ in 0..clocks {
        if bench.get("flits_out.valid") == 1 {
            wide.push(flits(&bench.get_value("flits_out.data")));
        }
        bench.clock();
    }
    wide
}

#[test]
fn wrong_parameters_are_refused() {
    let wrong = |config| Bond::new(&config).err().map(|error| error.parameter);
    assert_eq!(wrong(BondConfig { links: 5, ..CONFIG }).as_deref(), Some("links"));
    assert_eq!(wrong(BondConfig { flits: 3, ..CONFIG }).as_deref(), Some("f"));
    assert_eq!(wrong(BondConfig { slots: 20, ..CONFIG }).as_deref(), Some("slots"));
    assert_eq!(wrong(BondConfig { flits: 2, ..CONFIG }).as_deref(), Some("flits"));
    assert_eq!(wrong(BondConfig { links: 3, ..CONFIG }).as_deref(), Some("B"));
    assert_eq!(wrong(BondConfig { slots: 32, ..CONFIG }).as_deref(), Some("A"));
    let two = BondConfig { links: 2, flits: 2, slots: 16 };
    assert!(LinkBond2::<2, 261, 7, 8>::new(&two).is_err_and(|error| error.parameter == "W"));
    assert!(LinkBond2::<2, 260, 7, 9>::new(&two).is_err_and(|error| error.parameter == "C"));
    assert!(LinkBond2::<2, 260, 7, 8>::new(&two).is_ok());
}

#[test]
fn a_wide_beat_is_dealt_in_one_clock_and_only_to_all_ports() {
    let mut bench = up();
    bench.set_value("flits_in.data", &value(&[body(1), body(2)]));
    bench.set("flits_in.valid", 1).set("shares_out[1].ready", 0);
    bench.clock();
    for (port, data) in [(0, 1), (1, 2)] {
        assert_eq!(bench.get(&format!("shares_out[{port}].valid")), 1);
        assert_eq!(flits(&bench.get_value(&format!("shares_out[{port}].data"))), [body(data)]);
    }
    // Port 1 takes nothing: two shares wait at its ingress, then nobody gets any.
    assert_eq!(bench.get("flits_in.ready"), 1);
    bench.clock();
    assert_eq!(bench.get("flits_in.ready"), 0);
    (0..3).for_each(|_| bench.clock());
    assert_eq!((bench.get("shares_out[0].valid"), bench.get("shares_out[1].valid")), (0, 1));
    bench.set("shares_out[1].ready", 1);
    (0..2).for_each(|_| bench.clock());
    assert_eq!(bench.get("shares_out[0].valid"), 1, "dealing goes on");
}

#[test]
fn idles_are_dropped_and_forced_where_they_keep_step() {
    let mut bench = up();
    // An Idle with a payload is an Idle.
    bench.set_value("flits_in.data", &value(&[0, 77])).set("flits_in.valid", 1);
    assert_eq!(bench.get("flits_in.ready"), 1);
    bench.clock();
    assert_eq!((bench.get("shares_out[0].valid"), bench.get("shares_out[1].valid")), (0, 0));
    bench.set_value("flits_in.data", &value(&[77, body(5)]));
    bench.clock();
    bench.set("flits_in.valid", 0);
    assert_eq!(flits(&bench.get_value("shares_out[0].data")), [FORCE_IDLE]);
    assert_eq!(flits(&bench.get_value("shares_out[1].data")), [body(5)]);
    receive(&mut bench, 0, FORCE_IDLE);
    receive(&mut bench, 1, body(5));
    assert_eq!(delivered(&mut bench, 8), [[0, body(5)]]);
}

#[test]
fn crossed_cables_are_sorted_six_clocks_after_the_last_share() {
    let mut bench = up();
    bench.set("bond_index[0]", 1).set("bond_index[1]", 0);
    bench.clock();
    assert_eq!((bench.get("order_error"), bench.get("up")), (0, 1));
    receive(&mut bench, 0, body(10));
    receive(&mut bench, 0, body(11));
    (0..9).for_each(|_| bench.clock());
    assert_eq!(bench.get("flits_out.valid"), 0);
    receive(&mut bench, 1, body(20));
    let mut clocks = 1;
    while bench.get("flits_out.valid") == 0 {
        assert!(clocks < 9, "nothing came");
        bench.clock();
        clocks += 1;
    }
    assert_eq!(clocks, 6);
    assert_eq!(flits(&bench.get_value("flits_out.data")), [body(20), body(10)]);
    (0..3).for_each(|_| bench.clock());
    assert_eq!(bench.get("skew"), 2);
    bench.set("clear_counters", 1);
    bench.clock();
    bench.set("clear_counters", 0);
    (0..5).for_each(|_| bench.clock());
    assert_eq!(bench.get("skew"), 1, "one still waits");
}

#[test]
fn without_an_order_nothing_is_taken_and_nothing_leaves() {
    let mut bench = StockBlock::new(Bond::new(&CONFIG).unwrap());
    states(&mut bench, ACTIVE, ACTIVE);
    (0..4).for_each(|_| bench.clock());
    assert_eq!((bench.get("order_error"), bench.get("up")), (1, 0), "both ports name index 0");
    bench.set("bond_index[1]", 3);
    (0..4).for_each(|_| bench.clock());
    assert_eq!((bench.get("order_error"), bench.get("up")), (1, 0), "index of no port");
    receive(&mut bench, 0, body(1));
    receive(&mut bench, 1, body(2));
    assert!(delivered(&mut bench, 9).is_empty());
    bench.set("bond_index[1]", 1);
    assert_eq!(delivered(&mut bench, 9), [[body(1), body(2)]]);
    assert_eq!((bench.get("order_error"), bench.get("up")), (0, 1));
}

#[test]
fn a_port_that_goes_down_takes_the_others_with_it() {
    let mut bench = up();
    receive(&mut bench, 0, body(1));
    states(&mut bench, RETRAINING, ACTIVE);
    (0..5).for_each(|_| bench.clock());
    assert_eq!((bench.get("up"), bench.get("restart"), bench.get("renew")), (1, 0, 0));
    states(&mut bench, INIT, ACTIVE);
    (0..5).for_each(|_| bench.clock());
    assert_eq!((bench.get("up"), bench.get("renew")), (1, 0));
    states(&mut bench, DOWN, ACTIVE);
    (0..2).for_each(|_| bench.clock());
    assert_eq!((bench.get("up"), bench.get("restart")), (0, 1));
    bench.clock();
    assert_eq!(bench.get("renew"), 2, "port 0 has been Down");
    // It begins again while the other is still on its way.
    states(&mut bench, TRAINING, ACTIVE);
    (0..4).for_each(|_| bench.clock());
    assert_eq!((bench.get("restart"), bench.get("renew")), (1, 2));
    states(&mut bench, TRAINING, DOWN);
    (0..3).for_each(|_| bench.clock());
    assert_eq!((bench.get("restart"), bench.get("renew")), (1, 0));
    // A port still gives what it had accepted.
    receive(&mut bench, 1, body(2));
    let mut clocks = 4;
    while bench.get("restart") == 1 {
        assert_eq!(bench.get("renew"), 0);
        bench.clock();
        clocks += 1;
    }
    assert_eq!(clocks, SETTLE + 1);
    states(&mut bench, ACTIVE, ACTIVE);
    (0..2).for_each(|_| bench.clock());
    assert_eq!(bench.get("up"), 1);
    // The share of before is gone.
    receive(&mut bench, 0, body(3));
    receive(&mut bench, 1, body(4));
    assert_eq!(delivered(&mut bench, 9), [[body(3), body(4)]]);
}

/// Port 1 takes nothing, so two shares wait at its ingress when the bond falls; they fit into one LTP.
#[test]
fn what_waits_at_an_ingress_when_the_bond_falls_is_told_once() {
    let mut bench = up();
    bench.set_value("flits_in.data", &value(&[body(1), body(2)]));
    bench.set("flits_in.valid", 1).set("shares_out[1].ready", 0);
    (0..4).for_each(|_| bench.clock());
    assert_eq!((bench.get("shares_out[0].valid"), bench.get("shares_out[1].valid")), (0, 1));
    states(&mut bench, DOWN, ACTIVE);
    assert_eq!(bench.get("lost"), 0);
    bench.clock();
    assert_eq!((bench.get("restart"), bench.get("lost")), (0, 0));
    bench.clock();
    assert_eq!((bench.get("restart"), bench.get("lost")), (1, 0b10));
    bench.clock();
    for _ in 0..9 {
        assert_eq!((bench.get("restart"), bench.get("lost")), (1, 0));
        assert_eq!(bench.get("shares_out[1].valid"), 0);
        bench.clock();
    }
    // `clear` forgets without a word, as it does in a port.
    let mut bench = up();
    bench.set_value("flits_in.data", &value(&[body(1), body(2)]));
    bench.set("flits_in.valid", 1).set("shares_out[0].ready", 0).set("shares_out[1].ready", 0);
    (0..2).for_each(|_| bench.clock());
    bench.set("clear", 1);
    assert_eq!((bench.get("shares_out[0].valid"), bench.get("lost")), (1, 0));
    bench.clock();
    bench.set("clear", 0);
    assert_eq!((bench.get("restart"), bench.get("lost")), (1, 0));
}

/// A port whose peer begins afresh starts its numbers at 0 without having been Down: what was on its way is lost, as if it had.
#[test]
fn a_port_that_starts_afresh_by_itself_takes_the_others_with_it() {
    let restart = |bench: &mut StockBlock<Bond>| {
        bench.set("restarted[0]", 1);
        bench.clock();
        bench.set("restarted[0]", 0);
        (0..2).for_each(|_| bench.clock());
    };
    let mut bench = StockBlock::new(Bond::new(&CONFIG).unwrap());
    bench.set("bond_index[1]", 1);
    // Every start begins so.
    states(&mut bench, INIT, ACTIVE);
    (0..2).for_each(|_| bench.clock());
    restart(&mut bench);
    assert_eq!((bench.get("restart"), bench.get("renew")), (0, 0));
    states(&mut bench, ACTIVE, ACTIVE);
    (0..2).for_each(|_| bench.clock());
    assert_eq!(bench.get("up"), 1);
    receive(&mut bench, 1, body(2));
    states(&mut bench, RETRAINING, ACTIVE);
    (0..3).for_each(|_| bench.clock());
    states(&mut bench, INIT, ACTIVE);
    restart(&mut bench);
    assert_eq!((bench.get("up"), bench.get("restart"), bench.get("renew")), (0, 1, 3), "both go Down");
    states(&mut bench, DOWN, DOWN);
    (0..SETTLE + 4).for_each(|_| bench.clock());
    states(&mut bench, INIT, INIT);
    restart(&mut bench);
    states(&mut bench, ACTIVE, ACTIVE);
    (0..2).for_each(|_| bench.clock());
    assert_eq!((bench.get("up"), bench.get("restart")), (1, 0));
    receive(&mut bench, 0, body(3));
    receive(&mut bench, 1, body(4));
    assert_eq!(delivered(&mut bench, 9), [[body(3), body(4)]]);
}

/// A port sends illegal flits as Idles and gives SPC flits elsewhere: a share of these alone would be missing at the other end.
#[test]
fn a_share_of_flits_that_do_not_arrive_keeps_step() {
    let mut bench = up();
    const SPC: u128 = 6 << 56 | 0x41 << 48;
    const UNDEFINED: u128 = 0x3F << 56;
    const RETRY_REQ: u128 = 0x22 << 56;
    for gone in [SPC, UNDEFINED, RETRY_REQ] {
        bench.set_value("flits_in.data", &value(&[gone, body(5)])).set("flits_in.valid", 1);
        bench.clock();
        bench.set("flits_in.valid", 0);
        assert_eq!(flits(&bench.get_value("shares_out[0].data")), [FORCE_IDLE], "{gone:X}");
        assert_eq!(flits(&bench.get_value("shares_out[1].data")), [body(5)]);
        bench.clock();
    }
    bench.set_value("flits_in.data", &value(&[SPC, UNDEFINED])).set("flits_in.valid", 1);
    bench.clock();
    assert_eq!(
        (bench.get("shares_out[0].valid"), bench.get("shares_out[1].valid")),
        (0, 0),
        "nothing arrives"
    );
}

#[test]
fn a_port_that_fails_in_training_troubles_nobody() {
    let mut bench = StockBlock::new(Bond::new(&CONFIG).unwrap());
    bench.set("bond_index[1]", 1);
    for first in [TRAINING, DOWN, TRAINING, INIT] {
        states(&mut bench, first, ACTIVE);
        (0..4).for_each(|_| bench.clock());
        assert_eq!((bench.get("restart"), bench.get("up")), (0, 0));
    }
    states(&mut bench, DOWN, ACTIVE);
    (0..3).for_each(|_| bench.clock());
    assert_eq!(
        (bench.get("restart"), bench.get("renew")),
        (1, 2),
        "it was in Init, and may have been seen Active"
    );
}

#[test]
fn a_share_without_room_is_an_overflow_and_ends_the_bond() {
    let mut bench = up();
    let mut held = 0;
    loop {
        receive(&mut bench, 0, body(held));
        if bench.get("overflow") == 1 {
            break;
        }
        held += 1;
    }
    assert!((ROOM..=ROOM + 2).contains(&held), "{held} shares");
    assert_eq!(bench.get("up"), 1);
    bench.clock();
    assert_eq!((bench.get("overflow"), bench.get("up"), bench.get("restart")), (0, 0, 1));
    assert_eq!(bench.get("renew"), 3);
    (0..3).for_each(|_| bench.clock());
    assert_eq!(bench.get("skew"), held);
}

#[test]
fn clear_in_mid_transfer_takes_everything_but_the_count() {
    let mut bench = up();
    bench.set_value("flits_in.data", &value(&[body(1), body(2)]));
    bench.set("flits_in.valid", 1).set("shares_out[0].ready", 0);
    receive(&mut bench, 1, body(7));
    bench.set("clear", 1).set("flits_in.valid", 0);
    assert_eq!(bench.get("flits_in.ready"), 0);
    bench.clock();
    bench.set("clear", 0);
    assert_eq!((bench.get("shares_out[0].valid"), bench.get("up")), (0, 0));
    bench.clock();
    assert_eq!(bench.get("renew"), 3, "all ports go Down");
    states(&mut bench, DOWN, DOWN);
    (0..SETTLE + 4).for_each(|_| bench.clock());
    states(&mut bench, ACTIVE, ACTIVE);
    (0..3).for_each(|_| bench.clock());
    receive(&mut bench, 0, body(8));
    receive(&mut bench, 1, body(9));
    assert_eq!(delivered(&mut bench, 9), [[body(8), body(9)]]);
    assert_eq!(bench.get("skew"), 1);
}

#[test]
fn messages_of_all_ports_come_one_after_the_other() {
    let mut bench = up();
    let mut out = vec![];
    // Both ports at a time: 0x9B and 0x4E, and before that nothing.
    let messages = [[0, 0], [0x9B, 0x4E], [0, 0xFF], [0x01, 0]];
    for pair in messages {
        for place in 0..4 {
            for (port, message) in pair.iter().enumerate() {
                bench.set(&format!("side_in[{port}].valid"), 1);
                bench.set(&format!("side_in[{port}].data"), message >> (2 * place) & 3);
                bench.set(&format!("side_in_place[{port}]"), place);
            }
            for clock in 0..4 {
                if bench.get("side_out.valid") == 1 {
                    out.push((bench.get("side_place"), bench.get("side_out.data")));
                }
                bench.clock();
                if clock == 0 {
                    bench.set("side_in[0].valid", 0).set("side_in[1].valid", 0);
                }
            }
        }
    }
    for _ in 0..12 {
        if bench.get("side_out.valid") == 1 {
            out.push((bench.get("side_place"), bench.get("side_out.data")));
        }
        bench.clock();
    }
    let sent = [0x9B, 0x4E, 0xFF, 0x01];
    let expected: Vec<_> = sent
        .iter()
        .flat_map(|message: &u64| (0..4).map(move |place| (place, message >> (2 * place) & 3)))
        .collect();
    assert_eq!(out, expected);
}

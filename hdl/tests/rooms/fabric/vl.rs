use crate::testing::Bench;
use flitforge_elaborate::Value;
use flitforge_hdl::fabric::vl::VlTx;

type Tx = VlTx<2, 130, 4>;

#[test]
fn wrong_parameters_are_refused() {
    assert!(VlTx::<3, 195, 4>::new().is_err_and(|error| error.parameter == "flits"));
    assert!(VlTx::<2, 131, 4>::new().is_err_and(|error| error.parameter == "FLITS_W"));
    assert!(VlTx::<1, 65, 17>::new().is_err_and(|error| error.parameter == "lanes"));
}

const HEAD: u64 = 1 << 63;
const TAIL: u64 = 1 << 62;
const MARKER: u64 = 0x04 << 56;

/// A beat of two flits; the low bits of the first one tell it apart.
fn beat(first: u64, first_is_body: bool, second: u64) -> Value {
    let mut value = Value::zero(130);
    for bit in 0..64 {
        value.set_bit(bit, first >> bit & 1 == 1);
        value.set_bit(65 + bit, second >> bit & 1 == 1);
    }
    value.set_bit(64, first_is_body);
    value
}

/// What lane `vl` offers as beat `number` of a packet of `beats`.
fn of_packet(vl: u64, number: u64, beats: u64) -> Value {
    let name = vl << 8 | number;
    let end = if number + 1 == beats { TAIL } else { 0 };
    match number {
        0 => beat(HEAD | name, false, if beats == 1 { TAIL } else { 1 }),
        _ => beat(name, true, end),
    }
}

/// A sender whose lanes give packets of these numbers of beats from these clocks on.
struct Run {
    bench: Bench<Tx>,
    /// (beats, first clock) by lane.
    packets: [(u64, u64); 4],
    next: [u64; 4],
    clock: u64,
}

impl Run {
    fn new(packets: [(u64, u64); 4], settings: &[(&str, u64)]) -> Self {
        let mut bench = Bench::new(Tx::new().unwrap());
        for (port, value) in settings {
            bench.set(port, *value);
        }
        bench.set("credit", 15).set("beats_out.ready", 1);
        // PRIO counts from the next clock on.
        bench.clock();
        Run { bench, packets, next: [0; 4], clock: 0 }
    }

    /// One clock; what stands at the output: lane and number of a beat, or the lane of a marker.
    fn clock(&mut self) -> Option<(char, u64)> {
        for vl in 0..4 {
            let (beats, from) = self.packets[vl];
            let there = self.clock >= from && self.next[vl] < beats;
            self.bench.set(&format!("lanes_in[{vl}].valid"), there.into());
            if there {
                let value = of_packet(vl as u64, self.next[vl], beats);
                self.bench.set_value(&format!("lanes_in[{vl}].data"), &value);
            }
        }
        let out = (self.bench.get("beats_out.valid") == 1).then(|| {
            let word = self.bench.get("beats_out.data");
            match word & !0xFFF {
                MARKER => ('m', word & 0xF),
                _ => (char::from(b'0' + (word >> 8 & 0xF) as u8), word & 0xFF),
            }
        });
        for vl in 0..4 {
            let there = self.bench.get(&format!("lanes_in[{vl}].valid")) == 1;
            self.next[vl] += u64::from(there && self.bench.get(&format!("lanes_in[{vl}].ready")) == 1);
        }
        self.bench.clock();
        self.clock += 1;
        out
    }

    fn run(&mut self, clocks: usize) -> Vec<Option<(char, u64)>> {
        (0..clocks).map(|_| self.clock()).collect()
    }
}

#[test]
fn a_beat_leaves_one_clock_after_it_was_taken_and_then_one_per_clock() {
    let mut run = Run::new([(4, 0), (0, 0), (0, 0), (0, 0)], &[]);
    let beats = [None, Some(('0', 0)), Some(('0', 1)), Some(('0', 2)), Some(('0', 3)), None];
    assert_eq!(run.run(6), beats);
}

/// Rules 1 and 3: the lane of PRIO 15 waits no longer than a beat, and no marker is needed before it or behind it.
#[test]
fn a_preempting_packet_goes_at_once_and_the_lane_below_goes_on() {
    let settings = [("priorities", 0xF000), ("preempt", 8)];
    let mut run = Run::new([(4, 0), (0, 0), (0, 0), (2, 2)], &settings);
    let expected = [('0', 0), ('0', 1), ('3', 0), ('3', 1), ('0', 2), ('0', 3)];
    assert_eq!(run.run(7)[1..], expected.map(Some));
}

/// Rules 2 and 3: a lane without a beat loses its place to a filler for MIN_RUN beat times, and comes back behind a marker.
#[test]
fn a_filler_keeps_its_place_and_the_lane_comes_back_by_marker() {
    let settings = [("priorities", 0x0005), ("preempt", 1), ("bubble", 2), ("min_run", 3)];
    let mut run = Run::new([(2, 0), (9, 0), (0, 0), (0, 0)], &settings);
    // Lane 0 has its head in clock 0, the next beat from clock 4 on.
    let mut came = vec![run.clock()];
    run.packets[0].1 = 4;
    came.extend(run.run(9));
    let expected = [('0', 0), ('1', 0), ('1', 1), ('1', 2), ('m', 0), ('0', 1), ('1', 3)];
    assert_eq!(came[1..8], expected.map(Some));
}

#[test]
fn without_credit_nothing_goes() {
    let mut run = Run::new([(4, 0), (4, 0), (0, 0), (0, 0)], &[("bubble", 15)]);
    run.bench.set("credit", 2);
    assert_eq!(run.run(5)[1..], [0, 1, 2, 3].map(|number| Some(('1', number))));
    assert_eq!(run.run(3), [None; 3]);
}

#[test]
fn clear_in_mid_packet_empties_the_stack() {
    let mut run = Run::new([(4, 0), (0, 0), (0, 0), (0, 0)], &[]);
    run.run(3);
    run.bench.set("clear", 1);
    assert_eq!(run.bench.get("lanes_in[0].ready"), 0, "ready while cleared");
    run.bench.clock();
    run.bench.set("clear", 0);
    assert_eq!(run.bench.get("beats_out.valid"), 0, "a beat after the clear");
    // A new packet on another lane: no marker, no rest of the old one.
    (run.packets, run.next, run.clock) = ([(0, 0), (2, 0), (0, 0), (0, 0)], [0; 4], 0);
    assert_eq!(run.run(4), [None, Some(('1', 0)), Some(('1', 1)), None]);
}

use flitforge_elaborate::Value;
use flitforge_hdl::fabric::vl::{VlRx, VlTx};
use flitforge_testkit::{Clocked, StockBlock};

type Tx = VlTx<2, 130, 4>;
type Rx = VlRx<2, 130, 139, 5, 4, 5>;

#[test]
fn wrong_parameters_are_refused() {
    assert!(VlTx::<3, 195, 4>::new().is_err_and(|error| error.parameter == "flits"));
    assert!(VlTx::<2, 131, 4>::new().is_err_and(|error| error.parameter == "FLITS_W"));
    assert!(VlTx::<1, 65, 17>::new().is_err_and(|error| error.parameter == "lanes"));
    assert!(VlRx::<3, 195, 204, 5, 4, 5>::new().is_err_and(|error| error.parameter == "flits"));
    assert!(VlRx::<2, 131, 140, 5, 4, 5>::new().is_err_and(|error| error.parameter == "FLITS_W"));
    assert!(VlRx::<2, 130, 138, 5, 4, 5>::new().is_err_and(|error| error.parameter == "OUT_W"));
    assert!(VlRx::<2, 130, 139, 6, 4, 5>::new().is_err_and(|error| error.parameter == "BYTES_W"));
    assert!(VlRx::<2, 130, 139, 5, 17, 18>::new().is_err_and(|error| error.parameter == "lanes"));
    assert!(VlRx::<2, 130, 139, 5, 4, 4>::new().is_err_and(|error| error.parameter == "M"));
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
    bench: StockBlock<Tx>,
    /// (beats, first clock) by lane.
    packets: [(u64, u64); 4],
    next: [u64; 4],
    clock: u64,
}

impl Run {
    fn new(packets: [(u64, u64); 4], settings: &[(&str, u64)]) -> Self {
        let mut bench = StockBlock::new(Tx::new().unwrap());
        for (port, value) in settings {
            bench.set(port, *value);
        }
        bench.set("credit", 15).set("beats_out.ready", 1);
        // PRIO counts from the third beat time on.
        bench.clock();
        bench.clock();
        Run { bench, packets, next: [0; 4], clock: 0 }
    }

    /// One clock; what stands at the output: lane and number of a beat, or the lane of a marker.
    fn clock(&mut self) -> Option<(char, u64)> {
        let mut ends = 0;
        for vl in 0..4 {
            let (beats, from) = self.packets[vl];
            let there = self.clock >= from && self.next[vl] < beats;
            self.bench.set(&format!("lanes_in[{vl}].valid"), there.into());
            if there {
                let value = of_packet(vl as u64, self.next[vl], beats);
                self.bench.set_value(&format!("lanes_in[{vl}].data"), &value);
                ends |= u64::from(self.next[vl] + 1 == beats) << vl;
            }
        }
        self.bench.set("ends", ends);
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
fn a_beat_leaves_two_clocks_after_it_was_taken_and_then_one_per_clock() {
    let mut run = Run::new([(4, 0), (0, 0), (0, 0), (0, 0)], &[]);
    let beats = [None, None, Some(('0', 0)), Some(('0', 1)), Some(('0', 2)), Some(('0', 3)), None];
    assert_eq!(run.run(7), beats);
}

/// Rules 1 and 3: the lane of PRIO 15 waits no longer than a beat, and no marker is needed before it or after it.
#[test]
fn a_preempting_packet_goes_at_once_and_the_lane_below_goes_on() {
    let settings = [("priorities", 0xF000), ("preempt", 8)];
    let mut run = Run::new([(4, 0), (0, 0), (0, 0), (2, 2)], &settings);
    let expected = [('0', 0), ('0', 1), ('3', 0), ('3', 1), ('0', 2), ('0', 3)];
    assert_eq!(run.run(8)[2..], expected.map(Some));
}

/// Rules 2 and 3: a lane without a beat loses its place to a filler for MIN_RUN beat times, and comes back after a marker.
#[test]
fn a_filler_keeps_its_place_and_the_lane_comes_back_by_marker() {
    let settings = [("priorities", 0x0005), ("preempt", 1), ("bubble", 2), ("min_run", 3)];
    let mut run = Run::new([(2, 0), (9, 0), (0, 0), (0, 0)], &settings);
    // Lane 0 has its head in clock 0, the next beat from clock 4 on.
    let mut came = vec![run.clock()];
    run.packets[0].1 = 4;
    came.extend(run.run(10));
    let expected = [('0', 0), ('1', 0), ('1', 1), ('1', 2), ('m', 0), ('0', 1), ('1', 3)];
    assert_eq!(came[2..9], expected.map(Some));
}

#[test]
fn without_credit_nothing_goes() {
    let mut run = Run::new([(4, 0), (4, 0), (0, 0), (0, 0)], &[("bubble", 15)]);
    run.bench.set("credit", 2);
    assert_eq!(run.run(6)[2..], [0, 1, 2, 3].map(|number| Some(('1', number))));
    assert_eq!(run.run(3), [None; 3]);
    // What is taken has its credit: it goes, whatever `credit` says then.
    run.bench.set("credit", 1);
    run.run(1);
    run.bench.set("credit", 0);
    assert_eq!(run.run(3), [None, Some(('0', 0)), None]);
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
    assert_eq!(run.run(5), [None, None, Some(('1', 0)), Some(('1', 1)), None]);
}

/// What the receiver shows in a clock: (lane, flits, opens, ends, first flit) of a beat; (lane, flits, opens, ends, tossed) of what came;
/// an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Shown {
    beat: Option<(u64, u64, bool, bool, u64)>,
    came: Option<(u64, u64, bool, bool, u64)>,
    error: bool,
}

fn receiver() -> StockBlock<Rx> {
    let mut bench = StockBlock::new(Rx::new().unwrap());
    bench.set("beats_out.ready", 1);
    bench
}

/// One clock with this beat, or none, at the input.
fn show(bench: &mut StockBlock<Rx>, beat: Option<&Value>) -> Shown {
    bench.set("beats_in.valid", beat.is_some().into());
    if let Some(beat) = beat {
        bench.set_value("beats_in.data", beat);
    }
    let out = bench.get_value("beats_out.data");
    let field =
        |low: u32, width: u32| (0..width).fold(0, |bits, bit| bits | u64::from(out.bit(low + bit)) << bit);
    let beat = (field(130, 4), field(134, 3), out.bit(138), out.bit(137), field(0, 64));
    let came = bench.get("arrived.data");
    let bit = |place: u32| came >> place & 1 == 1;
    let came = (came & 0xF, came >> 4 & 7, bit(8), bit(7), came >> 9 & 7);
    let shown = Shown {
        beat: (bench.get("beats_out.valid") == 1).then_some(beat),
        came: (bench.get("arrived.valid") == 1).then_some(came),
        error: bench.get("stack_error") == 1,
    };
    bench.clock();
    shown
}

/// What comes of beats one after the other, less the clocks of latency.
fn shown(bench: &mut StockBlock<Rx>, beats: &[Value]) -> Vec<Shown> {
    let clocks = beats.iter().map(Some).chain([None; 3]);
    clocks.map(|beat| show(bench, beat)).skip(3).collect()
}

fn head(vl: u64, bytes: u64) -> u64 {
    HEAD | vl << 32 | bytes << 36
}

fn tail(bytes: u64) -> u64 {
    TAIL | bytes << 48
}

/// Chapter 10, 3.2: reason 4, the lane above it.
fn tail_bad(vl: u64) -> u64 {
    0x0A << 56 | vl << 8 | 4
}

/// A beat that is given on as it came.
fn delivered(vl: u64, flits: u64, opens: bool, ends: bool, word: u64) -> Shown {
    let came = Some((vl, flits, opens, ends, 0));
    Shown { beat: Some((vl, flits, opens, ends, word)), came, error: false }
}

#[test]
fn a_beat_is_sorted_three_clocks_after_it_was_taken_and_then_one_per_clock() {
    let mut bench = receiver();
    // 8 bytes on lane 1, within them a packet of none on lane 3; a marker is not needed after it.
    let beats = [
        beat(head(1, 8), false, 7),
        beat(head(3, 0), false, tail(0)),
        beat(tail(8), false, 0),
        beat(MARKER | 2, false, 0),
    ];
    let mut first = beats[0].clone();
    first.set_bit(129, true);
    let clocks: Vec<Shown> = [&first, &beats[1], &beats[2]]
        .map(Some)
        .into_iter()
        .chain([None; 4])
        .map(|beat| show(&mut bench, beat))
        .collect();
    let none = Shown::default();
    let expected = [
        none,
        none,
        none,
        delivered(1, 2, true, false, head(1, 8)),
        delivered(3, 2, true, true, head(3, 0)),
        delivered(1, 1, false, true, tail(8)),
        none,
    ];
    assert_eq!(clocks, expected);
    // A VlMrkr of a lane that is not in the stack is an error, and nothing comes out.
    assert_eq!(shown(&mut bench, &beats[3..]), [Shown { error: true, ..none }]);
}

#[test]
fn every_illegal_sequence_has_its_event_and_credits_go_back() {
    let run = |beats: &[Value]| shown(&mut receiver(), beats);
    let none = Shown::default();
    let wrong = Shown { error: true, ..none };
    let body = beat(1, true, 2 << 32);
    // Body and Tail with an empty stack: nobody's flits.
    assert_eq!(run(&[body.clone(), beat(tail(0), false, 0)]), [wrong, wrong]);
    // A head of an open lane: its slot ends the packet, the rest is tossed, up to the next legal head.
    let mut long = beat(head(2, 8), false, 5);
    long.set_bit(129, true);
    let fine = delivered(2, 2, true, false, head(2, 8));
    let cut = Some((2, 1, false, true, tail_bad(2)));
    let seen = run(&[long.clone(), long.clone(), beat(tail(8), false, 0), long.clone()]);
    let expected = [
        fine,
        Shown { beat: cut, came: Some((2, 2, true, false, 1)), error: true },
        Shown { came: Some((2, 1, false, true, 1)), ..none },
        fine,
    ];
    assert_eq!(seen, expected);
    // A VlMrkr of a lane not in the stack: its flits are tossed.
    let seen = run(&[beat(MARKER | 3, false, 0), beat(tail(0), false, 0)]);
    assert_eq!(seen, [wrong, Shown { came: Some((3, 1, false, true, 1)), ..none }]);
    // A lane that is not built has no credit.
    assert_eq!(run(&[beat(head(9, 0), false, tail(0))]), [wrong]);
    // Too short, and a wrong copy of the length: the Tail is a TailBad in its place.
    let seen = run(&[beat(head(2, 8), false, tail(8))]);
    assert_eq!(seen, [Shown { error: true, ..delivered(2, 2, true, true, head(2, 8)) }]);
    let seen = run(&[long.clone(), beat(tail(9), false, 0)])[1];
    assert_eq!(seen, Shown { beat: cut, came: Some((2, 1, false, true, 0)), error: true });
    // HeadBad has no length: any Tail ends it.
    let bad_head = 0x08 << 56 | 2 << 32 | 3 << 40;
    assert_eq!(run(&[beat(bad_head, false, tail(77))]), [delivered(2, 2, true, true, bad_head)]);
    // A gap after the head: the packet does not begin.
    let seen = run(&[beat(head(1, 8), false, 0)]);
    assert_eq!(seen, [Shown { came: Some((1, 1, true, false, 1)), error: true, ..none }]);
}

#[test]
fn a_flit_that_became_idle_counts_for_the_packet_it_stands_in() {
    let (none, cut) = (Shown::default(), Some((2, 1, false, true, tail_bad(2))));
    let mut long = beat(head(2, 40), false, 5);
    long.set_bit(129, true);
    // Behind the first beat of a packet on lane 2, or of none: a beat, its slots that became Idle, what is shown.
    let both = |beat, came| Shown { beat, came, error: true };
    let cases = [
        (true, beat(0, false, 0), 3, both(cut, Some((2, 2, false, false, 1)))),
        (true, beat(0, false, 0), 1, both(cut, Some((2, 1, false, false, 0)))),
        (true, beat(0, false, tail(40)), 1, both(cut, Some((2, 2, false, true, 1)))),
        (true, beat(head(1, 8), false, 0), 2, both(None, Some((1, 2, true, false, 2)))),
        // A place where no packet's flit stands: after another Idle, a Tail, a VlMrkr.
        (true, beat(0, false, 0), 2, none),
        (true, beat(MARKER | 2, false, 0), 2, none),
        (false, beat(head(1, 8), false, 0), 2, both(None, Some((1, 2, true, false, 2)))),
        // Nobody's flit.
        (false, beat(0, false, 0), 3, none),
    ];
    for (open, beat, undefined, expected) in cases {
        let mut bench = receiver();
        if open {
            show(&mut bench, Some(&long));
        }
        bench.set("undefined", undefined);
        show(&mut bench, Some(&beat));
        bench.set("undefined", 0);
        let clocks: Vec<Shown> = (0..3).map(|_| show(&mut bench, None)).collect();
        assert_eq!(clocks[2], expected, "{undefined} of {beat:?}");
    }
}

#[test]
fn a_stalled_beat_stays_and_its_events_come_once() {
    let mut bench = receiver();
    bench.set("beats_out.ready", 0);
    let beats = [beat(head(2, 0), false, tail(1)), beat(head(1, 0), false, tail(0))];
    let mut events = 0;
    for clock in 0..12 {
        let beat = beats.get(clock);
        events += u64::from(show(&mut bench, beat).error);
    }
    assert_eq!(events, 1);
    assert_eq!(bench.get("beats_in.ready"), 0, "held");
    bench.set("beats_out.ready", 1);
    let came: Vec<Option<u64>> = (0..3).map(|_| show(&mut bench, None).beat.map(|beat| beat.0)).collect();
    assert_eq!(came, [Some(2), Some(1), None]);
}

#[test]
fn clear_in_mid_packet_forgets_the_packet_and_the_beats_in_work() {
    let mut bench = receiver();
    let mut long = beat(head(2, 8), false, 5);
    long.set_bit(129, true);
    show(&mut bench, Some(&long));
    show(&mut bench, Some(&beat(MARKER | 1, false, 0)));
    bench.set("clear", 1);
    assert_eq!(bench.get("beats_in.ready"), 0, "ready while cleared");
    bench.clock();
    bench.set("clear", 0);
    // Neither the packet nor the error of the marker is seen; its Tail belongs to nobody.
    let seen = shown(&mut bench, &[beat(tail(8), false, 0), beat(head(2, 0), false, tail(0))]);
    let none = Shown::default();
    assert_eq!(seen[0], Shown { error: true, ..none });
    assert_eq!(seen[1], delivered(2, 2, true, true, head(2, 0)));
}

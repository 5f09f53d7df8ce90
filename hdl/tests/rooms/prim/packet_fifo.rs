//! The packet FIFO against a model written from its documentation: rust-hdl itself, graph, compiled engine and Verilog.

use flitforge_elaborate::Value;
use flitforge_hdl::prim::PacketFifo;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::{standard, StandardInterface, FULL_CLOCKS};
use flitforge_sim::kit::{rng, seed, StimulusFn, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, random, Clocked, StockBlock};
use rand::Rng;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Room of the FIFO under test.
const ROOM: usize = 16;
/// Clocks after which a committed word may be fetched.
const COMMIT_CLOCKS: u64 = 2;

/// How often each thing happened.
#[derive(Default)]
struct Counts {
    stored: Cell<u64>,
    bad: Cell<u64>,
    lost: Cell<u64>,
    waited: Cell<u64>,
    cleared_in_packet: Cell<u64>,
}

fn count(cell: &Cell<u64>) {
    cell.set(cell.get() + 1);
}

/// A word with its `last`.
type Word = (Value, bool);

#[derive(Default)]
struct Model {
    clock: u64,
    /// Committed words with the clock from which on they may be fetched.
    committed: VecDeque<(Word, u64)>,
    /// The packet that comes in.
    packet: Vec<Word>,
    drops: bool,
    array: Option<Word>,
    output: Option<Word>,
    /// `stored`, `dropped`, `overflow` of the clock before.
    told: [bool; 3],
}

impl Model {
    fn step(
        &mut self,
        drop_when_full: bool,
        counts: &Counts,
        inputs: &PortValues,
        outputs: &mut PortValues,
    ) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        let room = self.committed.len() + self.packet.len() < ROOM;
        let ready = !clear && (room || self.drops || drop_when_full || self.packet.len() == ROOM);
        outputs.set_bit("words_in.ready", ready)?;
        outputs.set_bit("words_out.valid", self.output.is_some())?;
        if let Some((word, last)) = &self.output {
            outputs.set("words_out.data", word.clone())?;
            outputs.set_bit("last_out", *last)?;
        }
        for (port, told) in ["stored", "dropped", "overflow"].into_iter().zip(self.told) {
            outputs.set_bit(port, told)?;
        }
        let valid = inputs.bit("words_in.valid")?;
        if valid && !ready && !clear {
            count(&counts.waited);
        }
        self.move_out(inputs.bit("words_out.ready")?);
        self.told = [false; 3];
        if valid && ready {
            let (last, bad) = (inputs.bit("last_in")?, inputs.bit("bad_in")?);
            self.take((inputs.get("words_in.data")?, last), bad, room, counts);
        }
        self.clock += 1;
        if clear {
            if !self.packet.is_empty() {
                count(&counts.cleared_in_packet);
            }
            *self = Self { clock: self.clock, ..Self::default() };
        }
        Ok(())
    }

    /// Two stages after the memory; each moves on when it is empty or the one after it does.
    fn move_out(&mut self, ready: bool) {
        if self.output.is_none() || ready {
            self.output = self.array.take();
        }
        let there = self.committed.front().is_some_and(|(_, from)| *from <= self.clock);
        if self.array.is_none() && there {
            self.array = self.committed.pop_front().map(|(word, _)| word);
        }
    }

    fn take(&mut self, word: Word, bad: bool, room: bool, counts: &Counts) {
        let last = word.1;
        if self.drops {
            self.drops = !last;
        } else if !room {
            count(&counts.lost);
            self.packet.clear();
            (self.drops, self.told[2]) = (!last, true);
        } else {
            self.packet.push(word);
            if last && bad {
                count(&counts.bad);
                self.packet.clear();
                self.told[1] = true;
            } else if last {
                count(&counts.stored);
                let from = self.clock + COMMIT_CLOCKS;
                self.committed.extend(self.packet.drain(..).map(|word| (word, from)));
                self.told[0] = true;
            }
        }
    }
}

/// Packets of 1 to some 40 words, in spells of short and long ones; every eighth is bad.
fn stimulus(testbench: &mut Testbench<'_>, seed: u64) -> Result<(), SimError> {
    standard(&StandardInterface { clears: vec!["clear".into()], ..Default::default() }, testbench, seed)?;
    let ports = testbench.bench();
    let (last, bad) = (ports.port("last_in")?, ports.port("bad_in")?);
    let mut random = rng(seed, "packets");
    let mut share = 0.5;
    testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
        if clock % 256 == 0 {
            share = [0.5, 0.1, 0.04][random.random_range(0..3)];
        }
        bench.set(last, &Value::from_u64(1, random.random_bool(share).into()));
        bench.set(bad, &Value::from_u64(1, random.random_bool(0.125).into()));
        Ok(())
    }));
    Ok(())
}

fn plan<const D: usize>(name: &str, counts: &Rc<Counts>) -> CosimPlan<'static> {
    let (mut model, seen) = (Model::default(), Rc::clone(counts));
    let make = || Box::new(PacketFifo::<12, 13, 4, 5, D>::new().expect("valid")) as _;
    let seed = seed(0x9ac4);
    CosimPlan::new(name, seed, make, stimulus).model(move |inputs: &PortValues, outputs: &mut PortValues| {
        model.step(D == 1, &seen, inputs, outputs)
    })
}

fn equal_everywhere<const D: usize>(name: &str) -> Rc<Counts> {
    let counts = Rc::new(Counts::default());
    plan::<D>(name, &counts)
        .clocks(FULL_CLOCKS)
        .stock_limit(10_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .cover(
            &["words_in.held", "words_out.held", "words_out.ready_flipped", "clear.pulses"]
                [usize::from(D == 1)..],
        )
        .run()
        .expect("equal");
    counts
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_packet_fifo";
    let faults = [
        Fault::replace(
            "a bad packet is committed",
            TOP,
            "assign commit = push & last_in & ~bad_in;",
            "assign commit = push & last_in;",
        ),
        Fault::replace(
            "a dropped packet's words stay in the memory",
            TOP,
            "write_pointer_d = packet_start_q;",
            "write_pointer_d = write_pointer_q;",
        ),
        Fault::replace(
            "a dropped packet's room is lost",
            TOP,
            "room_change = length_q;",
            "room_change = 5'h0;",
        ),
        Fault::replace(
            "the rest of a packet without room is a packet",
            TOP,
            "if (lost & ~last_in) begin",
            "if (1'b0) begin",
        ),
        Fault::replace("what is dropped never ends", TOP, "if (taken & last_in) begin", "if (1'b0) begin"),
        Fault::replace(
            "a packet that fills the memory alone waits for ever",
            TOP,
            "assign takes = ~clear & (room | ~stores | never_fits);",
            "assign takes = ~clear & (room | ~stores);",
        ),
        Fault::replace(
            "a word is fetched too much",
            TOP,
            "assign words_d = words_q + gain_q + {4'h0, ~fetch};",
            "assign words_d = words_q + gain_q + 5'h01;",
        ),
        Fault::replace("the length is not forgotten", TOP, "if (back | commit) begin", "if (back) begin"),
    ];
    let plan =
        || plan::<0>(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn a_packet_without_room_is_dropped_whole() {
    let counts = equal_everywhere::<1>("packet_fifo_drop");
    assert!(counts.stored.get() > 100 && counts.bad.get() > 10 && counts.lost.get() > 10);
    assert!(counts.cleared_in_packet.get() > 3, "cleared in mid-packet");
    assert_eq!(counts.waited.get(), 0, "a word waited");
}

#[test]
fn a_packet_without_room_waits_unless_it_can_never_be_stored() {
    let counts = equal_everywhere::<0>("packet_fifo_wait");
    assert!(counts.stored.get() > 100 && counts.bad.get() > 10 && counts.lost.get() > 3);
    assert!(counts.cleared_in_packet.get() > 3 && counts.waited.get() > 100);
}

/// Whole packets in order, none with a hole, for every share of words taken.
#[test]
fn what_comes_out_are_the_good_packets() {
    let mut random = random();
    for share in [0.2, 0.5, 1.0] {
        let mut bench = StockBlock::new(PacketFifo::<12, 13, 4, 5, 1>::new().expect("valid"));
        let (mut sent, mut packet) = (VecDeque::new(), vec![]);
        let mut out = vec![];
        for _ in 0..3_000 {
            let (last, bad) = (random.random_bool(0.2), random.random_bool(0.2));
            let (valid, word) = (random.random_bool(0.7), random.random_range(0..1u64 << 12));
            let takes = random.random_bool(share);
            bench.set("words_in.valid", valid.into()).set("words_in.data", word);
            bench.set("last_in", last.into()).set("bad_in", bad.into()).set("words_out.ready", takes.into());
            if valid {
                packet.push(word);
                if last {
                    sent.push_back(std::mem::take(&mut packet));
                }
            }
            if takes && bench.get("words_out.valid") == 1 {
                out.push(bench.get("words_out.data"));
                if bench.get("last_out") == 1 {
                    let whole = std::mem::take(&mut out);
                    let place = sent.iter().position(|packet| *packet == whole);
                    let place = place.expect("a packet that was not sent, or one out of order");
                    sent.drain(..=place);
                }
            }
            bench.clock();
        }
    }
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let refused = |error: flitforge_hdl::ConfigError| error.to_string();
    let error = refused(PacketFifo::<12, 12, 4, 5, 1>::new().err().expect("M"));
    assert!(error.contains("packet_fifo") && error.contains("W + 1"), "{error}");
    let error = refused(PacketFifo::<12, 13, 3, 4, 1>::new().err().expect("A"));
    assert!(error.contains('A'), "{error}");
    let error = refused(PacketFifo::<12, 13, 4, 5, 2>::new().err().expect("D"));
    assert!(error.contains('D'), "{error}");
}

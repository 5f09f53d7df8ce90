//! Hierarchy in emitted text: shared modules, arrays of instances, interfaces, state machines, structs, foreign
//! modules. Icarus against the stock `update_all`; foreign text is linted.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::support;
use crate::support::stock::same;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::marker::{block_label, ForeignMarker, Marker};
use flitforge_elaborate::verilog::{self, Options};
use flitforge_elaborate::{drive_ports, elaborate};
use rust_hdl::prelude::*;

#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Source"]
struct Sink<T: Synth> {
    data: Signal<In, T>,
    valid: Signal<In, Bit>,
    ready: Signal<Out, Bit>,
}
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "Sink"]
struct Source<T: Synth> {
    data: Signal<Out, T>,
    valid: Signal<Out, Bit>,
    ready: Signal<In, Bit>,
}
drive_ports!(impl[T: Synth + FromValue] Sink<T> { data, valid, ready });
drive_ports!(impl[T: Synth + FromValue] Source<T> { data, valid, ready });

/// One place of a pipeline with backward ready; adds 1.
#[derive(LogicBlock, Default)]
struct Place<const N: usize> {
    clock: Signal<In, Clock>,
    from: Sink<Bits<N>>,
    to: Source<Bits<N>>,
    held: DFF<Bits<N>>,
    full: DFF<Bit>,
}
impl<const N: usize> Logic for Place<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, full);
        self.from.ready.next = !self.full.q.val() | self.to.ready.val();
        if !self.full.q.val() | self.to.ready.val() {
            self.held.d.next = self.from.data.val() + 1;
            self.full.d.next = self.from.valid.val();
        }
        self.to.data.next = self.held.q.val();
        self.to.valid.next = self.full.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        block_label("place", &[("n", N.to_string())])
    }
}

/// Two places one after the other.
#[derive(LogicBlock, Default)]
struct Pair<const N: usize> {
    clock: Signal<In, Clock>,
    from: Sink<Bits<N>>,
    to: Source<Bits<N>>,
    places: [Place<N>; 2],
}
impl<const N: usize> Logic for Pair<N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.places[i].clock.next = self.clock.val();
        }
        Sink::<Bits<N>>::link(&mut self.from, &mut self.places[0].from);
        Source::<Bits<N>>::join(&mut self.places[0].to, &mut self.places[1].from);
        Source::<Bits<N>>::link(&mut self.to, &mut self.places[1].to);
    }
}

/// Arrays of instances of two widths, three levels deep.
#[derive(LogicBlock, Default)]
struct Pipeline {
    clock: Signal<In, Clock>,
    wide: Sink<Bits<70>>,
    narrow: Sink<Bits<5>>,
    wide_out: Source<Bits<70>>,
    narrow_out: Source<Bits<5>>,
    wides: [Pair<70>; 3],
    narrows: [Pair<5>; 2],
    single: Place<5>,
}
impl Logic for Pipeline {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..3 {
            self.wides[i].clock.next = self.clock.val();
        }
        for i in 0..2 {
            self.narrows[i].clock.next = self.clock.val();
        }
        self.single.clock.next = self.clock.val();
        Sink::<Bits<70>>::link(&mut self.wide, &mut self.wides[0].from);
        for i in 0..2 {
            Source::<Bits<70>>::join(&mut self.wides[i].to, &mut self.wides[i + 1].from);
        }
        Source::<Bits<70>>::link(&mut self.wide_out, &mut self.wides[2].to);
        Sink::<Bits<5>>::link(&mut self.narrow, &mut self.narrows[0].from);
        Source::<Bits<5>>::join(&mut self.narrows[0].to, &mut self.single.from);
        Source::<Bits<5>>::join(&mut self.single.to, &mut self.narrows[1].from);
        Source::<Bits<5>>::link(&mut self.narrow_out, &mut self.narrows[1].to);
    }
}
drive_ports!(impl[] Pipeline { clock, wide, narrow, wide_out, narrow_out });

#[test]
fn shared_modules_arrays_and_interfaces() {
    let (design, changes) = same(Pipeline::default(), "pipeline", 1500);
    assert!(changes > 700, "{changes}");
    let names: Vec<&str> = design.modules.iter().map(|module| module.name.as_str()).collect();
    // Four modules below the top for ten instances: each width of `Place` and of `Pair` once.
    assert_eq!(names.len(), 5, "{names:?}");
    let called = |wished: &str| names.iter().filter(|name| name.starts_with(&format!("{wished}_"))).count();
    assert_eq!((called("place_n70"), called("place_n5")), (1, 1), "{names:?}");
    let text = verilog::write(&design, &Options::default());
    assert_eq!(text.matches("\nmodule ").count(), 5);
    for instance in ["wides_0 (", "wides_1 (", "wides_2 (", "narrows_1 (", " single ("] {
        assert!(text.contains(instance), "{instance}\n{text}");
    }
    support::lint(&design, &[]);
}

#[derive(LogicState, Copy, Clone, Debug, PartialEq)]
enum State {
    Idle,
    Load,
    Busy,
    Done,
    Failed,
}

/// A state machine: a request is counted down; an error ends it.
#[derive(LogicBlock, Default)]
struct Machine {
    clock: Signal<In, Clock>,
    start: Signal<In, Bit>,
    stop: Signal<In, Bit>,
    length: Signal<In, Bits<3>>,
    busy: Signal<Out, Bit>,
    result: Signal<Out, Bits<2>>,
    visible: Signal<Out, State>,
    state: DFF<State>,
    count: DFF<Bits<3>>,
}
impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, count);
        self.result.next = 0.into();
        self.busy.next = self.state.q.val() != State::Idle;
        self.visible.next = self.state.q.val();
        match self.state.q.val() {
            State::Idle => {
                if self.start.val() {
                    self.state.d.next = State::Load;
                }
            }
            State::Load => {
                self.count.d.next = self.length.val();
                self.state.d.next = State::Busy;
            }
            State::Busy => {
                self.count.d.next = self.count.q.val() - 1;
                if self.stop.val() & self.length.val().all() {
                    self.state.d.next = State::Failed;
                } else if self.count.q.val() == 0 {
                    self.state.d.next = State::Done;
                }
            }
            State::Done => {
                self.result.next = 1.into();
                self.state.d.next = State::Idle;
            }
            State::Failed => {
                self.result.next = 2.into();
                if !self.stop.val() {
                    self.state.d.next = State::Idle;
                    self.visible.next = State::Done;
                }
            }
        }
    }
}
impl FromValue for State {
    fn from_value(value: &flitforge_elaborate::Value) -> Self {
        [State::Idle, State::Load, State::Busy, State::Done, State::Failed][value.low_u64() as usize]
    }
    fn to_value(&self) -> flitforge_elaborate::Value {
        flitforge_elaborate::Value::from_u64(3, *self as u64)
    }
}
drive_ports!(impl[] Machine { clock, start, stop, length, busy, result, visible });

#[test]
fn state_machines_name_their_states() {
    let (design, changes) = same(Machine::default(), "machine", 3000);
    assert!(changes > 500, "{changes}");
    let text = verilog::write(&design, &Options::default());
    for (number, state) in ["IDLE", "LOAD", "BUSY", "DONE", "FAILED"].iter().enumerate() {
        let line = format!("localparam [2:0] STATE_{state} = 3'h{number};");
        assert_eq!(text.matches(&line).count(), 1, "{line}\n{text}");
        assert!(text.matches(&format!("STATE_{state}")).count() > 1, "{state} is not used\n{text}");
    }
    assert!(text.contains("case (state_q)"), "{text}");
    support::lint(&design, &[]);
}

#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct Header {
    kind: Bits<3>,
    last: Bit,
    length: Bits<9>,
}
#[derive(LogicStruct, Copy, Clone, Default, Debug, PartialEq)]
struct Packet {
    valid: Bit,
    header: Header,
    data: Bits<66>,
}
impl FromValue for Packet {
    fn from_value(value: &flitforge_elaborate::Value) -> Self {
        let header = value.slice(1, 13);
        Packet {
            valid: value.bit(0),
            header: Header {
                kind: Bits::from_value(&header.slice(0, 3)),
                last: header.bit(3),
                length: Bits::from_value(&header.slice(4, 9)),
            },
            data: Bits::from_value(&value.slice(14, 66)),
        }
    }
    fn to_value(&self) -> flitforge_elaborate::Value {
        let mut all = flitforge_elaborate::Value::zero(80);
        all.set_bit(0, self.valid);
        let header = self.header;
        let parts = [
            (1, header.kind.to_value()),
            (4, header.last.to_value()),
            (5, header.length.to_value()),
            (14, self.data.to_value()),
        ];
        for (offset, value) in parts {
            (0..value.width()).for_each(|bit| all.set_bit(offset + bit, value.bit(bit)));
        }
        all
    }
}

/// Structs as ports, flip-flops and locals; field by field and whole.
#[derive(LogicBlock, Default)]
struct Rewrite {
    clock: Signal<In, Clock>,
    packet: Signal<In, Packet>,
    swap: Signal<In, Bit>,
    out: Signal<Out, Packet>,
    length: Signal<Out, Bits<9>>,
    header: Signal<Local, Header>,
    coming: Signal<Local, Packet>,
    held: DFF<Packet>,
}
impl Logic for Rewrite {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.header.next = self.packet.val().header;
        if self.swap.val() {
            self.header.next.length = self.packet.val().data.get_bits::<9>(20);
            self.header.next.last = !self.packet.val().header.last;
        }
        self.coming.next = self.held.q.val();
        if self.packet.val().valid {
            self.coming.next.header = self.header.val();
            self.coming.next.data = self.held.q.val().data + self.packet.val().data;
        }
        self.coming.next.valid = self.packet.val().valid;
        self.held.d.next = self.coming.val();
        self.out.next = self.held.q.val();
        self.length.next = self.header.val().length;
    }
}
drive_ports!(impl[] Rewrite { clock, packet, swap, out, length });

#[test]
fn structs_are_laid_out_from_the_least_significant_bit() {
    let (design, changes) = same(Rewrite::default(), "rewrite", 2000);
    assert!(changes > 1000, "{changes}");
    let text = verilog::write(&design, &Options::default());
    let fields = "// data [79:14], header [13:1], valid [0]";
    assert!(text.contains(&format!("packet,{fields}").replace(",//", ",  //")), "{text}");
    support::lint(&design, &[]);
}

/// A vendor's pad.
#[derive(LogicBlock, Default)]
struct Pad {
    pin: Signal<InOut, Bits<4>>,
    out: Signal<In, Bits<4>>,
    enable: Signal<In, Bit>,
    read: Signal<Out, Bits<4>>,
}
impl Logic for Pad {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.read.connect();
        self.pin.connect();
    }
    fn hdl(&self) -> Verilog {
        let marker = Marker::Foreign(ForeignMarker { reason: "tri-state pads of a vendor".into() });
        let code =
            format!("{}PADS pads (.B(pin), .I(out), .T(~enable), .O(read)); // as written\n", marker.line());
        let cores = "(* blackbox *)\nmodule PADS (inout wire [3:0] B, input wire [3:0] I, input wire T, \
                     output wire [3:0] O);\nendmodule\n";
        Verilog::Wrapper(Wrapper { code, cores: cores.into() })
    }
}

/// Two foreign pads behind a bidirectional port and logic.
#[derive(LogicBlock, Default)]
struct Pads {
    clock: Signal<In, Clock>,
    left: Signal<InOut, Bits<4>>,
    right: Signal<InOut, Bits<4>>,
    enable: Signal<In, Bit>,
    sum: Signal<Out, Bits<4>>,
    held: DFF<Bits<4>>,
    first: Pad,
    second: Pad,
}
impl Logic for Pads {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        Signal::<InOut, Bits<4>>::link(&mut self.left, &mut self.first.pin);
        Signal::<InOut, Bits<4>>::link(&mut self.right, &mut self.second.pin);
        self.first.out.next = self.held.q.val();
        self.second.out.next = self.first.read.val();
        self.first.enable.next = self.enable.val();
        self.second.enable.next = !self.enable.val();
        self.held.d.next = self.first.read.val() + self.second.read.val();
        self.sum.next = self.held.q.val();
    }
}

#[test]
fn foreign_text_and_bidirectional_ports_pass_through() {
    let design = elaborate(&Pads::default(), "pads").expect("elaborates");
    let text = verilog::write(&design, &Options::default());
    for line in [
        "PADS pads (.B(pin), .I(out), .T(~enable), .O(read)); // as written",
        "inout  wire [3:0] left,",
        "inout  wire [3:0] pin,",
        ".pin(left)",
        ".pin(right)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(text.matches("module PADS").count(), 1, "the declaration once\n{text}");
    assert!(!text.contains("@flitforge"), "the marker is not part of the text\n{text}");
    // The declaration is the vendor's, its unconnected inside no fault of ours.
    support::lint(&design, &["UNUSEDSIGNAL", "UNDRIVEN"]);
}

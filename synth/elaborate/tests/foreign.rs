//! Blocks of other crates: foreign text is written as it is, meanings are given from outside, pins have models.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::error::Reason;
use flitforge_elaborate::marker::{ForeignMarker, Marker, RegisterMarker};
use flitforge_elaborate::models::{with_models, SharedWire};
use flitforge_elaborate::selfcheck::{against_stock, Mismatch};
use flitforge_elaborate::{driven, elaborate, verilog, Elaborator, Evaluator, Value};
use rust_hdl::core::ast::{BlackBox, Wrapper};
use rust_hdl::prelude::*;

fn text(design: &flitforge_elaborate::Design) -> String {
    verilog::write(design, &verilog::Options::default())
}

/// A clock buffer under names of its own, with an interface.
#[derive(LogicBlock, Default)]
struct Wrapped {
    pin: Signal<In, Bit>,
    wires: SPIWiresSlave,
    scratch: Signal<Local, Bit>,
}

impl Logic for Wrapped {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.wires.miso.connect();
    }
    fn hdl(&self) -> Verilog {
        let code = "BUFFER buffer(.I(pin & wires$mosi), .O(wires$miso));".into();
        let cores = "(* blackbox *)\nmodule BUFFER(input I, output O);\nendmodule".into();
        Verilog::Wrapper(Wrapper { code, cores })
    }
}

/// A module of another library under its own name.
#[allow(non_snake_case)]
#[derive(LogicBlock, Default)]
struct Ibufds {
    I: Signal<In, Bit>,
    B: Signal<In, Bit>,
    O: Signal<Out, Bit>,
    _more: bool,
}

impl Logic for Ibufds {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.O.connect();
    }
    fn hdl(&self) -> Verilog {
        let more = if self._more { "  // another" } else { "" };
        let code = format!("(* blackbox *)\nmodule IBUFDS(input I, input B, output O);{more}\nendmodule");
        Verilog::Blackbox(BlackBox { code, name: "IBUFDS".into() })
    }
}

/// Both, the black box twice.
#[derive(LogicBlock, Default)]
struct Holder {
    a: Signal<In, Bit>,
    b: Signal<In, Bit>,
    c: Signal<Out, Bit>,
    ibufds: [Ibufds; 2],
    wrapped: Wrapped,
}

impl Logic for Holder {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.ibufds[i].I.next = self.a.val();
            self.ibufds[i].B.next = self.b.val();
        }
        self.wrapped.pin.next = self.ibufds[0].O.val() | self.ibufds[1].O.val();
        self.wrapped.wires.mosi.next = self.a.val();
        self.wrapped.wires.msel.next = self.b.val();
        self.wrapped.wires.mclk.next = self.b.val();
        self.c.next = self.wrapped.wires.miso.val();
    }
}

#[test]
fn foreign_text_is_written_as_it_is() {
    let design = elaborate(&Holder::default(), "holder").expect("elaborates");
    let text = text(&design);
    assert_eq!(text.matches("module IBUFDS(").count(), 1, "declared once, and not written again: {text}");
    assert!(text.contains("IBUFDS ibufds_0 (") && text.contains("IBUFDS ibufds_1 ("), "{text}");
    assert!(text.contains("output wire wires$miso") && text.contains(".wires$miso("), "{text}");
    assert!(text.contains("BUFFER buffer(.I(pin & wires$mosi), .O(wires$miso));"), "{text}");
    assert!(!text.contains("scratch"), "{text}");
    // ports without net types are legal only so
    let head = text.split("module BUFFER(").next().expect("a head");
    assert!(head.rfind("`default_nettype wire") > head.rfind("`default_nettype none"), "{text}");
    let error =
        Evaluator::new(&with_models(design).expect("no wire is shared")).expect_err("cannot be simulated");
    assert!(error.to_string().contains("ibufds[0] is foreign text"), "{error}");
}

#[test]
fn two_black_boxes_of_one_name_are_refused() {
    let mut holder = Holder::default();
    holder.ibufds[1]._more = true;
    let error = elaborate(&holder, "holder").expect_err("refused").to_string();
    assert!(error.contains("two black boxes called `IBUFDS`"), "{error}");
}

/// Text without a marker, as a crate that cannot be changed has it.
#[derive(LogicBlock, Default)]
struct Flop<const N: usize> {
    d: Signal<In, Bits<N>>,
    q: Signal<Out, Bits<N>>,
    clk: Signal<In, Clock>,
}

impl<const N: usize> Logic for Flop<N> {
    fn update(&mut self) {
        if self.clk.pos_edge() {
            self.q.next = self.d.val();
        }
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("always @(posedge clk)\n  q <= d; // mine".into())
    }
}

#[derive(LogicBlock, Default)]
struct HoldsFlop<const N: usize> {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<N>>,
    q: Signal<Out, Bits<N>>,
    flop: Flop<N>,
}

impl<const N: usize> Logic for HoldsFlop<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.flop.clk.next = self.clock.val();
        self.flop.d.next = self.d.val();
        self.q.next = self.flop.q.val();
    }
}

fn register() -> Marker {
    Marker::Register(RegisterMarker {
        clock: "clk".into(),
        d: "d".into(),
        q: "q".into(),
        initial: "0".into(),
        ..Default::default()
    })
}

#[test]
fn a_meaning_can_be_given_from_outside() {
    let block = HoldsFlop::<8>::default();
    let error = elaborate(&block, "top").expect_err("nothing says what the text means");
    assert!(matches!(error.reason, Reason::UnmarkedText { .. }), "{error}");
    assert!(error.to_string().contains("Elaborator::primitive"), "{error}");
    let known = Elaborator::new().primitive(&Flop::<8>::default(), register()).expect("has a text");
    let design = known.elaborate(&block, "top").expect("elaborates");
    let mut evaluator = Evaluator::new(&design).expect("simulates");
    evaluator.set("d", &Value::from_u64(8, 0x5a));
    assert_eq!(evaluator.get("q"), Some(Value::zero(8)));
    evaluator.clock(&["clock"]);
    assert_eq!(evaluator.get("q"), Some(Value::from_u64(8, 0x5a)));
    // the ports are part of what is known, although the text is the same
    let other = known.elaborate(&HoldsFlop::<4>::default(), "top").expect_err("four bits are another block");
    assert!(matches!(other.reason, Reason::UnmarkedText { .. }), "{other}");
    let foreign = Marker::Foreign(ForeignMarker { reason: "a cell".into() });
    let known = Elaborator::new().primitive(&Flop::<4>::default(), foreign).expect("has a text");
    let written = text(&known.elaborate(&HoldsFlop::<4>::default(), "top").expect("elaborates"));
    assert!(written.contains("q <= d; // mine"), "{written}");
    let error = Elaborator::new().primitive(&HoldsFlop::<4>::default(), register()).expect_err("has no text");
    assert!(error.to_string().contains("no text of its own"), "{error}");
}

/// A pin two levels down.
#[derive(LogicBlock, Default)]
struct Pins {
    bus: Signal<InOut, Bits<4>>,
    enable: Signal<In, Bit>,
    value: Signal<In, Bits<4>>,
    read: Signal<Out, Bits<4>>,
    buffer: TristateBuffer<Bits<4>>,
}

impl Logic for Pins {
    #[hdl_gen]
    fn update(&mut self) {
        Signal::<InOut, Bits<4>>::link(&mut self.bus, &mut self.buffer.bus);
        self.buffer.write_enable.next = self.enable.val();
        self.buffer.write_data.next = self.value.val();
        self.read.next = self.buffer.read_data.val();
    }
}

#[derive(LogicBlock, Default)]
struct Chip {
    bus: Signal<InOut, Bits<4>>,
    enable: Signal<In, Bit>,
    value: Signal<In, Bits<4>>,
    read: Signal<Out, Bits<4>>,
    pins: Pins,
}

impl Logic for Chip {
    #[hdl_gen]
    fn update(&mut self) {
        Signal::<InOut, Bits<4>>::link(&mut self.bus, &mut self.pins.bus);
        self.pins.enable.next = self.enable.val();
        self.pins.value.next = self.value.val();
        self.read.next = self.pins.read.val();
    }
}

#[test]
fn a_pin_is_three_ports_in_simulation_and_one_in_verilog() {
    let design = elaborate(&Chip::default(), "chip").expect("elaborates");
    let written = text(&design);
    assert!(written.contains("inout  wire [3:0] bus"), "{written}");
    assert!(written.contains("assign bus = write_enable ? write_data : 4'bz;"), "{written}");
    let mut evaluator = Evaluator::new(&with_models(design).expect("one driver")).expect("simulates");
    let four = |value| Value::from_u64(4, value);
    let expected = [(0u64, 9u64, 6u64), (1, 9, 6), (1, 3, 6), (0, 3, 12)];
    for (enable, value, outside) in expected {
        evaluator.set("enable", &Value::from_u64(1, enable));
        evaluator.set("value", &four(value));
        evaluator.set("bus", &four(outside));
        assert_eq!(evaluator.get("read"), Some(four(if enable == 1 { value } else { outside })));
        assert_eq!(evaluator.get("bus.out"), Some(four(if enable == 1 { value } else { 0 })));
        assert_eq!(evaluator.get("bus.enable"), Some(Value::from_u64(1, enable)));
    }
}

#[test]
fn rust_hdl_simulates_pins_as_their_models_do() {
    let chip = || driven!(Chip::default(), |top| top.enable, top.value; top.bus);
    against_stock(chip, 2_000, 5).expect("equal");
    let buffer = || driven!(OpenDrainBuffer::default(), |top| top.control.drive_low; top.bus);
    against_stock(buffer, 500, 5).expect("equal");
}

#[test]
fn an_input_that_is_left_out_is_named() {
    let chip = || driven!(Chip::default(), |top| top.enable; top.bus);
    let error = against_stock(chip, 10, 5).expect_err("`value` is missing");
    assert_eq!(error, Mismatch::PortNotListed { path: "value".into() });
}

/// Two buffers on one wire.
#[derive(LogicBlock, Default)]
struct Shared {
    bus: Signal<InOut, Bits<4>>,
    enable: Signal<In, Bit>,
    read: Signal<Out, Bits<4>>,
    buffers: [TristateBuffer<Bits<4>>; 2],
}

impl Logic for Shared {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            Signal::<InOut, Bits<4>>::link(&mut self.bus, &mut self.buffers[i].bus);
            self.buffers[i].write_data.next = 5.into();
        }
        self.buffers[0].write_enable.next = self.enable.val();
        self.buffers[1].write_enable.next = !self.enable.val();
        self.read.next = self.buffers[0].read_data.val() & self.buffers[1].read_data.val();
    }
}

#[test]
fn a_wire_with_two_drivers_is_not_simulated() {
    let design = elaborate(&Shared::default(), "shared").expect("elaborates");
    let error = with_models(design).expect_err("two blocks drive the wire");
    assert_eq!(error, SharedWire { module: "shared_module".into(), port: "bus".into(), count: 2 });
}

#[test]
fn a_text_that_differs_is_no_pin() {
    #[derive(LogicBlock, Default)]
    struct Inverted {
        bus: Signal<InOut, Bits<4>>,
        write_enable: Signal<In, Bit>,
        write_data: Signal<In, Bits<4>>,
        read_data: Signal<Out, Bits<4>>,
    }
    impl Logic for Inverted {
        fn update(&mut self) {}
        fn connect(&mut self) {
            self.bus.connect();
            self.read_data.connect();
        }
        fn hdl(&self) -> Verilog {
            let text = "assign bus = write_enable ? write_data : 4'bz;\nalways @(*) read_data = ~bus;";
            Verilog::Custom(text.into())
        }
    }
    let error = elaborate(&Inverted::default(), "top").expect_err("another circuit");
    assert!(matches!(error.reason, Reason::UnmarkedText { .. }), "{error}");
}

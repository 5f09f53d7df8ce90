//! Hand-written text is taken for a primitive of rust-hdl-widgets only if all of it is that primitive's, whatever the block calls
//! itself.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::elaborate;
use flitforge_elaborate::error::Reason;
use rust_hdl::prelude::*;

/// A block of the ports of rust-hdl's `DFF` with a text of its own.
#[derive(LogicBlock, Default)]
struct Flop {
    d: Signal<In, Bits<8>>,
    q: Signal<Out, Bits<8>>,
    clock: Signal<In, Clock>,
    _text: String,
    _name: &'static str,
}

impl Logic for Flop {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(self._text.clone())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let clock = "clock".into();
        vec![TimingInfo {
            name: self._name.into(),
            clock,
            inputs: vec!["d".into()],
            outputs: vec!["q".into()],
        }]
    }
}

/// It, in a design.
#[derive(LogicBlock, Default)]
struct HoldsFlop {
    clock: Signal<In, Clock>,
    d: Signal<In, Bits<8>>,
    q: Signal<Out, Bits<8>>,
    flop: Flop,
}

impl Logic for HoldsFlop {
    #[hdl_gen]
    fn update(&mut self) {
        self.flop.clock.next = self.clock.val();
        self.flop.d.next = self.d.val();
        self.q.next = self.flop.q.val();
    }
}

fn flop(text: &str, name: &'static str) -> Result<String, Reason> {
    let flop = Flop { _text: text.into(), _name: name, ..Default::default() };
    let design = elaborate(&HoldsFlop { flop, ..Default::default() }, "top").map_err(|error| error.reason)?;
    Ok(flitforge_elaborate::verilog::write(&design, &Default::default()))
}

const FLOP: &str =
    "initial begin\n   q = 8'h5;\nend\n\nalways @(posedge clock) begin\n   q <= d;\nend\n      ";

#[test]
fn the_whole_text_makes_the_flip_flop() {
    // The name that the block gives itself is no reason, neither for nor against.
    for name in ["dff", "edge_ff", "mine"] {
        let verilog = flop(FLOP, name).expect("elaborates");
        assert!(verilog.contains("8'h05"), "{verilog}");
    }
    let spaced = FLOP.replace('\n', " \n\t ");
    assert_eq!(flop(&spaced, "dff").expect("elaborates"), flop(FLOP, "dff").expect("elaborates"));
}

#[test]
fn a_text_that_differs_in_a_word_is_refused() {
    let cases = [
        FLOP.replace("q <= d;", "if (reset) q <= 8'h5; else q <= d;"),
        FLOP.replace("posedge", "negedge"),
        FLOP.replace("q <= d;", "q <= ~d;"),
        FLOP.replace("q <= d;", "q <= d; q <= 0;"),
        FLOP.replace("initial begin\n   q = 8'h5;\nend\n", ""),
        FLOP.replace("8'h5;", "8'h5; r = 8'h5;"),
        FLOP.replace("8'h5", "8'h-3"),
        FLOP.replace("8'h5", "8'h105"),
        FLOP.replace("8'h5", "8'hx"),
        format!("// of my own\n{FLOP}"),
        format!("{FLOP}\nassign z = q;"),
    ];
    for text in cases {
        for name in ["dff", "edge_ff"] {
            let reason = flop(&text, name).expect_err(&text);
            assert!(
                matches!(reason, Reason::UnmarkedText { .. } | Reason::Marker { .. }),
                "{text}: {reason}"
            );
        }
    }
}

/// A block of the ports of rust-hdl's `RAM` with a text of its own.
#[derive(LogicBlock, Default)]
struct Memory {
    read_address: Signal<In, Bits<2>>,
    read_clock: Signal<In, Clock>,
    read_data: Signal<Out, Bits<8>>,
    write_address: Signal<In, Bits<2>>,
    write_clock: Signal<In, Clock>,
    write_data: Signal<In, Bits<8>>,
    write_enable: Signal<In, Bit>,
    _text: String,
}

impl Logic for Memory {
    fn update(&mut self) {}
    fn connect(&mut self) {
        self.read_data.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(self._text.clone())
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let info = |name: &str| TimingInfo {
            name: name.into(),
            clock: String::new(),
            inputs: vec![],
            outputs: vec![],
        };
        vec![info("ram_read"), info("ram_write")]
    }
}

#[derive(LogicBlock, Default)]
struct HoldsMemory {
    clock: Signal<In, Clock>,
    address: Signal<In, Bits<2>>,
    data: Signal<In, Bits<8>>,
    enable: Signal<In, Bit>,
    q: Signal<Out, Bits<8>>,
    memory: Memory,
}

impl Logic for HoldsMemory {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.read_clock.next = self.clock.val();
        self.memory.write_clock.next = self.clock.val();
        self.memory.read_address.next = self.address.val();
        self.memory.write_address.next = self.address.val();
        self.memory.write_data.next = self.data.val();
        self.memory.write_enable.next = self.enable.val();
        self.q.next = self.memory.read_data.val();
    }
}

const MEMORY: &str = "reg[7:0] mem[3:0];

initial begin
mem[2'h0] = 8'h11;
mem[2'h3] = 8'h22;
end


always @(posedge read_clock) begin
   read_data <= mem[read_address];
end

always @(posedge write_clock) begin
   if (write_enable) begin
      mem[write_address] <= write_data;
   end
end
            ";

fn memory(text: &str) -> Result<String, Reason> {
    let memory = Memory { _text: text.into(), ..Default::default() };
    let design =
        elaborate(&HoldsMemory { memory, ..Default::default() }, "top").map_err(|error| error.reason)?;
    Ok(flitforge_elaborate::verilog::write(&design, &Default::default()))
}

#[test]
fn a_memory_with_a_bypass_is_no_stock_memory() {
    assert!(memory(MEMORY).expect("elaborates").contains("8'h22"));
    let without = MEMORY.replace("initial begin\nmem[2'h0] = 8'h11;\nmem[2'h3] = 8'h22;\nend\n", "");
    assert!(memory(&without).is_ok());
    let bypass =
        "read_data <= write_enable && read_address == write_address ? write_data : mem[read_address];";
    for text in [
        MEMORY.replace("read_data <= mem[read_address];", bypass),
        MEMORY.replace("mem[3:0]", "mem[1:0]"),
        MEMORY.replace("reg[7:0]", "reg[6:0]"),
        MEMORY.replace("if (write_enable)", "if (!write_enable)"),
        MEMORY.replace("posedge write_clock", "posedge read_clock"),
        MEMORY.replace("mem[2'h3] = 8'h22;", "mem[2'h3] = 8'h22; other = 1'h0;"),
        MEMORY.replace("2'h3", "4'h9"),
    ] {
        let reason = memory(&text).expect_err(&text);
        assert!(matches!(reason, Reason::UnmarkedText { .. } | Reason::Marker { .. }), "{text}: {reason}");
    }
}

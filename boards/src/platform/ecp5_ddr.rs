//! Double-data-rate pads of the ECP5 in the fabric's clock: ODDRX1F, and IDDRX1F behind a DELAYG.
//!
//! Two bits per clock, bit 0 of a pair first: an output shows bit 0 while the clock is high, bit 1 while it is low; an input takes
//! bit 0 with the rising and bit 1 with the falling edge, and gives both with the next rising edge. The delay in front of an input
//! is the part's own for a clock that comes centred in the bits and reaches the cells through the clock tree (GDDRX1_RX.SCLK.Centered
//! of Lattice's FPGA-TN-02035, "ECP5 and ECP5-5G High-Speed I/O Interface").
//!
//! In rust-hdl simulation the cells do what is written here, edge by edge, without the delay.

use flitforge_base::prelude::*;
use flitforge_elaborate::marker::{block_label, ForeignMarker, Marker};

/// Declarations of the primitives for tools that do not know them.
const OUT_CORE: &str = "(* blackbox *)
module ODDRX1F (
    input wire SCLK, RST, D0, D1,
    output wire Q
);
endmodule
";
const IN_CORE: &str = "(* blackbox *)
module IDDRX1F (
    input wire SCLK, RST, D,
    output wire Q0, Q1
);
endmodule
(* blackbox *)
module DELAYG #(
    parameter DEL_MODE = \"USER_DEFINED\", parameter DEL_VALUE = 0
) (
    input wire A,
    output wire Z
);
endmodule
";

fn foreign(reason: &str, body: &str, cores: &str) -> Verilog {
    let marker = Marker::Foreign(ForeignMarker { reason: reason.into() });
    Verilog::Wrapper(Wrapper { code: format!("{}{body}", marker.line()), cores: cores.into() })
}

/// Two bits per clock to a pad.
#[derive(LogicBlock, Default)]
pub struct Ecp5DdrOut {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The bits, bit 0 first.
    pub pair: Signal<In, Bits<2>>,
    /// The pad.
    pub pin: Signal<Out, Bit>,
    _taken: Bits<2>,
}

impl Logic for Ecp5DdrOut {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self._taken = self.pair.val();
        }
        self.pin.next = self._taken.get_bit(usize::from(!self.clock.val().clk));
    }

    fn connect(&mut self) {
        self.pin.connect();
    }

    fn hdl(&self) -> Verilog {
        let body = "    ODDRX1F cell_out (.SCLK(clock), .RST(1'b0), .D0(pair[0]), .D1(pair[1]), .Q(pin));\n";
        foreign("ECP5 double-data-rate output", body, OUT_CORE)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ecp5_ddr_out", &[])
    }
}

/// Two bits per clock from a pad.
#[derive(LogicBlock, Default)]
pub struct Ecp5DdrIn {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// The pad.
    pub pin: Signal<In, Bit>,
    /// The bits, bit 0 first.
    pub pair: Signal<Out, Bits<2>>,
    _rising: Bit,
    _falling: Bit,
}

impl Logic for Ecp5DdrIn {
    fn update(&mut self) {
        if self.clock.neg_edge() {
            self._falling = self.pin.val();
        }
        if self.clock.pos_edge() {
            self.pair.next = Bits::default().replace_bit(0, self._rising).replace_bit(1, self._falling);
            self._rising = self.pin.val();
        }
    }

    fn connect(&mut self) {
        self.pair.connect();
    }

    fn hdl(&self) -> Verilog {
        let body = "    wire late;
    DELAYG #(.DEL_MODE(\"SCLK_CENTERED\")) cell_delay (.A(pin), .Z(late));
    IDDRX1F cell_in (.SCLK(clock), .RST(1'b0), .D(late), .Q0(pair[0]), .Q1(pair[1]));
";
        foreign("ECP5 double-data-rate input", body, IN_CORE)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ecp5_ddr_in", &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output pad wired to an input pad whose clock is a quarter late, as over a line with a clock pair.
    #[derive(LogicBlock, Default)]
    struct Wire {
        clock: Signal<In, Clock>,
        late_clock: Signal<In, Clock>,
        sent: Signal<In, Bits<2>>,
        got: Signal<Out, Bits<2>>,
        out: Ecp5DdrOut,
        came: Ecp5DdrIn,
    }
    impl Logic for Wire {
        #[hdl_gen]
        fn update(&mut self) {
            self.out.clock.next = self.clock.val();
            self.out.pair.next = self.sent.val();
            self.came.clock.next = self.late_clock.val();
            self.came.pin.next = self.out.pin.val();
            self.got.next = self.came.pair.val();
        }
    }

    fn settle(wire: &mut Wire) {
        for _ in 0..50 {
            wire.update_all();
            if !wire.has_changed() {
                return;
            }
        }
        panic!("does not settle");
    }

    #[test]
    fn pairs_pass_from_pad_to_pad_in_order() {
        let mut wire = Wire::default();
        wire.connect_all();
        let sent: Vec<u64> = (0..200u64).map(|n| (n * 7 + n / 3) % 4).collect();
        let mut got = vec![];
        for pair in &sent {
            wire.sent.next = (*pair).into();
            settle(&mut wire);
            // Four quarters of a clock: up, late up, down, late down.
            for (clock, late) in [(true, false), (true, true), (false, true), (false, false)] {
                wire.clock.next = Clock { clk: clock };
                wire.late_clock.next = Clock { clk: late };
                settle(&mut wire);
            }
            got.push(wire.got.val().index() as u64);
        }
        // A pair is given with the late clock's next rising edge.
        assert_eq!(got[1..], sent[..sent.len() - 1]);
    }

    #[test]
    fn both_elaborate_as_foreign_cells() {
        let mut wire = Wire::default();
        wire.connect_all();
        let design = flitforge_elaborate::elaborate(&wire, "wire").expect("elaborates");
        let text = flitforge_elaborate::verilog::write(&design, &Default::default());
        for cell in ["ODDRX1F cell_out", "IDDRX1F cell_in", "DEL_MODE(\"SCLK_CENTERED\")"] {
            assert_eq!(text.matches(cell).count(), 1, "{cell}");
        }
    }
}

//! What synthesis and placement work for: the tools' own balance, or short paths.

use crate::error::{FlowError, FlowResult};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What the mapping to LUTs and the placer work for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// The tools' own scripts and weights.
    #[default]
    Standard,
    /// Short paths in large designs: sums of products are balanced before the mapping, which takes wires to be as long as
    /// they are on a well filled device; the placer heeds timing six times as much. Some 5 % more LUTs. ECP5 only.
    Delay,
    /// No function wider than a look-up table of four inputs: for small, fast blocks. A wider one is joined by multiplexers, from
    /// which nextpnr takes the long way round to a register. ECP5 only.
    Narrow,
    /// As [`Narrow`](Self::Narrow), and every function as few look-up tables deep as it can be: none is made deeper to share a part with
    /// another one, as Yosys's own script does with all that are not the deepest. ECP5 only.
    Shallow,
    /// Few look-up tables, at a slow clock: adders of fewer than [`CARRY_BITS`] bits are look-up tables with all that is around them, the
    /// mapping is the one of ABC that minds area, and clock enables and resets of few flip-flops are logic, for a full device to be
    /// placed. ECP5 only.
    Area,
    /// As [`Area`](Self::Area), and nextpnr's `static` placer, which moves all cells at once: for designs that fill a device and whose wires
    /// would find no way after the usual placer. ECP5 only.
    Dense,
}

/// Adders and comparisons of so many bits are carry cells with [`Effort::Area`]: a chain takes a cell at either end besides its own.
const CARRY_BITS: u32 = 12;

/// Fewest flip-flops of a clock enable, and of a synchronous reset, with [`Effort::Area`]; that of fewer is logic. Both flip-flops of a
/// slice share their enable, and in nextpnr all eight of a tile their reset: resets of few flip-flops, spread over as many tiles, keep
/// all others out of these, and on a full device their placement does not end.
const LEAST_ENABLED: u32 = 5;
const LEAST_RESET: u32 = 24;

/// What a wire takes, in ps, where [`Effort::Delay`] weighs it against a LUT; Yosys's own script takes 300, which is too
/// little for a design that is spread over a device.
const WIRE_PS: u32 = 800;

/// What a wire takes, in ps, in Yosys's own script.
const USUAL_WIRE_PS: u32 = 300;

/// The placer's weight of timing with [`Effort::Delay`]; nextpnr's own is 10.
const TIMING_WEIGHT: u32 = 60;

impl Effort {
    /// All of them.
    pub const ALL: [Effort; 6] =
        [Effort::Standard, Effort::Delay, Effort::Narrow, Effort::Shallow, Effort::Area, Effort::Dense];

    /// Its name on the command line and in data.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Standard => "standard",
            Effort::Delay => "delay",
            Effort::Narrow => "narrow",
            Effort::Shallow => "shallow",
            Effort::Area => "area",
            Effort::Dense => "dense",
        }
    }

    /// The Yosys commands that synthesise `top` for ECP5.
    pub(super) fn ecp5_commands(self, top: &str) -> String {
        let pass = format!("synth_ecp5 -abc9 -top {top}");
        match self {
            Effort::Standard => pass,
            Effort::Narrow => format!("synth_ecp5 -abc9 -nowidelut -top {top}"),
            Effort::Shallow => mapped_by(
                &format!("synth_ecp5 -abc9 -nowidelut -top {top}"),
                &format!(
                    "-maxlut 4 -W {USUAL_WIRE_PS} -script \
                     +&scorr;&sweep;&dc2;&dch,-f,-r;&if,-F,0,-A,0,-W,{USUAL_WIRE_PS};&mfs"
                ),
            ),
            Effort::Area | Effort::Dense => small(&format!("synth_ecp5 -nowidelut -top {top}")),
            Effort::Delay => mapped_by(
                &pass,
                &format!(
                    "-W {WIRE_PS} -script \
                     +&scorr;&sweep;&dc2;&dch,-f,-r;&if,-g,-W,{WIRE_PS};&dch,-f,-r;&if,-W,{WIRE_PS};&mfs"
                ),
            ),
        }
    }

    /// What nextpnr is told.
    pub(super) fn place_arguments(self) -> Vec<String> {
        match self {
            Effort::Standard | Effort::Narrow | Effort::Shallow | Effort::Area => Vec::new(),
            Effort::Delay => vec!["--placer-heap-timingweight".into(), TIMING_WEIGHT.to_string()],
            Effort::Dense => vec!["--placer".into(), "static".into()],
        }
    }
}

/// Yosys's script `pass`, with these options of the mapping to look-up tables instead of its own.
fn mapped_by(pass: &str, options: &str) -> String {
    format!(
        "{pass} -run :map_luts\n\
         check -latchonly -assert\n\
         techmap -map +/lattice/latches_map.v\n\
         abc9 {options}\n\
         clean\n\
         {pass} -run map_cells:"
    )
}

/// A carry from bit to bit, where Yosys would make a fast and large one.
const RIPPLE_CARRY: &str = "\
(* techmap_celltype = \"$lcu\" *)
module ripple_carry(P, G, CI, CO);
    parameter WIDTH = 2;
    (* force_downto *) input [WIDTH-1:0] P, G;
    input CI;
    (* force_downto *) output [WIDTH-1:0] CO;
    assign CO = G | (P & {CO, CI});
endmodule
";

/// Flip-flops as ECP5 has them, with signals of few of them as logic.
fn flip_flops() -> String {
    format!(
        "dfflegalize -mince {LEAST_ENABLED} -minsrst {LEAST_RESET} -cell $_DFF_?_ 01 -cell $_DFF_?P?_ r -cell $_SDFF_?P?_ r \
         -cell $_DFFE_??_ 01 -cell $_DFFE_?P??_ r -cell $_SDFFE_?P??_ r"
    )
}

/// Yosys's script `pass`, with carry cells for wide adders only, few kinds of flip-flops, and without `abc9`.
fn small(pass: &str) -> String {
    let flip_flops = flip_flops();
    format!(
        "{pass} -run :map_gates\n\
         design -push\n\
         read_verilog <<EOT\n{RIPPLE_CARRY}EOT\n\
         design -save ripple_carry\n\
         design -pop\n\
         techmap -map +/lattice/arith_map_ccu2c.v t:$alu r:Y_WIDTH>={CARRY_BITS} %i\n\
         techmap -map %ripple_carry -map +/techmap.v\n\
         opt -fast\n\
         {flip_flops}\n\
         {pass} -run map_ffs:map_luts\n\
         check -latchonly -assert\n\
         abc -lut 4 -dress\n\
         clean\n\
         {pass} -run map_cells:"
    )
}

impl FromStr for Effort {
    type Err = FlowError;

    fn from_str(text: &str) -> FlowResult<Effort> {
        Effort::ALL.into_iter().find(|effort| effort.name() == text).ok_or_else(|| FlowError::Interface {
            block: text.into(),
            message: format!("is no effort; efforts are {}", Effort::ALL.map(Effort::name).join(", ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_data() {
        for effort in Effort::ALL {
            assert_eq!(effort.name().parse::<Effort>().unwrap(), effort);
            assert_eq!(serde_json::to_string(&effort).unwrap(), format!("\"{}\"", effort.name()));
        }
        let error = "hard".parse::<Effort>().unwrap_err().to_string();
        assert!(error.contains("standard, delay, narrow, shallow"), "{error}");
    }
}

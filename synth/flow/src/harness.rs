//! The measuring harness: any block alone, timed register to register.
//!
//! Each input bit comes from its own flip-flop of a shift register; each output bit is captured in a flip-flop,
//! then reduced by registered 4-input XOR trees to one pin. There is one chain and one tree per clock domain, and
//! each clock has its pin. So no path into or out of the block crosses a pad, and nothing can be optimised away.

use crate::error::FlowResult;
use crate::source::{Direction, Port, Source};
use std::fmt::Write;

/// The harness module's name.
pub const HARNESS_TOP: &str = "flitforge_harness";
/// The instance name of the block in the harness.
pub const HARNESS_INSTANCE: &str = "dut";

/// The clock of the harness around a block that has none (a combinational one).
pub const VIRTUAL_CLOCK: &str = "harness_clock";

/// A harness around one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harness {
    /// Verilog text of the harness alone.
    pub verilog: String,
    /// The harness' own flip-flops.
    pub flip_flops: usize,
}

/// Writes the harness for a block; one without a clock is timed between flip-flops on [`VIRTUAL_CLOCK`].
pub fn fold_pins(source: &Source) -> FlowResult<Harness> {
    source.check()?;
    let mut clocks: Vec<&str> = source.clocks().map(|c| c.name.as_str()).collect();
    if clocks.is_empty() {
        clocks.push(VIRTUAL_CLOCK);
    }
    let mut text = String::new();
    let mut flip_flops = 0;
    let pins: Vec<String> = clocks
        .iter()
        .map(|clock| format!("input wire {clock}, input wire {clock}_scan_in, output wire {clock}_scan_out"))
        .collect();
    line(&mut text, &format!("module {HARNESS_TOP} (\n  {}\n);", pins.join(",\n  ")));
    for clock in &clocks {
        flip_flops += drive_inputs(&mut text, source, clock);
        flip_flops += reduce_outputs(&mut text, source, clock);
    }
    instantiate(&mut text, source);
    line(&mut text, "endmodule");
    Ok(Harness { verilog: text, flip_flops })
}

fn line(text: &mut String, what: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{what}");
}

fn data_ports<'a>(
    source: &'a Source,
    clock: &'a str,
    direction: Direction,
) -> impl Iterator<Item = &'a Port> {
    source.ports.iter().filter(move |p| {
        !p.is_clock && p.direction == direction && source.domain_of(p).unwrap_or(VIRTUAL_CLOCK) == clock
    })
}

/// One shift register, one flip-flop per input bit.
fn drive_inputs(text: &mut String, source: &Source, clock: &str) -> usize {
    let total: usize = data_ports(source, clock, Direction::Input).map(|p| p.width).sum();
    if total == 0 {
        return 0;
    }
    line(text, &format!("  (* keep, shreg_extract = \"no\" *) reg [{}:0] {clock}_chain;", total - 1));
    let shifted = match total {
        1 => format!("{clock}_scan_in"),
        _ => format!("{{{clock}_chain[{}:0], {clock}_scan_in}}", total - 2),
    };
    line(text, &format!("  always @(posedge {clock}) {clock}_chain <= {shifted};"));
    let mut low = 0;
    for port in data_ports(source, clock, Direction::Input) {
        let high = low + port.width - 1;
        line(text, &format!("  wire [{}:0] to_{} = {clock}_chain[{high}:{low}];", port.width - 1, port.name));
        low = high + 1;
    }
    total
}

/// A capturing flip-flop per output bit, then levels of registered XOR4 down to one bit.
fn reduce_outputs(text: &mut String, source: &Source, clock: &str) -> usize {
    let ports: Vec<&Port> = data_ports(source, clock, Direction::Output).collect();
    for port in &ports {
        line(text, &format!("  wire [{}:0] from_{};", port.width - 1, port.name));
    }
    let mut width: usize = ports.iter().map(|p| p.width).sum();
    if width == 0 {
        line(text, &format!("  assign {clock}_scan_out = {clock}_scan_in;"));
        return 0;
    }
    let names: Vec<String> = ports.iter().rev().map(|p| format!("from_{}", p.name)).collect();
    let mut value = format!("{{{}}}", names.join(", "));
    let mut flip_flops = 0;
    let mut level = 0;
    loop {
        let name = format!("{clock}_level{level}");
        line(text, &format!("  (* keep, shreg_extract = \"no\" *) reg [{}:0] {name};", width - 1));
        line(text, &format!("  always @(posedge {clock}) {name} <= {value};"));
        flip_flops += width;
        if width == 1 {
            line(text, &format!("  assign {clock}_scan_out = {name}[0];"));
            return flip_flops;
        }
        let groups: Vec<String> =
            (0..width).step_by(4).map(|low| format!("^{name}[{}:{low}]", (low + 3).min(width - 1))).collect();
        width = groups.len();
        value = format!("{{{}}}", groups.into_iter().rev().collect::<Vec<_>>().join(", "));
        level += 1;
    }
}

fn instantiate(text: &mut String, source: &Source) {
    let connections: Vec<String> = source
        .ports
        .iter()
        .map(|port| match (port.is_clock, port.direction) {
            (true, _) => format!("    .{0}({0})", port.name),
            (false, Direction::Input) => format!("    .{0}(to_{0})", port.name),
            (false, Direction::Output) => format!("    .{0}(from_{0})", port.name),
        })
        .collect();
    line(text, &format!("  {} {HARNESS_INSTANCE} (\n{}\n  );", source.top, connections.join(",\n")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::FlowError;

    fn source(ports: Vec<Port>) -> Source {
        Source { verilog: String::new(), top: "block".into(), ports }
    }

    #[test]
    fn every_input_bit_has_its_flip_flop_and_outputs_fold_by_four() {
        let ports =
            vec![Port::clock("clock"), Port::input("a", 5), Port::input("b", 1), Port::output("q", 17)];
        let harness = fold_pins(&source(ports)).unwrap();
        // 6 inputs; 17 captured, then 5, 2, 1.
        assert_eq!(harness.flip_flops, 6 + 17 + 5 + 2 + 1);
        assert!(harness.verilog.contains("wire [4:0] to_a = clock_chain[4:0];"), "{}", harness.verilog);
        assert!(harness.verilog.contains("wire [0:0] to_b = clock_chain[5:5];"));
        assert!(harness.verilog.contains("^clock_level0[16:16], ^clock_level0[15:12]"));
    }

    #[test]
    fn each_domain_has_its_own_chain_and_tree() {
        let ports = vec![
            Port::clock("fast"),
            Port::clock("slow"),
            Port::input("a", 1),
            Port::output("q", 1).in_domain_of("slow"),
        ];
        let text = fold_pins(&source(ports)).unwrap().verilog;
        assert!(text.contains("always @(posedge fast) fast_chain <= fast_scan_in;"), "{text}");
        assert!(text.contains("always @(posedge slow) slow_level0 <= {from_q};"), "{text}");
        assert!(text.contains("assign fast_scan_out = fast_scan_in;"), "{text}");
    }

    #[test]
    fn a_combinational_block_sits_between_flip_flops_of_a_virtual_clock() {
        let text = fold_pins(&source(vec![Port::input("a", 1), Port::output("q", 1)])).unwrap().verilog;
        assert!(text.contains("always @(posedge harness_clock) harness_clock_level0 <= {from_q};"), "{text}");
        assert!(!text.contains(".harness_clock("), "{text}");
    }

    #[test]
    fn a_bad_interface_is_refused() {
        let twice = source(vec![Port::clock("c"), Port::input("a", 1), Port::input("a", 1)]);
        assert!(matches!(fold_pins(&twice), Err(FlowError::Interface { .. })));
    }
}

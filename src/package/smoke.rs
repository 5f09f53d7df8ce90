//! A bench in plain Verilog that shows that a block compiles and runs in somebody else's simulator.
//!
//! It feeds the streams and flows of the block by their rules, keeps all other inputs at 0, and counts words. It fails if an output
//! is not known after the clear. It is no proof of the block: those are the project's own.

use crate::blocks::Emitted;
use flitforge_elaborate::interface::{Direction, Port, PortShape};
use flitforge_hdl::registry::{StreamInfo, StreamRole};
use std::fmt::Write;

/// Half periods of clocks that are no multiples of each other, in time steps; each clock gets the next.
const HALF_PERIODS: [u64; 6] = [60, 77, 52, 91, 68, 85];
/// Time steps of the clear, and of the run.
const CLEAR: u64 = 4_000;
const RUN: u64 = 240_000;

/// How the bench ends with an error; only Icarus has a way to say so to the shell.
const FAILED: &str = "`ifdef __ICARUS__\n`define SMOKE_FAILED $finish_and_return(1)\n`else\n`define SMOKE_FAILED $stop\n`endif\n";

/// The text of `TOP_smoke`.
pub fn bench(emitted: &Emitted) -> String {
    let top = emitted.top();
    let ports = &emitted.interface.ports;
    let mut text = format!(
        "`default_nettype none\n`timescale 1ns / 1ps\n{FAILED}\n// Streams and flows are fed by their rules, other inputs are 0; \
         outputs must be known after the clear.\nmodule {top}_smoke;\n\n"
    );
    ports.iter().for_each(|port| declaration(&mut text, port));
    let connections: Vec<String> = ports.iter().map(|port| format!("        .{0}({0})", port.name)).collect();
    let _ = writeln!(text, "\n    {top} subject (\n{}\n    );\n", connections.join(",\n"));
    clocks(&mut text, emitted);
    for stream in &emitted.info.streams {
        traffic(&mut text, emitted, stream);
    }
    verdict(&mut text, emitted);
    text + "endmodule\n`default_nettype wire\n"
}

fn range(width: u32) -> String {
    if width == 1 {
        String::new()
    } else {
        format!("[{}:0] ", width - 1)
    }
}

fn declaration(text: &mut String, port: &Port) {
    let range = range(port.width);
    let _ = match port.direction {
        Direction::Input => writeln!(text, "    reg {range}{} = 0;", port.name),
        _ => writeln!(text, "    wire {range}{};", port.name),
    };
}

/// Clocks and clears.
fn clocks(text: &mut String, emitted: &Emitted) {
    let mut free = HALF_PERIODS.iter().cycle();
    let is_multiple = |path: &str| emitted.info.multiples.iter().any(|multiple| multiple.clock == path);
    for port in emitted.interface.ports.iter().filter(|port| port.shape == PortShape::Clock) {
        if port.direction != Direction::Input || is_multiple(&port.path) {
            continue;
        }
        let half = free.next().copied().unwrap_or(HALF_PERIODS[0]);
        let _ = writeln!(text, "    always #{half} {0} = ~{0};", port.name);
        for multiple in emitted.info.multiples.iter().filter(|multiple| multiple.of == port.path) {
            let Some(name) = emitted.port_name(&multiple.clock) else { continue };
            let _ = writeln!(
                text,
                "    // {name}: {ratio} periods in one of {of}, which begin together.\n    \
                 always @(posedge {of}) begin\n        {name} = 1;\n        repeat ({toggles}) #({part:.3}) {name} = ~{name};\n    end",
                ratio = multiple.ratio,
                of = port.name,
                toggles = 2 * multiple.ratio - 1,
                part = half as f64 / multiple.ratio as f64,
            );
        }
    }
    let clears: Vec<&str> = emitted.info.clears.iter().filter_map(|path| emitted.port_name(path)).collect();
    if !clears.is_empty() {
        let set = |value: u8| clears.iter().map(|name| format!("{name} = {value}; ")).collect::<String>();
        let _ = writeln!(text, "    initial begin {}#{CLEAR} {}end", set(1), set(0));
    }
    text.push('\n');
}

/// Words of a stream or flow, and their count.
fn traffic(text: &mut String, emitted: &Emitted, stream: &StreamInfo) {
    let port = |part: &str| emitted.port_name(&format!("{}.{part}", stream.name));
    let (Some(clock), Some(valid)) = (emitted.port_name(&stream.clock), port("valid")) else { return };
    let ready = port("ready");
    let width = emitted.interface.ports.iter().find(|port| port.path == format!("{}.data", stream.name));
    let words = width.map_or(1, |port| port.width.div_ceil(32));
    let random = format!("{{{words}{{$random}}}}");
    let moved = ready.map_or(valid.to_owned(), |ready| format!("{valid} && {ready}"));
    let count = format!("{valid}_count");
    let _ = writeln!(
        text,
        "    integer {count} = 0;\n    always @(posedge {clock}) if ({moved}) {count} = {count} + 1;"
    );
    let data = port("data");
    let feed = |data: &str| format!("{valid} <= #1 $random; {data} <= #1 {random};");
    let _ = match (stream.role, data, ready) {
        (StreamRole::StreamSink, Some(data), Some(ready)) => {
            writeln!(text, "    always @(posedge {clock}) if (!{valid} || {ready}) begin {} end", feed(data))
        }
        (StreamRole::FlowSink, Some(data), _) => {
            writeln!(text, "    always @(posedge {clock}) begin {} end", feed(data))
        }
        (StreamRole::StreamSource, _, Some(ready)) => {
            writeln!(text, "    always @(posedge {clock}) {ready} <= #1 $random;")
        }
        _ => Ok(()),
    };
}

/// The check of all outputs at the end, and what is printed.
fn verdict(text: &mut String, emitted: &Emitted) {
    let outputs = emitted.interface.ports.iter().filter(|port| port.direction == Direction::Output);
    let names: Vec<&str> = outputs.map(|port| port.name.as_str()).collect();
    let _ = writeln!(text, "\n    initial begin\n        #{RUN};");
    for stream in &emitted.info.streams {
        if let Some(valid) = emitted.port_name(&format!("{}.valid", stream.name)) {
            let _ = writeln!(text, "        $display(\"{}: %0d words\", {valid}_count);", stream.name);
        }
    }
    for name in &names {
        let _ = writeln!(
            text,
            "        if (^{name} === 1'bx) begin $display(\"FAILED: {name} is not known\"); `SMOKE_FAILED; end"
        );
    }
    let _ = writeln!(
        text,
        "        $display(\"passed: {} outputs known\");\n        $finish;\n    end\n",
        names.len()
    );
}

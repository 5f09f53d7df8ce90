//! Icarus Verilog: a generated test bench reads hexadecimal rows and writes hexadecimal rows.

use super::{range, workspace, VerilogSource};
use crate::error::SimError;
use crate::tools;
use crate::trace::{Columns, Outputs, Trace};
use flitforge_elaborate::Value;
use flitforge_process::Running;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What a row of output begins with: the simulator and the block may print lines of their own.
const ROW: &str = "row ";

/// The outputs up to and including the first row that differs from the trace's.
pub(super) fn replay(trace: &Trace, source: &VerilogSource) -> Result<Outputs, SimError> {
    let (iverilog, vvp) = (tools::find("iverilog")?, tools::find("vvp")?);
    let folder = workspace()?;
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| fs::write(at(name), text).map_err(SimError::io(at(name)));
    write("design.v", &source.text)?;
    write("testbench.v", &testbench(trace, &source.top))?;
    write_inputs(trace, &at("inputs.hex")).map_err(SimError::io(at("inputs.hex")))?;
    let mut compile = Command::new(iverilog);
    compile.args(["-g2005", "-s", "flitforge_testbench", "-o", "simulation", "testbench.v", "design.v"]);
    tools::run(&mut compile, folder.path())?;
    let mut simulate = Command::new(vvp);
    outputs(simulate.args(["-n", "simulation"]).current_dir(folder.path()), folder.path(), trace)
}

/// Reads rows while they come; the first that differs ends the simulation.
fn outputs(command: &mut Command, folder: &Path, trace: &Trace) -> Result<Outputs, SimError> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let path = folder.join("errors.txt");
    let errors = fs::File::create(&path).map_err(SimError::io(&path))?;
    let mut simulation =
        Running::start(command, Stdio::piped(), errors.into()).map_err(SimError::io(&tool))?;
    let (mut outputs, mut other_lines) = (Outputs::default(), String::new());
    if let Some(lines) = simulation.take_output() {
        for line in BufReader::new(lines).lines() {
            let line = line.map_err(SimError::io(&tool));
            let pushed = line.and_then(|line| match line.strip_prefix(ROW) {
                Some(row) => push_row(row, trace.outputs(), &mut outputs),
                None => {
                    other_lines.push_str(&line);
                    other_lines.push('\n');
                    Ok(())
                }
            });
            let row = outputs.len();
            let differs = row > 0 && row <= trace.len() && trace.row_differs(&outputs, row - 1);
            if differs || pushed.is_err() {
                simulation.stop();
                return pushed.map(|()| outputs);
            }
        }
    }
    let status = simulation.wait().map_err(SimError::io(&tool))?;
    match status.success() {
        true => Ok(outputs),
        false => {
            other_lines.push_str(&fs::read_to_string(&path).unwrap_or_default());
            let status = status.to_string();
            Err(SimError::ToolFailed { tool, status, directory: folder.into(), output: other_lines })
        }
    }
}

/// Row by row: set inputs, wait, write outputs, raise the clocks of the row, wait, lower them.
fn testbench(trace: &Trace, top: &str) -> String {
    let (clocks, inputs, outputs) = (trace.clocks(), trace.inputs().ports(), trace.outputs().ports());
    let mut text = String::from("`timescale 1ns/1ns\nmodule flitforge_testbench;\n");
    for port in clocks.iter().chain(inputs) {
        let _ = writeln!(text, "  reg {}p_{} = 0;", range(port), port.verilog);
    }
    for port in outputs {
        let _ = writeln!(text, "  wire {}p_{};", range(port), port.verilog);
    }
    let connections: Vec<String> =
        clocks.iter().chain(inputs).chain(outputs).map(|port| format!(".{0}(p_{0})", port.verilog)).collect();
    let _ = writeln!(text, "  {top} uut ({});", connections.join(", "));
    let names = |list: &[crate::port::Port]| -> String {
        list.iter().map(|port| format!(", p_{}", port.verilog)).collect()
    };
    let formats = |count: usize| vec!["%h"; count].join(" ");
    let scan = format!(
        "tb_count = $fscanf(tb_inputs, \"{}\", tb_edges{});",
        formats(1 + inputs.len()),
        names(inputs)
    );
    let _ =
        writeln!(text, "  reg [63:0] tb_edges;\n  integer tb_inputs, tb_outputs, tb_count;\n  initial begin");
    let _ = writeln!(text, "    tb_inputs = $fopen(\"inputs.hex\", \"r\");");
    // Descriptor 1 is standard output.
    let _ = writeln!(text, "    tb_outputs = 1;\n    {scan}");
    let _ = writeln!(text, "    while (tb_count == {}) begin\n      #1;", 1 + inputs.len());
    let _ =
        writeln!(text, "      $fdisplay(tb_outputs, \"{ROW}{}\"{});", formats(outputs.len()), names(outputs));
    for (index, clock) in clocks.iter().enumerate() {
        let _ = writeln!(text, "      p_{} = tb_edges[{index}];", clock.verilog);
    }
    let _ = writeln!(text, "      #1;");
    for clock in clocks {
        let _ = writeln!(text, "      p_{} = 0;", clock.verilog);
    }
    let _ = writeln!(text, "      {scan}\n    end\n    $finish(0);\n  end\nendmodule");
    text
}

fn write_inputs(trace: &Trace, path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    for row in 0..trace.len() {
        write!(file, "{:x}", trace.edges(row))?;
        let words = trace.input_row(row);
        for (column, port) in trace.inputs().ports().iter().enumerate() {
            let value = Value::from_words(port.width, &words[trace.inputs().range(column)]);
            write!(file, " {value:x}")?;
        }
        writeln!(file)?;
    }
    file.flush()
}

fn push_row(line: &str, columns: &Columns, outputs: &mut Outputs) -> Result<(), SimError> {
    let row = outputs.len();
    let bad = |problem: String| SimError::Format { what: format!("output of Icarus, row {row}"), problem };
    let mut words = vec![0; columns.stride()];
    let mut unknown = vec![0; columns.stride()];
    let mut tokens = line.split_whitespace();
    for (column, port) in columns.ports().iter().enumerate() {
        let token = tokens.next().ok_or_else(|| bad(format!("no value for `{}`", port.path)))?;
        let range = columns.range(column);
        parse_hex(token, port.width, &mut words[range.clone()], &mut unknown[range])
            .ok_or_else(|| bad(format!("`{token}` for `{}`", port.path)))?;
    }
    outputs.push_masked(&words, Some(&unknown), None);
    Ok(())
}

/// Hexadecimal digits with `x` and `z`; a digit that is partly unknown counts as unknown.
fn parse_hex(token: &str, width: u32, words: &mut [u64], unknown: &mut [u64]) -> Option<()> {
    let put = |all: &mut [u64], digit: usize, bits: u64| {
        if let Some(word) = all.get_mut(digit / 16) {
            *word |= bits << (4 * (digit % 16));
        }
    };
    for (position, digit) in token.bytes().rev().enumerate() {
        match digit {
            b'x' | b'X' | b'z' | b'Z' => {
                let bits = (width.checked_sub(4 * position as u32)?).min(4);
                put(unknown, position, (1 << bits) - 1);
            }
            _ => put(words, position, u64::from((digit as char).to_digit(16)?)),
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_digits_are_marked() {
        let (mut words, mut unknown) = ([0; 2], [0; 2]);
        parse_hex("Xx0000000000000000a", 73, &mut words, &mut unknown).expect("digits");
        assert_eq!((words, unknown), ([10, 0], [0, 0x1f0]));
        assert!(parse_hex("g", 4, &mut words, &mut unknown).is_none());
    }
}

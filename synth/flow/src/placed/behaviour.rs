//! The placed netlist as compact Verilog: what each cell does, with its parameters and constants folded in.
//!
//! A simulator gets one expression per look-up table and one block per group of flip-flops with the same clock,
//! enable and reset, instead of ten thousand instances. Block RAM and phase-locked loop stay instances of their models.
//! Nets keep their names, as escaped identifiers. A cell, mode or setting that is not known here is refused.

use super::netlist::{Bit, Cell, Netlist, PortBits};
use super::table::Tables;
use super::NETLIST_TOP;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Why a netlist cannot be translated: the cell and what is wrong.
pub type Refused = String;

/// Instances that keep their model.
const MODELS: &[(&str, &str)] = &[
    ("EHXPLLL", include_str!("../../../cells/ecp5_pll.v")),
    ("DP16KD", include_str!("../../../elaborate/src/verilog/dp16kd.v")),
];

/// Flip-flops that share everything but data: event, condition and value of the reset, enable.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Control {
    event: String,
    reset: String,
    enable: String,
}

/// A flip-flop's register, data and set or reset value.
#[derive(Debug)]
struct Stored {
    register: String,
    data: String,
    value: u8,
}

/// The text being written.
struct Writer {
    names: HashMap<u64, String>,
    tables: Tables,
    declarations: String,
    body: String,
    registers: BTreeMap<Control, Vec<Stored>>,
}

/// The Verilog of a netlist whose open inputs are tied.
pub fn behaviour(netlist: &Netlist) -> Result<String, Refused> {
    let mut writer = Writer {
        names: net_names(netlist),
        tables: Tables::default(),
        declarations: String::new(),
        body: String::new(),
        registers: BTreeMap::new(),
    };
    for (name, cell) in &netlist.cells {
        writer.cell(name, cell).map_err(|what| format!("cell {name} ({}): {what}", cell.kind))?;
    }
    writer.declare_nets();
    writer.write_registers();
    let ports: Vec<String> = netlist.ports.iter().map(|(name, port)| port_declaration(name, port)).collect();
    let mut text = format!(
        "`default_nettype none\n`timescale 1ns / 1ps\nmodule {NETLIST_TOP} (\n    {}\n);\n{}{}endmodule\n\
         `default_nettype wire\n",
        ports.join(",\n    "),
        writer.declarations,
        writer.body
    );
    for (kind, model) in MODELS {
        if netlist.cells.values().any(|cell| cell.kind == *kind) {
            text += model;
        }
    }
    Ok(text)
}

fn port_declaration(name: &str, port: &PortBits) -> String {
    format!("{} wire {}{name}", port.direction, range(port.bits.len()))
}

fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}

/// Every net's name in the text: the port's where it is one, else the shortest of its own names.
fn net_names(netlist: &Netlist) -> HashMap<u64, String> {
    let mut names: HashMap<u64, String> = HashMap::new();
    for (name, net) in &netlist.netnames {
        for (at, bit) in net.bits.iter().enumerate() {
            let Bit::Net(bit) = bit else { continue };
            let name = if net.bits.len() == 1 { escaped(name) } else { escaped(&format!("{name}[{at}]")) };
            names
                .entry(*bit)
                .and_modify(|known| {
                    if name.len() < known.len() {
                        known.clone_from(&name);
                    }
                })
                .or_insert(name);
        }
    }
    let pins = netlist.cells.values().flat_map(|cell| cell.connections.values()).flatten();
    for bit in pins {
        let Bit::Net(bit) = bit else { continue };
        names.entry(*bit).or_insert_with(|| escaped(&format!("net{bit}")));
    }
    for (name, port) in &netlist.ports {
        for (at, bit) in port.bits.iter().enumerate() {
            let Bit::Net(bit) = bit else { continue };
            let select = if port.bits.len() == 1 { name.clone() } else { format!("{name}[{at}]") };
            names.insert(*bit, select);
        }
    }
    names
}

/// An escaped identifier; the space ends it.
fn escaped(name: &str) -> String {
    format!("\\{name} ")
}

fn inverted(signal: &str) -> String {
    match signal {
        "1'b0" => "1'b1".into(),
        "1'b1" => "1'b0".into(),
        _ => format!("(~{signal})"),
    }
}

impl Writer {
    fn cell(&mut self, name: &str, cell: &Cell) -> Result<(), Refused> {
        match cell.kind.as_str() {
            "TRELLIS_COMB" => self.comb(name, cell),
            "TRELLIS_FF" => self.flip_flop(cell),
            "TRELLIS_RAMW" => self.write_port(cell),
            "TRELLIS_IO" => self.pad(cell),
            "DCCA" => self.clock_buffer(cell),
            kind if MODELS.iter().any(|model| model.0 == kind) => self.instance(name, cell),
            _ => Err("no behaviour is known for this type of cell".into()),
        }
    }

    /// An input as an operand.
    fn input(&self, cell: &Cell, pin: &str) -> Result<String, Refused> {
        match cell.pin(pin) {
            Some(Bit::Net(net)) => self.net(*net),
            Some(Bit::Level(level)) if level == "0" || level == "1" => Ok(format!("1'b{level}")),
            Some(Bit::Level(level)) => Err(format!("pin {pin} has level `{level}`, expected 0 or 1")),
            None => Err(format!("input {pin} is open and has no known level")),
        }
    }

    fn net(&self, net: u64) -> Result<String, Refused> {
        self.names.get(&net).cloned().ok_or_else(|| format!("net {net} has no name"))
    }

    /// Drives an output pin, if it is connected.
    fn drive(&mut self, cell: &Cell, pin: &str, value: &str) -> Result<(), Refused> {
        if let Some(net) = cell.net(pin) {
            let _ = writeln!(self.body, "assign {} = {value};", self.net(net)?);
        }
        Ok(())
    }

    /// Look-up table with carry, wide multiplexer, or LUT RAM.
    fn comb(&mut self, name: &str, cell: &Cell) -> Result<(), Refused> {
        let initial = cell.parameter("INITVAL", "0000000000000000");
        let table = u16::from_str_radix(initial, 2).map_err(|_| format!("INITVAL {initial} is no table"))?;
        let mut inputs: [String; 4] = Default::default();
        for (input, pin) in inputs.iter_mut().zip(["A", "B", "C", "D"]) {
            *input = self.input(cell, pin)?;
        }
        let function = match cell.parameter("MODE", "LOGIC") {
            "LOGIC" => self.tables.expression(table, &inputs),
            "CCU2" => self.carry(cell, table, &inputs)?,
            "DPRAM" => self.logic_ram(name, cell, table, &inputs)?,
            // Holds the place of a write port's wires.
            "RAMW_BLOCK" => "1'b0".into(),
            mode => return Err(format!("MODE {mode} is not known")),
        };
        let out = match cell.net("F") {
            None => function,
            Some(net) => {
                self.drive(cell, "F", &function)?;
                self.net(net)?
            }
        };
        if cell.net("OFX").is_some() {
            // The multiplexer joins a slice's two tables, or two other multiplexers.
            let joins_others = cell.parameter("IS_Z1", "0") == "1";
            let (high, low) = if joins_others {
                (self.input(cell, "FXB")?, self.input(cell, "FXA")?)
            } else {
                (self.input(cell, "F1")?, out)
            };
            let select = self.input(cell, "M")?;
            self.drive(cell, "OFX", &format!("{select} ? {high} : {low}"))?;
        }
        Ok(())
    }

    /// The sum; drives the carry. The propagate term is the table; the generate term its lowest quarter, a function of
    /// A and B.
    fn carry(&mut self, cell: &Cell, table: u16, inputs: &[String; 4]) -> Result<String, Refused> {
        let propagate = self.tables.expression(table, inputs);
        let quarter = (table & 0xf) * 0x1111;
        let generate = self.tables.expression(quarter, inputs);
        let carry = self.input(cell, "FCI")?;
        let (generate, into_sum) = match cell.parameter("CCU2_INJECT1", "NO") {
            "YES" => ("1'b0".into(), None),
            "NO" => (generate, Some(carry.clone())),
            other => return Err(format!("CCU2_INJECT1 {other} is not known")),
        };
        self.drive(cell, "FCO", &format!("{propagate} ? {carry} : {generate}"))?;
        Ok(match into_sum {
            Some(carry) => format!("{propagate} ^ {carry}"),
            None => propagate,
        })
    }

    /// The value read; writes it as the write port says. The write address' order is that of the write port's wires.
    fn logic_ram(
        &mut self,
        name: &str,
        cell: &Cell,
        table: u16,
        inputs: &[String; 4],
    ) -> Result<String, Refused> {
        let memory = escaped(&format!("{name}$memory"));
        let event = self.event(cell, "WCKMUX", "WCK")?;
        let enable = self.switched(cell, "WREMUX", "WRE")?;
        let mut address = vec![];
        for pin in ["WAD0", "WAD2", "WAD1", "WAD3"] {
            address.push(self.input(cell, pin)?);
        }
        let _ = writeln!(self.declarations, "reg [15:0] {memory} = 16'h{table:04x};");
        let _ = writeln!(
            self.body,
            "always @({event}) if ({enable}) {memory}[{{{}}}] <= {};",
            address.join(", "),
            self.input(cell, "WD")?
        );
        let [a, b, c, d] = inputs;
        Ok(format!("{memory}[{{{d}, {c}, {b}, {a}}}]"))
    }

    /// A clock pin's active edge.
    fn event(&self, cell: &Cell, parameter: &str, pin: &str) -> Result<String, Refused> {
        let clock = self.input(cell, pin)?;
        match cell.parameter(parameter, pin) {
            "INV" => Ok(format!("negedge {clock}")),
            given if given == pin => Ok(format!("posedge {clock}")),
            other => Err(format!("{parameter} {other} is not known")),
        }
    }

    /// A control pin behind its `MUX` parameter: itself, inverted, or a level.
    fn switched(&self, cell: &Cell, parameter: &str, pin: &str) -> Result<String, Refused> {
        match cell.parameter(parameter, pin) {
            "0" => Ok("1'b0".into()),
            "1" => Ok("1'b1".into()),
            "INV" => Ok(inverted(&self.input(cell, pin)?)),
            given if given == pin => self.input(cell, pin),
            other => Err(format!("{parameter} {other} is not known")),
        }
    }

    fn flip_flop(&mut self, cell: &Cell) -> Result<(), Refused> {
        let Some(net) = cell.net("Q") else { return Ok(()) };
        let value = match cell.parameter("REGSET", "RESET") {
            "SET" => 1,
            "RESET" => 0,
            other => return Err(format!("REGSET {other} is not known")),
        };
        let data = match cell.parameter("SD", "1") {
            "0" => self.input(cell, "M")?,
            "1" => self.input(cell, "DI")?,
            other => return Err(format!("SD {other} is not known")),
        };
        let clock = self.event(cell, "CLKMUX", "CLK")?;
        let enable = self.switched(cell, "CEMUX", "CE")?;
        let reset = self.switched(cell, "LSRMUX", "LSR")?;
        let (event, reset) = match cell.parameter("SRMODE", "LSR_OVER_CE") {
            _ if reset == "1'b0" => (clock, reset),
            "LSR_OVER_CE" => (clock, reset),
            "CE_OVER_LSR" => (clock, format!("{reset} & {enable}")),
            "ASYNC" => (format!("{clock} or posedge {reset}"), reset),
            other => return Err(format!("SRMODE {other} is not known")),
        };
        let register = match self.net(net)? {
            own if own.starts_with('\\') => own,
            // A port's bit is a wire.
            port => {
                let register = escaped(&format!("{net}$register"));
                let _ = writeln!(self.body, "assign {port} = {register};");
                register
            }
        };
        let _ = writeln!(self.declarations, "reg {register}= 1'b{value};");
        let stored = Stored { register, data, value };
        self.registers.entry(Control { event, reset, enable }).or_default().push(stored);
        Ok(())
    }

    fn write_registers(&mut self) {
        for (control, stored) in &self.registers {
            let Control { event, reset, enable } = control;
            let _ = writeln!(self.body, "always @({event})");
            if reset != "1'b0" {
                let _ = writeln!(self.body, "    if ({reset}) begin");
                for Stored { register, value, .. } in stored {
                    let _ = writeln!(self.body, "        {register}<= 1'b{value};");
                }
                let _ = write!(self.body, "    end else");
            }
            let _ = writeln!(self.body, "    if ({enable}) begin");
            for Stored { register, data, .. } in stored {
                let _ = writeln!(self.body, "        {register}<= {data};");
            }
            let _ = writeln!(self.body, "    end");
        }
    }

    /// The write port of a LUT RAM: wires in the order of the device.
    fn write_port(&mut self, cell: &Cell) -> Result<(), Refused> {
        let wires = [
            ("WDO0", "C1"),
            ("WDO1", "A1"),
            ("WDO2", "D1"),
            ("WDO3", "B1"),
            ("WADO0", "D0"),
            ("WADO1", "B0"),
            ("WADO2", "C0"),
            ("WADO3", "A0"),
        ];
        for (output, input) in wires {
            let value = self.input(cell, input)?;
            self.drive(cell, output, &value)?;
        }
        Ok(())
    }

    /// An I/O buffer, with its place as a comment.
    fn pad(&mut self, cell: &Cell) -> Result<(), Refused> {
        if let (Some(site), Some(net)) = (cell.attributes.get("LOC"), cell.net("B")) {
            let _ = writeln!(self.body, "// {} is at site {site}", self.net(net)?);
        }
        for register in ["DATAMUX_ODDR", "DATAMUX_MDDR"] {
            match cell.parameter(register, "PADDO") {
                "PADDO" => {}
                other => return Err(format!("{register} {other} is not known")),
            }
        }
        match cell.parameter("DIR", "INPUT") {
            "INPUT" => {
                let pad = self.input(cell, "B")?;
                self.drive(cell, "O", &pad)
            }
            "OUTPUT" => {
                let value = self.input(cell, "I")?;
                self.drive(cell, "B", &value)
            }
            "BIDIR" => {
                let (value, off, pad) =
                    (self.input(cell, "I")?, self.input(cell, "T")?, self.input(cell, "B")?);
                self.drive(cell, "B", &format!("{off} ? 1'bz : {value}"))?;
                self.drive(cell, "O", &pad)
            }
            other => Err(format!("DIR {other} is not known")),
        }
    }

    fn clock_buffer(&mut self, cell: &Cell) -> Result<(), Refused> {
        if cell.pin("CE").is_some() {
            return Err("a clock buffer with enable has no behaviour here".into());
        }
        let clock = self.input(cell, "CLKI")?;
        self.drive(cell, "CLKO", &clock)
    }

    /// An instance of a model, parameters as they are.
    fn instance(&mut self, name: &str, cell: &Cell) -> Result<(), Refused> {
        let parameters: Vec<String> =
            cell.parameters.iter().map(|(name, value)| format!(".{name}({})", constant(value))).collect();
        let mut pins = vec![];
        for pin in cell.connections.keys().filter(|pin| cell.pin(pin).is_some()) {
            pins.push(format!(".{pin}({})", self.input(cell, pin)?));
        }
        let kind = &cell.kind;
        let _ = writeln!(
            self.body,
            "{kind} #(\n    {}\n) {}(\n    {}\n);",
            parameters.join(", "),
            escaped(name),
            pins.join(", ")
        );
        Ok(())
    }

    /// Wires for all nets that are neither ports nor registers.
    fn declare_nets(&mut self) {
        let registers: std::collections::HashSet<&str> =
            self.registers.values().flatten().map(|stored| stored.register.as_str()).collect();
        let mut wires: Vec<&str> = self
            .names
            .values()
            .map(String::as_str)
            .filter(|name| name.starts_with('\\') && !registers.contains(name))
            .collect();
        wires.sort_unstable();
        let mut text = String::new();
        for wire in wires {
            let _ = writeln!(text, "wire {};", wire.trim_end().to_owned() + " ");
        }
        self.declarations += &text;
    }
}

/// A parameter's value in Verilog: a number in binary, or text. Text of zeros and ones has a space after it.
fn constant(value: &str) -> String {
    if !value.is_empty() && value.bytes().all(|byte| b"01xz".contains(&byte)) {
        return format!("{}'b{value}", value.len());
    }
    let text = match value.strip_suffix(' ') {
        Some(bits) if bits.bytes().all(|byte| b"01xz ".contains(&byte)) => bits,
        _ => value,
    };
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

//! ECP5 block RAM as explicit `DP16KD` instances.
//!
//! Inference maps a memory to `DP16KD` with `REGMODE NOREG` and keeps the output register in fabric, which costs
//! the RAM's slow clock-to-output on every read. Here the second register is the RAM's own (`OUTREG`). Without one, inference adds a
//! register and a multiplexer for reads of the word that is being written; here there is the RAM alone.
//!
//! Port A writes, port B reads. With 36-bit words the two data halves are joined (pseudo dual port): `DIA` and
//! `DOA` carry bits 17..0, `DIB` and `DOB` bits 35..18. A read of the word that is written on the same edge
//! returns the old word in the graph; the primitive does not specify it across ports, so what drives such a
//! memory must not read the word being written.

use super::memory::Text;
use super::table::{literal, range, Table};
use crate::graph::{Design, Memory, MemoryStyle, Module};
use crate::value::Value;

/// Name of the RAM.
pub const NAME: &str = "DP16KD";
/// What the RAM does, for simulators.
pub const MODEL: &str = include_str!("dp16kd.v");
/// Words and width of the RAM's geometries: address bits, data bits.
const GEOMETRIES: [(u32, u32); 6] = [(9, 36), (10, 18), (11, 9), (12, 4), (13, 2), (14, 1)];
/// Address pins of a port.
const ADDRESS_PINS: u32 = 14;
/// Data pins of a port.
const DATA_PINS: u32 = 18;
/// `INITVAL_xx` parameters.
const INITIAL_ROWS: u32 = 64;

/// True if the memory is written as instances: block style, one clocked read port, one
/// write port, at most 16,384 words, no address beyond the array.
pub fn fits(module: &Module, memory: &Memory) -> bool {
    let ([read], [write]) = (memory.reads.as_slice(), memory.writes.as_slice()) else { return false };
    let bits = super::node::index_width(memory.depth);
    memory.style == MemoryStyle::Block
        && read.clock.is_some()
        && memory.depth <= 1 << ADDRESS_PINS
        && [read.address, write.address].into_iter().all(|id| module.signal(id).width <= bits)
}

/// True if some memory of the design is written as instances.
pub fn used(design: &Design) -> bool {
    design.modules.iter().any(|module| module.memories.iter().any(|memory| fits(module, memory)))
}

/// The widest geometry that holds the depth in one RAM.
fn geometry(memory: &Memory) -> (u32, u32) {
    let fitting = GEOMETRIES.into_iter().find(|(bits, _)| memory.depth <= 1 << bits);
    fitting.unwrap_or(GEOMETRIES[5])
}

/// What the ports of all the RAMs of a memory are connected to.
struct Connections {
    write_clock: String,
    write_enable: String,
    write_address: String,
    read_clock: String,
    read_enable: String,
    output_enable: String,
    read_address: String,
    output_register: bool,
}

/// The instances of a memory.
pub fn explicit(table: &mut Table, memory: &Memory) -> Text {
    let mut text = Text::default();
    let (Some(read), Some(write)) = (memory.reads.first(), memory.writes.first()) else { return text };
    let (bits, width) = geometry(memory);
    let columns = memory.width.div_ceil(width);
    let padded = columns * width;
    let one = || "1'b1".to_owned();
    let enable = write.enable.map_or_else(one, |id| table.read_all(id));
    let depth = u64::from(memory.depth);
    let guard = (1u64 << table.entry(write.address).width > depth).then(|| {
        let limit = Value::from_u64(table.entry(write.address).width, depth);
        format!("({} < {})", table.read_all(write.address), literal(&limit))
    });
    let ports = Connections {
        write_clock: table.read_all(write.clock),
        write_enable: wire(table, memory, "write_enable", 1, &joined(enable, guard), &mut text),
        write_address: address(table, memory, "write_address", write.address, bits, &mut text),
        read_clock: read.clock.map(|id| table.read_all(id)).unwrap_or_default(),
        read_enable: read.enable.map_or_else(one, |id| table.read_all(id)),
        output_enable: read.output_enable.map_or_else(one, |id| table.read_all(id)),
        read_address: address(table, memory, "read_address", read.address, bits, &mut text),
        output_register: read.output_register,
    };
    let data = table.read_all(write.data);
    let data = match padded - memory.width {
        0 => data,
        fill => format!("{{{}, {data}}}", literal(&Value::zero(fill))),
    };
    let data = wire(table, memory, "write_data", padded, &data, &mut text);
    let words = table.names.exact(&format!("{}_words", memory.name));
    text.declarations.push(format!("wire {}{words};", range(padded)));
    let output = table.entry(read.data).name.clone();
    let select = if padded == 1 { String::new() } else { select(memory.width - 1, 0) };
    text.lines.push(format!("assign {output} = {words}{select};"));
    let mut unused = vec![];
    if padded > memory.width {
        unused.push(format!("{words}{}", self::select(padded - 1, memory.width)));
    }
    for column in 0..columns {
        let name = table.names.exact(&format!("{}_ram_{column}", memory.name));
        let low = column * width;
        let slice = |vector: &str, bit: u32| match padded {
            1 => vector.to_owned(),
            _ => format!("{vector}[{}]", low + bit),
        };
        text.lines.extend(instance(memory, &name, column, width, &ports, &|bit| slice(&data, bit), &|bit| {
            slice(&words, bit)
        }));
    }
    if !unused.is_empty() {
        let name = table.names.exact(&format!("{}_unused", memory.name));
        text.lines.push(format!("wire {name} = &{{1'b0, {}}};", unused.join(", ")));
    }
    text
}

fn joined(enable: String, guard: Option<String>) -> String {
    match guard {
        Some(guard) if enable == "1'b1" => guard,
        Some(guard) => format!("{enable} & {guard}"),
        None => enable,
    }
}

fn select(high: u32, low: u32) -> String {
    if high == low {
        format!("[{low}]")
    } else {
        format!("[{high}:{low}]")
    }
}

/// A wire of the memory with its value.
fn wire(table: &mut Table, memory: &Memory, what: &str, width: u32, value: &str, text: &mut Text) -> String {
    let name = table.names.exact(&format!("{}_{what}", memory.name));
    text.lines.push(format!("wire {}{name} = {value};", range(width)));
    name
}

/// The address widened to the geometry's.
fn address(
    table: &mut Table,
    memory: &Memory,
    what: &str,
    id: crate::graph::SignalId,
    bits: u32,
    text: &mut Text,
) -> String {
    let (name, width) = (table.read_all(id), table.entry(id).width);
    let value = match bits - width {
        0 => name,
        fill => format!("{{{}, {name}}}", literal(&Value::zero(fill))),
    };
    wire(table, memory, what, bits, &value, text)
}

/// One RAM: `column` says which bits of the words.
fn instance(
    memory: &Memory,
    name: &str,
    column: u32,
    width: u32,
    ports: &Connections,
    data: &dyn Fn(u32) -> String,
    word: &dyn Fn(u32) -> String,
) -> Vec<String> {
    let mut lines = vec!["DP16KD #(".to_owned()];
    lines.extend(initial_rows(memory, column, width));
    lines.push(format!("    .DATA_WIDTH_A({width}), .DATA_WIDTH_B({width}),"));
    let mode = if ports.output_register { "OUTREG" } else { "NOREG" };
    lines.push(format!("    .REGMODE_A(\"{mode}\"), .REGMODE_B(\"{mode}\"),"));
    lines.push("    .RESETMODE(\"SYNC\"), .ASYNC_RESET_RELEASE(\"SYNC\"),".into());
    lines.push("    .WRITEMODE_A(\"NORMAL\"), .WRITEMODE_B(\"NORMAL\"),".into());
    lines.push("    .CLKAMUX(\"CLKA\"), .CLKBMUX(\"CLKB\"), .GSR(\"DISABLED\")".into());
    lines.push(format!(") {name} ("));
    let wide = width == 36;
    let mut pins: Vec<(String, String)> = vec![
        ("CLKA".into(), ports.write_clock.clone()),
        ("CEA".into(), ports.write_enable.clone()),
        ("WEA".into(), "1'b1".into()),
        ("OCEA".into(), if wide { ports.output_enable.clone() } else { "1'b0".into() }),
        ("RSTA".into(), "1'b0".into()),
        ("CLKB".into(), ports.read_clock.clone()),
        ("CEB".into(), ports.read_enable.clone()),
        ("WEB".into(), "1'b0".into()),
        ("OCEB".into(), ports.output_enable.clone()),
        ("RSTB".into(), "1'b0".into()),
    ];
    for port in ["A", "B"] {
        pins.extend((0..3).map(|bit| (format!("CS{port}{bit}"), "1'b0".to_owned())));
    }
    // Unused low address pins; those of a written word of 18 bits and more enable its bytes.
    let unused = ADDRESS_PINS - geometry(memory).0;
    for pin in 0..ADDRESS_PINS {
        let (write, read) = match pin.checked_sub(unused) {
            Some(bit) => {
                (format!("{}[{bit}]", ports.write_address), format!("{}[{bit}]", ports.read_address))
            }
            None => {
                let enables_byte = width >= 18 && pin < width / 9;
                (format!("1'b{}", u8::from(enables_byte)), "1'b0".to_owned())
            }
        };
        pins.push((format!("ADA{pin}"), write));
        pins.push((format!("ADB{pin}"), read));
    }
    for pin in 0..DATA_PINS {
        let low = |bit: u32| (bit < width).then_some(bit);
        let (a, b) = (low(pin), if wide { Some(DATA_PINS + pin) } else { None });
        pins.push((format!("DIA{pin}"), a.map_or("1'b0".into(), data)));
        pins.push((format!("DIB{pin}"), b.map_or("1'b0".into(), data)));
        let (on_a, on_b) = if wide { (Some(pin), Some(DATA_PINS + pin)) } else { (None, low(pin)) };
        for (port, bit) in [("A", on_a), ("B", on_b)] {
            if let Some(bit) = bit {
                pins.push((format!("DO{port}{pin}"), word(bit)));
            }
        }
    }
    lines.extend(connection_lines(&pins));
    lines.push(");".into());
    lines
}

/// `.PIN(net)` four to a line.
fn connection_lines(pins: &[(String, String)]) -> Vec<String> {
    let rows: Vec<String> = pins
        .chunks(4)
        .map(|row| {
            let row: Vec<String> = row.iter().map(|(pin, net)| format!(".{pin}({net})")).collect();
            format!("    {}", row.join(", "))
        })
        .collect();
    let last = rows.len().saturating_sub(1);
    rows.into_iter().enumerate().map(|(at, row)| if at == last { row } else { row + "," }).collect()
}

/// The power-on contents: 64 rows of 16 words of 18 bits, each in 20 bits. Words of 9 bits and more lie end to
/// end; narrower ones leave every ninth bit free.
fn initial_rows(memory: &Memory, column: u32, width: u32) -> Vec<String> {
    let mut rows = vec![Value::zero(320); INITIAL_ROWS as usize];
    for (address, word) in (0u32..).zip(memory.initial.iter().take(memory.depth as usize)) {
        let part = word.slice(column * width, width);
        for bit in (0..width).filter(|bit| part.bit(*bit)) {
            let flat = address * width + bit;
            let flat = if width < 9 { flat / 8 * 9 + flat % 8 } else { flat };
            let (row, rest) = (flat / 288, flat % 288);
            rows[row as usize].set_bit(rest / 18 * 20 + rest % 18, true);
        }
    }
    (0..INITIAL_ROWS)
        .zip(&rows)
        .filter(|(_, row)| !row.is_zero())
        .map(|(at, row)| format!("    .INITVAL_{at:02X}({}),", literal(row)))
        .collect()
}

/// A declaration of the primitive for tools without the vendor's library.
pub fn black_box() -> String {
    let pins = |prefix: &str, count: u32| -> String {
        (0..count).map(|pin| format!("{prefix}{pin}")).collect::<Vec<_>>().join(", ")
    };
    let silent = ["UNUSEDPARAM", "UNUSEDSIGNAL", "UNDRIVEN"];
    let pragmas = |word: &str| silent.map(|code| format!("/* verilator {word} {code} */\n")).concat();
    let mut text = pragmas("lint_off") + "(* blackbox *)\nmodule DP16KD (\n";
    let mut ports = vec![];
    for port in ["A", "B"] {
        ports.push(format!("    input  wire {}", pins(&format!("DI{port}"), DATA_PINS)));
        ports.push(format!("    input  wire {}", pins(&format!("AD{port}"), ADDRESS_PINS)));
        ports.push(format!("    input  wire CE{port}, OCE{port}, CLK{port}, WE{port}, RST{port}"));
        ports.push(format!("    input  wire {}", pins(&format!("CS{port}"), 3)));
        ports.push(format!("    output wire {}", pins(&format!("DO{port}"), DATA_PINS)));
    }
    text.push_str(&ports.join(",\n"));
    text.push_str("\n);\n");
    for (name, value) in PARAMETERS {
        text.push_str(&format!("    parameter {name} = {value};\n"));
    }
    for row in 0..INITIAL_ROWS {
        text.push_str(&format!("    parameter [319:0] INITVAL_{row:02X} = 320'h0;\n"));
    }
    text + "endmodule\n" + &pragmas("lint_on")
}

/// Parameters of the primitive that the text sets.
const PARAMETERS: [(&str, &str); 11] = [
    ("DATA_WIDTH_A", "18"),
    ("DATA_WIDTH_B", "18"),
    ("REGMODE_A", "\"NOREG\""),
    ("REGMODE_B", "\"NOREG\""),
    ("RESETMODE", "\"SYNC\""),
    ("ASYNC_RESET_RELEASE", "\"SYNC\""),
    ("WRITEMODE_A", "\"NORMAL\""),
    ("WRITEMODE_B", "\"NORMAL\""),
    ("CLKAMUX", "\"CLKA\""),
    ("CLKBMUX", "\"CLKB\""),
    ("GSR", "\"ENABLED\""),
];

//! A dissector of Scale-Up Ethernet for Wireshark, in Lua: the tables of this crate as fields, then the parts of the program
//! that do not depend on them, in `dissector/*.lua`.

use super::class::{self, ClassUse};
use super::command::{self, CommandType};
use super::crc::{fcs, r_crc, CRC_BYTES};
use super::esun;
use super::network;
use super::reliability::{self, CmCode, Operation};
use crate::layout::{Field, Layout};
use std::fmt::Write;

/// What is inside a field.
#[derive(Debug, Clone, Copy)]
enum Inside {
    /// A code: the name of its table of values.
    Values(&'static str),
    /// Fields: the name of the part that takes them apart.
    Part(&'static str),
}

/// A layout in a place of a frame. Fields are called `sue.PART.FIELD` in filters.
#[derive(Debug, Clone, Copy)]
struct Part {
    name: &'static str,
    layout: &'static Layout,
    insides: &'static [(&'static str, Inside)],
}

/// Every part after those that it contains.
const PARTS: &[Part] = &[
    Part { name: "dst", layout: &network::fid::LAYOUT, insides: &[] },
    Part { name: "src", layout: &network::fid::LAYOUT, insides: &[] },
    Part { name: "tc", layout: &class::traffic_class::LAYOUT, insides: &[("dscp", Inside::Values("dscp"))] },
    Part { name: "entropy", layout: &network::entropy::LAYOUT, insides: &[] },
    Part { name: "key", layout: &network::afh_key::LAYOUT, insides: &[] },
    Part { name: "da", layout: &network::mac::LAYOUT, insides: &[("fid", Inside::Part("dst"))] },
    Part { name: "sa", layout: &network::mac::LAYOUT, insides: &[("fid", Inside::Part("src"))] },
    Part { name: "ethertype", layout: &network::ethertype::LAYOUT, insides: &[] },
    Part { name: "tag", layout: &network::tag::LAYOUT, insides: &[] },
    Part {
        name: "afh2",
        layout: &network::afh2::LAYOUT,
        insides: &[
            ("key", Inside::Part("key")),
            ("traffic_class", Inside::Part("tc")),
            ("fid", Inside::Part("dst")),
            ("source_fid", Inside::Part("src")),
        ],
    },
    Part {
        name: "afh2c",
        layout: &network::afh2_compressed::LAYOUT,
        insides: &[
            ("key", Inside::Part("key")),
            ("traffic_class", Inside::Part("tc")),
            ("fid", Inside::Part("dst")),
            ("source_fid", Inside::Part("src")),
        ],
    },
    Part {
        name: "shim",
        layout: &network::shim::LAYOUT,
        insides: &[("traffic_class", Inside::Part("tc")), ("entropy", Inside::Part("entropy"))],
    },
    Part { name: "esun", layout: &esun::header::LAYOUT, insides: &[] },
    Part { name: "ipv4", layout: &network::ipv4::LAYOUT, insides: &[] },
    Part { name: "ipv6", layout: &network::ipv6::LAYOUT, insides: &[] },
    Part {
        name: "rh",
        layout: &reliability::header::LAYOUT,
        insides: &[("op", Inside::Values("operation"))],
    },
    Part {
        name: "cm",
        layout: &reliability::cm_record::LAYOUT,
        insides: &[("code", Inside::Values("cm_code"))],
    },
    Part {
        name: "command",
        layout: &command::header::LAYOUT,
        insides: &[("kind", Inside::Values("command_type"))],
    },
];

/// The parts of the program without tables, in their order.
const PROGRAM: &[&str] = &[
    include_str!("dissector/base.lua"),
    include_str!("dissector/pdu.lua"),
    include_str!("dissector/network.lua"),
    include_str!("dissector/frame.lua"),
];

/// The dissector as Lua.
#[must_use]
pub fn lua() -> String {
    let mut text = String::from(
        "-- Scale-Up Ethernet for Wireshark and tshark.\n-- Printed from `flitforge-protocol` by `cargo run --release -p \
         flitforge-protocol --example sue_reference`. Do not edit.\n-- Load it with `tshark -X lua_script:sue.lua -r \
         FILE`.\n\nlocal sue = Proto(\"sue\", \"Scale-Up Ethernet\")\n",
    );
    constants(&mut text);
    values(&mut text);
    text.push_str("\n-- Where the fields of each word are; `bit` counts from the first bit on the wire.\nlocal part = {}\n");
    PARTS.iter().for_each(|part| write_part(&mut text, part));
    for program in PROGRAM {
        text.push('\n');
        text.push_str(program);
    }
    text
}

fn constants(text: &mut String) {
    let rows: &[(&str, u64)] = &[
        ("ET_AFH1", network::AFH1_ETHERTYPE.into()),
        ("ET_SUE", network::SUE_ETHERTYPE.into()),
        ("ET_LITE", network::LITE_ETHERTYPE.into()),
        ("ET_ESUN", esun::ETHERTYPE.into()),
        ("UDP_PORT", network::UDP_PORT.into()),
        ("TAG_TPID", network::TAG_TPID),
        ("KEY_NORMAL", network::KEY_NORMAL),
        ("KEY_COMPRESSED", network::KEY_COMPRESSED),
        ("SOURCE_KEY", network::SOURCE_KEY),
        ("MAC_PREFIX", network::MAC_PREFIX),
        ("SHIM_VERSION", network::SHIM_VERSION),
        ("SHIM_WORDS", network::SHIM_WORDS),
        ("SHIM_NEXT_RH", network::SHIM_NEXT_RH),
        ("ESUN_REVISION", esun::REVISION),
        ("IPV4_VERSION", network::IPV4_VERSION),
        ("IPV4_IHL", network::IPV4_IHL),
        ("IPV6_VERSION", network::IPV6_VERSION),
        ("IPV6_BYTES", network::IPV6_BYTES as u64),
        ("RH_VERSION", reliability::VERSION),
        ("OP_CM", Operation::ConnectionManagement.code().into()),
        ("KIND_END", CommandType::End.code().into()),
        ("KIND_MESSAGE", CommandType::Message.code().into()),
        ("KIND_STROBES", CommandType::WriteStrobes.code().into()),
        ("UNIT_BYTES", command::UNIT_BYTES as u64),
        ("DATA_PER_STROBE_BYTE", command::DATA_PER_STROBE_BYTE as u64),
        ("CRC_BYTES", CRC_BYTES as u64),
        ("R_CRC_REFLECTED", r_crc::REFLECTED.into()),
        ("R_CRC_INITIAL", r_crc::INITIAL.into()),
        ("R_CRC_FINAL_XOR", r_crc::FINAL_XOR.into()),
        ("R_CRC_RESIDUE", r_crc::RESIDUE.into()),
        ("FCS_REFLECTED", fcs::REFLECTED.into()),
        ("FCS_INITIAL", fcs::INITIAL.into()),
        ("FCS_FINAL_XOR", fcs::FINAL_XOR.into()),
        ("FCS_RESIDUE", fcs::RESIDUE.into()),
        ("FCS_POISON_RESIDUE", fcs::POISON_RESIDUE.into()),
    ];
    text.push_str("\nlocal const = {\n");
    for (name, value) in rows {
        let _ = writeln!(text, "    {name} = 0x{value:X},");
    }
    text.push_str("}\n");
}

fn values(text: &mut String) {
    text.push_str("\n-- Codes and their names.\nlocal values = {}\n");
    value_strings(text, "operation", Operation::ALL.iter().map(|op| (op.code(), op.name().to_owned())));
    value_strings(text, "cm_code", CmCode::ALL.iter().map(|code| (code.code(), code.name().to_owned())));
    value_strings(
        text,
        "command_type",
        CommandType::ALL.iter().map(|kind| (kind.code(), kind.name().to_owned())),
    );
    let classes = ClassUse::ALL.iter().zip(class::DEFAULTS);
    value_strings(
        text,
        "dscp",
        classes.map(|(class, reset)| (reset.dscp, format!("class {} by reset", class.name()))),
    );
    let with_data = CommandType::ALL.iter().filter(|kind| kind.has_data());
    let codes: Vec<String> = with_data.map(|kind| format!("[0x{:X}] = true", kind.code())).collect();
    let _ = writeln!(
        text,
        "\n-- Types of commands with a data area.\nlocal has_data = {{ {} }}",
        codes.join(", ")
    );
}

fn value_strings(text: &mut String, table: &str, rows: impl Iterator<Item = (u8, String)>) {
    let _ = writeln!(text, "values.{table} = {{");
    for (code, name) in rows {
        let _ = writeln!(text, "    [0x{code:X}] = {},", quoted(&name));
    }
    text.push_str("}\n");
}

fn write_part(text: &mut String, part: &Part) {
    let octets = part.layout.width.div_ceil(8);
    let _ = writeln!(
        text,
        "part.{} = {{\n    name = {}, octets = {octets},",
        part.name,
        quoted(part.layout.name)
    );
    for field in part.layout.fields.iter().rev() {
        write_field(text, part, octets, field);
    }
    text.push_str("}\n");
}

fn write_field(text: &mut String, part: &Part, octets: usize, field: &Field) {
    let inside = part.insides.iter().find(|(name, _)| *name == field.name).map(|(_, inside)| *inside);
    let place = Place::of(field, octets);
    let base = if field.width == 1 { "base.DEC" } else { "base.DEC_HEX" };
    let values = match inside {
        Some(Inside::Values(table)) => format!("values.{table}"),
        Some(Inside::Part(_)) | None => "nil".to_owned(),
    };
    let inner = match inside {
        Some(Inside::Part(name)) => format!(", inner = part.{name}"),
        Some(Inside::Values(_)) | None => String::new(),
    };
    let mask = place.mask.map_or("nil".to_owned(), |mask| format!("0x{mask:X}"));
    let _ = writeln!(
        text,
        "    {{ name = {}, at = {}, octets = {}, bit = {}, bits = {}{inner},\n      field = ProtoField.{}({}, {}, {base}, {values}, \
         {mask}, {}) }},",
        quoted(field.name),
        place.first,
        place.octets,
        place.bit,
        field.width,
        place.kind,
        quoted(&format!("sue.{}.{}", part.name, field.name)),
        quoted(field.name),
        quoted(field.meaning),
    );
}

/// Where Wireshark finds a field: the octets that it touches, and its bits in them.
struct Place {
    first: usize,
    octets: usize,
    bit: usize,
    mask: Option<u128>,
    kind: &'static str,
}

impl Place {
    /// The place of a field of a word of so many octets, the most significant one first.
    fn of(field: &Field, word_octets: usize) -> Self {
        let bit = 8 * word_octets - field.low - field.width;
        let (first, end) = (bit / 8, (bit + field.width).div_ceil(8));
        let octets = end - first;
        let is_whole = field.width == 8 * octets;
        let low = field.low - 8 * (word_octets - end);
        let kind = match octets {
            1 => "uint8",
            2 => "uint16",
            3 => "uint24",
            4 => "uint32",
            _ => "uint64",
        };
        Place { first, octets, bit, mask: (!is_whole).then(|| u128::from(field.ones()) << low), kind }
    }
}

/// A string of Lua.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_dissector_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/sue.lua");
        let text = std::fs::read_to_string(path).expect("docs/reference/sue.lua");
        let regenerate = "cargo run --release -p flitforge-protocol --example sue_reference";
        assert!(text == lua(), "docs/reference/sue.lua is not current; regenerate it with: {regenerate}");
    }

    #[test]
    fn places_of_the_reliability_header_are_the_chapters() {
        let places = reliability::header::LAYOUT.fields.iter().rev().map(|field| {
            let place = Place::of(field, reliability::HEADER_BYTES);
            (field.name, place.first, place.octets, place.mask)
        });
        let expected = [
            ("ver", 0, 1, Some(0xC0)),
            ("op", 0, 1, Some(0x30)),
            ("reserved_high", 0, 1, Some(0x0C)),
            ("xpuid", 0, 2, Some(0x03FF)),
            ("npsn", 2, 2, None),
            ("vc", 4, 1, Some(0xC0)),
            ("reserved_low", 4, 1, Some(0x3C)),
            ("partition", 4, 2, Some(0x03FF)),
            ("apsn", 6, 2, None),
        ];
        assert!(places.eq(expected));
    }

    #[test]
    fn every_inside_is_there() {
        for part in PARTS {
            for (field, inside) in part.insides {
                let field = part.layout.field(field).expect("a field of the layout");
                if let Inside::Part(name) = inside {
                    let inner = PARTS.iter().find(|part| part.name == *name).expect("a part");
                    let place = Place::of(field, part.layout.width.div_ceil(8));
                    assert_eq!(inner.layout.width.div_ceil(8), place.octets, "{}.{}", part.name, field.name);
                    assert_eq!(inner.layout.width, field.width, "{}.{}", part.name, field.name);
                }
            }
        }
    }
}

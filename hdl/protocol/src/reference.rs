//! The link's reference page, printed from the tables of this crate.

use crate::bit_isolation;
use crate::crc::{self, Polynomial};
use crate::flit::{self, BadReason, Opcode, RetrainKind, SPC_SUBTYPES};
use crate::lane_word::{self, group_words, scrambler, sequence_states, ControlWordKind};
use crate::layout::Layout;
use crate::link::{self, LinkState};
use crate::link_registers;
use crate::ltp::{ltp_bits, ltp_words, CrcMode};
use crate::packet::{self, PacketType, Refusal};
use crate::switch;
use crate::switch_registers;
use std::fmt::Write;

/// The reference of the link's formats as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Link formats\n\nPrinted from `flitforge-protocol` by `cargo run --release -p flitforge-protocol --example \
         link_reference`. Do not edit.\n\nBit 0 is the least significant and is sent first. Bits in no field are reserved \
         and sent as zero.\n\n",
    );
    flits(&mut page);
    packets(&mut page);
    ltps(&mut page);
    lane_words(&mut page);
    states(&mut page);
    switches(&mut page);
    registers(&mut page);
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

pub(crate) fn layouts(page: &mut String, list: &[&Layout]) {
    list.iter().for_each(|layout| *page += &format!("{}\n", layout.markdown(3)));
}

/// A table of codes with their names and meanings.
pub(crate) fn codes<'a>(
    page: &mut String,
    title: &str,
    digits: usize,
    rows: impl Iterator<Item = (u8, &'a str, &'a str)>,
) {
    let _ = writeln!(page, "### {title}\n\n| code | name | meaning |\n|---|---|---|");
    for (code, name, meaning) in rows {
        let _ = writeln!(page, "| 0x{code:0digits$X} | {name} | {meaning} |");
    }
    page.push('\n');
}

fn flits(page: &mut String) {
    page.push_str("## Flits\n\n");
    layouts(page, &[&flit::body::LAYOUT, &flit::head::LAYOUT, &flit::tail::LAYOUT, &flit::control::LAYOUT]);
    codes(page, "Opcodes", 2, Opcode::ALL.iter().map(|op| (op.code(), op.name(), op.meaning())));
    let mut last = None;
    for opcode in Opcode::ALL {
        let payload = opcode.payload();
        if last != Some(payload) {
            layouts(page, &[payload]);
        }
        last = Some(payload);
    }
    codes(
        page,
        "Kinds of RetrainRetryReq",
        1,
        RetrainKind::ALL.iter().map(|k| (k.code(), k.name(), k.meaning())),
    );
    codes(
        page,
        "Reasons of bad packets",
        1,
        BadReason::ALL.iter().map(|r| (r.code(), r.name(), r.meaning())),
    );
    page.push_str("### SPC subtypes\n\n| subtype | use | chapters |\n|---|---|---|\n");
    for row in SPC_SUBTYPES {
        let span = match row.last - row.first {
            0 => format!("0x{:02X}", row.first),
            _ => format!("0x{:02X} to 0x{:02X}", row.first, row.last),
        };
        let _ = writeln!(page, "| {span} | {} | {} |", row.name, row.chapters);
    }
    page.push('\n');
    page.push_str("The data of the time flits is in [time.md](time.md).\n\n");
}

fn packets(page: &mut String) {
    page.push_str("## Packets\n\n");
    layouts(page, &[&packet::head::LAYOUT, &packet::tail::LAYOUT]);
    codes(page, "Packet types", 1, PacketType::ALL.iter().map(|p| (p.code(), p.name(), p.meaning())));
    layouts(page, &[&packet::request::LAYOUT, &packet::packet_end::LAYOUT]);
    layouts(page, &[&packet::lane_beat::LAYOUT, &packet::lane_flits::LAYOUT]);
    codes(page, "Refused packets", 1, Refusal::ALL.iter().map(|r| (r.code(), r.name(), r.meaning())));
    let _ = writeln!(
        page,
        "Packet CRC: {} bits, polynomial 0x{:08X}, reflected, start 0x{:08X}, final XOR 0x{:08X}, \
         `123456789` gives 0x{:08X}.\n",
        crc::packet::WIDTH,
        crc::packet::POLYNOMIAL,
        crc::packet::INITIAL,
        crc::packet::FINAL_XOR,
        crc::packet::CHECK
    );
}

fn hex(polynomials: &[Polynomial]) -> String {
    polynomials
        .iter()
        .map(|polynomial| format!("0x{:X}", polynomial.coefficients()))
        .collect::<Vec<_>>()
        .join(", ")
}

fn ltps(page: &mut String) {
    page.push_str(
        "## LTPs\n\n| mode | name | bits | words | polynomials | meaning |\n|---|---|---|---|---|---|\n",
    );
    for &mode in CrcMode::ALL {
        let polynomials = match mode {
            CrcMode::PerLane => {
                format!("{} (four lanes), {} (three)", hex(mode.polynomials(4)), hex(mode.polynomials(3)))
            }
            _ => hex(mode.polynomials(4)),
        };
        let (bits, words) = (ltp_bits(mode), ltp_words(mode));
        let (code, name, meaning) = (mode.code(), mode.name(), mode.meaning());
        let _ = writeln!(page, "| {code} | {name} | {bits} | {words} | {polynomials} | {meaning} |");
    }
    let _ =
        writeln!(page, "\nLane isolation: 0x{:X}, never transmitted.\n", crc::LANE_ISOLATION.coefficients());
    layouts(page, &[&bit_isolation::bit_report::LAYOUT, &bit_isolation::bit_mask::LAYOUT]);
    layouts(page, &[&link::sideband_message::LAYOUT]);
}

fn lane_words(page: &mut String) {
    page.push_str("## Lane words\n\n### Sequence state\n\n| lanes | words of an LTP | words of each group | states |\n|---|---|---|---|\n");
    for lanes in (1..=lane_word::MAX_LANES).rev() {
        for words in [ltp_words(CrcMode::Standard), ltp_words(CrcMode::PerLane)] {
            let groups: Vec<String> =
                (0..lanes).map(|group| group_words(words, lanes, group).to_string()).collect();
            let states = sequence_states(words, lanes);
            let _ = writeln!(page, "| {lanes} | {words} | {} | {states} |", groups.join("/"));
        }
    }
    let taps = scrambler::TAPS.map(|tap| tap.to_string()).join(", ");
    let seeds = scrambler::SEEDS.map(|seed| format!("0x{seed:06X}")).join(", ");
    let _ = writeln!(
        page,
        "\nScrambler: {} bits, output bit {}, taps {taps}, seeds of lanes 0 to 3: {seeds}.\n\nALN row after every {} \
         data rows.\n",
        scrambler::WIDTH,
        scrambler::OUTPUT_BIT,
        lane_word::ALN_INTERVAL_ROWS
    );
    let kinds = ControlWordKind::ALL.iter().map(|kind| (kind.code(), kind.name(), kind.meaning()));
    codes(page, "Kinds of control words", 2, kinds);
    layouts(
        page,
        &[
            &lane_word::lane_word::LAYOUT,
            &lane_word::sds::LAYOUT,
            &lane_word::aln::LAYOUT,
            &lane_word::training_set_0::LAYOUT,
            &lane_word::training_set_1::LAYOUT,
            &lane_word::training_set_2::LAYOUT,
            &lane_word::training_set_3::LAYOUT,
            &lane_word::training_set_4::LAYOUT,
            &lane_word::training_set_5::LAYOUT,
            &lane_word::training_set_6::LAYOUT,
            &lane_word::training_set_7::LAYOUT,
        ],
    );
}

fn states(page: &mut String) {
    page.push_str("## Link\n\n");
    codes(
        page,
        "States",
        1,
        LinkState::ALL.iter().map(|state| (state.code(), state.name(), state.meaning())),
    );
}

fn switches(page: &mut String) {
    page.push_str("## Switch\n\n");
    layouts(page, &[&switch::route_entry::LAYOUT]);
    page.push_str(
        "## Registers of a switch\n\nByte offsets in the page of a switch, which stands behind those of its ports. An unknown offset \
         reads 0. For C: [flitforge_switch.h](flitforge_switch.h).\n\n",
    );
    *page += &switch_registers::PAGE.markdown();
    page.push('\n');
}

fn registers(page: &mut String) {
    page.push_str(
        "## Registers\n\nByte offsets in the page of a port; the pages of several ports follow each other. An unknown offset \
         reads 0. For C: [flitforge_link.h](flitforge_link.h).\n\n",
    );
    *page += &link_registers::PAGE.markdown();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/link.md");
        let page = std::fs::read_to_string(path).expect("docs/reference/link.md");
        let regenerate = "cargo run --release -p flitforge-protocol --example link_reference";
        assert!(
            page == markdown(),
            "docs/reference/link.md is not current; regenerate it with: {regenerate}"
        );
    }

    #[test]
    fn every_opcode_and_field_is_on_the_page() {
        let page = markdown();
        for opcode in Opcode::ALL {
            assert!(page.contains(&format!("| 0x{:02X} | {} |", opcode.code(), opcode.name())));
            let payload = opcode.payload();
            assert_eq!(page.matches(&format!("### {}\n", payload.name)).count(), 1, "{}", payload.name);
            for field in payload.fields {
                assert!(page.contains(&format!("| {} | `{}` |", field.span(), field.name)), "{}", field.name);
            }
        }
    }
}

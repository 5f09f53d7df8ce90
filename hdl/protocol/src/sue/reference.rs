//! The reference page of Scale-Up Ethernet, printed from the tables of this crate.

use super::axi::{self, AxiResponse};
use super::class::{self, ClassUse};
use super::command::{self, CommandType};
use super::crc::{fcs, r_crc};
use super::esun::{self, EsunPayload};
use super::link_control::{self, OrderedSetType};
use super::lldp;
use super::network::{self, HeaderFormat};
use super::reliability::{self, CmCode, Operation};
use super::Profile;
use crate::field_range::FieldRange;
use crate::layout::Layout;
use crate::reference::{codes, layouts};
use crate::register::Page;
use crate::sue_port_registers;
use crate::sue_registers::{self, Event, Sizes, Table};
use crate::sue_traffic_registers;
use std::fmt::Write;

const COMMAND_LAYOUTS: &[&Layout] =
    &[&command::header::LAYOUT, &command::kind::LAYOUT, &command::type_config::LAYOUT];
const AXI_LAYOUTS: &[&Layout] =
    &[&axi::request::LAYOUT, &axi::write_response::LAYOUT, &axi::read_response::LAYOUT, &axi::user::LAYOUT];
const RELIABILITY_LAYOUTS: &[&Layout] = &[&reliability::header::LAYOUT, &reliability::cm_record::LAYOUT];
const NETWORK_LAYOUTS: &[&Layout] = &[
    &network::fid::LAYOUT,
    &network::mac::LAYOUT,
    &network::entropy::LAYOUT,
    &network::entropy_fold::LAYOUT,
    &network::addresses::LAYOUT,
    &network::tag::LAYOUT,
    &network::ethertype::LAYOUT,
    &network::ipv4::LAYOUT,
    &network::ipv4_addresses::LAYOUT,
    &network::ipv6::LAYOUT,
    &network::ipv6_address::LAYOUT,
    &network::udp::LAYOUT,
    &network::udp_source::LAYOUT,
    &network::shim::LAYOUT,
    &network::afh_key::LAYOUT,
    &network::afh2::LAYOUT,
    &network::afh2_compressed::LAYOUT,
    &esun::header::LAYOUT,
];
const CLASS_LAYOUTS: &[&Layout] = &[&class::class::LAYOUT, &class::traffic_class::LAYOUT];
const LINK_LAYOUTS: &[&Layout] = &[
    &link_control::ordered_set::LAYOUT,
    &link_control::llr_answer::LAYOUT,
    &link_control::llr_init::LAYOUT,
    &link_control::init_data::LAYOUT,
    &link_control::cf_update::LAYOUT,
    &link_control::llr_preamble::LAYOUT,
    &link_control::llr_sequence::LAYOUT,
    &link_control::mac_control::LAYOUT,
    &link_control::organisation::LAYOUT,
    &link_control::cc_entry::LAYOUT,
    &link_control::pfc_classes::LAYOUT,
    &link_control::pfc_timer::LAYOUT,
    &lldp::tlv::LAYOUT,
    &lldp::specific::LAYOUT,
    &lldp::link_options::LAYOUT,
    &lldp::link_credits::LAYOUT,
];

/// The reference of Scale-Up Ethernet as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Scale-Up Ethernet formats\n\nPrinted from `flitforge-protocol` by `cargo run --release -p flitforge-protocol \
         --example sue_reference`. Do not edit.\n\nWords are sent most significant octet first; bit 0 is the least \
         significant bit of the last octet. Bits in no field are reserved and sent as zero.\n\n",
    );
    commands(&mut page);
    axi(&mut page);
    reliability_header(&mut page);
    networks(&mut page);
    classes(&mut page);
    control(&mut page);
    registers(&mut page);
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn commands(page: &mut String) {
    page.push_str("## Commands\n\n");
    layouts(page, COMMAND_LAYOUTS);
    codes(page, "Types", 1, CommandType::ALL.iter().map(|kind| (kind.code(), kind.name(), kind.meaning())));
}

fn axi(page: &mut String) {
    page.push_str("## AXI4 over commands\n\n");
    layouts(page, AXI_LAYOUTS);
    codes(
        page,
        "Responses",
        1,
        AxiResponse::ALL.iter().map(|resp| (resp.code(), resp.name(), resp.meaning())),
    );
}

fn reliability_header(page: &mut String) {
    page.push_str("## Reliability\n\nA PDU is reliability header, body and R-CRC.\n\n");
    layouts(page, RELIABILITY_LAYOUTS);
    codes(page, "Operations", 1, Operation::ALL.iter().map(|op| (op.code(), op.name(), op.meaning())));
    codes(
        page,
        "Codes of CM records",
        1,
        CmCode::ALL.iter().map(|code| (code.code(), code.name(), code.meaning())),
    );
    page.push_str("### CRCs\n\n| CRC | polynomial | reflected | start, final XOR | `123456789` gives | residue |\n|---|---|---|---|---|---|\n");
    let rows = [
        ("R-CRC", r_crc::POLYNOMIAL, r_crc::REFLECTED, r_crc::INITIAL, r_crc::CHECK, r_crc::RESIDUE),
        ("FCS", fcs::POLYNOMIAL, fcs::REFLECTED, fcs::INITIAL, fcs::CHECK, fcs::RESIDUE),
    ];
    for (name, polynomial, reflected, initial, check, residue) in rows {
        let _ = writeln!(
            page,
            "| {name} | 0x{polynomial:08X} | 0x{reflected:08X} | 0x{initial:08X} | 0x{check:08X} | 0x{residue:08X} |"
        );
    }
    let _ = writeln!(
        page,
        "\nBoth are sent least significant octet first. The residue is the register before the final XOR, after data and \
         CRC; after an inverted FCS it is 0x{:08X}.\n",
        fcs::POISON_RESIDUE
    );
}

fn networks(page: &mut String) {
    page.push_str("## Network headers\n\n");
    codes(page, "Formats", 1, HeaderFormat::ALL.iter().map(|f| (f.code(), f.name(), f.meaning())));
    layouts(page, NETWORK_LAYOUTS);
    codes(
        page,
        "Behind an ESUN header",
        1,
        EsunPayload::ALL.iter().map(|p| (p.code(), p.name(), p.meaning())),
    );
    page.push_str("### Ethertypes\n\n| register | reset |\n|---|---|\n");
    for (name, value) in [
        ("ET_AFH1", network::AFH1_ETHERTYPE),
        ("ET_SUE", network::SUE_ETHERTYPE),
        ("ET_LITE", network::LITE_ETHERTYPE),
        ("ET_EVT", network::EVENT_ETHERTYPE),
        ("ET_ESUN", esun::ETHERTYPE),
    ] {
        let _ = writeln!(page, "| `{name}` | 0x{value:04X} |");
    }
    page.push('\n');
}

fn classes(page: &mut String) {
    page.push_str("## Classes\n\n| class | name | lossless | PCP | DSCP | CBFC VC | carries |\n|---|---|---|---|---|---|---|\n");
    for (class, reset) in ClassUse::ALL.iter().zip(class::DEFAULTS) {
        let (code, name, meaning) = (class.code(), class.name(), class.meaning());
        let (lossless, pcp, dscp, vc) = (reset.loss.code(), reset.pcp, reset.dscp, reset.cbfc_vc);
        let _ = writeln!(page, "| {code} | {name} | {lossless} | {pcp} | {dscp} | {vc} | {meaning} |");
    }
    page.push('\n');
    layouts(page, CLASS_LAYOUTS);
}

fn control(page: &mut String) {
    page.push_str("## Link control\n\n");
    codes(
        page,
        "Types of ordered sets",
        2,
        OrderedSetType::ALL.iter().map(|t| (t.code(), t.name(), t.meaning())),
    );
    layouts(page, LINK_LAYOUTS);
    page.push_str("### Profiles\n\n| code | name | reset of PKT_OVHD | meaning |\n|---|---|---|---|\n");
    for profile in Profile::ALL {
        let (code, name, meaning) = (profile.code(), profile.name(), profile.meaning());
        let _ = writeln!(page, "| {code} | {name} | {} | {meaning} |", profile.packet_overhead());
    }
}

fn registers(page: &mut String) {
    page.push_str(
        "\n## Registers of an instance\n\nByte offsets; the pages of its ports follow. An unknown offset reads 0. A write that is refused leaves the \
         register as it is and raises CFG_BAD: below what fields may hold. For C: [flitforge_sue.h](flitforge_sue.h).\n\n",
    );
    *page += &sue_registers::PAGE.markdown();
    let sizes = Sizes { ports: 1, slots: 32, slot_bytes: 2048, cells: 1024, lite: false };
    ranges(
        page,
        "with one port, 32 slots of 2048 octets and 1024 cells",
        sue_registers::PAGE,
        &sizes.ranges(),
    );
    codes(page, "Tables", 1, Table::ALL.iter().map(|table| (table.code(), table.name(), table.meaning())));
    codes(page, "Events", 2, Event::ALL.iter().map(|event| (event.code(), event.name(), event.meaning())));
    let _ = writeln!(
        page,
        "## Registers of a port\n\nByte offsets in the page of port p, which begins at 0x{:X} + p 0x{:X}. For C: \
         [flitforge_sue_port.h](flitforge_sue_port.h).\n",
        sue_registers::PAGE_BYTES,
        sue_port_registers::PAGE_BYTES
    );
    *page += &sue_port_registers::PAGE.markdown();
    ranges(
        page,
        "PKT_OVHD signed, XON at most XOFF",
        sue_port_registers::PAGE,
        &sue_port_registers::ranges(),
    );
    *page += "## Registers of test traffic\n\nOf each end of the node `sue-pair`. For C: [flitforge_sue_traffic.h](flitforge_sue_traffic.h).\n\n";
    *page += &sue_traffic_registers::PAGE.markdown();
}

/// What fields may hold.
fn ranges(page: &mut String, remark: &str, of: Page, ranges: &[FieldRange]) {
    let _ = writeln!(page, "\n### What may be written\n\nOther fields may hold anything; {remark}.\n\n| register | field | least | most |\n|---|---|---|---|");
    for range in ranges {
        let name = of.register_at(range.offset).map_or("", |(register, _)| register.name);
        let most = if range.most == u64::MAX { String::new() } else { range.most.to_string() };
        let _ = writeln!(page, "| `{name}` | `{}` | {} | {most} |", range.field, range.least);
    }
    page.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/sue.md");
        let page = std::fs::read_to_string(path).expect("docs/reference/sue.md");
        let regenerate = "cargo run --release -p flitforge-protocol --example sue_reference";
        assert!(page == markdown(), "docs/reference/sue.md is not current; regenerate it with: {regenerate}");
    }

    #[test]
    fn every_layout_fills_whole_octets_or_is_part_of_another() {
        let parts = ["Command type", "Entropy", "Folded entropy", "Class"];
        let all =
            [COMMAND_LAYOUTS, RELIABILITY_LAYOUTS, NETWORK_LAYOUTS, CLASS_LAYOUTS, LINK_LAYOUTS].concat();
        for layout in all {
            assert!(layout.width % 8 == 0 || parts.contains(&layout.name), "{}", layout.name);
        }
    }
}

//! The reference page of fabric time, printed from the tables of this crate.

use crate::flit::{control, spc, Opcode, SpcSubtype};
use crate::reference::{codes, layouts};
use crate::time::{self, PhaseSource, Quality};
use crate::time_registers::PAGE;
use crate::time_ring::{self, Embed, SlotKind};
use crate::time_servo::{self, ServoState};
use std::fmt::Write;

/// The reference of fabric time as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# Fabric time formats\n\nPrinted from `flitforge-protocol` by `cargo run --release -p flitforge-protocol \
         --example time_reference`. Do not edit.\n\nBit 0 is the least significant. Bits in no field are reserved and \
         sent as zero. The rules are in [chapter 20](../design/20-time.md).\n\n",
    );
    flits(&mut page);
    slots(&mut page);
    counters_and_servo(&mut page);
    registers(&mut page);
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn flits(page: &mut String) {
    let _ = writeln!(
        page,
        "## Time flits\n\nA time flit is an SPC flit: type 0, opcode 0x{:02X} in bits {}:{}, subtype in bits {}:{}, data below.\n",
        Opcode::Spc.code(),
        control::opcode::FIELD.high(),
        control::opcode::LOW,
        spc::subtype::FIELD.high(),
        spc::subtype::LOW
    );
    let subtypes = SpcSubtype::ALL.iter().filter(|subtype| subtype.is_time());
    codes(page, "Subtypes", 2, subtypes.map(|s| (s.code(), s.name(), s.meaning())));
    layouts(
        page,
        &[
            &time::master_time_low::LAYOUT,
            &time::master_time_high::LAYOUT,
            &time::delay_req::LAYOUT,
            &time::delay_resp::LAYOUT,
        ],
    );
    codes(page, "Quality", 1, Quality::ALL.iter().map(|q| (q.code(), q.name(), q.meaning())));
    codes(page, "PHASE_SRC", 1, PhaseSource::ALL.iter().map(|p| (p.code(), p.name(), p.meaning())));
}

fn slots(page: &mut String) {
    page.push_str(
        "## Ring slots\n\n| EMBED | name | data bits W | slot bits | carries |\n|---|---|---|---|---|\n",
    );
    for embed in Embed::ALL {
        let (code, name, meaning) = (embed.code(), embed.name(), embed.meaning());
        let _ =
            writeln!(page, "| {code} | {name} | {} | {} | {meaning} |", embed.data_bits(), embed.slot_bits());
    }
    page.push_str("\nThe control bits stand above the data, bit 0 of the table at bit W of the slot.\n\n");
    layouts(
        page,
        &[
            &time_ring::slot_control::LAYOUT,
            &time_ring::value_low::LAYOUT,
            &time_ring::value_high::LAYOUT,
            &time_ring::token::LAYOUT,
        ],
    );
    codes(page, "Kinds of slots", 1, SlotKind::ALL.iter().map(|k| (k.code(), k.name(), k.meaning())));
}

fn counters_and_servo(page: &mut String) {
    page.push_str("## Counters and servo\n\n| word | bits | unit |\n|---|---|---|\n");
    let rows = [
        ("LocalTime, SyncTime", time_servo::TIME_BITS + time_servo::INC_FRAC, "2^-32 ns".to_owned()),
        ("INC_NOM, INC_EFF, SLEW_P", time_servo::INC_BITS, "2^-32 ns per core clock".to_owned()),
        ("F_ACC", time_servo::F_ACC_BITS, format!("2^-{} ns per core clock", time_servo::F_ACC_FRAC)),
        ("WPER, RPER", time_servo::PERIOD_BITS, format!("2^-{} ns", time_servo::PERIOD_FRAC)),
        ("SYNC_EPOCH", time_servo::SYNC_EPOCH_BITS, "steps".to_owned()),
        ("phase error", time_servo::ERROR_BITS, "1/256 ns, signed".to_owned()),
        ("lag", time::LAG_BITS, "1/256 ns, signed".to_owned()),
        ("time of a Low with its fraction", time::VALUE_BITS, "1/16 ns".to_owned()),
    ];
    for (word, bits, unit) in rows {
        let _ = writeln!(page, "| {word} | {bits} | {unit} |");
    }
    page.push('\n');
    codes(page, "Servo states", 1, ServoState::ALL.iter().map(|s| (s.code(), s.name(), s.meaning())));
}

fn registers(page: &mut String) {
    page.push_str(
        "## Registers\n\nByte offsets in the page. Registers from 0x400 belong to tree 0, those of tree t are 0x80 t \
         higher; registers from 0x600 belong to the port chosen by `PORT_SEL`. For C: \
         [flitforge_time.h](flitforge_time.h).\n\n",
    );
    *page += &PAGE.markdown();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/time.md");
        let page = std::fs::read_to_string(path).expect("docs/reference/time.md");
        let regenerate = "cargo run --release -p flitforge-protocol --example time_reference";
        assert!(
            page == markdown(),
            "docs/reference/time.md is not current; regenerate it with: {regenerate}"
        );
    }

    #[test]
    fn every_register_and_field_is_on_the_page() {
        let page = markdown();
        for register in PAGE.registers {
            assert!(page.contains(&format!("| 0x{:03X} | `{}` |", register.offset, register.name)));
            for field in register.layout.fields {
                assert!(page.contains(&format!("| {} | `{}` |", field.span(), field.name)), "{}", field.name);
            }
        }
    }
}

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::flit_codec::{FlitCodec, FlitCodec1, FlitCodec2};
use flitforge_testkit::{Clocked, StockBlock};

/// Kinds of a flit, read from the chapter's tables: carried, illegal, link transfer, special, time.
fn kinds(top: u64, opcode: u64, subtype: u64) -> [bool; 5] {
    if top != 0 {
        return [true, false, false, false, false];
    }
    let carried = [0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A].contains(&opcode);
    let transfer = (0x22..=0x28).contains(&opcode);
    let special = opcode == 6;
    [carried, !carried && opcode != 0, transfer, special, special && (1..=4).contains(&subtype)]
}

fn every_control_byte<B: DriveBlock>(mut bench: StockBlock<B>, f: u32) {
    for slot in 0..f {
        for (top, opcode) in (0..8).flat_map(|top| (0..64).map(move |opcode| (top, opcode))) {
            for subtype in [0, 1, 4, 5, 0x10, 0x81, 0xFF] {
                let mut beat = Value::zero(65 * f);
                let flit = u128::from(top) << 62 | u128::from(opcode) << 56 | u128::from(subtype) << 48 | 1;
                (0..65).for_each(|bit| beat.set_bit(65 * slot + bit, flit >> bit & 1 == 1));
                bench.set_value("beat", &beat);
                let names = ["carried", "illegal", "link_transfer", "special", "time_flits"];
                for (name, expected) in names.iter().zip(kinds(top, opcode, subtype)) {
                    let mask = u64::from(expected) << slot;
                    assert_eq!(
                        bench.get(name),
                        mask,
                        "{name}: {top} {opcode:#x} {subtype:#x} in slot {slot}"
                    );
                }
            }
        }
    }
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    assert_eq!(FlitCodec::<3, 195>::new().err().unwrap().parameter, "flits");
    assert_eq!(FlitCodec::<2, 131>::new().err().unwrap().parameter, "flits_bits");
}

#[test]
fn every_flit_has_the_kinds_of_the_tables() {
    every_control_byte(StockBlock::new(FlitCodec1::new().unwrap()), 1);
    every_control_byte(StockBlock::new(FlitCodec2::new().unwrap()), 2);
}

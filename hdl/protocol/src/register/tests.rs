use super::*;
use crate::{link_registers as link, switch_registers as switch, time_registers as time};
use std::collections::{BTreeMap, BTreeSet};

const PAGES: [(Page, &str); 3] = [
    (link::PAGE, "cargo run --release -p flitforge-protocol --example link_reference"),
    (switch::PAGE, "cargo run --release -p flitforge-protocol --example link_reference"),
    (time::PAGE, "cargo run --release -p flitforge-protocol --example time_reference"),
];

#[test]
fn offsets_are_in_the_page_aligned_and_taken_once() {
    for (page, _) in PAGES {
        let all: Vec<u32> = page.offsets().collect();
        assert!(all.iter().all(|offset| offset % BYTES == 0 && *offset < page.bytes), "{}", page.name);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{}", page.name);
    }
}

#[test]
fn exceptions_name_fields_and_resets_lie_in_fields() {
    for register in PAGES.iter().flat_map(|(page, _)| page.registers) {
        for (name, access) in register.exceptions {
            assert!(register.layout.field(name).is_some(), "{}: no field {name}", register.name);
            assert_ne!(*access, register.access, "{}: {name} is no exception", register.name);
        }
        if let Reset::Value(reset) = register.reset {
            assert_eq!(u128::from(reset) & register.layout.reserved(), 0, "{}", register.name);
        }
    }
}

/// Chapter 10, section 5, written down again: offset, access of most fields, reset.
#[test]
fn the_link_page_is_that_of_the_chapter() {
    for (offset, name, access, reset) in [
        (0x000, "ID", Access::Read, 0x1_464C_4E4B),
        (0x010, "CTRL", Access::ReadWrite, 0),
        (0x020, "LANES", Access::Read, 0x0F00_0000),
        (0x028, "CRC_CFG", Access::ReadWriteDown, 0xF),
        (0x030, "RETRY_CFG", Access::ReadWrite, 0x08_1020),
        (0x038, "DEGRADE", Access::ReadWrite, 0x91),
        (0x060, "CREDIT", Access::ReadWriteDown, 0x4003),
        (0x068, "CU", Access::ReadWriteDown, 0x4020_1008_0402_0100),
        (0x070, "EVENT", Access::WriteOneClears, 0),
        (0x098, "VL_EN", Access::ReadWrite, 0x10_0004_FFFF_0000),
        (0x0A0, "BOND_SKEW", Access::Read, 0),
        (0x318, "LANE", Access::Counter, 0),
        (0x3F8, "CRED", Access::Read, 0),
    ] {
        let (register, _) = link::PAGE.register_at(offset).expect(name);
        assert_eq!((register.name, register.access, register.reset), (name, access, Reset::Value(reset)));
    }
    for (offset, name) in
        [(0x100, "TX_LTP"), (0x1A0, "MULTI_LANE"), (0x1C0, "CRC48_1BAD"), (0x230, "TIME_DROPPED")]
    {
        assert_eq!(link::COUNTERS.offset_of(name), Some(offset));
        assert_eq!(
            link::PAGE.counter_at(offset).map(|(group, i)| (group.names[i], group.bits)),
            Some((name, 48))
        );
    }
    assert!(link::PAGE.register_at(0x0A8).is_none() && link::PAGE.counter_at(0x238).is_none());
}

/// Chapter 10, section 5, the switch page, written down again.
#[test]
fn the_switch_page_is_that_of_the_chapter() {
    for (offset, name, access, reset) in [
        (0x000, "ID", Access::Read, Reset::Value(0x464C_5357)),
        (0x008, "CAP", Access::Read, Reset::Build),
        (0x010, "LIFE", Access::ReadWrite, Reset::Value(1 << 20)),
        (0x018, "ROUTE_IDX", Access::ReadWrite, Reset::Value(0)),
        (0x020, "ROUTE_DATA", Access::ReadWrite, Reset::Value(0)),
        (0x028, "ADAPT", Access::ReadWrite, Reset::Value(0)),
        (0x040 + 8 * 16, "NO_ROUTE", Access::Counter, Reset::Value(0)),
        (0x0C8, "LIFE_DROP", Access::Counter, Reset::Value(0)),
        (0x0C8 + 8 * 16, "LIFE_DROP", Access::Counter, Reset::Value(0)),
        (0x150, "ALT_TAKEN", Access::Counter, Reset::Value(0)),
        (0x158, "FECN_SET", Access::Counter, Reset::Value(0)),
    ] {
        let (register, _) = switch::PAGE.register_at(offset).expect(name);
        assert_eq!((register.name, register.access, register.reset), (name, access, reset));
    }
}

/// The rows of a register table: offset and name are given with the first field only.
fn fields_of_reference(page: &Page) -> BTreeSet<(String, String, String)> {
    let (mut name, mut found) = (String::new(), BTreeSet::new());
    for line in page.markdown().lines().take_while(|line| !line.starts_with("### ")) {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        if let ["", _, register, access, _, span, field, ..] = cells[..] {
            if !register.is_empty() {
                name = register.to_owned();
            }
            found.insert((format!("{name}.{field}"), span.to_owned(), access.to_owned()));
        }
    }
    found.retain(|(_, span, _)| span.starts_with('['));
    found
}

fn defines(page: &Page, command: &str) -> BTreeMap<String, String> {
    let header = page.c_header(command);
    let define = |line: &str| {
        let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
        Some((name.to_owned(), value.split(" /*").next()?.to_owned()))
    };
    header.lines().filter_map(define).collect()
}

fn number(text: &str) -> u64 {
    let text = text.trim_start_matches("UINT64_C(").trim_end_matches(')').trim_end_matches('u');
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).expect("hex"),
        None => text.parse().expect("decimal"),
    }
}

/// The Markdown reference and the C header say what the description says, no more and no less.
#[test]
fn reference_and_header_say_what_the_description_says() {
    for (page, command) in PAGES {
        let prefix = format!("FLITFORGE_{}", page.name.to_uppercase());
        let (mut rows, mut defines) = (fields_of_reference(&page), defines(&page, command));
        let mut take = |name: String| defines.remove(&name).unwrap_or_else(|| panic!("no #define {name}"));
        for register in page.registers {
            let name = format!("{prefix}_{}", register.name);
            match register.count {
                1 => assert_eq!(number(&take(name.clone())), u64::from(register.offset), "{name}"),
                count => {
                    let expected = format!("(0x{:03X}u + 8u * (i))", register.offset);
                    assert_eq!(take(format!("{name}(i)")), expected);
                    assert_eq!(number(&take(format!("{name}_COUNT"))), u64::from(count));
                }
            }
            if let Reset::Value(reset) = register.reset {
                assert_eq!(number(&take(format!("{name}_RESET"))), reset, "{name}");
            }
            for field in register.layout.fields {
                let in_c = format!("{name}_{}", field.name.to_uppercase());
                assert_eq!(number(&take(format!("{in_c}_LOW"))), field.low as u64, "{in_c}");
                assert_eq!(number(&take(format!("{in_c}_WIDTH"))), field.width as u64, "{in_c}");
                assert_eq!(number(&take(format!("{in_c}_MASK"))), field.mask() as u64, "{in_c}");
                let access = register.access_of(field).name().to_owned();
                let row = (format!("{}.{}", register.name, field.name), field.span(), access);
                assert!(rows.remove(&row), "no row {row:?}");
            }
        }
        for group in page.counters {
            for name in group.names {
                let offset = group.offset_of(name).expect("a counter");
                assert_eq!(number(&take(format!("{prefix}_COUNT_{name}"))), u64::from(offset));
                assert!(page.markdown().contains(&format!("| 0x{offset:03X} | `{name}` | {} |", group.bits)));
            }
        }
        assert_eq!(number(&take(format!("{prefix}_PAGE_BYTES"))), u64::from(page.bytes));
        assert_eq!(number(&take(format!("{prefix}_REGISTER_BYTES"))), u64::from(BYTES));
        assert!(rows.is_empty() && defines.is_empty(), "left over: {rows:?} {defines:?}");
    }
}

#[test]
fn the_checked_in_headers_are_current() {
    for (page, command) in PAGES {
        let path = format!("{}/../../docs/reference/flitforge_{}.h", env!("CARGO_MANIFEST_DIR"), page.name);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(text == page.c_header(command), "{path} is not current; regenerate it with: {command}");
    }
}

/// A page that is memory.
#[derive(Default)]
struct Memory(BTreeMap<(DeviceId, u32), u64>);

impl RegisterAccess for Memory {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        Ok(self.0.get(&(device, offset)).copied().unwrap_or(0))
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.0.insert((device, offset), value);
        Ok(())
    }

    fn wait_us(&mut self, _: u64) {}
}

#[test]
fn accessors_refuse_values_and_numbers_that_do_not_fit() {
    let mut memory = Memory::default();
    let mut page = PageAccess::new(&mut memory, 3, 0x400);
    let error =
        page.write(link::degrade::Value { threshold: 8, ..Default::default() }).expect_err("three bits");
    assert_eq!((error.device, error.offset), (3, 0x438));
    assert!(page.read_at::<link::lane::Value>(4).is_err(), "four lanes");
    assert!(memory.0.is_empty(), "nothing was written");
}

#[test]
fn accessors_read_and_write_fields_in_their_places() {
    let mut memory = Memory::default();
    let mut page = PageAccess::new(&mut memory, 3, 0x400);
    let value = link::degrade::Value { enable: 1, min_lanes: 2, threshold: 5, stand_out: 3, safe: 6 };
    page.write(value).expect("fits");
    assert_eq!(page.read::<link::degrade::Value>(), Ok(value));
    page.modify(|degrade: &mut link::degrade::Value| degrade.threshold = 1).expect("fits");
    page.clear_counter(link::LANE + 8).expect("reached");
    assert_eq!(page.counter(link::COUNTERS.offset), Ok(0));
    assert_eq!(memory.0[&(3, 0x438)], 1 | 2 << 1 | 1 << 3 | 3 << 6 | 6 << 8);
    memory.0.insert((3, 0x400 + 0x308), 7 << 40 | 3 << 32 | 9);
    let lane = PageAccess::new(&mut memory, 3, 0x400).read_at::<link::lane::Value>(1).expect("lane 1");
    assert_eq!((lane.errors, lane.debt, lane.code_errors), (9, 3, 7));
}

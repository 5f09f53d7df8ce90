//! Every field of every page, and descriptions that are wrong in one place, which must be found.

use super::every_field::{check, Pages};
use super::panel;
use flitforge_hdl::registers::{PageField, PortUse};
use std::collections::BTreeSet;
use std::sync::LazyLock;

fn all() -> Vec<Pages> {
    vec![panel::pages(), switch(), time(), link()]
}

fn switch() -> Pages {
    use flitforge_hdl::fabric::switch::SwitchRegisters;
    use flitforge_hdl::registers::Described;
    Pages::new(flitforge_protocol::switch_registers::PAGE).page::<SwitchRegisters>(0, &Described, |built| {
        Box::new(SwitchRegisters::new(built).expect("a page"))
    })
}

fn link() -> Pages {
    use flitforge_hdl::link::regs::{LinkRegisters, LinkRegsConfig};
    static PORT: LazyLock<LinkRegsConfig> =
        LazyLock::new(|| LinkRegsConfig { guid: 0x1122_3344_5566_7788, ..LinkRegsConfig::default() });
    Pages::new(flitforge_protocol::link_registers::PAGE)
        .page::<LinkRegisters>(0, &*PORT, |built| Box::new(LinkRegisters::new(built).expect("a page")))
}

fn time() -> Pages {
    use flitforge_hdl::time::page::{
        TimePageConfig, TimePortPage, TimeRegisters, TimeRingPage, TimeTreePage, WindowBuild,
    };
    use flitforge_protocol::time_registers::{PAGE, PORT, RING_CFG, TREE};
    const BUILT: WindowBuild = WindowBuild { rper: 0x123_4567, own_stop: 9, started: None };
    static DEVICE: LazyLock<TimePageConfig> =
        LazyLock::new(|| TimePageConfig { trees: 3, ..TimePageConfig::default() });
    Pages::new(PAGE)
        .page::<TimeRegisters>(0, &*DEVICE, |built| Box::new(TimeRegisters::new(built).expect("a page")))
        .page::<TimeTreePage>(TREE, &BUILT, |built| Box::new(TimeTreePage::new(built).expect("a page")))
        .page::<TimePortPage>(PORT, &BUILT, |built| Box::new(TimePortPage::new(built).expect("a page")))
        .page::<TimeRingPage>(RING_CFG, &BUILT, |built| Box::new(TimeRingPage::new(built).expect("a page")))
}

#[test]
fn every_field_moves_its_port_and_no_other() {
    for pages in all() {
        for made in &pages.made {
            assert_eq!(check(made, &made.fields, 0), Ok(()), "{}", pages.page.name);
        }
    }
}

/// The lists of a page say only how fields are used: names, places and accesses are the table's.
#[test]
fn every_field_of_the_table_is_in_one_page() {
    for Pages { page, made } in all() {
        let mut found = BTreeSet::new();
        for field in made.iter().flat_map(|made| &made.fields) {
            assert!(found.insert((field.register.offset, field.field.name)), "{} twice", field.port);
        }
        for register in page.registers.iter().filter(|register| register.count == 1) {
            for field in register.layout.fields {
                let elsewhere =
                    made.iter().all(|made| made.fields.iter().all(|f| f.register.offset != register.offset));
                let mine = found.contains(&(register.offset, field.name));
                assert!(mine != elsewhere, "{}.{} of {}", register.name, field.name, page.name);
            }
        }
    }
}

/// Wrong descriptions, each with the number of its field: a field a bit higher, the port of another, another use.
fn mutants(fields: &[PageField]) -> Vec<(String, usize, Vec<PageField>)> {
    let mut wrong = vec![];
    for index in 0..fields.len() {
        let field = fields[index];
        let mut change = |what: &str, to: PageField| {
            let mut changed = fields.to_vec();
            changed[index] = to;
            wrong.push((format!("{}: {what}", field.port), index, changed));
        };
        if field.uses != PortUse::Constant {
            if field.field.width < 64 {
                let mut moved = field;
                moved.field.low =
                    if field.field.high() < 63 { field.field.low + 1 } else { field.field.low - 1 };
                change("in another place", moved);
            }
            let other = fields.iter().find(|other| {
                (other.uses, other.field.width) == (field.uses, field.field.width)
                    && (other.port, other.at) != (field.port, field.at)
            });
            if let Some(other) = other {
                change("another's port", PageField { port: other.port, at: other.at, ..field });
            }
        }
        let uses = match field.uses {
            PortUse::Event => PortUse::Sticky,
            PortUse::Sticky => PortUse::Event,
            PortUse::Kept => PortUse::KeptDown,
            PortUse::KeptDown => PortUse::Kept,
            _ => continue,
        };
        change("another use", PageField { uses, ..field });
    }
    wrong
}

#[test]
fn wrong_descriptions_are_found() {
    let mut found = 0;
    for pages in all() {
        for made in &pages.made {
            for (what, index, fields) in mutants(&made.fields) {
                let down = fields.iter().any(|field| field.uses == PortUse::KeptDown);
                if down && made.fields.iter().all(|field| field.uses != PortUse::KeptDown) {
                    // The page has no input `down` to be written with.
                    continue;
                }
                assert!(check(made, &fields, index).is_err(), "{}: {what}", pages.page.name);
                found += 1;
            }
        }
    }
    assert!(found > 60, "{found} mutants");
}

//! The hardware does what the description of the page says: reset values, access of every bit, unknown offsets, and the
//! Rust accessors on top.

use crate::link_regs::adapter::LIVE;
use crate::link_regs::nearly_full;
use flitforge_hdl::link::regs::{LinkRegs, LinkRegsConfig};
use flitforge_protocol::counter::{LinkCounter, COUNTER_MAX};
use flitforge_protocol::link_registers::{self as page, counter_offset, PAGE};
use flitforge_protocol::register::{Access, AccessError, DeviceId, PageAccess, RegisterAccess, Reset, BYTES};
use flitforge_testkit::{BenchBlock, Clocked, RegisterBus};

/// The hardware behind the trait that software uses.
struct Hardware(BenchBlock);

impl Hardware {
    fn new(config: &LinkRegsConfig) -> Self {
        Hardware(BenchBlock::new("link_regs", LinkRegs::new(config).expect("valid")))
    }

    /// One request, given for one clock; the ack has to come 4 clocks later.
    fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        let answer = RegisterBus::new().within(4).ask(&mut self.0, offset, write);
        assert_eq!(answer.clocks, 4, "{offset:#x}: early");
        answer.value
    }
}

impl RegisterAccess for Hardware {
    fn read(&mut self, _: DeviceId, offset: u32) -> Result<u64, AccessError> {
        Ok(self.request(offset, None))
    }

    fn write(&mut self, _: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(offset, Some(value));
        Ok(())
    }

    fn wait_us(&mut self, _: u64) {}
}

fn words() -> impl Iterator<Item = u32> {
    (0..PAGE.bytes / BYTES).map(|word| word * BYTES)
}

/// Power-on value by the description; registers of other blocks read what these give: 0 here.
fn reset_of(config: &LinkRegsConfig, offset: u32) -> u64 {
    let Some((register, _)) = PAGE.register_at(offset) else { return 0 };
    match register.reset {
        Reset::Value(value) => value,
        Reset::Undescribed => 0,
        Reset::Build => config.built().into_iter().find(|(known, _)| *known == offset).map_or(0, |(_, v)| v),
    }
}

#[test]
fn bad_configurations_are_refused() {
    let default = LinkRegsConfig::default;
    for (config, parameter) in [
        (LinkRegsConfig { crc_modes: 8, ..default() }, "crc_modes"),
        (LinkRegsConfig { flits: 3, ..default() }, "flits"),
        (LinkRegsConfig { lanes: 5, ..default() }, "lanes"),
        (LinkRegsConfig { slots: 100, ..default() }, "slots"),
        (LinkRegsConfig { vls: 17, ..default() }, "vls"),
        (LinkRegsConfig { mtu: 255, ..default() }, "mtu"),
        (LinkRegsConfig { started: vec![(page::CTRL, 1)], ..default() }, "started"),
        (LinkRegsConfig { started: vec![(0x100, COUNTER_MAX + 1)], ..default() }, "started"),
    ] {
        assert_eq!(config.check().expect_err(parameter).parameter, parameter);
    }
}

#[test]
fn every_word_holds_its_reset_value_and_unknown_ones_read_0() {
    let config = LinkRegsConfig { guid: 0x1122_3344_5566_7788, ..LinkRegsConfig::default() };
    let mut hardware = Hardware::new(&config);
    for offset in words() {
        assert_eq!(hardware.request(offset, None), reset_of(&config, offset), "{offset:#x}");
    }
    // Writing to unknown words changes nothing.
    let unknown = |offset: &u32| PAGE.register_at(*offset).is_none() && PAGE.counter_at(*offset).is_none();
    for offset in words().filter(unknown) {
        hardware.request(offset, Some(u64::MAX));
        assert_eq!(hardware.request(offset, None), 0, "{offset:#x}");
    }
}

/// All ones, then zeros: what is kept is what the description says, in Down and elsewhere.
#[test]
fn every_bit_has_the_access_of_its_description() {
    let config = LinkRegsConfig::default();
    for state in [0, 4] {
        for register in PAGE.registers {
            let mut hardware = Hardware::new(&config);
            hardware.0.set("status", state);
            // CTRL.disable would clear CTRL.enable.
            let ones = if register.offset == page::CTRL { !2 } else { u64::MAX };
            let reset =
                if register.offset == page::STATUS { state } else { reset_of(&config, register.offset) };
            let kept = register.mask(|access| match access {
                Access::ReadWriteDown => state == 0,
                access => access.is_kept(),
            });
            for (written, expected) in [(ones, reset | kept), (0, reset & !kept)] {
                hardware.request(register.offset, Some(written));
                let found = hardware.request(register.offset, None);
                assert_eq!(found, expected, "{} written {written:#x} in state {state}", register.name);
            }
        }
    }
}

#[test]
fn status_ports_fill_exactly_the_fields_that_are_read_only() {
    let mut hardware = Hardware::new(&LinkRegsConfig::default());
    for (path, offset) in LIVE {
        let (register, _) = PAGE.register_at(offset).expect(path);
        hardware.0.set(path, u64::MAX);
        let fields = register.mask(|access| access == Access::Read);
        // Bits between the fields belong to whoever drives the port.
        assert_eq!(
            hardware.request(offset, None) & !register.layout.reserved() as u64 & fields,
            fields,
            "{path}"
        );
        hardware.0.set(path, 0);
    }
    hardware.0.set("credit_word", 0xFFFF_FFFF_FFFF);
    assert_eq!(hardware.request(page::CRED + 8 * 5, None), 0xFFFF_FFFF_FFFF);
    assert_eq!(hardware.0.get("credit_select"), 5);
}

#[test]
fn events_are_cleared_by_ones_and_interrupt_through_the_mask() {
    let mut hardware = Hardware::new(&LinkRegsConfig::default());
    hardware.0.set("happened", 0b101);
    hardware.0.clock();
    hardware.0.set("happened", 0);
    assert_eq!((hardware.request(page::EVENT, None), hardware.0.get("interrupt")), (0b101, 0));
    hardware.request(page::MASK, Some(0b100));
    hardware.0.clock();
    assert_eq!(hardware.0.get("interrupt"), 1);
    hardware.request(page::EVENT, Some(0b100));
    hardware.0.clock();
    assert_eq!((hardware.request(page::EVENT, None), hardware.0.get("interrupt")), (0b001, 0));
}

#[test]
fn a_clear_keeps_what_was_written_and_forgets_the_request() {
    let mut hardware = Hardware::new(&LinkRegsConfig::default());
    hardware.request(page::DEGRADE, Some(0x55));
    hardware.0.set("events", 1 << LinkCounter::RxBad.code());
    hardware.0.clock();
    hardware.0.set("events", 0);
    hardware.0.set("addr", (page::VL_ARB / BYTES).into());
    hardware.0.set("wdata", 0x1234);
    hardware.0.set("we", 1);
    hardware.0.clock();
    hardware.0.set("we", 0);
    hardware.0.set("clear", 1);
    hardware.0.clock();
    hardware.0.set("clear", 0);
    for _ in 0..8 {
        assert_eq!(hardware.0.get("ack"), 0);
        hardware.0.clock();
    }
    assert_eq!(hardware.request(page::DEGRADE, None), 0x55);
    assert_eq!(hardware.request(counter_offset(LinkCounter::RxBad), None), 1);
    assert_eq!(hardware.request(page::VL_ARB, None), 0x1234, "a request that was taken is carried out");
}

/// The accessors made from the same description, over the hardware.
#[test]
fn rust_accessors_reach_the_fields_of_the_hardware() {
    let mut hardware = Hardware::new(&nearly_full());
    hardware.0.set("debt[2]", 0x85);
    let mut port = PageAccess::new(&mut hardware, 0, 0);
    assert_eq!(port.read::<page::id::Value>().expect("reached").magic, page::PAGE_ID);
    let cap = port.read::<page::cap::Value>().expect("reached");
    assert_eq!(
        (cap.crc, cap.log2_flits, cap.lanes, cap.log2_slots, cap.vls, cap.mtu),
        (7, 1, 4, 7, 4, 10_240)
    );
    let degrade = page::degrade::Value { enable: 1, min_lanes: 1, threshold: 6, stand_out: 3, safe: 5 };
    port.write(degrade).expect("reached");
    assert_eq!(port.read::<page::degrade::Value>(), Ok(degrade));
    let lane = port.read_at::<page::lane::Value>(2).expect("reached");
    let expected = (u64::from(u32::MAX) - 300, 0x85, 0xFF_FFFF - 200);
    assert_eq!((lane.errors, lane.debt, lane.code_errors), expected);
    port.clear_counter(page::LANE + 16).expect("reached");
    let lane = port.read_at::<page::lane::Value>(2).expect("reached");
    assert_eq!((lane.errors, lane.debt, lane.code_errors), (0, 0x85, 0), "the debt is no counter");
    assert_eq!(port.counter(counter_offset(LinkCounter::TxLtp)), Ok(COUNTER_MAX - 1_000));
    port.write(page::ctrl::Value { clear_counters: 1, ..Default::default() }).expect("reached");
    assert_eq!(port.counter(counter_offset(LinkCounter::TxLtp)), Ok(0));
    assert_eq!(hardware.0.get("degrade"), 1 | 1 << 1 | 6 << 3 | 3 << 6 | 5 << 8);
}

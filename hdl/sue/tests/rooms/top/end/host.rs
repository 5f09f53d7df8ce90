//! What the host of an instance does at its bus, while nothing else moves.

use super::{End, Setup, IDLE, PARTITION, REST};
use flitforge_protocol::sue_port_registers as port_page;
use flitforge_protocol::sue_registers::{self as page, port_page, SueCounter, Table};
use flitforge_testkit::Clocked;

/// XOFF and XON of all classes, in 64 octets: two largest frames and what is in flight fit after XOFF.
const THRESHOLDS: u64 = 24 | 12 << 8;

/// Octets of the largest frame: a slot, headers and R-CRC.
const LARGEST: u64 = 512 + 26;
/// CM_RTO, clocks: longer than a question and its answer take.
const CM_RTO: u64 = 1_000;
/// The same with an XPU that takes its time, and RETRY_MAX.
const SLOW_CM_RTO: u64 = 16_000;
const RETRIES: u64 = 3;
/// CC_TIMER, 64 clocks: lost frames are healed after so long.
const CONSUMED_TIMER: u64 = 32;

impl End {
    /// What both ends agree on, and on.
    pub(super) fn configure(&mut self, setup: Setup) {
        let local = self.read(page::LOCAL);
        self.write(page::LOCAL, local | self.own);
        let rel1 = self.read(page::REL1);
        let answers = page::rel1::management_timeout::LOW;
        let cm_rto = if setup.strict { SLOW_CM_RTO } else { CM_RTO };
        self.write(page::REL1, rel1 & !0xFF_FFFF & !(0xFFFF << answers) | setup.rto | cm_rto << answers);
        if setup.strict {
            let (retries, tries) = (page::rel1::retry_max::LOW, page::rel1::management_tries::LOW);
            let rel1 = self.read(page::REL1) & !(0xF << retries | 0xF << tries);
            self.write(page::REL1, rel1 | RETRIES << retries | 15 << tries);
        }
        self.write(page::TBL_ADDR, (Table::Partitions as u64) << page::tbl_addr::table::LOW | PARTITION);
        self.write(page::TBL_DATA, 1);
        assert_eq!(self.read(page::TBL_DATA), 1);
        if !setup.lite {
            self.write(page::TBL_ADDR, (Table::Reach as u64) << page::tbl_addr::table::LOW | (1 - self.own));
            self.write(page::TBL_DATA, self.all_ports());
            self.write(page::REST, if setup.strict { 4 * REST } else { REST });
        }
        for (port, limit) in setup.limits.into_iter().enumerate().take(setup.ports) {
            self.configure_port(port_page(port as u32), setup, limit);
        }
        let control = self.read(page::CTRL);
        let generations = u64::from(setup.generations) << page::ctrl::generation_enable::LOW;
        let unordered = u64::from(setup.ports > 1 && !setup.strict) << page::ctrl::unordered::LOW;
        let strict = u64::from(setup.strict) << page::ctrl::strict_failover::LOW;
        self.write(page::CTRL, control | 1 | generations | unordered | strict);
        assert_eq!(self.read(page::CTRL) & 1, 1, "enabled");
        assert_eq!(self.read(page::EVENT), 0, "no write was refused");
    }

    fn configure_port(&mut self, port: u32, setup: Setup, limit: u64) {
        let control = self.read(port + port_page::P_CTRL);
        let twice = port_page::p_ctrl::control_twice::LOW;
        let more = u64::from(setup.retry) << 1 | (setup.flow as u64) << 2 | u64::from(setup.retry) << twice;
        let cell = self.read(port + port_page::P_CELL);
        let timer = port_page::p_cell::consumed_timer::LOW;
        self.write(port + port_page::P_CELL, cell & !(0xFFFF << timer) | CONSUMED_TIMER << timer);
        let more_control = self.read(port + port_page::P_CONTROL);
        let largest = port_page::p_control::largest::LOW;
        self.write(port + port_page::P_CONTROL, more_control & !(0x3FFF << largest) | LARGEST << largest);
        self.write(port + port_page::P_LIM0, limit * 0x0001_0001_0001_0001);
        self.write(port + port_page::P_PFC0, THRESHOLDS * 0x0001_0001_0001_0001);
        let partition = if setup.lite { PARTITION << port_page::p_ctrl::lite_partition::LOW } else { 0 };
        self.write(port + port_page::P_CTRL, control | 1 | more | partition);
    }

    fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        self.block.set("bus.address", u64::from(offset / 8)).set("bus.wdata", write.unwrap_or(0));
        self.block.set("bus.write", write.is_some().into()).set("bus.request", 1);
        for _ in 0..200 {
            self.block.step();
            if self.block.get("bus.ack") == 1 {
                let value = self.block.get("bus.rdata");
                self.block.set("bus.request", 0);
                self.block.step();
                return value;
            }
        }
        panic!("{offset:#x}: no answer");
    }

    pub fn read(&mut self, offset: u32) -> u64 {
        self.request(offset, None)
    }

    pub fn write(&mut self, offset: u32, value: u64) {
        self.request(offset, Some(value));
    }

    /// Whether the other end is reached by all ports: they are up and their connections are open.
    pub fn reaches(&mut self) -> bool {
        self.hear(IDLE);
        self.write(page::TBL_ADDR, (Table::Reach as u64) << page::tbl_addr::table::LOW | (1 - self.own));
        self.read(page::TBL_DATA) == self.all_ports()
    }

    pub fn count(&mut self, counter: SueCounter) -> u64 {
        self.read(page::counter_offset(counter))
    }

    pub fn port_count(&mut self, counter: port_page::PortCounter) -> u64 {
        self.port_count_at(0, counter)
    }

    pub fn port_count_at(&mut self, port: u32, counter: port_page::PortCounter) -> u64 {
        self.read(port_page(port) + port_page::counter_offset(counter))
    }
}

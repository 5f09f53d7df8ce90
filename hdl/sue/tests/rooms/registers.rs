//! The register pages of an instance and of a port, against golden pages made from their tables, on all simulators.

mod golden;
mod host;
mod load;
mod shown;

use flitforge_hdl_sue::registers::{EthPortRegs, SueRegs, SueRegsConfig};
use flitforge_model::sue::format::classes::ClassTable;
use flitforge_model::sue::format::overhead::CellRule;
use flitforge_model::sue::format::Profile;
use flitforge_model::sue::link::{
    CreditLimit, CreditSettings, CtlTwice, LlrRxConfig, LlrTxConfig, PauseConfig, PauseThreshold, Reinit,
    ReplayLimit, WaitingFrames,
};
use flitforge_protocol::register::{Access, RegisterValue, Reset, BYTES};
use flitforge_protocol::sue::header::HeaderShape;
use flitforge_protocol::sue::network::HeaderFormat;
use flitforge_protocol::sue_port_registers::{self as port, PortCounter};
use flitforge_protocol::sue_registers::{self as instance, Sizes, HISTOGRAM_BINS};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{seed, Coverage, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock, RegisterBus};
use golden::{Golden, Kind, COUNTER_MAX};
use host::Host;
use load::Load;
use std::cell::RefCell;
use std::rc::Rc;

type Regs = SueRegs<2, 7>;
type WideRegs = SueRegs<4, 10>;

fn plan(name: &str, config: SueRegsConfig, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let built = config.clone();
    let make = move || Box::new(Regs::new(&built).expect("valid")) as _;
    CosimPlan::new(name, seed(0x5e65), make, move |testbench: &mut Testbench<'_>, seed| {
        let load = Load::new(Kind::Instance, 2, config.started);
        let golden = Golden::instance(&config);
        let host = Host::new(testbench.bench(), seed, golden, config.sizes.lite, load, seen.clone());
        testbench.add(host);
        Ok(())
    })
}

fn port_plan(name: &str, started: u64, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = move || Box::new(EthPortRegs::new(started).expect("valid")) as _;
    CosimPlan::new(name, seed(0x5e66), make, move |testbench: &mut Testbench<'_>, seed| {
        let load = Load::new(Kind::Port, 2, started);
        testbench.add(Host::new(testbench.bench(), seed, Golden::port(), false, load, seen.clone()));
        Ok(())
    })
}

/// What has to happen to every register that is kept.
fn wanted(page: flitforge_protocol::register::Page) -> Vec<String> {
    let kept = page.registers.iter().filter(|register| register.mask(Access::is_kept) != 0);
    let mut wanted: Vec<String> = kept.map(|register| format!("{} read", register.name)).collect();
    wanted.extend((0..=4).map(|clocks| format!("clear {clocks} clocks after a request")));
    wanted.push("a counter zeroed".into());
    wanted
}

fn require(seen: &Rc<RefCell<Coverage>>, name: &str, wanted: &[String], more: &[&str]) {
    let all: Vec<&str> = wanted.iter().map(String::as_str).chain(more.iter().copied()).collect();
    seen.borrow().require(name, &all).expect("everything happened");
}

#[test]
fn the_page_of_an_instance_is_as_its_table_says() {
    let seen = Rc::default();
    deep(plan("sue_regs", SueRegsConfig::default(), &seen), 50_000, 300).run().expect("equal");
    let guarded = instance::LOCKED.iter().chain([
        &instance::CTRL,
        &instance::TBL_ADDR,
        &instance::INJ_CTL,
        &instance::INJ_GAP,
    ]);
    let mut all = wanted(instance::PAGE);
    for offset in guarded {
        let name = instance::PAGE.register_at(*offset).expect("a register").0.name;
        all.extend([format!("{name} written"), format!("{name} refused")]);
    }
    let more = [
        "an event in the clock of its clearing",
        "captured anew",
        "missed",
        "table read",
        "table written",
        "table refused",
        "unwritable",
        "CMD written",
        "CMD refused",
        "INJ_DATA written",
        "EXT_DATA read",
        "EXT_DATA cleared",
        "refused elsewhere",
        "EXT_CTL read",
        "CAPTURE_HEADER read",
        "unknown read",
    ];
    require(&seen, "sue_regs", &all, &more);
}

#[test]
fn the_page_of_a_port_is_as_its_table_says() {
    let seen = Rc::default();
    deep(port_plan("eth_port_regs", 0, &seen), 24_000, 300).run().expect("equal");
    let mut all = wanted(port::PAGE);
    for offset in port::LOCKED.iter().chain([&port::P_CTRL]) {
        let name = port::PAGE.register_at(*offset).expect("a register").0.name;
        all.extend([format!("{name} written"), format!("{name} refused")]);
    }
    require(&seen, "eth_port_regs", &all, &["unknown read", "P_STAT read"]);
}

/// Counters that are nearly full, and SUE Lite.
#[test]
fn counters_stay_at_their_largest_value() {
    let seen = Rc::default();
    let sizes = Sizes { ports: 1, slots: 16, slot_bytes: 1024, cells: 256, lite: true };
    let config = SueRegsConfig { sizes, started: COUNTER_MAX - 300, ..SueRegsConfig::default() };
    deep(plan("sue_regs_full", config, &seen), 8_000, 200).run().expect("equal");
    deep(port_plan("eth_port_regs_full", COUNTER_MAX - 3_000, &seen), 6_000, 200).run().expect("equal");
    assert!(seen.borrow().count("a counter zeroed") > 0);
}

struct Page {
    block: CompiledBlock,
    bus: RegisterBus,
}

impl Page {
    fn instance<const E: usize, const W: usize>(name: &str, config: &SueRegsConfig) -> Self {
        let block = SueRegs::<E, W>::new(config).expect("valid");
        Self { block: CompiledBlock::new(&compiled(name, &block)), bus: RegisterBus::bundle("bus") }
    }

    fn read(&mut self, offset: u32) -> u64 {
        self.bus.read(&mut self.block, offset)
    }

    fn write(&mut self, offset: u32, value: u64) {
        self.bus.write(&mut self.block, offset, value);
    }
}

#[test]
fn what_was_built_is_shown() {
    let sizes = Sizes { ports: 4, slots: 128, slot_bytes: 4096, cells: 2048, lite: false };
    let config = SueRegsConfig { sizes, peer_bits: 10, ..SueRegsConfig::default() };
    let mut page = Page::instance::<4, 10>("sue_regs_built", &config);
    assert_eq!(page.read(instance::ID), 0x5355_4531_0001_0000);
    let cap = instance::cap::Value::decode(page.read(instance::CAP));
    let numbers =
        [cap.ports, cap.virtual_channels, cap.peer_bits, cap.slots, cap.slot_cells, cap.data_octets];
    assert_eq!(numbers, [4, 4, 10, 127, 64, 8]);
    assert_eq!(page.read(instance::QTH) >> 32, 2048 / 4 - 8);
    assert_eq!(page.read(instance::PACK) & 0x1FFF, 2048);
    for register in instance::PAGE.registers {
        if let (Reset::Value(value), false) = (register.reset, register.access == Access::Counter) {
            assert_eq!(page.read(register.offset), value, "{}", register.name);
        }
    }
}

/// All counters at their most in every clock, of four ports: the accumulators are as full as they can be.
#[test]
fn nothing_is_lost_when_everything_counts() {
    let mut page = Page::instance::<4, 10>("sue_regs_wide", &SueRegsConfig::default());
    let load = Load::new(Kind::Instance, 4, 0);
    let set = |page: &mut Page, on: u64| {
        for source in &load.sources {
            page.block.set(&source.path, on * source.most);
        }
    };
    set(&mut page, 1);
    for clock in 0..1_000 {
        page.block
            .set("body_commands.valid", u64::from(clock % 8 == 0))
            .set("body_commands.data", 1 + clock / 8 % 40);
        page.block.step();
    }
    set(&mut page, 0);
    page.block.set("body_commands.valid", 0);
    for _ in 0..64 {
        page.block.step();
    }
    for source in &load.sources {
        let offset = instance::COUNT.offset + source.counter as u32 * BYTES;
        assert_eq!(page.read(offset), 1_000 * source.most, "{}", source.path);
    }
    for bin in 0..HISTOGRAM_BINS as u64 {
        let bodies = (0..125).filter(|body| (body % 40).min(32) == bin).count() as u64;
        assert_eq!(page.read(instance::HIST + bin as u32 * BYTES), bodies, "bin {bin}");
    }
}

/// Every register answers within the clocks of the register bus, also bins while bodies come every 11 clocks.
#[test]
fn every_answer_comes_in_time() {
    let mut page = Page::instance::<2, 7>("sue_regs_time", &SueRegsConfig::default());
    let ask = |page: &mut Page, offset| page.bus.ask(&mut page.block, offset, None).clocks;
    assert_eq!(ask(&mut page, instance::CTRL), 4);
    assert_eq!(ask(&mut page, 0xFF8), 4);
    let mut counters = 0;
    for phase in 0..100 {
        for offset in [instance::COUNT.offset, instance::COUNT.offset + 31 * BYTES, instance::HIST] {
            counters = counters.max(ask(&mut page, offset));
            (0..phase * 7 % 41).for_each(|_| page.block.step());
        }
    }
    assert!((42..=46).contains(&counters), "{counters}");
    // Bodies every 11 clocks, the request in every phase to them.
    let mut bins = 0;
    for phase in 0..88 {
        let mut clock = phase;
        page.block.set("bus.request", 1).set("bus.address", u64::from(instance::HIST / BYTES));
        let mut clocks = 0;
        while page.block.get("bus.ack") == 0 {
            page.block.set("body_commands.valid", u64::from(clock % 11 == 0)).set("body_commands.data", 3);
            page.block.step();
            page.block.set("bus.request", 0);
            (clock, clocks) = (clock + 1, clocks + 1);
            assert!(clocks < 64, "phase {phase}");
        }
        page.block.step();
        bins = bins.max(clocks);
    }
    assert!(bins <= 48, "{bins}");
}

/// What a body has at least follows FMT and MINF.
#[test]
fn the_least_body_is_that_of_the_header() {
    let mut page = Page::instance::<2, 7>("sue_regs_least", &SueRegsConfig::default());
    for format in HeaderFormat::ALL.iter().copied() {
        for (tagged, shim, second) in
            [(false, false, false), (true, false, false), (false, true, true), (true, true, false)]
        {
            let word = Sizes { ports: 1, slots: 32, slot_bytes: 2048, cells: 1024, lite: false }
                .format_default()
                & !7;
            let options = u64::from(tagged) << 3 | u64::from(shim) << 4 | u64::from(second) << 5;
            page.write(instance::FMT, word | u64::from(format.code()) | options);
            let shape = HeaderShape { tagged, shim, second_ethertype: second, ..HeaderShape::plain(format) };
            for minimum in [8, 33, 59, 60] {
                page.block.set("minimum", minimum);
                (0..5).for_each(|_| page.block.step());
                let least = shape.least_body_bytes(minimum as usize).max(2) as u64;
                assert_eq!(
                    page.block.get("settings.least"),
                    least,
                    "{format:?} {tagged} {shim} {second} {minimum}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_built_is_refused() {
    let sizes = Sizes { ports: 3, slots: 32, slot_bytes: 2048, cells: 1024, lite: false };
    let error =
        Regs::new(&SueRegsConfig { sizes, ..SueRegsConfig::default() }).err().expect("ports").to_string();
    assert!(error.contains("sue_regs") && error.contains("ports"), "{error}");
    // Seven events per clock do not fit into accumulators of seven bits.
    let error = SueRegs::<3, 7>::new(&SueRegsConfig::default()).err().expect("W").to_string();
    assert!(error.contains("sue_counter_ram"), "{error}");
    assert!(WideRegs::new(&SueRegsConfig::default()).is_ok());
    assert_eq!(PortCounter::ALL.len(), 38);
}

#[test]
fn faults_of_the_page_of_an_instance_are_found() {
    const TOP: &str = "fault_sue_regs";
    const RULES: &str = "sue_regs_rules";
    let held = "(event_happened_held_q & ~event_happened_cleared) | event_happened";
    let faults = [
        Fault::replace(
            "an event in the clock of its clearing is lost",
            "sue_registers",
            held,
            "(event_happened_held_q | event_happened) & ~event_happened_cleared",
        ),
        Fault::replace("GEN_EN goes with the 6 B header", RULES, "data[4] & (format == 3'h4)", "1'b0"),
        Fault::replace(
            "ETYPE is written while enabled",
            RULES,
            "now_idle & first & second",
            "first & second",
        ),
        Fault::replace("requests and acknowledgments share a class", RULES, "& apart_from_requests;", ";"),
        Fault::replace(
            "a capture is for ever",
            "sue_event_capture",
            "frees = written & (|freed)",
            "frees = 1'b0",
        ),
        Fault::replace(
            "a refused command is carried out",
            TOP,
            "registers_cmd_fail_over & commands_2",
            "registers_cmd_fail_over",
        ),
        Fault::replace("another page's refusal is not told", TOP, "| refused_2", "| 1'b0"),
        Fault::replace(
            "a word whose read was cleared is lost",
            TOP,
            "takes_late_q & registers_bus_ack",
            "takes_late_q",
        ),
        Fault::replace(
            "a bin of the guest's clock is lost",
            "sue_counter_ram_counters30_amounts2",
            "bin_waits_d = bins_valid |",
            "bin_waits_d = (bins_valid & ~guest) |",
        ),
        Fault::replace(
            "events of the clock in which an accumulator is taken are lost",
            "tally_bits7_count2",
            "kept + {5'h0, count}",
            "kept + {5'h0, take ? 2'h0 : count}",
        ),
    ];
    let plan = || {
        plan(TOP, SueRegsConfig::default(), &Rc::default())
            .clocks(100_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_the_page_of_a_port_are_found() {
    const TOP: &str = "fault_eth_port_regs";
    const RULES: &str = "eth_port_rules";
    let faults = [
        Fault::replace(
            "MINF changes while the port runs",
            RULES,
            "assign differs = ",
            "assign differs = 35'h0 & ",
        ),
        Fault::replace("XON above XOFF", RULES, "now_idle & right_4 & right_5", "now_idle & right_4"),
        Fault::replace("a refused restart is carried out", TOP, "& ~registers_p_ctrl_refused", ""),
        Fault::replace(
            "a sum loses its carry",
            "sue_counter_ram_counters34_amounts4",
            "over_d = upper[24]",
            "over_d = 1'b0",
        ),
    ];
    let plan = || {
        port_plan(TOP, COUNTER_MAX - 300, &Rc::default())
            .clocks(8_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

/// What a port does after power-on is what the golden models do by default.
#[test]
fn resets_of_a_port_are_the_defaults_of_the_models() {
    let value = |offset: u32, field: &str| {
        let register = port::PAGE.register_at(offset).expect("a register").0;
        let Reset::Value(reset) = register.reset else { unreachable!("{offset:#x}") };
        let fields = register.layout.fields.iter();
        fields.into_iter().find(|found| found.name == field).expect("a field").get(reset.into())
    };
    let retry = LlrTxConfig::default();
    let of_retry = [
        ("first", value(port::P_LLR_START, "first"), retry.first.value().into()),
        ("INIT_T", value(port::P_LLR, "init_timer"), retry.init_interval),
        ("replay timer", value(port::P_LLR, "replay_timer"), retry.replay_timer),
        ("PCS_LOST_T", value(port::P_LLR_LIMITS, "pcs_lost"), retry.pcs_lost.unwrap_or(0)),
        ("AGE_T", value(port::P_LLR_LIMITS, "age"), retry.age.unwrap_or(0)),
        ("LLR_FRAMES", value(port::P_LLR_LIMITS, "frames_max"), retry.frames_max as u64),
        ("automatic", value(port::P_LLR_LIMITS, "automatic"), (retry.reinit == Reinit::Automatic).into()),
        ("NACK_T", value(port::P_LLR, "nack_timer"), LlrRxConfig::new(Profile::Sue1).nack_timer),
        ("PROFILE", value(port::P_CTRL, "profile"), 0),
        ("CTL_TWICE", value(port::P_CTRL, "control_twice"), (CtlTwice::default() != CtlTwice::Once).into()),
    ];
    for (name, found, wanted) in of_retry {
        assert_eq!(found, wanted, "{name}");
    }
    assert_eq!(retry.bytes_max as u64, port::RETRY_BYTES);
    let limit = value(port::P_LLR, "replays_max") as u8;
    assert_eq!(ReplayLimit::from_register(limit), retry.replay_limit);
    // 0 is block, as in `LlrWaiting`.
    assert_eq!((value(port::P_LLR_LIMITS, "waiting"), retry.waiting), (0, WaitingFrames::Block));

    let (xoff, xon) = port::PAUSE_THRESHOLDS;
    let threshold = PauseThreshold { xoff: xoff as usize * 64, xon: xon as usize * 64 };
    let pause = PauseConfig::new(ClassTable::default(), [threshold; 6], 0);
    assert_eq!(value(port::P_PFC1, "quanta"), u64::from(pause.quanta));
    assert_eq!(value(port::P_PFC1, "watchdog") * 1024, pause.watchdog);

    let rule = CellRule::new(value(port::P_CELL, "cell") as u8, value(port::P_CELL, "overhead") as i8);
    let limits = CreditLimit::PerVc([value(port::P_LIM0, "limit_0") as u16; 32]);
    let credits = CreditSettings::new(rule.expect("a rule"), limits);
    assert_eq!(rule, CellRule::new(3, Profile::Sue1.packet_overhead()));
    assert_eq!(value(port::P_CELL, "cell_batch"), u64::from(credits.cell_batch));
    assert_eq!(value(port::P_CELL, "freed_timer"), credits.cf_timer);
    assert_eq!(value(port::P_CELL, "consumed_timer") * 64, credits.cc_timer);
    assert_eq!(value(port::P_CELL, "pool"), 0);
}

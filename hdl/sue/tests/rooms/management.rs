//! Frames injected and extracted, against the golden rules, on all simulators; room, gaps, clears and the way through the registers on the compiled block.

mod frames;
mod rig;

use super::mac_control::words_of;
use super::network::{every_framing, settings_of};
use flitforge_hdl_sue::management::{SueMgmt, LATENCY};
use flitforge_hdl_sue::registers::{SueRegs, SueRegsConfig};
use flitforge_model::sue::format::network::NetworkConfig;
use flitforge_model::sue::format::{Fid, Framing, Network};
use flitforge_model::sue::management::is_extracted;
use flitforge_protocol::register::{RegisterValue, BYTES};
use flitforge_protocol::sue_registers::{self as page, ext_ctl, inj_ctl, INJECT_GAP};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{seed, Coverage, Testbench};
use flitforge_sim::CosimPlan;
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use rig::{Host, PORTS};
use std::cell::RefCell;
use std::rc::Rc;

/// Words that each port has room for, but for those that wait behind the memory.
const ROOM: usize = 512;

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(SueMgmt::<PORTS>::new().expect("valid")) as _;
    CosimPlan::new(name, seed(0x9e7), make, move |testbench: &mut Testbench<'_>, seed| {
        testbench.add(Host::new(testbench.bench(), seed, seen.clone())?);
        Ok(())
    })
}

#[test]
fn frames_of_the_host_leave_and_arrive() {
    let seen = Rc::default();
    deep(plan("sue_mgmt", &seen), 60_000, 2_000).run().expect("equal");
    let mut wanted: Vec<String> = every_framing().iter().map(|framing| format!("{framing:?}")).collect();
    let more = [
        "kept",
        "dropped",
        "not for the host",
        "error",
        "too long",
        "injected on port 0",
        "injected on port 1",
        "injected to no port",
        "refused while injecting",
        "refused as too short",
        "refused without octets",
        "words beyond the frame",
        "a token waited for",
        "clear in a frame out",
        "clear in a frame in",
        "clear while one is read",
        "read to its end",
    ];
    wanted.extend(more.map(String::from));
    let all: Vec<&str> = wanted.iter().map(String::as_str).collect();
    seen.borrow().require("sue_mgmt", &all).expect("everything happened");
}

/// A port of its own.
struct One {
    block: CompiledBlock,
    now: u64,
    /// Clock, word.
    left: Vec<(u64, u128)>,
    pulses: [u64; 4],
}

const PULSES: [&str; 4] = ["refused", "injected[0]", "extracted[0]", "dropped[0]"];

impl One {
    fn new(gap: u64) -> Self {
        let block = SueMgmt::<1>::new().expect("valid");
        let mut block = CompiledBlock::new(&compiled("sue_mgmt_one", &block));
        block.set_value("settings", &rig::settings_value(&settings_of(&config())));
        block.set("inject_gap", gap).set("frames[0].ready", 1);
        let mut one = Self { block, now: 0, left: vec![], pulses: [0; 4] };
        one.idle(4);
        one
    }

    fn idle(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step());
    }

    fn step(&mut self) {
        if self.block.get("frames[0].valid") == 1 && self.block.get("frames[0].ready") == 1 {
            self.left.push((self.now, self.block.get_wide("frames[0].data")));
        }
        for (count, path) in self.pulses.iter_mut().zip(PULSES) {
            *count += self.block.get(path);
        }
        self.block.step();
        self.now += 1;
    }

    fn write(&mut self, octets: &[u8]) {
        for word in words_of(octets) {
            self.block.set("inject_words.valid", 1).set("inject_words.data", word as u64);
            self.step();
        }
        self.block.set("inject_words.valid", 0);
    }

    /// INJ_CTL; gives its clock.
    fn order(&mut self, octets: usize) -> u64 {
        self.block.set("inject.valid", 1).set("inject.data", octets as u64);
        self.step();
        self.block.set("inject.valid", 0);
        self.now - 1
    }

    fn receive(&mut self, frame: &[u8]) {
        for word in words_of(frame) {
            self.block.set("management[0].valid", 1).set_wide("management[0].data", word);
            self.step();
        }
        self.block.set("management[0].valid", 0);
    }

    /// Reads a frame of EXT_DATA.
    fn read(&mut self) -> Option<Vec<u8>> {
        if self.block.get("extract_valid") == 0 {
            return None;
        }
        let octets = self.block.get("front") as usize & 0xFFF;
        let mut frame = vec![];
        while frame.len() < octets {
            frame.extend(self.block.get("extract_word").to_le_bytes());
            self.block.set("extract_taken", 1);
            self.step();
            self.block.set("extract_taken", 0);
            self.idle(4);
        }
        frame.truncate(octets);
        Some(frame)
    }
}

fn config() -> NetworkConfig {
    NetworkConfig::new(Framing::AfhGen2, Fid { xpu: 5, port: 0 })
}

/// A frame to all, numbered.
fn broadcast(number: u8, octets: usize) -> Vec<u8> {
    let mut frame = vec![number; octets];
    frame[..6].fill(0xFF);
    frame[12..14].copy_from_slice(&[0x08, 0x06]);
    frame
}

#[test]
fn a_frame_leaves_after_three_clocks_and_one_per_gap() {
    let mut one = One::new(INJECT_GAP);
    let frames: Vec<Vec<u8>> = (0..3).map(|number| broadcast(number, 61 + usize::from(number))).collect();
    let mut starts = vec![];
    for frame in &frames {
        one.write(frame);
        let ordered = one.order(frame.len());
        if starts.is_empty() {
            starts.push(ordered + u64::from(LATENCY));
        } else {
            starts.push(starts[starts.len() - 1] + INJECT_GAP);
        }
        while one.block.get("injecting") == 1 {
            one.step();
        }
    }
    let words: Vec<u128> = frames.iter().flat_map(|frame| words_of(frame)).collect();
    assert!(one.left.iter().map(|(_, word)| *word).eq(words.iter().copied()));
    assert_eq!(one.left.len(), words.len());
    let mut place = 0;
    for (frame, start) in frames.iter().zip(starts) {
        for word in 0..words_of(frame).len() {
            assert_eq!(one.left[place].0, start + word as u64, "word {word}");
            place += 1;
        }
    }
}

#[test]
fn words_without_room_and_wrong_orders_are_refused() {
    let mut one = One::new(3);
    let frame = broadcast(1, 2048);
    one.write(&frame);
    one.write(&frame);
    assert_eq!(one.pulses[0], 0);
    // Two more wait behind the memory.
    one.write(&frame[..24]);
    one.idle(4);
    assert_eq!(one.pulses[0], 1, "one word too many");
    one.order(2048);
    one.order(64);
    one.idle(600);
    assert_eq!((one.pulses[0], one.pulses[1], one.left.len()), (2, 1, 256), "an order while another waits");
    one.order(64);
    one.idle(20);
    assert_eq!(one.pulses[0], 3, "no words");
    one.write(&frame[..64]);
    one.order(65);
    one.idle(20);
    assert_eq!(one.pulses[0], 4, "too few words");
    one.order(64);
    one.idle(20);
    assert_eq!((one.pulses[0], one.left.len()), (4, 256 + 8), "its words are still there");
}

#[test]
fn frames_without_room_are_dropped() {
    let mut one = One::new(3);
    let frame = |number: usize| broadcast(number as u8, 400);
    let most = ROOM / 50;
    for number in 0..most + 3 {
        one.receive(&frame(number));
        one.idle(8);
    }
    assert_eq!(one.pulses[2..], [most as u64, 3]);
    for number in 0..most {
        assert_eq!(one.read(), Some(frame(number)));
        one.idle(10);
    }
    assert_eq!(one.read(), None);
    // A largest frame, one that is larger, one with more words than there are.
    for octets in [2048, 2049, 9000] {
        one.receive(&broadcast(9, octets));
        one.idle(10);
    }
    assert_eq!(one.pulses[2..], [most as u64 + 1, 5]);
    assert_eq!(one.read(), Some(broadcast(9, 2048)));
    one.idle(10);
    // Thirty-two short ones, and one more that waits behind their lengths.
    for number in 0..40 {
        one.receive(&broadcast(number, 60));
        one.idle(3);
    }
    one.idle(6);
    assert_eq!(one.pulses[2..], [most as u64 + 1 + 33, 5 + 7]);
    for number in 0..33 {
        assert_eq!(one.read(), Some(broadcast(number, 60)));
        one.idle(10);
    }
}

#[test]
fn a_frame_is_shown_eight_clocks_after_its_last_word() {
    let mut one = One::new(3);
    let frame = broadcast(1, 60);
    one.receive(&frame);
    let last = one.now - 1;
    while one.block.get("extract_valid") == 0 {
        one.step();
    }
    assert_eq!(one.now - last, 8);
    assert_eq!(one.read(), Some(frame));
}

/// Clear in every clock of a frame out and of a frame in: nothing of it is left, the next one is whole.
#[test]
fn clear_forgets_frames_under_way() {
    for clocks in 0..24 {
        let mut one = One::new(3);
        let frame = broadcast(7, 100);
        one.write(&frame);
        one.order(100);
        one.block.set("management[0].valid", 1).set_wide("management[0].data", words_of(&frame)[0]);
        one.step();
        one.block.set("management[0].valid", 0);
        one.idle(clocks);
        one.block.set("clear", 1);
        one.step();
        one.block.set("clear", 0);
        one.left.clear();
        let next = broadcast(8, 96);
        one.receive(&next);
        one.write(&next);
        one.order(96);
        one.idle(40);
        assert!(one.left.iter().map(|(_, word)| *word).eq(words_of(&next)), "cleared after {clocks}");
        assert_eq!(one.read(), Some(next), "cleared after {clocks}");
        one.idle(10);
        assert_eq!(one.read(), None);
    }
}

/// The registers and the management, wired as in an instance.
struct Instance {
    regs: CompiledBlock,
    one: One,
}

impl Instance {
    fn new() -> Self {
        let block = SueRegs::<2, 7>::new(&SueRegsConfig::default()).expect("valid");
        Self { regs: CompiledBlock::new(&compiled("sue_mgmt_regs", &block)), one: One::new(INJECT_GAP) }
    }

    fn step(&mut self, clear: bool) {
        let Self { regs, one } = self;
        regs.set("clear", clear.into());
        for (to, from) in [
            ("injecting", "injecting"),
            ("extract_word", "extract_word"),
            ("extracted", "front"),
            ("extract_valid", "extract_valid"),
            ("refused[3]", "refused"),
        ] {
            regs.set(to, one.block.get(from));
        }
        for path in
            ["inject_words.valid", "inject_words.data", "inject.valid", "inject.data", "extract_taken"]
        {
            one.block.set(path, regs.get(path));
        }
        regs.step();
        one.step();
    }

    /// A request, with `clear` so many clocks after it; `None` if it gets no answer.
    fn ask(&mut self, offset: u32, write: Option<u64>, clear: Option<u64>) -> Option<u64> {
        self.regs.set("bus.request", 1).set("bus.address", (offset / BYTES).into());
        self.regs.set("bus.write", write.is_some().into()).set("bus.wdata", write.unwrap_or(0));
        for clock in 0..64 {
            let found = (self.regs.get("bus.ack") == 1).then(|| self.regs.get("bus.rdata"));
            self.step(clear == Some(clock));
            self.regs.set("bus.request", 0);
            if found.is_some() || clear == Some(clock) {
                (0..4).for_each(|_| self.step(false));
                return found;
            }
        }
        None
    }

    fn write(&mut self, offset: u32, value: u64) {
        self.ask(offset, Some(value), None).expect("an answer");
    }

    fn read(&mut self, offset: u32) -> u64 {
        self.ask(offset, None, None).expect("an answer")
    }
}

#[test]
fn the_host_injects_and_extracts_by_registers() {
    let mut instance = Instance::new();
    let frame = broadcast(3, 75);
    for word in words_of(&frame) {
        instance.write(page::INJ_DATA, word as u64);
    }
    let go = inj_ctl::Value { octets: 75, port: 0, go: 1 }.encode().expect("fits");
    instance.write(page::INJ_CTL, go);
    while instance.read(page::INJ_CTL) >> 31 & 1 == 1 {}
    assert_eq!(instance.one.left.len(), 10);
    assert_eq!(instance.read(page::EVENT), 0);
    // With no words the management refuses the frame: CFG_BAD.
    instance.write(page::INJ_CTL, go);
    assert_eq!(instance.read(page::EVENT), 1 << page::Event::ConfigurationBad.code());

    // A read that was cleared in any of its clocks has taken no word, or has answered with it.
    instance.one.receive(&frame);
    (0..12).for_each(|_| instance.step(false));
    let control = ext_ctl::Value::decode(instance.read(page::EXT_CTL));
    assert_eq!((control.octets, control.port, control.valid), (75, 0, 1));
    let mut found = vec![];
    let mut clear = 0;
    while found.len() < 75 {
        if let Some(word) = instance.ask(page::EXT_DATA, None, Some(clear % 6)) {
            found.extend(word.to_le_bytes());
        }
        clear += 1;
    }
    assert_eq!(found[..75], frame);
    assert!(clear > 20, "{clear} reads");
    assert_eq!(ext_ctl::Value::decode(instance.read(page::EXT_CTL)).valid, 0);
}

/// What the model says of frames that are hard to tell.
#[test]
fn the_model_knows_whose_frame_it_is() {
    let network = Network::new(config()).expect("settings");
    let own = network.own_mac().expect("an address").to_be_bytes();
    let frame = |destination: &[u8], ethertype: [u8; 2]| {
        let mut frame = broadcast(1, 64);
        frame[..6].copy_from_slice(destination);
        frame[12..14].copy_from_slice(&ethertype);
        is_extracted(&frame, &network)
    };
    assert_eq!(own[2..], [0x02, 0, 0, 0, 0, 0x50]);
    assert!(frame(&own[2..], [0x08, 0x00]) && frame(&[0xFF; 6], [0x08, 0x06]));
    assert!(!frame(&[2, 0, 0, 0, 0, 0x51], [0x08, 0x00]), "another port");
    assert!(!frame(&own[2..], [0x88, 0xB6]), "a PDU");
    assert!(!frame(&own[2..], [0x88, 0xB5]), "an event frame");
    assert!(!frame(&[1, 0x80, 0xC2, 0, 0, 1], [0x88, 0x08]), "MAC control");
    assert!(!is_extracted(&[0xFF; 5], &network), "no header");
}

#[test]
fn what_cannot_be_built_is_refused() {
    let error = SueMgmt::<5>::new().err().expect("ports").to_string();
    assert!(error.contains("sue_mgmt") && error.contains("ports"), "{error}");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_mgmt";
    let faults = [
        Fault::replace("event frames are extracted", "sue_extract", "signs_q[3] |", "1'b0 |"),
        Fault::replace("frames with an error are kept", "sue_extract", "& ~judged_q[69]", ""),
        Fault::replace("any first word is a PDU's", "sue_extract", "compressed & signs_q[1]", "signs_q[1]"),
        Fault::replace("a token too early", "sue_inject", "~(wait_q[0] & wait_q[1])", "1'b1"),
        Fault::replace("words beyond stay", "sue_inject", "since_q - left_q", "10'h0"),
        Fault::replace("a short frame is sent", "sue_inject", "(since_q >= wanted)", "1'b1"),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}

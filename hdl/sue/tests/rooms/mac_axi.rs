//! The MAC with AXI-Stream against the golden encoder and decoder of XGMII, on all simulators.

use super::mac_line::{frame_transfers, Expected, Line, IDLES};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::FrameVerdict;
use flitforge_hdl_sue::mac_axi::{EthMacAxiRx, EthMacAxiTx, RECEIVE_LATENCY, TRANSMIT_LATENCY};
use flitforge_model::sue::format::frame::FrameState;
use flitforge_model::sue::format::Preamble;
use flitforge_model::sue::link::xgmii::{Column, FrameEnd, XgmiiConfig, XgmiiDecoder, XgmiiItem};
use flitforge_protocol::sue::link_control::FRAME_START;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Coverage, Rng, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{depth, random, BenchBlock, Clocked};
use rand::Rng as _;
use rust_hdl::prelude::{Bits, Synth};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

type VerdictBits = Bits<{ <FrameVerdict as Synth>::BITS }>;
type Seen = Rc<RefCell<Coverage>>;

fn wrong(clock: u64, problem: String) -> SimError {
    SimError::Check { clock, problem }
}

fn find<const N: usize>(bench: &dyn Bench, names: [&str; N]) -> Result<[PortHandle; N], SimError> {
    let found: Result<Vec<_>, _> = names.iter().map(|name| bench.port(name)).collect();
    Ok(found?.try_into().expect("as many as names"))
}

/// A word on AXI-Stream.
#[derive(Clone, Copy, Debug, Default)]
struct AxiWord {
    data: u64,
    keep: u8,
    last: bool,
    user: bool,
}

impl AxiWord {
    fn keeps_wrongly(self) -> bool {
        let from_octet_0 = self.keep & self.keep.wrapping_add(1) == 0 && self.keep != 0;
        if self.last {
            !from_octet_0
        } else {
            self.keep != 0xFF
        }
    }

    fn octets(self) -> usize {
        if self.last {
            (8 - self.keep.leading_zeros() as usize).max(1)
        } else {
            8
        }
    }
}

fn words_of(frame: &[u8], user: bool) -> VecDeque<AxiWord> {
    let count = frame.len().div_ceil(8);
    let word = |(index, octets): (usize, &[u8])| {
        let mut eight = [0x5A; 8]; // beyond the end there may be anything
        eight[..octets.len()].copy_from_slice(octets);
        let keep = (0xFF_u16 >> (8 - octets.len())) as u8;
        let last = index + 1 == count;
        AxiWord { data: u64::from_le_bytes(eight), keep, last, user }
    };
    frame.chunks(8).enumerate().map(word).collect()
}

/// Offers frames, and holds the line against them.
struct Sender {
    line: [PortHandle; 2],
    asks: [PortHandle; 5],
    ready: PortHandle,
    tells: [PortHandle; 4],
    settings: [PortHandle; 2],
    clear: PortHandle,
    config: XgmiiConfig,
    random: Rng,
    /// How often a word inside a frame is missing.
    stall: f64,
    words: VecDeque<AxiWord>,
    offered: Option<AxiWord>,
    inside: bool,
    taken: Vec<u8>,
    is_wrong: bool,
    /// Clock of the last word, frame, what is said of it.
    frames: VecDeque<(u64, Vec<u8>, FrameState)>,
    malformed: bool,
    sent: VecDeque<usize>,
    broken: usize,
    decoder: XgmiiDecoder,
    seen: Seen,
}

impl Sender {
    fn next_word(&mut self) -> Option<AxiWord> {
        if self.words.is_empty() {
            if self.random.random_bool(0.1) {
                return None;
            }
            let frame: Vec<u8> =
                (0..self.random.random_range(1..130)).map(|_| self.random.random()).collect();
            self.words = words_of(&frame, self.random.random_bool(0.1));
            if self.random.random_bool(0.1) {
                let at = self.random.random_range(0..self.words.len());
                self.words[at].keep = self.random.random();
            }
        } else if self.inside && self.random.random_bool(self.stall) {
            return None;
        }
        self.words.pop_front()
    }

    fn take(&mut self, clock: u64, word: AxiWord) {
        self.inside = !word.last;
        self.is_wrong |= word.keeps_wrongly();
        self.taken.extend(&word.data.to_le_bytes()[..word.octets()]);
        if word.last {
            let frame = std::mem::take(&mut self.taken);
            self.malformed = std::mem::take(&mut self.is_wrong);
            let bad = word.user || self.malformed;
            self.sent.push_back(frame.len().max(self.config.minimum) + 4);
            self.frames.push_back((clock, frame, if bad { FrameState::Poisoned } else { FrameState::Good }));
        }
    }

    /// A frame on the line. One that broke off may have come before its last word was offered.
    fn check(&mut self, clock: u64, octets: &[u8], end: FrameEnd) -> Result<(), SimError> {
        let preamble = Preamble::Standard;
        if end == FrameEnd::Code {
            self.seen.borrow_mut().hit("broken");
            // Those that broke off before it are there still.
            let begun = self.frames.get(self.broken).map_or(&self.taken, |(_, frame, _)| frame);
            self.broken += 1;
            if !begun.starts_with(octets) || self.stall == 0.0 {
                return Err(wrong(clock, format!("{octets:02X?} breaks off, of {begun:02X?}")));
            }
            return Ok(());
        }
        let (_, frame, state) =
            self.frames.pop_front().ok_or_else(|| wrong(clock, "a frame of nothing".into()))?;
        let expected = self.config.seal(preamble, &frame, state).expect("fits");
        self.seen.borrow_mut().hit(if state == FrameState::Good { "good" } else { "bad" });
        if octets != expected || end != FrameEnd::Clean {
            return Err(wrong(clock, format!("{octets:02X?} {end:?}, expected {expected:02X?}")));
        }
        Ok(())
    }

    /// Frames that broke off are never whole: what was offered of them is no longer expected.
    fn drop_broken(&mut self, octets: &[u8]) {
        while self.broken > 0 && self.frames.front().is_some_and(|(_, frame, _)| !octets.starts_with(frame)) {
            self.frames.pop_front();
            self.broken -= 1;
        }
    }

    fn check_pulses(&mut self, clock: u64, bench: &dyn Bench, malformed: bool) -> Result<(), SimError> {
        let [sent, octets, underrun, told] = self.tells;
        if bench.get_bit(told) != malformed {
            return Err(wrong(clock, format!("malformed, expected {malformed}")));
        }
        if malformed {
            self.seen.borrow_mut().hit("malformed");
        }
        if bench.get_bit(underrun) {
            self.seen.borrow_mut().hit("underrun");
            if self.stall == 0.0 {
                return Err(wrong(clock, "underrun, but there was always a word".into()));
            }
        }
        if self.stall == 0.0 && bench.get_bit(sent) {
            let octets = bench.get_u64(octets) as usize;
            match self.sent.pop_front() {
                Some(expected) if expected == octets => {}
                other => return Err(wrong(clock, format!("sent {octets} octets, expected {other:?}"))),
            }
        }
        // Two frames of one word wait before it, each with padding, preamble, FCS and gap.
        let longest = u64::from(TRANSMIT_LATENCY) + 3 * 13;
        let late = self.frames.front().is_some_and(|(since, _, _)| clock > since + longest);
        if late && self.stall == 0.0 {
            return Err(wrong(clock, format!("{:02X?} does not come", self.frames.front())));
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.taken.clear();
        self.frames.clear();
        self.sent.clear();
        (self.is_wrong, self.malformed, self.broken) = (false, false, 0);
        self.decoder = XgmiiDecoder::default();
    }
}

impl Agent for Sender {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.offered.is_none() {
            self.offered = self.next_word();
        }
        let noise =
            AxiWord { data: self.random.random(), keep: self.random.random(), last: true, user: true };
        let word = self.offered.unwrap_or(noise);
        let values =
            [word.data, word.keep.into(), self.offered.is_some().into(), word.last.into(), word.user.into()];
        self.asks.iter().zip(values).for_each(|(port, value)| bench.set_u64(*port, value));
        bench.set_u64(self.settings[0], self.config.minimum as u64);
        bench.set_u64(self.settings[1], self.config.gap as u64);
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let octets = bench.get_u64(self.line[0]).to_le_bytes();
        let column = Column { octets, control: bench.get_u64(self.line[1]) as u8 };
        for item in self.decoder.column(column) {
            let XgmiiItem::Frame { preamble: Ok(Preamble::Standard), octets, end } = item else {
                return Err(wrong(clock, format!("{item:02X?} on the line")));
            };
            if end == FrameEnd::Clean {
                self.drop_broken(&octets);
            }
            self.check(clock, &octets, end)?;
        }
        let malformed = std::mem::take(&mut self.malformed);
        self.check_pulses(clock, bench, malformed)?;
        if bench.get_bit(self.ready) {
            if let Some(word) = self.offered.take() {
                self.take(clock, word);
            }
        }
        if bench.get_bit(self.clear) {
            self.forget();
        }
        Ok(())
    }
}

fn transmit_plan(name: &str, config: XgmiiConfig, stall: f64, seen: &Seen) -> CosimPlan<'static> {
    let make = || Box::new(EthMacAxiTx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xa71), make, move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let asks = ["s_axis_tdata", "s_axis_tkeep", "s_axis_tvalid", "s_axis_tlast", "s_axis_tuser"];
        let sender = Sender {
            line: find(bench, ["txd", "txc"])?,
            asks: find(bench, asks)?,
            ready: bench.port("s_axis_tready")?,
            tells: find(bench, ["sent.valid", "sent.data", "underrun", "malformed"])?,
            settings: find(bench, ["minimum", "gap"])?,
            clear: bench.port("clear")?,
            config,
            random: rng(seed, "frames"),
            stall,
            words: VecDeque::new(),
            offered: None,
            inside: false,
            taken: vec![],
            is_wrong: false,
            frames: VecDeque::new(),
            malformed: false,
            sent: VecDeque::new(),
            broken: 0,
            decoder: XgmiiDecoder::default(),
            seen: seen.clone(),
        };
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(sender);
        Ok(())
    })
}

/// Drives the line, decodes it, and holds what comes out against that.
struct Receiver {
    line: Line,
    ports: [PortHandle; 3],
    words: [PortHandle; 5],
    tells: [PortHandle; 4],
    clear: PortHandle,
    column: Column,
    decoder: XgmiiDecoder,
    frames: VecDeque<Expected>,
    fragments: VecDeque<u64>,
    octets: Vec<u8>,
    seen: Seen,
}

impl Receiver {
    fn enter(&mut self, clock: u64) {
        for item in self.decoder.column(self.column) {
            match item {
                XgmiiItem::NoFrame => self.fragments.push_back(clock),
                XgmiiItem::Set(_) => self.seen.borrow_mut().hit("set"),
                XgmiiItem::Frame { preamble, octets, end } => {
                    let frame = Expected { clock, preamble: preamble.ok(), wire: octets, end };
                    if frame.octets() == 0 {
                        self.fragments.push_back(clock);
                    } else {
                        self.frames.push_back(frame);
                    }
                }
            }
        }
    }

    fn take(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let [_, data, keep, last, user] = self.words;
        let word = AxiWord {
            data: bench.get_u64(data),
            keep: bench.get_u64(keep) as u8,
            last: bench.get_bit(last),
            user: bench.get_bit(user),
        };
        if word.keeps_wrongly() || bench.get_bit(self.tells[0]) != word.last {
            return Err(wrong(clock, format!("{word:02X?}: its octets, or a verdict beside it")));
        }
        self.octets.extend(&word.data.to_le_bytes()[..word.octets()]);
        if !word.last {
            return Ok(());
        }
        let octets = std::mem::take(&mut self.octets);
        let expected =
            self.frames.pop_front().ok_or_else(|| wrong(clock, "a frame that did not come".into()))?;
        let wanted = expected.verdict(&self.line.config);
        let verdict: FrameVerdict = VerdictBits::from_value(&bench.get(self.tells[3])).into();
        let good = wanted.good;
        self.seen.borrow_mut().hit(if good { "good" } else { "bad" });
        let counted = bench.get_u64(self.tells[1]) as usize;
        let right_count = expected.end != FrameEnd::Clean || counted == expected.wire.len();
        let right = octets[..] == expected.wire[..octets.len().min(expected.wire.len())];
        let whole = expected.end == FrameEnd::Long || octets.len() == expected.octets();
        if verdict != wanted || word.user == good || !right || !whole || !right_count {
            let problem =
                format!("{word:02X?} ends {octets:02X?}, {counted} octets, expected {expected:02X?}");
            return Err(wrong(clock, problem));
        }
        Ok(())
    }
}

impl Agent for Receiver {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.column = self.line.column();
        let values = [self.column.word(), self.column.control.into(), self.line.config.minimum as u64];
        self.ports.iter().zip(values).for_each(|(port, value)| bench.set_u64(*port, value));
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.words[0]) {
            self.take(clock, bench)?;
        } else if bench.get_bit(self.tells[0]) {
            return Err(wrong(clock, "a verdict without a word".into()));
        }
        if bench.get_bit(self.tells[2]) {
            self.seen.borrow_mut().hit("fragment");
            let since =
                self.fragments.pop_front().ok_or_else(|| wrong(clock, "a fragment of nothing".into()))?;
            // Two in one column are told once.
            while self.fragments.front() == Some(&since) {
                self.fragments.pop_front();
            }
        }
        let late =
            self.frames.front().is_some_and(|frame| clock > frame.clock + u64::from(RECEIVE_LATENCY) + 1);
        if late {
            return Err(wrong(clock, format!("{:02X?} does not come", self.frames.front())));
        }
        if bench.get_bit(self.clear) {
            self.decoder = XgmiiDecoder::default();
            self.frames.clear();
            self.fragments.clear();
            self.octets.clear();
        }
        self.enter(clock);
        Ok(())
    }
}

fn receive_plan(name: &str, faults: f64, seen: &Seen) -> CosimPlan<'static> {
    let make = || Box::new(EthMacAxiRx::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xa72), make, move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let config = XgmiiConfig { fcs_over_sequence: false, ..Default::default() };
        let words = ["m_axis_tvalid", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser"];
        let receiver = Receiver {
            line: Line::new(rng(seed, "line"), config, faults),
            ports: find(bench, ["rxd", "rxc", "minimum"])?,
            words: find(bench, words)?,
            tells: find(bench, ["verdicts.valid", "octets", "fragment", "verdicts.data"])?,
            clear: bench.port("clear")?,
            column: Column::IDLE,
            decoder: XgmiiDecoder::default(),
            frames: VecDeque::new(),
            fragments: VecDeque::new(),
            octets: vec![],
            seen: seen.clone(),
        };
        testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_5, 1..=3));
        testbench.add(receiver);
        Ok(())
    })
}

fn run(plan: CosimPlan<'static>) {
    plan.clocks(FULL_CLOCKS)
        .stock_limit(2_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .run()
        .expect("equal");
}

#[test]
fn frames_and_wrong_words_go_out_as_they_should() {
    for (minimum, gap, name) in [(60, 12, "eth_mac_axi_tx"), (8, 8, "eth_mac_axi_tx_least")] {
        let seen = Seen::default();
        run(transmit_plan(name, XgmiiConfig { minimum, gap, ..Default::default() }, 0.0, &seen));
        seen.borrow().require(name, &["good", "bad", "malformed"]).expect("everything happened");
    }
}

#[test]
fn a_missing_word_breaks_its_frame_and_no_other() {
    let seen = Seen::default();
    run(transmit_plan("eth_mac_axi_tx_stalls", XgmiiConfig::default(), 0.02, &seen));
    seen.borrow().require("stalls", &["good", "broken", "underrun"]).expect("everything happened");
}

#[test]
fn everything_on_the_line_comes_out_with_its_verdict() {
    for (name, faults) in [("eth_mac_axi_rx", 0.3), ("eth_mac_axi_rx_clean", 0.05)] {
        let seen = Seen::default();
        run(receive_plan(name, faults, &seen));
        seen.borrow().require(name, &["good", "bad", "fragment", "set"]).expect("everything happened");
    }
}

/// The clock in which something is there, from 0 on.
fn first_clock(bench: &mut BenchBlock, mut is_there: impl FnMut(&mut BenchBlock) -> bool) -> u64 {
    (0..40)
        .find(|_| {
            let there = is_there(bench);
            bench.clock();
            there
        })
        .expect("within 40 clocks")
}

/// A frame with its preamble goes from AXI-Stream to the line one clock later than through the MAC, a word of it comes back as late as the text says.
#[test]
fn latency_is_as_told() {
    let mut sender = BenchBlock::boxed("eth_mac_axi_tx", Box::new(EthMacAxiTx::new().expect("valid")));
    sender.set("minimum", 60).set("gap", 12);
    (0..20).for_each(|_| sender.clock());
    let names = [("s_axis_tvalid", 1), ("s_axis_tkeep", 0xFF), ("s_axis_tdata", 0x0807_0605_0403_0201)];
    names.iter().for_each(|(name, value)| {
        sender.set(name, *value);
    });
    let preamble_at =
        first_clock(&mut sender, |bench| bench.get("txc") == 1 && bench.get("txd") & 0xFF == FRAME_START);
    let word_at =
        preamble_at + 1 + first_clock(&mut sender, |bench| bench.get("txd") == 0x0807_0605_0403_0201);
    assert_eq!(word_at, u64::from(TRANSMIT_LATENCY));

    let mut receiver = BenchBlock::boxed("eth_mac_axi_rx", Box::new(EthMacAxiRx::new().expect("valid")));
    receiver.set("minimum", 8);
    let mut random = random();
    let frame: Vec<u8> = (0..36).map(|_| random.random()).collect();
    let config = XgmiiConfig { minimum: 8, ..Default::default() };
    let wire = config.seal(Preamble::Standard, &frame, FrameState::Good).expect("fits");
    let transfers = frame_transfers(Preamble::Standard, &wire);
    let word = |octets: &[u8]| u64::from_le_bytes(octets.try_into().expect("eight"));
    let mut at = None;
    for (clock, pair) in transfers.chunks(2).chain(std::iter::repeat_n(&[IDLES, IDLES][..], 20)).enumerate() {
        let second = pair.get(1).copied().unwrap_or(IDLES);
        receiver
            .set("rxd", word(&[pair[0].0, second.0].concat()))
            .set("rxc", (pair[0].1 | second.1 << 4).into());
        if at.is_none() && receiver.get("m_axis_tvalid") == 1 {
            assert_eq!(receiver.get("m_axis_tdata"), word(&frame[..8]));
            at = Some(clock as u64);
        }
        receiver.clock();
    }
    // The preamble is column 0, the first word column 1.
    let first_of_next = 2;
    assert_eq!(at.map(|at| at - first_of_next), Some(u64::from(RECEIVE_LATENCY)));
}

#[test]
fn faults_are_found() {
    const SENDER: &str = "fault_eth_mac_axi_tx";
    const RECEIVER: &str = "fault_eth_mac_axi_rx";
    let short =
        |plan: CosimPlan<'static>| plan.clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    let in_sender = [
        Fault::replace(
            "a hole in tkeep is not seen",
            SENDER,
            "wrong = ~s_axis_tkeep[0] | (|(has_holes_above & ~has_holes_below));",
            "wrong = ~s_axis_tkeep[0];",
        ),
        Fault::replace(
            "a wrong word is forgotten at the next one",
            SENDER,
            "assign any_wrong = broken_q | wrong;",
            "assign any_wrong = wrong;",
        ),
        Fault::replace(
            "tuser is not looked at",
            SENDER,
            "assign word = {is_last & (s_axis_tuser | any_wrong)",
            "assign word = {is_last & any_wrong",
        ),
    ];
    let plan = || short(transmit_plan(SENDER, XgmiiConfig::default(), 0.0, &Seen::default()));
    find_all(plan, &in_sender).expect("all are found");
    let in_receiver = [
        Fault::replace(
            "a verdict that comes early is lost",
            RECEIVER,
            "assign is_bad_d = ends & ~found[0];",
            "assign is_bad_d = ends & ~mac_verdicts_data[0];",
        ),
        Fault::replace(
            "what was found stays after its frame",
            RECEIVER,
            "is_kept_d = is_kept_q & is_found;",
            "is_kept_d = is_kept_q;",
        ),
        Fault::replace(
            "the fifth octet is kept too early",
            RECEIVER,
            "(octets_of_bytes > 4'h4)",
            "(octets_of_bytes > 4'h3)",
        ),
    ];
    let plan = || short(receive_plan(RECEIVER, 0.3, &Seen::default()));
    find_all(plan, &in_receiver).expect("all are found");
}

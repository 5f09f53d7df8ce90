//! The MAC with AXI-Stream against the golden encoder and decoder of XGMII, on all simulators.

mod sender;

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
use flitforge_sim::kit::{rng, seed, Agent, ClearDriver, Coverage, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{depth, random, BenchBlock, Clocked};
use rand::Rng as _;
use rust_hdl::prelude::{Bits, Synth};
use sender::{transmit_plan, AxiWord};
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

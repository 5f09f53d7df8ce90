//! `link_regs`: the register page of a port (chapter 10, 5), made from its description
//! ([`flitforge_protocol::link_registers`]).
//!
//! Bus: a request is `re` or `we` (both: a write) with `addr`, a word of the page (byte offset / 8), and `wdata`; it is
//! taken in its first clock, may be held until `ack`, and none is taken until then. `ack` comes 4 clocks behind it, with
//! `rdata` (0 on a write and at all other times). An unknown word reads 0.
//!
//! - Kept values, counters and write masks lie in block RAM; its power-on contents are the description. What other blocks
//!   need at all times also stands in flip-flops, on a port named after its register, from 5 clocks behind a write on.
//! - A read of a counter has every event up to 1 clock behind the request. Writing 0 clears these. CTRL.clear_counters
//!   clears all counters and LANE counters, with every event up to 3 clocks behind the request.
//! - Status is that of 3 clocks behind the request. `credit_word` has to answer `credit_select` within 2 clocks.
//! - Registers that are writable in Down obey if STATUS.state is Down 2 clocks behind the request.
//! - CTRL.enable is cleared by CTRL.disable (our reading: the link would come up again at once).
//!
//! Counters: every event goes into an accumulator of its counter; a sweep carries one accumulator per clock into the RAM,
//! 43 words in turn, and lets the bus go first, which can take one clock in five. So an accumulator waits 54 clocks
//! at most: any 54 clocks have 11 visits of the bus and 43 of the sweep. Those of one event per clock have 6 bits (63),
//! those of up to 4 have 8 bits (216 of 255), LOST_ON_RESET with up to 257 has 14 bits (13,878 of 16,383). Nothing is lost.
//! A new start of the sweep (CTRL.clear_counters) empties all accumulators.
//!
//! Bits of `events` whose counter has a port of its own (`illegal_flits`, `tx_illegal`, `time_stale`, `time_dropped`,
//! at most 4 per clock; `lost_on_reset`, at most 257; CODE_ERR, which counts `code_errors`) are ignored.
//!
//! - Latency: `ack` 4 clocks behind the request; `interrupt` 2 clocks behind an event.
//! - Throughput: one request in 5 clocks. Combinational: `rdata` is one gate behind registers.
//! - `clear` keeps configuration, events and counters. A request of that clock is not taken; one that was taken is carried
//!   out without `ack`.

mod config;
mod store;
mod tallies;
mod tally;

pub use config::{LinkRegsConfig, IMAGE_WORDS, RAM_ADDRESS_BITS, RAM_BITS};
pub use store::RegsStore;
pub use tallies::{RegsTallies, MANY_BITS, SEVERAL_BITS, SEVERAL_MOST, SINGLE_BITS};
pub use tally::Tally;

use super::degrade::DEBT_BITS;
use crate::config::ConfigError;
use crate::prim::Register;
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use config::kept_registers;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::LINK_COUNTERS;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{self as page, event, lane};
use flitforge_protocol::register::{RegisterValue, BYTES};

/// Bits that address a word of the page.
pub const WORD_ADDRESS_BITS: usize = 7;
/// Events of register EVENT.
pub const EVENTS: usize = event::Value::REGISTER.layout.fields.len();
/// Registers with kept values besides CTRL.
const KEPT: usize = 11;
/// Words that other blocks give.
const LIVE: usize = 9;

/// The register page of a port; see the [module](self).
#[derive(LogicBlock)]
pub struct LinkRegs {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word of the page.
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// Register STATUS.
    pub status: Signal<In, Bits<32>>,
    /// Register LANES without `allowed`.
    pub lanes: Signal<In, Bits<24>>,
    /// Register RTT.
    pub rtt: Signal<In, Bits<64>>,
    /// Register SEQ.
    pub seq: Signal<In, Bits<48>>,
    /// Register PEER_GUID.
    pub peer_guid: Signal<In, Bits<64>>,
    /// Register LAT.
    pub lat: Signal<In, Bits<40>>,
    /// Register BOND_SKEW.
    pub bond_skew: Signal<In, Bits<16>>,
    /// Levels of the buckets.
    pub debt: [Signal<In, Bits<DEBT_BITS>>; MAX_LANES],
    /// Virtual lane whose credits are wanted.
    pub credit_select: Signal<Out, Bits<4>>,
    /// Register CRED of that virtual lane.
    pub credit_word: Signal<In, Bits<48>>,
    /// Bit i: counter i counts one.
    pub events: Signal<In, Bits<LINK_COUNTERS>>,
    /// Events ILLEGAL_FLIT.
    pub illegal_flits: Signal<In, Bits<3>>,
    /// Events TX_ILLEGAL.
    pub tx_illegal: Signal<In, Bits<3>>,
    /// Events TIME_STALE.
    pub time_stale: Signal<In, Bits<3>>,
    /// Events TIME_DROPPED.
    pub time_dropped: Signal<In, Bits<3>>,
    /// Events LOST_ON_RESET.
    pub lost_on_reset: Signal<In, Bits<9>>,
    /// Events LANE_ERR.
    pub lane_errors: Signal<In, Bits<4>>,
    /// Code errors of the lanes; they count in LANE and CODE_ERR.
    pub code_errors: Signal<In, Bits<4>>,
    /// Bits of register EVENT.
    pub happened: Signal<In, Bits<EVENTS>>,
    /// Some event of MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// CTRL.enable.
    pub enable: Signal<Out, Bit>,
    /// Pulse: CTRL.disable.
    pub go_down: Signal<Out, Bit>,
    /// Pulse: CTRL.retrain.
    pub retrain: Signal<Out, Bit>,
    /// Pulse: CTRL.restore.
    pub restore: Signal<Out, Bit>,
    /// LANES.allowed.
    pub allowed: Signal<Out, Bits<4>>,
    /// Register CRC_CFG.
    pub crc_cfg: Signal<Out, Bits<5>>,
    /// Register RETRY_CFG.
    pub retry_cfg: Signal<Out, Bits<56>>,
    /// Register DEGRADE.
    pub degrade: Signal<Out, Bits<11>>,
    /// Register GUID.
    pub guid: Signal<Out, Bits<64>>,
    /// Register CREDIT.
    pub credit: Signal<Out, Bits<16>>,
    /// Register CU.
    pub cu: Signal<Out, Bits<64>>,
    /// Register INJECT.
    pub inject: Signal<Out, Bits<57>>,
    /// Register VL_ARB.
    pub vl_arb: Signal<Out, Bits<64>>,
    /// Register VL_EN.
    pub vl_en: Signal<Out, Bits<56>>,

    store: RegsStore,
    tallies: RegsTallies,
    /// Clocks 1 to 4 of a request.
    step: [DFF<Bit>; 4],
    answers: DFF<Bit>,
    acknowledged: DFF<Bit>,
    /// STATUS.state of the clock before was not Down.
    was_up: DFF<Bit>,
    word: Register<Bits<WORD_ADDRESS_BITS>>,
    data: Register<Bits<64>>,
    data_zero: Register<Bit>,
    writes: Register<Bit>,
    live_word: DFF<Bits<64>>,
    kept: [Register<Bits<64>>; KEPT],
    enabled: DFF<Bit>,
    commands: DFF<Bits<3>>,
    event_bits: DFF<Bits<EVENTS>>,
    interrupts: DFF<Bit>,
    /// Which register `word` names, one clock behind it: known long before the write is carried out.
    is_kept: DFF<Bits<KEPT>>,
    is_ctrl: DFF<Bit>,
    is_event: DFF<Bit>,
    /// `word` and `data` are CTRL.clear_counters.
    is_clear_all: DFF<Bit>,
    clears_all: DFF<Bit>,
    /// Which word of other blocks `word` names, one clock behind it; LANE and CRED behind those of `live`.
    is_live: DFF<Bits<LIVE>>,
    is_lane: DFF<Bit>,
    is_credit: DFF<Bit>,

    takes: Signal<Local, Bit>,
    commits: Signal<Local, Bit>,
    to_ctrl: Signal<Local, Bit>,
    live_match: Signal<Local, Bits<LIVE>>,
    kept_match: Signal<Local, Bits<KEPT>>,
    ctrl_match: Signal<Local, Bit>,
    live: [Signal<Local, Bits<64>>; LIVE],
    part: Signal<Local, Bits<64>>,
    live_sum: Signal<Local, Bits<64>>,
    enabled_bit: Signal<Local, Bits<1>>,
    debt_now: Signal<Local, Bits<DEBT_BITS>>,
    cleared: Signal<Local, Bits<EVENTS>>,
    kept_words: [Constant<Bits<WORD_ADDRESS_BITS>>; KEPT],
    kept_masks: [Constant<Bits<64>>; KEPT],
    live_words: [Constant<Bits<WORD_ADDRESS_BITS>>; LIVE],
    ctrl_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    event_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    lane_words: Constant<Bits<5>>,
    debt_place: Constant<Bits<16>>,
    lane_numbers: [Constant<Bits<2>>; MAX_LANES],
    nothing: Constant<Bits<64>>,
}

/// Registers whose words other blocks give, in the order of `LinkRegs::live`.
const LIVE_OFFSETS: [u32; LIVE] = [
    page::CTRL,
    page::STATUS,
    page::LANES,
    page::RTT,
    page::SEQ,
    page::PEER_GUID,
    page::EVENT,
    page::LAT,
    page::BOND_SKEW,
];

impl LinkRegs {
    /// The page of a port that was built so, or the reason why not.
    pub fn new(config: &LinkRegsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let kept = kept_registers(config);
        if kept.len() != KEPT {
            let fix = "give the new register a port";
            return Err(ConfigError::new("link_regs", "kept registers", kept.len(), KEPT.to_string(), fix));
        }
        let word = |offset: u32| -> Bits<WORD_ADDRESS_BITS> { u64::from(offset / BYTES).into() };
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            status: Default::default(),
            lanes: Default::default(),
            rtt: Default::default(),
            seq: Default::default(),
            peer_guid: Default::default(),
            lat: Default::default(),
            bond_skew: Default::default(),
            debt: Default::default(),
            credit_select: Default::default(),
            credit_word: Default::default(),
            events: Default::default(),
            illegal_flits: Default::default(),
            tx_illegal: Default::default(),
            time_stale: Default::default(),
            time_dropped: Default::default(),
            lost_on_reset: Default::default(),
            lane_errors: Default::default(),
            code_errors: Default::default(),
            happened: Default::default(),
            interrupt: Default::default(),
            enable: Default::default(),
            go_down: Default::default(),
            retrain: Default::default(),
            restore: Default::default(),
            allowed: Default::default(),
            crc_cfg: Default::default(),
            retry_cfg: Default::default(),
            degrade: Default::default(),
            guid: Default::default(),
            credit: Default::default(),
            cu: Default::default(),
            inject: Default::default(),
            vl_arb: Default::default(),
            vl_en: Default::default(),
            store: RegsStore::new(config)?,
            tallies: RegsTallies::new()?,
            step: Default::default(),
            answers: Default::default(),
            acknowledged: Default::default(),
            was_up: Default::default(),
            word: Default::default(),
            data: Default::default(),
            data_zero: Default::default(),
            writes: Default::default(),
            live_word: Default::default(),
            kept: std::array::from_fn(|index| Register::new(kept[index].2.into())),
            enabled: Default::default(),
            commands: Default::default(),
            event_bits: Default::default(),
            interrupts: Default::default(),
            is_kept: Default::default(),
            is_ctrl: Default::default(),
            is_event: Default::default(),
            is_clear_all: Default::default(),
            clears_all: Default::default(),
            is_live: Default::default(),
            is_lane: Default::default(),
            is_credit: Default::default(),
            takes: Default::default(),
            commits: Default::default(),
            to_ctrl: Default::default(),
            live_match: Default::default(),
            kept_match: Default::default(),
            ctrl_match: Default::default(),
            live: Default::default(),
            part: Default::default(),
            live_sum: Default::default(),
            enabled_bit: Default::default(),
            debt_now: Default::default(),
            cleared: Default::default(),
            kept_words: std::array::from_fn(|index| Constant::new(kept[index].0.into())),
            kept_masks: std::array::from_fn(|index| Constant::new(kept[index].1.into())),
            live_words: std::array::from_fn(|index| Constant::new(word(LIVE_OFFSETS[index]))),
            ctrl_word: Constant::new(word(page::CTRL)),
            event_word: Constant::new(word(page::EVENT)),
            lane_words: Constant::new(u64::from((page::LANE / BYTES) >> 2).into()),
            debt_place: Constant::new((lane::debt::LOW as u64).into()),
            lane_numbers: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            nothing: Constant::new(0.into()),
        })
    }
}

impl Logic for LinkRegs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            answers,
            acknowledged,
            was_up,
            live_word,
            enabled,
            commands,
            event_bits,
            interrupts
        );
        dff_setup!(
            self,
            clock,
            is_kept,
            is_ctrl,
            is_event,
            is_clear_all,
            clears_all,
            is_live,
            is_lane,
            is_credit
        );
        clock!(self, clock, store, tallies, word, data, data_zero, writes);

        // The bus: clocks 1 to 4 of a request.
        self.takes.next = (self.we.val() | self.re.val())
            & !self.clear.val()
            & !(self.step[0].q.val() | self.step[1].q.val() | self.step[2].q.val() | self.step[3].q.val());
        for i in 0..4 {
            self.step[i].clock.next = self.clock.val();
        }
        self.step[0].d.next = self.takes.val();
        self.step[1].d.next = self.step[0].q.val();
        self.step[2].d.next = self.step[1].q.val();
        self.step[3].d.next = self.step[2].q.val();
        self.answers.d.next = (self.answers.q.val() | self.takes.val()) & !self.clear.val();
        self.acknowledged.d.next = self.step[2].q.val() & self.answers.q.val() & !self.clear.val();
        self.word.clear.next = false;
        self.word.enable.next = self.takes.val();
        self.word.d.next = self.addr.val();
        self.data.clear.next = false;
        self.data.enable.next = self.takes.val();
        self.data.d.next = self.wdata.val();
        self.data_zero.clear.next = false;
        self.data_zero.enable.next = self.takes.val();
        self.data_zero.d.next = !self.wdata.val().any();
        self.writes.clear.next = false;
        self.writes.enable.next = self.takes.val();
        self.writes.d.next = self.we.val();

        // Memory and accumulators.
        self.store.request.next = self.step[0].q.val();
        self.store.word.next = self.word.q.val();
        self.store.write.next = self.writes.q.val();
        self.store.wdata.next = self.data.q.val();
        self.store.wdata_zero.next = self.data_zero.q.val();
        self.was_up.d.next = self.status.val().get_bits::<3>(0).any();
        self.store.down.next = !self.was_up.q.val();
        self.store.low.next = self.tallies.low.val();
        self.store.high.next = self.tallies.high.val();
        self.tallies.events.next = self.events.val();
        self.tallies.several[0].next = self.illegal_flits.val();
        self.tallies.several[1].next = self.tx_illegal.val();
        self.tallies.several[2].next = self.time_stale.val();
        self.tallies.several[3].next = self.time_dropped.val();
        self.tallies.many.next = self.lost_on_reset.val();
        self.tallies.lane_errors.next = self.lane_errors.val();
        self.tallies.code_errors.next = self.code_errors.val();
        self.tallies.request.next = self.step[0].q.val();
        self.tallies.word.next = self.word.q.val();
        self.tallies.restart.next = self.clears_all.q.val();
        self.tallies.takes.next = self.store.takes.val();
        self.tallies.silent.next = self.store.silent.val();

        // What other blocks give.
        self.enabled_bit.next = 0.into();
        if self.enabled.q.val() {
            self.enabled_bit.next = 1.into();
        }
        self.live[0].next = bit_cast::<64, 1>(self.enabled_bit.val());
        self.live[1].next = bit_cast::<64, 32>(self.status.val());
        self.live[2].next = bit_cast::<64, 24>(self.lanes.val());
        self.live[3].next = self.rtt.val();
        self.live[4].next = bit_cast::<64, 48>(self.seq.val());
        self.live[5].next = self.peer_guid.val();
        self.live[6].next = bit_cast::<64, EVENTS>(self.event_bits.q.val());
        self.live[7].next = bit_cast::<64, 40>(self.lat.val());
        self.live[8].next = bit_cast::<64, 16>(self.bond_skew.val());
        self.debt_now.next = self.debt[0].val();
        for i in 1..4 {
            if self.word.q.val().get_bits::<2>(0) == self.lane_numbers[i].val() {
                self.debt_now.next = self.debt[i].val();
            }
        }
        self.live_match.next = 0.into();
        self.live_sum.next = self.nothing.val();
        for i in 0..9 {
            self.live_match.next =
                self.live_match.val().replace_bit(i, self.word.q.val() == self.live_words[i].val());
            self.part.next = self.nothing.val();
            if self.is_live.q.val().get_bit(i) {
                self.part.next = self.live[i].val();
            }
            self.live_sum.next = self.live_sum.val() | self.part.val();
        }
        self.is_live.d.next = self.live_match.val();
        self.is_lane.d.next = self.word.q.val().get_bits::<5>(2) == self.lane_words.val();
        self.is_credit.d.next = self.word.q.val().get_bits::<3>(4).all();
        if self.is_lane.q.val() {
            self.live_sum.next = self.live_sum.val()
                | (bit_cast::<64, DEBT_BITS>(self.debt_now.val()) << self.debt_place.val());
        }
        if self.is_credit.q.val() {
            self.live_sum.next = self.live_sum.val() | bit_cast::<64, 48>(self.credit_word.val());
        }
        self.live_word.d.next = self.live_sum.val();
        self.credit_select.next = self.word.q.val().get_bits::<4>(0);

        // What a write does.
        self.commits.next = self.store.committed.val();
        self.kept_match.next = 0.into();
        for i in 0..11 {
            self.kept_match.next =
                self.kept_match.val().replace_bit(i, self.word.q.val() == self.kept_words[i].val());
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].clear.next = false;
            self.kept[i].enable.next = self.commits.val() & self.is_kept.q.val().get_bit(i);
            self.kept[i].d.next = self.data.q.val() & self.kept_masks[i].val();
        }
        self.is_kept.d.next = self.kept_match.val();
        self.ctrl_match.next = self.word.q.val() == self.ctrl_word.val();
        self.is_ctrl.d.next = self.ctrl_match.val();
        self.is_clear_all.d.next = self.ctrl_match.val() & self.data.q.val().get_bit(5);
        self.is_event.d.next = self.word.q.val() == self.event_word.val();
        self.to_ctrl.next = self.commits.val() & self.is_ctrl.q.val();
        self.clears_all.d.next = self.store.commits.val() & self.is_clear_all.q.val();
        self.commands.d.next = 0.into();
        if self.to_ctrl.val() {
            self.enabled.d.next = self.data.q.val().get_bit(0) & !self.data.q.val().get_bit(1);
            self.commands.d.next = self.data.q.val().get_bits::<3>(1);
        }
        self.store.clear_all.next = self.clears_all.q.val();
        self.tallies.forget.next = self.clears_all.q.val();
        self.cleared.next = 0.into();
        if self.commits.val() & self.is_event.q.val() {
            self.cleared.next = bit_cast::<EVENTS, 64>(self.data.q.val());
        }
        self.event_bits.d.next = (self.event_bits.q.val() & !self.cleared.val()) | self.happened.val();
        self.interrupts.d.next =
            (self.event_bits.q.val() & bit_cast::<EVENTS, 64>(self.kept[7].q.val())).any();

        // Out.
        self.ack.next = self.acknowledged.q.val();
        self.rdata.next = self.nothing.val();
        if self.acknowledged.q.val() & !self.writes.q.val() {
            self.rdata.next = self.store.value.val() | self.live_word.q.val();
        }
        self.interrupt.next = self.interrupts.q.val();
        self.enable.next = self.enabled.q.val();
        self.go_down.next = self.commands.q.val().get_bit(0);
        self.retrain.next = self.commands.q.val().get_bit(1);
        self.restore.next = self.commands.q.val().get_bit(2);
        self.allowed.next = self.kept[0].q.val().get_bits::<4>(24);
        self.crc_cfg.next = self.kept[1].q.val().get_bits::<5>(0);
        self.retry_cfg.next = self.kept[2].q.val().get_bits::<56>(0);
        self.degrade.next = self.kept[3].q.val().get_bits::<11>(0);
        self.guid.next = self.kept[4].q.val();
        self.credit.next = self.kept[5].q.val().get_bits::<16>(0);
        self.cu.next = self.kept[6].q.val();
        self.inject.next = self.kept[8].q.val().get_bits::<57>(0);
        self.vl_arb.next = self.kept[9].q.val();
        self.vl_en.next = self.kept[10].q.val().get_bits::<56>(0);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_regs", &[])
    }
}

drive_ports!(impl[] LinkRegs { clock, clear, addr, wdata, we, re, rdata, ack, status, lanes, rtt, seq, peer_guid, lat, bond_skew, debt, credit_select, credit_word, events, illegal_flits, tx_illegal, time_stale, time_dropped, lost_on_reset, lane_errors, code_errors, happened, interrupt, enable, go_down, retrain, restore, allowed, crc_cfg, retry_cfg, degrade, guid, credit, cu, inject, vl_arb, vl_en });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_regs",
    chapter: "10-link",
    summary: "register page of a port, counters, events",
    parameters: &[
        ParameterInfo { name: "f", default: 2, allowed: Allowed::OneOf(&[1, 2, 4]), doc: "flits per beat" },
        ParameterInfo { name: "lanes", default: 4, allowed: Allowed::Range(1, 4), doc: "lanes" },
        ParameterInfo {
            name: "guid",
            default: 0,
            allowed: Allowed::Range(0, u64::MAX),
            doc: "GUID behind power-on",
        },
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = LinkRegsConfig {
        flits: settings.get("f")?,
        lanes: settings.get("lanes")?,
        guid: settings.get("guid")?,
        ..LinkRegsConfig::default()
    };
    Ok(BuiltBlock::new(LinkRegs::new(&config)?, InterfaceInfo::clocked(&[], Some(4), "request to ack")))
}

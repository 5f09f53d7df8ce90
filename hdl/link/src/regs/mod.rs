//! `link_regs`: the register page of a port (chapter 10, 5), made from its description
//! ([`flitforge_protocol::link_registers`]).
//!
//! Bus: a request is `re` or `we` (both: a write) with `addr`, a word of the page (byte offset / 8), and `wdata`; it is
//! taken in its first clock, may be held until `ack`, and none is taken until then. `ack` comes 4 clocks after it, with
//! `rdata` (0 on a write and at all other times). An unknown word reads 0.
//!
//! - Kept values, counters and write masks lie in block RAM; its power-on contents are the description. What other blocks
//!   need at all times also stands in flip-flops, on a port named after its register, from 5 clocks after a write on.
//! - A read of a counter has every event up to 1 clock after the request. Writing 0 clears these. CTRL.clear_counters
//!   clears all counters and LANE counters, with every event up to 3 clocks after the request.
//! - Status is that of 3 clocks after the request. `credit_word` has to answer `credit_select` within 2 clocks.
//! - Registers that are writable in Down obey if STATUS.state is Down 2 clocks after the request.
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
//! - Latency: `ack` 4 clocks after the request; `interrupt` 2 clocks after an event.
//! - Throughput: one request in 5 clocks. Combinational: `rdata` is one gate after registers.
//! - `clear` keeps configuration, events and counters. A request of that clock is not taken; one that was taken is carried
//!   out without `ack`.

mod config;
mod store;
mod tallies;

pub use config::{LinkRegsConfig, IMAGE_WORDS, RAM_ADDRESS_BITS, RAM_BITS};
pub use store::RegsStore;
pub use tallies::{RegsTallies, MANY_BITS, SEVERAL_BITS, SEVERAL_MOST, SINGLE_BITS};

use super::degrade::DEBT_BITS;
use config::kept_registers;
use flitforge_hdl_prim::prelude::*;
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
#[block("link_regs", new)]
pub struct LinkRegs {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Word of the page.
    addr: In<Bits<WORD_ADDRESS_BITS>>,
    /// Value of a write.
    wdata: In<Bits<64>>,
    /// Asks for a write.
    we: In<Bit>,
    /// Asks for a read.
    re: In<Bit>,
    /// With `ack` of a read: the value.
    rdata: Out<Bits<64>>,
    /// The request is done.
    ack: Out<Bit>,
    /// Register STATUS.
    status: In<Bits<32>>,
    /// Register LANES without `allowed`.
    lanes: In<Bits<24>>,
    /// Register RTT.
    rtt: In<Bits<64>>,
    /// Register SEQ.
    seq: In<Bits<48>>,
    /// Register PEER_GUID.
    peer_guid: In<Bits<64>>,
    /// Register LAT.
    lat: In<Bits<40>>,
    /// Register BOND_SKEW.
    bond_skew: In<Bits<16>>,
    /// Levels of the buckets.
    debt: [In<Bits<DEBT_BITS>>; MAX_LANES],
    /// Virtual lane whose credits are wanted.
    credit_select: Out<Bits<4>>,
    /// Register CRED of that virtual lane.
    credit_word: In<Bits<48>>,
    /// Bit i: counter i counts one.
    events: In<Bits<LINK_COUNTERS>>,
    /// Events ILLEGAL_FLIT.
    illegal_flits: In<Bits<3>>,
    /// Events TX_ILLEGAL.
    tx_illegal: In<Bits<3>>,
    /// Events TIME_STALE.
    time_stale: In<Bits<3>>,
    /// Events TIME_DROPPED.
    time_dropped: In<Bits<3>>,
    /// Events LOST_ON_RESET.
    lost_on_reset: In<Bits<9>>,
    /// Events LANE_ERR.
    lane_errors: In<Bits<4>>,
    /// Code errors of the lanes; they count in LANE and CODE_ERR.
    code_errors: In<Bits<4>>,
    /// Bits of register EVENT.
    happened: In<Bits<EVENTS>>,
    /// Some event of MASK has happened.
    interrupt: Out<Bit>,
    /// CTRL.enable.
    enable: Out<Bit>,
    /// Pulse: CTRL.disable.
    go_down: Out<Bit>,
    /// Pulse: CTRL.retrain.
    retrain: Out<Bit>,
    /// Pulse: CTRL.restore.
    restore: Out<Bit>,
    /// LANES.allowed.
    allowed: Out<Bits<4>>,
    /// Register CRC_CFG.
    crc_cfg: Out<Bits<5>>,
    /// Register RETRY_CFG.
    retry_cfg: Out<Bits<56>>,
    /// Register DEGRADE.
    degrade: Out<Bits<11>>,
    /// Register GUID.
    guid: Out<Bits<64>>,
    /// Register CREDIT.
    credit: Out<Bits<16>>,
    /// Register CU.
    cu: Out<Bits<64>>,
    /// Register INJECT.
    inject: Out<Bits<57>>,
    /// Register VL_ARB.
    vl_arb: Out<Bits<64>>,
    /// Register VL_EN.
    vl_en: Out<Bits<56>>,

    #[wire(clock)]
    store: RegsStore,
    #[wire(clock)]
    tallies: RegsTallies,
    /// Clocks 1 to 4 of a request.
    step: [Reg<Bit>; 4],
    answers: Reg<Bit>,
    acknowledged: Reg<Bit>,
    /// STATUS.state of the clock before was not Down.
    was_up: Reg<Bit>,
    #[wire(clear = false)]
    word: Register<Bits<WORD_ADDRESS_BITS>>,
    #[wire(clear = false)]
    data: Register<Bits<64>>,
    #[wire(clear = false)]
    data_zero: Register<Bit>,
    #[wire(clear = false)]
    writes: Register<Bit>,
    live_word: Reg<Bits<64>>,
    kept: [Register<Bits<64>>; KEPT],
    enabled: Reg<Bit>,
    commands: Reg<Bits<3>>,
    event_bits: Reg<Bits<EVENTS>>,
    interrupts: Reg<Bit>,
    /// Which register `word` names, one clock after it: known long before the write is carried out.
    is_kept: Reg<Bits<KEPT>>,
    is_ctrl: Reg<Bit>,
    is_event: Reg<Bit>,
    /// `word` and `data` are CTRL.clear_counters.
    is_clear_all: Reg<Bit>,
    clears_all: Reg<Bit>,
    /// Which word of other blocks `word` names, one clock after it; LANE and CRED after those of `live`.
    is_live: Reg<Bits<LIVE>>,
    is_lane: Reg<Bit>,
    is_credit: Reg<Bit>,

    takes: Local<Bit>,
    commits: Local<Bit>,
    to_ctrl: Local<Bit>,
    live_match: Local<Bits<LIVE>>,
    kept_match: Local<Bits<KEPT>>,
    ctrl_match: Local<Bit>,
    live: [Local<Bits<64>>; LIVE],
    part: Local<Bits<64>>,
    live_sum: Local<Bits<64>>,
    kept_words: [Constant<Bits<WORD_ADDRESS_BITS>>; KEPT],
    kept_masks: [Constant<Bits<64>>; KEPT],
    live_words: [Constant<Bits<WORD_ADDRESS_BITS>>; LIVE],
    ctrl_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    event_word: Constant<Bits<WORD_ADDRESS_BITS>>,
    lane_words: Constant<Bits<5>>,
    #[init(lane::debt::LOW)]
    debt_place: Constant<Bits<16>>,
    #[init(|lane| lane)]
    lane_numbers: [Constant<Bits<2>>; MAX_LANES],
    #[init(0)]
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

#[logic]
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
            store: RegsStore::new(config)?,
            tallies: RegsTallies::new()?,
            kept: std::array::from_fn(|index| Register::new(kept[index].2.into())),
            kept_words: std::array::from_fn(|index| Constant::new(kept[index].0.into())),
            kept_masks: std::array::from_fn(|index| Constant::new(kept[index].1.into())),
            live_words: std::array::from_fn(|index| Constant::new(word(LIVE_OFFSETS[index]))),
            ctrl_word: Constant::new(word(page::CTRL)),
            event_word: Constant::new(word(page::EVENT)),
            lane_words: Constant::new(u64::from((page::LANE / BYTES) >> 2).into()),
            ..
        })
    }

    fn update(&mut self) {
        // The bus: clocks 1 to 4 of a request.
        takes = (we | re) & !clear & !(step[0] | step[1] | step[2] | step[3]);
        step[0] = takes;
        step[1] = step[0];
        step[2] = step[1];
        step[3] = step[2];
        answers = (answers | takes) & !clear;
        acknowledged = step[2] & answers & !clear;
        word.enable = takes;
        word = addr;
        data.enable = takes;
        data = wdata;
        data_zero.enable = takes;
        data_zero = !wdata.any();
        writes.enable = takes;
        writes = we;

        // Memory and accumulators.
        store = In { request: step[0], word, write: writes, wdata: data, wdata_zero: data_zero };
        was_up = status.bits::<3>(0).any();
        store = In { down: !was_up, low: tallies.low, high: tallies.high };
        tallies.events = events;
        tallies.several[0] = illegal_flits;
        tallies.several[1] = tx_illegal;
        tallies.several[2] = time_stale;
        tallies.several[3] = time_dropped;
        tallies = In { many: lost_on_reset, lane_errors, code_errors, request: step[0], word };
        tallies = In { restart: clears_all, takes: store.takes, silent: store.silent };

        // What other blocks give.
        let mut enabled_bit: Bits<1> = 0;
        if enabled {
            enabled_bit = 1;
        }
        live[0] = bit_cast::<64, 1>(enabled_bit);
        live[1] = bit_cast::<64, 32>(status);
        live[2] = bit_cast::<64, 24>(lanes);
        live[3] = rtt;
        live[4] = bit_cast::<64, 48>(seq);
        live[5] = peer_guid;
        live[6] = bit_cast::<64, EVENTS>(event_bits);
        live[7] = bit_cast::<64, 40>(lat);
        live[8] = bit_cast::<64, 16>(bond_skew);
        let mut debt_now = debt[0];
        for i in 1..4 {
            if word.bits::<2>(0) == lane_numbers[i] {
                debt_now = debt[i];
            }
        }
        live_match = 0;
        live_sum = nothing;
        for i in 0..9 {
            live_match = live_match.with(i, word == live_words[i]);
            part = nothing;
            if is_live[i] {
                part = live[i];
            }
            live_sum = live_sum | part;
        }
        is_live = live_match;
        is_lane = word.bits::<5>(2) == lane_words;
        is_credit = word.bits::<3>(4).all();
        if is_lane {
            live_sum = live_sum | (bit_cast::<64, DEBT_BITS>(debt_now) << debt_place);
        }
        if is_credit {
            live_sum = live_sum | bit_cast::<64, 48>(credit_word);
        }
        live_word = live_sum;
        credit_select = word.bits::<4>(0);

        // What a write does.
        commits = store.committed;
        kept_match = 0;
        for i in 0..11 {
            kept_match = kept_match.with(i, word == kept_words[i]);
            kept[i] = In { clear: false, enable: commits & is_kept[i] };
            kept[i] = data & kept_masks[i];
        }
        is_kept = kept_match;
        ctrl_match = word == ctrl_word;
        is_ctrl = ctrl_match;
        is_clear_all = ctrl_match & data[5];
        is_event = word == event_word;
        to_ctrl = commits & is_ctrl;
        clears_all = store.commits & is_clear_all;
        commands = 0;
        if to_ctrl {
            enabled = data[0] & !data[1];
            commands = data.bits::<3>(1);
        }
        store.clear_all = clears_all;
        tallies.forget = clears_all;
        let mut cleared: Bits<EVENTS> = 0;
        if commits & is_event {
            cleared = bit_cast::<EVENTS, 64>(data);
        }
        event_bits = (event_bits & !cleared) | happened;
        interrupts = (event_bits & bit_cast::<EVENTS, 64>(kept[7])).any();

        // Out.
        ack = acknowledged;
        rdata = nothing;
        if acknowledged & !writes {
            rdata = store.value | live_word;
        }
        interrupt = interrupts;
        enable = enabled;
        go_down = commands[0];
        retrain = commands[1];
        restore = commands[2];
        allowed = kept[0].bits::<4>(24);
        crc_cfg = kept[1].bits::<5>(0);
        retry_cfg = kept[2].bits::<56>(0);
        degrade = kept[3].bits::<11>(0);
        guid = kept[4];
        credit = kept[5].bits::<16>(0);
        cu = kept[6];
        inject = kept[8].bits::<57>(0);
        vl_arb = kept[9];
        vl_en = kept[10].bits::<56>(0);
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_regs",
    chapter: "10-link",
    summary: "register page of a port, counters, events",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "lanes"),
        ParameterInfo::new("guid", 0, Allowed::Range(0, u64::MAX), "GUID behind power-on"),
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

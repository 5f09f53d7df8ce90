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
//! Counters: every event goes into an accumulator of its counter; a sweep carries one accumulator per clock into the RAM, 43
//! words in turn, and lets the bus go first, which can take one clock in five. So an accumulator waits 54 clocks at most: any 54
//! clocks have 11 visits of the bus and 43 of the sweep.
//!
//! Those of one event per clock have 6 bits (63), those of up to 4 have 8 bits (216 of 255), LOST_ON_RESET with up to 257 has 14
//! bits (13,878 of 16,383). Nothing is lost. A new start of the sweep (CTRL.clear_counters) empties all accumulators.
//!
//! Bits of `events` whose counter has a port of its own (`illegal_flits`, `tx_illegal`, `time_stale`, `time_dropped`,
//! at most 4 per clock; `lost_on_reset`, at most 257; CODE_ERR, which counts `code_errors`) are ignored.
//!
//! - Latency: `ack` 4 clocks after the request; `interrupt` 2 clocks after an event.
//! - Throughput: one request in 5 clocks. Combinational: `rdata` is one gate after registers.
//! - `clear` keeps configuration, events and counters. A request of that clock is not taken; one that was taken is carried
//!   out without `ack`.

mod config;
mod numbered;
mod request;
mod store;
mod tallies;

pub use config::{LinkRegsConfig, IMAGE_WORDS, RAM_ADDRESS_BITS, RAM_BITS};
pub use numbered::RegsNumbered;
pub use request::RegsRequest;
pub use store::RegsStore;
pub use tallies::{RegsTallies, MANY_BITS, SEVERAL_BITS, SEVERAL_MOST, SINGLE_BITS};

use super::degrade::DEBT_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::LINK_COUNTERS;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link_registers::{self as page, event};
use flitforge_protocol::register::RegisterValue;

/// Bits that address a word of the page.
pub const WORD_ADDRESS_BITS: usize = 7;
/// Events of register EVENT.
pub const EVENTS: usize = event::Value::REGISTER.layout.fields.len();
/// The registers of chapter 10, 5. What is kept is read from [`RegsStore`], which also says whether a write counts, and holds the
/// counters.
#[register_page(
    flitforge_protocol::link_registers, "link_registers", address = 7,
    whole(
        STATUS, LANES, CRC_CFG, RETRY_CFG, DEGRADE, RTT, SEQ, CREDIT, CU, EVENT, INJECT, LAT, VL_ARB, VL_EN, BOND_SKEW,
    ),
    recalled(ID, CAP, LANES.allowed, CRC_CFG, RETRY_CFG, DEGRADE, GUID, CREDIT, CU, MASK, INJECT, VL_ARB, VL_EN),
    given(CTRL.enable), prompt(CTRL.clear_counters), elsewhere(LANE, CRED), interrupt(EVENT, MASK),
)]
pub struct LinkRegisters;

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
    #[wire(clock, clear = false, down = true)]
    registers: LinkRegisters,
    #[wire(clock, clear)]
    request: RegsRequest,
    numbered: RegsNumbered,
    /// STATUS.state of the clock before was not Down.
    was_up: Reg<Bit>,
    enabled: Reg<Bit>,
    /// The request is for LANE or CRED, 2 clocks after it.
    #[wire(d = _)]
    elsewhere: Reg<Bit>,
}

#[logic]
impl LinkRegs {
    /// The page of a port that was built so, or the reason why not.
    pub fn new(config: &LinkRegsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            store: RegsStore::new(config)?,
            tallies: RegsTallies::new()?,
            registers: LinkRegisters::new(config)?,
            numbered: RegsNumbered::of_page(),
            ..
        })
    }

    fn update(&mut self) {
        request = In { addr, wdata, we, re };
        let word = request.word;
        let data = request.data;
        let writes = request.writes;

        // Memory and accumulators. CTRL.clear_counters takes both at once.
        let clears_all = registers.ctrl_clear_counters;
        was_up = status[page::status::state].any();
        store = In {
            request: request.taken,
            word,
            write: writes,
            wdata: data,
            wdata_zero: request.data_zero,
            down: !was_up,
            clear_all: clears_all,
            low: tallies.low,
            high: tallies.high,
        };
        tallies.events = events;
        tallies.several[0] = illegal_flits;
        tallies.several[1] = tx_illegal;
        tallies.several[2] = time_stale;
        tallies.several[3] = time_dropped;
        tallies = In { many: lost_on_reset, lane_errors, code_errors, request: request.taken, word };
        tallies = In { restart: clears_all, forget: clears_all, takes: store.takes, silent: store.silent };

        // The registers: a read is passed on at once, a write when the memory has let it through.
        registers.bus = In {
            request: (request.taken & !writes) | store.commits,
            write: writes,
            address: word,
            wdata: data,
        };
        registers = In { status, lanes, rtt, seq, peer_guid, lat, bond_skew, event_happened: happened };
        if registers.ctrl_write {
            enabled = registers.ctrl_enable_new & !data[page::ctrl::disable];
        }
        registers.ctrl_enable = enabled;

        // LANE.debt and CRED.
        numbered.word = word;
        for i in 0..MAX_LANES {
            numbered.debt[i] = debt[i];
        }
        numbered.credit_word = credit_word;
        credit_select = numbered.credit_select;
        elsewhere = registers.elsewhere;
        registers = In { elsewhere_done: elsewhere, elsewhere_value: numbered.value };

        // Out.
        ack = request.ack;
        rdata = 0;
        if request.ack & !writes {
            rdata = store.value | registers.bus.rdata;
        }
        interrupt = registers.interrupt;
        enable = enabled;
        Out { ctrl_disable: go_down, ctrl_retrain: retrain, ctrl_restore: restore } = registers;
        Out { lanes_allowed: allowed, crc_cfg, retry_cfg, degrade, guid, credit, cu, inject } = registers;
        Out { vl_arb, vl_en } = registers;
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

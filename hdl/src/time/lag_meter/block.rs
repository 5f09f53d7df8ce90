//! A meter of one direction.

use super::config::{CORE_FS, DDMTD_K, WORD_FS};
use super::phy::PHASE_BITS;
use super::tracker::STATIC;
use super::{LagAhead, LagBeat, LagCount, LagDdmtd, LagMeterConfig, LagPhy, LagScale, LINE_BITS};
use crate::config::{check_derived, ConfigError};
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::lane_word::LINE_POSITION_FRACTION_BITS;
use flitforge_protocol::time::{PhaseSource, LAG_BITS};
use flitforge_protocol::time_lag::COUNT_FRACTION_BITS;

/// Bits of the fill of a PHY's FIFO, words.
const FILL_BITS: usize = 8;

/// The meter of a direction: `TX`, `BEAT`, `PHY` and `DDMTD` are 1 or 0 as direction and PHASE_SRC say; see the [module](super).
#[derive(LogicBlock)]
pub struct LagMeter<const TX: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize = 0> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word clock of the first lane in use: BEAT, DDMTD.
    pub word_clock: Signal<In, Clock>,
    /// Helper clock: there with DDMTD.
    pub helper_clock: [Signal<In, Clock>; DDMTD],
    /// Fraction of a word at this clock's edge, 1/256: PHY.
    pub phase: Signal<In, Bits<PHASE_BITS>>,
    /// `phase` is valid: PHY.
    pub phase_valid: Signal<In, Bit>,
    /// Positions and words mean something; its rise begins the count.
    pub run: Signal<In, Bit>,
    /// Words that the PHY has taken or given, as `link_port` counts them.
    pub words: Signal<In, Bits<WORD_COUNT_BITS>>,
    /// Words in the PHY's FIFO.
    pub fill: Signal<In, Bits<FILL_BITS>>,
    /// Line position of the beat at plane X or R.
    pub position: Signal<In, Bits<POSITION_BITS>>,
    /// LTPs have 34 words: tx. Changes only while no beat is sent.
    pub wide: Signal<In, Bit>,
    /// L - 1: tx. Changes only while no beat is sent.
    pub last_lane: Signal<In, Bits<2>>,
    /// No beat goes to the lanes: tx. Where it is not known, 0: 256 clocks at position 0 say the same.
    pub stopped: Signal<In, Bit>,
    /// Lag, signed, 1/256 ns.
    pub lag: Signal<Out, Bits<LAG_BITS>>,
    /// It can be used.
    pub phase_ok: Signal<Out, Bit>,
    /// The phase is static (LAG\[62\]).
    pub fixed: Signal<Out, Bit>,
    /// tx: the lag given three clocks before is that of the beat which X takes in this clock. rx: 1.
    pub exact: Signal<Out, Bit>,
    /// Event: LAG_SAT.
    pub saturated: Signal<Out, Bit>,
    /// Event: the count was valid, has slipped and is not any more.
    pub slipped: Signal<Out, Bit>,

    beat: [LagBeat; BEAT],
    phy: [LagPhy; PHY],
    ddmtd: [LagDdmtd; DDMTD],
    ahead: [LagAhead; TX],
    /// None with NONE.
    counts: Vec<LagCount>,
    scale: LagScale,
    run_before: DFF<Bit>,
    begin: DFF<Bit>,
    base: DFF<Bits<LINE_BITS>>,
    total: DFF<Bits<LINE_BITS>>,
    difference: DFF<Bits<LINE_BITS>>,
    /// Clocks until what has begun is in `lag`.
    until: DFF<Bits<3>>,
    valid: DFF<Bit>,
    over_before: DFF<Bit>,
    over_event: DFF<Bit>,
    restart: Signal<Local, Bit>,
    line: Signal<Local, Bits<LINE_BITS>>,
    line_ok: Signal<Local, Bit>,
    count: Signal<Local, Bits<WORD_COUNT_BITS>>,
    wide_fill: Signal<Local, Bits<WORD_COUNT_BITS>>,
    counted: Signal<Local, Bits<LINE_BITS>>,
    whole: Signal<Local, Bits<LINE_BITS>>,
    at: Signal<Local, Bits<POSITION_BITS>>,
    place: Signal<Local, Bits<LINE_BITS>>,
    /// NOM and half a unit of the result, 2^-12 word.
    nominal: Constant<Bits<LINE_BITS>>,
    no_fraction: Constant<Bits<LINE_BITS>>,
    clocks: Constant<Bits<3>>,
    one: Constant<Bits<3>>,
    _source: PhaseSource,
    _receive: bool,
}

impl<const TX: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize>
    LagMeter<TX, BEAT, PHY, DDMTD>
{
    /// A meter, or the reason why not.
    pub fn new(config: &LagMeterConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let name = "lag_meter";
        let is = |source| u64::from(config.phase_source == source);
        check_derived(name, "TX", TX as u64, "not rx", u64::from(!config.receive))?;
        check_derived(name, "BEAT", BEAT as u64, "PHASE_SRC is BEAT", is(PhaseSource::Beat))?;
        check_derived(name, "PHY", PHY as u64, "PHASE_SRC is PHY", is(PhaseSource::Phy))?;
        check_derived(name, "DDMTD", DDMTD as u64, "PHASE_SRC is DDMTD", is(PhaseSource::Ddmtd))?;
        let beat = |_| LagBeat::new(config.core_fs, config.word_fs, config.static_log2);
        let beat = (0..BEAT).map(beat).collect::<Result<Vec<_>, _>>()?;
        let ddmtd = (0..DDMTD).map(|_| LagDdmtd::new(config)).collect::<Result<Vec<_>, _>>()?;
        let ahead = (0..TX).map(|_| LagAhead::new(config.flits)).collect::<Result<Vec<_>, _>>()?;
        let none = |count: &str| ConfigError::new(name, count, 0, "as many parts as said", "report this");
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            word_clock: Default::default(),
            helper_clock: defaults(),
            phase: Default::default(),
            phase_valid: Default::default(),
            run: Default::default(),
            words: Default::default(),
            fill: Default::default(),
            position: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            stopped: Default::default(),
            lag: Default::default(),
            phase_ok: Default::default(),
            fixed: Default::default(),
            exact: Default::default(),
            saturated: Default::default(),
            slipped: Default::default(),
            beat: beat.try_into().map_err(|_| none("BEAT"))?,
            phy: std::array::from_fn(|_| LagPhy::new(config.core_fs, config.word_fs)),
            ddmtd: ddmtd.try_into().map_err(|_| none("DDMTD"))?,
            counts: (0..BEAT + PHY + DDMTD).map(|_| LagCount::default()).collect(),
            ahead: ahead.try_into().map_err(|_| none("TX"))?,
            scale: LagScale::new(config.word_fs),
            run_before: Default::default(),
            begin: Default::default(),
            base: Default::default(),
            total: Default::default(),
            difference: Default::default(),
            until: Default::default(),
            valid: Default::default(),
            over_before: Default::default(),
            over_event: Default::default(),
            restart: Default::default(),
            line: Default::default(),
            line_ok: Default::default(),
            count: Default::default(),
            wide_fill: Default::default(),
            counted: Default::default(),
            whole: Default::default(),
            at: Default::default(),
            place: Default::default(),
            nominal: Constant::new(nominal_words(config).into()),
            no_fraction: Constant::new((!0_u64 << COUNT_FRACTION_BITS & ((1 << LINE_BITS) - 1)).into()),
            clocks: Constant::new((super::RX_CLOCKS as u64).into()),
            one: Constant::new(1.into()),
            _source: config.phase_source,
            _receive: config.receive,
        })
    }
}

/// What is added to the count of words for NOM, for rounding and, at tx, for the clocks until X: 2^-12 word, modulo 2^28.
fn nominal_words(config: &LagMeterConfig) -> u64 {
    let words = |fs: u128| {
        ((fs << COUNT_FRACTION_BITS) + u128::from(config.word_fs) / 2) / u128::from(config.word_fs)
    };
    let nominal = words(u128::from(config.nominal_ns) * 1_000_000) as i128;
    // 1/512 ns.
    let half = words(1_953) as i128;
    // rx: words - NOM + half; tx: the difference is subtracted from a position.
    let ahead = words(u128::from(config.core_fs) * super::HORIZON as u128) as i128;
    let added = if config.receive { half - nominal } else { ahead + nominal - half };
    added.rem_euclid(1 << LINE_BITS) as u64
}

impl<const TX: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize> Logic
    for LagMeter<TX, BEAT, PHY, DDMTD>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            run_before,
            begin,
            base,
            total,
            difference,
            until,
            valid,
            over_before,
            over_event
        );
        clock!(self, clock, scale);
        self.run_before.d.next = self.run.val();
        self.begin.d.next = self.run.val() & !self.run_before.q.val();
        self.restart.next = self.clear.val() | self.begin.q.val();

        // The line.
        self.line.next = 0.into();
        self.line_ok.next = true;
        self.fixed.next = false;
        self.slipped.next = false;
        for i in 0..BEAT {
            self.beat[i].clock.next = self.clock.val();
            self.beat[i].word_clock.next = self.word_clock.val();
            self.beat[i].restart.next = self.restart.val();
            self.line.next = self.beat[i].line.val();
            self.counts[0].enable.next = self.beat[i].ok.val() & self.run.val() & !self.restart.val();
            self.line_ok.next = self.counts[0].done.val();
            self.fixed.next = self.beat[i].fixed.val();
            self.slipped.next = self.beat[i].slipped.val() & self.valid.q.val();
        }
        for i in 0..PHY {
            self.phy[i].clock.next = self.clock.val();
            self.phy[i].restart.next = self.restart.val();
            self.phy[i].phase.next = self.phase.val();
            self.phy[i].phase_valid.next = self.phase_valid.val();
            self.line.next = self.phy[i].line.val();
            self.counts[0].enable.next = self.phy[i].ok.val() & self.run.val() & !self.restart.val();
            self.line_ok.next = self.counts[0].done.val();
        }
        for i in 0..DDMTD {
            self.ddmtd[i].clock.next = self.clock.val();
            self.ddmtd[i].word_clock.next = self.word_clock.val();
            self.ddmtd[i].helper_clock.next = self.helper_clock[i].val();
            self.ddmtd[i].restart.next = self.restart.val();
            self.line.next = self.ddmtd[i].line.val();
            self.counts[0].enable.next = self.ddmtd[i].ok.val() & self.run.val() & !self.restart.val();
            self.line_ok.next = self.counts[0].done.val();
            self.fixed.next = self.ddmtd[i].fixed.val();
            self.slipped.next = self.ddmtd[i].slipped.val() & self.valid.q.val();
        }

        // Its number of words: those of the port when it begins, their mean as soon as that is known, its own from then on.
        self.wide_fill.next = bit_cast::<WORD_COUNT_BITS, FILL_BITS>(self.fill.val());
        self.count.next = self.words.val() + self.wide_fill.val();
        for i in 0..TX {
            self.count.next = self.words.val() - self.wide_fill.val();
            self.ahead[i].clock.next = self.clock.val();
        }
        self.counted.next =
            (bit_cast::<LINE_BITS, WORD_COUNT_BITS>(self.count.val()) << 12) + self.nominal.val();
        self.whole.next = self.line.val() & self.no_fraction.val();
        if self.begin.q.val() {
            self.base.d.next = self.counted.val() - self.whole.val();
        }
        // NONE: the port's words.
        self.total.d.next =
            (bit_cast::<LINE_BITS, WORD_COUNT_BITS>(self.words.val()) << 12) + self.nominal.val();
        for _i in 0..BEAT {
            self.counts[0].clock.next = self.clock.val();
            self.counts[0].counted.next = self.counted.val();
            self.counts[0].line.next = self.line.val();
            if self.counts[0].found.val() {
                self.base.d.next = self.counts[0].base.val();
            }
            self.total.d.next = self.line.val() + self.base.q.val();
        }
        for _i in 0..DDMTD {
            self.counts[0].clock.next = self.clock.val();
            self.counts[0].counted.next = self.counted.val();
            self.counts[0].line.next = self.line.val();
            if self.counts[0].found.val() {
                self.base.d.next = self.counts[0].base.val();
            }
            self.total.d.next = self.line.val() + self.base.q.val();
        }
        for _i in 0..PHY {
            self.counts[0].clock.next = self.clock.val();
            self.counts[0].counted.next = self.counted.val();
            self.counts[0].line.next = self.line.val();
            if self.counts[0].found.val() {
                self.base.d.next = self.counts[0].base.val();
            }
            self.total.d.next = self.line.val() + self.base.q.val();
        }

        // The beat.
        self.at.next = self.position.val();
        self.exact.next = true;
        for i in 0..TX {
            self.ahead[i].position.next = self.position.val();
            self.ahead[i].wide.next = self.wide.val();
            self.ahead[i].last_lane.next = self.last_lane.val();
            self.ahead[i].stopped.next = self.stopped.val();
            self.at.next = self.ahead[i].ahead.val();
            self.exact.next = self.ahead[i].exact.val();
        }
        self.place.next = bit_cast::<LINE_BITS, POSITION_BITS>(self.at.val()) << 4;
        self.difference.d.next = self.total.q.val() - self.place.val();
        for _i in 0..TX {
            self.difference.d.next = self.place.val() - self.total.q.val();
        }
        self.scale.difference.next = self.difference.q.val();
        self.lag.next = self.scale.lag.val();

        // What it is worth.
        if self.until.q.val().any() {
            self.until.d.next = self.until.q.val() - self.one.val();
        }
        if self.restart.val() | !self.line_ok.val() {
            self.until.d.next = self.clocks.val();
        }
        self.valid.d.next = self.line_ok.val()
            & self.run.val()
            & self.run_before.q.val()
            & !self.restart.val()
            & !self.until.q.val().any();
        self.phase_ok.next = self.valid.q.val() & !self.scale.over.val();
        self.over_before.d.next = self.scale.over.val();
        self.over_event.d.next = self.scale.over.val() & !self.over_before.q.val() & self.valid.q.val();
        self.saturated.next = self.over_event.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "lag_meter",
            &[
                ("direction", if self._receive { "rx" } else { "tx" }.to_string()),
                ("source", self._source.name().to_lowercase()),
            ],
        )
    }
}

drive_ports!(impl[const TX: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize] LagMeter<TX, BEAT, PHY, DDMTD> {
    clock, clear, word_clock, helper_clock, phase, phase_valid, run, words, fill, position, wide, last_lane, stopped, lag, phase_ok, fixed, exact,
    saturated, slipped,
});

const _: () = assert!(COUNT_FRACTION_BITS == LINE_POSITION_FRACTION_BITS + 4);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "lag_meter",
    chapter: "20-time",
    summary: "how far a flit at plane X or R is from its place on the line",
    parameters: &[
        ParameterInfo { name: "rx", default: 1, allowed: Allowed::Range(0, 1), doc: "1 rx, 0 tx" },
        ParameterInfo {
            name: "source",
            default: PhaseSource::Beat as u64,
            allowed: Allowed::OneOf(&[0, 1, 2, 3]),
            doc: "PHASE_SRC: 0 NONE, 1 BEAT, 2 DDMTD, 3 PHY",
        },
        CORE_FS,
        WORD_FS,
        ParameterInfo { name: "nom", default: 0, allowed: Allowed::Range(0, 1023), doc: "NOM, ns" },
        ParameterInfo {
            name: "f",
            default: 2,
            allowed: Allowed::OneOf(&[
                FLITS_PER_BEAT[0] as u64,
                FLITS_PER_BEAT[1] as u64,
                FLITS_PER_BEAT[2] as u64,
            ]),
            doc: "flits per beat: tx",
        },
        STATIC,
        DDMTD_K,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "tx", values: &[("rx", 0), ("nom", 40)] },
        Preset { name: "phy", values: &[("source", 3), ("word_fs", 6_400_000)] },
        Preset { name: "phy_tx", values: &[("rx", 0), ("source", 3), ("f", 4)] },
        Preset { name: "none", values: &[("source", 0), ("nom", 90)] },
        Preset { name: "none_tx", values: &[("rx", 0), ("source", 0), ("f", 1)] },
        Preset { name: "ddmtd", values: &[("source", 2), ("word_fs", 6_400_000)] },
        Preset {
            name: "ddmtd_tx",
            values: &[("rx", 0), ("source", 2), ("word_fs", 6_400_000), ("ddmtd_k", 10), ("nom", 40)],
        },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let phase_source = match settings.get("source")? {
        0 => PhaseSource::None,
        1 => PhaseSource::Beat,
        2 => PhaseSource::Ddmtd,
        _ => PhaseSource::Phy,
    };
    let config = LagMeterConfig {
        receive: settings.get("rx")? == 1,
        phase_source,
        core_fs: settings.get("core_fs")?,
        word_fs: settings.get("word_fs")?,
        ddmtd_k: settings.get("ddmtd_k")? as u32,
        nominal_ns: settings.get("nom")?,
        flits: settings.size("f")?,
        static_log2: settings.get("static_log2")? as u32,
    };
    let latency = config.receive.then_some(super::RX_CLOCKS as u32);
    let mut interface = InterfaceInfo::clocked(&[], latency, "position to lag");
    interface.clocks.push("word_clock".into());
    if phase_source == PhaseSource::Ddmtd {
        interface.clocks.push("helper_clock[0]".into());
    }
    Ok(match (config.receive, phase_source) {
        (true, PhaseSource::Ddmtd) => BuiltBlock::new(LagMeter::<0, 0, 0, 1>::new(&config)?, interface),
        (false, PhaseSource::Ddmtd) => BuiltBlock::new(LagMeter::<1, 0, 0, 1>::new(&config)?, interface),
        (true, PhaseSource::Beat) => BuiltBlock::new(LagMeter::<0, 1, 0, 0>::new(&config)?, interface),
        (true, PhaseSource::Phy) => BuiltBlock::new(LagMeter::<0, 0, 1, 0>::new(&config)?, interface),
        (true, _) => BuiltBlock::new(LagMeter::<0, 0, 0, 0>::new(&config)?, interface),
        (false, PhaseSource::Beat) => BuiltBlock::new(LagMeter::<1, 1, 0, 0>::new(&config)?, interface),
        (false, PhaseSource::Phy) => BuiltBlock::new(LagMeter::<1, 0, 1, 0>::new(&config)?, interface),
        (false, _) => BuiltBlock::new(LagMeter::<1, 0, 0, 0>::new(&config)?, interface),
    })
}

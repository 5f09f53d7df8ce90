//! A meter of one direction.

use super::config::{CORE_FS, DDMTD_K, WORD_FS};
use super::phy::PHASE_BITS;
use super::tracker::STATIC;
use super::{LagBeat, LagCount, LagDdmtd, LagLookAhead, LagMeterConfig, LagPhy, LagScale, LINE_BITS};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::lane_word::LINE_POSITION_FRACTION_BITS;
use flitforge_protocol::time::{PhaseSource, LAG_BITS};
use flitforge_protocol::time_lag::COUNT_FRACTION_BITS;

/// Bits of the fill of a PHY's FIFO, words.
const FILL_BITS: usize = 8;

/// The meter of a direction: `TX`, `BEAT`, `PHY` and `DDMTD` are 1 or 0 as direction and PHASE_SRC say; see the [module](super).
#[block(new)]
pub struct LagMeter<const TX: usize, const BEAT: usize, const PHY: usize, const DDMTD: usize = 0> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Word clock of the first lane in use: BEAT, DDMTD.
    word_clock: In<Clock>,
    /// Helper clock: there with DDMTD.
    helper_clock: [In<Clock>; DDMTD],
    /// Fraction of a word at this clock's edge, 1/256: PHY.
    phase: In<Bits<PHASE_BITS>>,
    /// `phase` is valid: PHY.
    phase_valid: In<Bit>,
    /// Positions and words mean something; its rise begins the count.
    run: In<Bit>,
    /// Words that the PHY has taken or given, as `link_port` counts them.
    words: In<Bits<WORD_COUNT_BITS>>,
    /// Words in the PHY's FIFO.
    fill: In<Bits<FILL_BITS>>,
    /// Line position of the beat at plane X or R.
    position: In<Bits<POSITION_BITS>>,
    /// LTPs have 34 words: tx. Changes only while no beat is sent.
    wide: In<Bit>,
    /// L - 1: tx. Changes only while no beat is sent.
    last_lane: In<Bits<2>>,
    /// No beat goes to the lanes: tx. Where it is not known, 0: 256 clocks at position 0 say the same.
    stopped: In<Bit>,
    /// Lag, signed, 1/256 ns.
    lag: Out<Bits<LAG_BITS>>,
    /// It can be used.
    phase_ok: Out<Bit>,
    /// The phase is static (LAG\[62\]).
    fixed: Out<Bit>,
    /// tx: the lag given three clocks before is that of the beat which X takes in this clock. rx: 1.
    exact: Out<Bit>,
    /// Event: LAG_SAT.
    saturated: Out<Bit>,
    /// Event: the count was valid, has slipped and is not any more.
    slipped: Out<Bit>,

    #[wire(clock)]
    beat: [LagBeat; BEAT],
    #[wire(clock)]
    phy: [LagPhy; PHY],
    #[wire(clock)]
    ddmtd: [LagDdmtd; DDMTD],
    #[wire(clock)]
    look_ahead: [LagLookAhead; TX],
    /// None with NONE.
    counts: Vec<LagCount>,
    #[wire(clock)]
    scale: LagScale,
    run_before: Reg<Bit>,
    begin: Reg<Bit>,
    base: Reg<Bits<LINE_BITS>>,
    total: Reg<Bits<LINE_BITS>>,
    difference: Reg<Bits<LINE_BITS>>,
    /// Clocks until what has begun is in `lag`.
    until: Reg<Bits<3>>,
    valid: Reg<Bit>,
    over_before: Reg<Bit>,
    over_event: Reg<Bit>,
    restart: Local<Bit>,
    line: Local<Bits<LINE_BITS>>,
    line_ok: Local<Bit>,
    count: Local<Bits<WORD_COUNT_BITS>>,
    /// NOM and half a unit of the result, 2^-12 word.
    nominal: Constant<Bits<LINE_BITS>>,
    no_fraction: Constant<Bits<LINE_BITS>>,
    #[init(super::RX_CLOCKS)]
    clocks: Constant<Bits<3>>,
    #[init(1)]
    one: Constant<Bits<3>>,
    _source: PhaseSource,
    _receive: bool,
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
    let look_ahead = words(u128::from(config.core_fs) * super::HORIZON as u128) as i128;
    let added = if config.receive { half - nominal } else { look_ahead + nominal - half };
    added.rem_euclid(1 << LINE_BITS) as u64
}

#[logic]
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
        let look_ahead = (0..TX).map(|_| LagLookAhead::new(config.flits)).collect::<Result<Vec<_>, _>>()?;
        let none = |count: &str| ConfigError::new(name, count, 0, "as many parts as said", "report this");
        Ok(Self {
            beat: beat.try_into().map_err(|_| none("BEAT"))?,
            phy: std::array::from_fn(|_| LagPhy::new(config.core_fs, config.word_fs)),
            ddmtd: ddmtd.try_into().map_err(|_| none("DDMTD"))?,
            counts: (0..BEAT + PHY + DDMTD).map(|_| LagCount::default()).collect(),
            look_ahead: look_ahead.try_into().map_err(|_| none("TX"))?,
            scale: LagScale::new(config.word_fs),
            nominal: Constant::new(nominal_words(config).into()),
            no_fraction: Constant::new((!0_u64 << COUNT_FRACTION_BITS & ((1 << LINE_BITS) - 1)).into()),
            _source: config.phase_source,
            _receive: config.receive,
            ..
        })
    }

    fn update(&mut self) {
        run_before = run;
        begin = run & !run_before;
        restart = clear | begin;

        // The line.
        line = 0;
        line_ok = true;
        fixed = false;
        slipped = false;
        for i in 0..BEAT {
            beat[i] = In { word_clock, restart };
            line = beat[i].line;
            counts[0].enable = beat[i].ok & run & !restart;
            line_ok = counts[0].done;
            fixed = beat[i].fixed;
            slipped = beat[i].slipped & valid;
        }
        for i in 0..PHY {
            phy[i] = In { restart, phase, phase_valid };
            line = phy[i].line;
            counts[0].enable = phy[i].ok & run & !restart;
            line_ok = counts[0].done;
        }
        for i in 0..DDMTD {
            ddmtd[i] = In { word_clock, helper_clock: helper_clock[i], restart };
            line = ddmtd[i].line;
            counts[0].enable = ddmtd[i].ok & run & !restart;
            line_ok = counts[0].done;
            fixed = ddmtd[i].fixed;
            slipped = ddmtd[i].slipped & valid;
        }

        self.count_words();

        // The beat.
        let mut at = position;
        exact = true;
        for i in 0..TX {
            look_ahead[i] = In { position, wide, last_lane, stopped };
            at = look_ahead[i].look_ahead;
            exact = look_ahead[i].exact;
        }
        let place = bit_cast::<LINE_BITS, POSITION_BITS>(at) << 4;
        difference = total - place;
        for _i in 0..TX {
            difference = place - total;
        }
        scale.difference = difference;
        lag = scale.lag;

        // What it is worth.
        if until.any() {
            until = until - one;
        }
        if restart | !line_ok {
            until = clocks;
        }
        valid = line_ok & run & run_before & !restart & !until.any();
        phase_ok = valid & !scale.over;
        over_before = scale.over;
        over_event = scale.over & !over_before & valid;
        saturated = over_event;
    }

    /// Its number of words: those of the port when it begins, their mean as soon as that is known, its own from then on.
    fn count_words(&mut self) {
        let wide_fill = bit_cast::<WORD_COUNT_BITS, FILL_BITS>(fill);
        count = words + wide_fill;
        for i in 0..TX {
            count = words - wide_fill;
        }
        let counted = (bit_cast::<LINE_BITS, WORD_COUNT_BITS>(count) << 12) + nominal;
        let whole = line & no_fraction;
        if begin {
            base = counted - whole;
        }
        // NONE: the port's words.
        total = (bit_cast::<LINE_BITS, WORD_COUNT_BITS>(words) << 12) + nominal;
        for _i in 0..BEAT {
            counts[0] = In { clock, counted, line };
            if counts[0].found {
                base = counts[0].base;
            }
            total = line + base;
        }
        for _i in 0..DDMTD {
            counts[0] = In { clock, counted, line };
            if counts[0].found {
                base = counts[0].base;
            }
            total = line + base;
        }
        for _i in 0..PHY {
            counts[0] = In { clock, counted, line };
            if counts[0].found {
                base = counts[0].base;
            }
            total = line + base;
        }
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

const _: () = assert!(COUNT_FRACTION_BITS == LINE_POSITION_FRACTION_BITS + 4);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "lag_meter",
    chapter: "20-time",
    summary: "how far a flit at plane X or R is from its place on the line",
    parameters: &[
        ParameterInfo::new("rx", 1, Allowed::Range(0, 1), "1 rx, 0 tx"),
        ParameterInfo::new(
            "source",
            PhaseSource::Beat as u64,
            Allowed::OneOf(&[0, 1, 2, 3]),
            "PHASE_SRC: 0 NONE, 1 BEAT, 2 DDMTD, 3 PHY",
        ),
        CORE_FS,
        WORD_FS,
        ParameterInfo::new("nom", 0, Allowed::Range(0, 1023), "NOM, ns"),
        ParameterInfo::new(
            "f",
            2,
            Allowed::OneOf(&[FLITS_PER_BEAT[0] as u64, FLITS_PER_BEAT[1] as u64, FLITS_PER_BEAT[2] as u64]),
            "flits per beat: tx",
        ),
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

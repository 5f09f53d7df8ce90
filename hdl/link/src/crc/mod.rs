//! `link_crc`: parallel CRC over W bits per clock, any polynomial of 8 to 16 bits (chapter 10, 3.5).
//!
//! Bits in sending order (bit 0 of a beat first), polynomial division with the highest coefficient first,
//! register starts all ones, no final XOR.
//!
//! - `beat` is a flow of W bits; `first` and `last` come with it. A frame is the beats from a `first` to the
//!   next `last`, both may be the same beat, gaps are allowed. A `first` always starts over, so a frame that
//!   was cut off leaves nothing behind.
//! - Of the `last` beat [`CrcConfig::last_bits`] bits are covered, bits 0 up; the caller gives the others as
//!   0. A sender covers the data and puts the CRC above it; a receiver covers all W bits and looks at `good`.
//! - `crc` is a flow, valid for one clock per frame, [`LinkCrc::latency`] clocks after the `last` beat. Bit 0 of
//!   `crc.data` is sent first, so it is the register's highest coefficient. `good` comes with it: the register is 0,
//!   which at a receiver that ran over data and CRC means that no error was found.
//! - Throughput one beat per clock. `clear` forgets the frame and what is in the pipeline: no `crc.valid`
//!   follows for beats given before or with it.
//!
//! | pipeline | registers | latency |
//! |---|---|---|
//! | [`CrcPipeline::Short`] | class sums, state | 2 |
//! | [`CrcPipeline::Balanced`] | class sums, sum, state, exit | 4 |
//! | [`CrcPipeline::Fast`] | after every LUT level, or two where S is 5 to 8 | 7, or 8 where S is above 8 |
//!
//! S, 4 unless given, is the number of parts of a class sum in the first stage. A part of 4 bits is one LUT: that
//! takes 4 parts up to 136 bits, 6 up to 272, 12 at 528.
//! How the matrices come about is told in `plan`; measured figures are in `docs/numbers.md`.

mod plan;

pub use flitforge_hdl_prim::xor_matrix::{matrix, XorMatrix};

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
use flitforge_protocol::crc::Polynomial;
use plan::{Plan, CLASSES, SLOTS};

/// Where the pipeline has registers; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcPipeline {
    /// 2 clocks latency, for links whose latency counts.
    Short,
    /// 4 clocks latency.
    Balanced,
    /// 7 clocks latency, 8 where S is above 8; one or two LUT levels per stage.
    Fast,
}

impl CrcPipeline {
    /// For class sums in this many parts.
    fn registers(self, parts: usize) -> PipelineRegisters {
        let fast = self == Self::Fast;
        let more = self != Self::Short;
        PipelineRegisters {
            slots: fast,
            groups: fast && parts > 8,
            classes: true,
            parts: fast,
            sum: more,
            exit_parts: fast,
            exit: more,
        }
    }

    fn from_setting(value: u64) -> Self {
        match value {
            0 => Self::Short,
            1 => Self::Balanced,
            _ => Self::Fast,
        }
    }
}

/// Which places of the pipeline have registers.
struct PipelineRegisters {
    slots: bool,
    groups: bool,
    classes: bool,
    parts: bool,
    sum: bool,
    exit_parts: bool,
    exit: bool,
}

impl PipelineRegisters {
    fn before_sum(&self) -> usize {
        [self.slots, self.groups, self.classes, self.parts].into_iter().map(usize::from).sum()
    }

    fn latency(&self) -> u32 {
        let after_sum = usize::from(self.sum) + usize::from(self.exit_parts) + usize::from(self.exit);
        (self.before_sum() + 1 + after_sum) as u32
    }
}

/// What a CRC is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrcConfig {
    /// Generator polynomial, 8 to 16 bits; its width is the block's R.
    pub polynomial: Polynomial,
    /// Bits of the last beat that are covered, 1 to W.
    pub last_bits: usize,
    /// Where the pipeline has registers.
    pub pipeline: CrcPipeline,
}

impl CrcConfig {
    /// Covers all bits of every beat: what a receiver wants.
    pub fn receiver(polynomial: Polynomial, w: usize, pipeline: CrcPipeline) -> Self {
        Self { polynomial, last_bits: w, pipeline }
    }

    /// The last beat ends with the CRC, which is not covered: what a sender wants.
    pub fn sender(polynomial: Polynomial, w: usize, pipeline: CrcPipeline) -> Self {
        Self { polynomial, last_bits: w.saturating_sub(polynomial.width()), pipeline }
    }

    /// Refuses widths and coverages the block is not made for; `w` is the beat's width.
    pub fn check(&self, w: usize) -> Result<(), ConfigError> {
        plan::check(self, w)
    }
}

fn matrices<const N: usize, const M: usize, const K: usize>(
    rows: [Vec<Vec<usize>>; K],
) -> Result<[XorMatrix<N, M>; K], ConfigError> {
    let matrices = rows.into_iter().map(XorMatrix::new).collect::<Result<Vec<_>, _>>()?;
    matrices
        .try_into()
        .map_err(|_| ConfigError::new("link_crc", "parts", K, "as many matrices as rows", "report this"))
}

/// Bits 4i to 4i+3 of R.
fn nibble<const R: usize>(i: usize) -> Bits<R> {
    (4 * i..R.min(4 * i + 4)).fold(Bits::default(), |bits, index| bits.replace_bit(index, true))
}

/// Parallel CRC of R bits over W bits per clock, class sums in S parts; see the [module](self).
#[block(new)]
#[derive(Clone, Debug)]
pub struct LinkCrc<const W: usize, const R: usize, const S: usize = SLOTS> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the frame and the pipeline.
    clear: In<Bit>,
    /// Bits of the frame, bit 0 first.
    pub beat: FlowIn<Bits<W>>,
    /// The beat is the first of its frame.
    first: In<Bit>,
    /// The beat is the last of its frame.
    last: In<Bit>,
    /// The frame's CRC, bit 0 sent first.
    pub crc: FlowOut<Bits<R>>,
    /// The frame's register is 0; counts with `crc.valid`.
    good: Out<Bit>,

    slot: [XorMatrix<W, CLASSES>; S],
    #[wire(clock)]
    slot_register: [Delay<Bits<CLASSES>>; S],
    /// Every fourth part.
    group_sum: [Local<Bits<CLASSES>>; 4],
    #[wire(clock)]
    group_register: [Delay<Bits<CLASSES>>; 4],
    #[init(0)]
    no_classes: Constant<Bits<CLASSES>>,
    #[wire(clock)]
    class_register: Delay<Bits<CLASSES>>,
    part: [XorMatrix<CLASSES, R>; 3],
    #[wire(clock)]
    part_register: [Delay<Bits<R>>; 3],
    first_addend: Constant<Bits<R>>,
    #[wire(clock)]
    sum_register: Delay<Bits<R>>,
    feedback: XorMatrix<R, R>,
    state: Register<Bits<R>>,
    exit_part: [XorMatrix<R, R>; 4],
    #[wire(clock)]
    exit_part_register: [Delay<Bits<R>>; 4],
    #[wire(clock)]
    exit_register: Delay<Bits<R>>,
    #[init(0)]
    no_set: Constant<Bits<4>>,
    #[wire(clock)]
    set_register: Delay<Bits<4>>,
    #[wire(clock)]
    zero_register: Delay<Bit>,
    nibble: [Constant<Bits<R>>; 4],

    #[wire(clock, clear)]
    valid_at_sum: ClearedDelay<Bit>,
    #[wire(clock)]
    first_at_sum: Delay<Bit>,
    #[wire(clock)]
    last_at_sum: Delay<Bit>,
    #[wire(clock, clear)]
    valid_at_state: ClearedDelay<Bit>,
    #[wire(clock)]
    first_at_state: Delay<Bit>,
    #[wire(clock)]
    last_at_state: Delay<Bit>,
    done: Register<Bit>,
    #[wire(clock, clear)]
    done_at_exit: ClearedDelay<Bit>,
    _latency: u32,
    _last_bits: usize,
    _polynomial: Polynomial,
}

#[logic]
impl<const W: usize, const R: usize, const S: usize> LinkCrc<W, R, S> {
    /// A CRC as configured; R is the polynomial's width.
    pub fn new(config: CrcConfig) -> Result<Self, ConfigError> {
        check_derived(
            "link_crc",
            "R",
            R as u64,
            "width of the polynomial",
            config.polynomial.width() as u64,
        )?;
        check_range("link_crc", "S", S as u64, 1, 16)?;
        let plan = Plan::new(&config, W)?;
        let registers = config.pipeline.registers(S);
        Ok(Self {
            slot: matrices(plan.slots::<S>())?,
            slot_register: std::array::from_fn(|_| Delay::register_if(registers.slots)),
            group_register: std::array::from_fn(|_| Delay::register_if(registers.groups)),
            class_register: Delay::register_if(registers.classes),
            part: matrices(plan.parts)?,
            part_register: std::array::from_fn(|_| Delay::register_if(registers.parts)),
            first_addend: Constant::new(Bits::from(LiteralType::from(plan.first))),
            sum_register: Delay::register_if(registers.sum),
            feedback: XorMatrix::new(plan.feedback)?,
            exit_part: matrices(plan.exit)?,
            exit_part_register: std::array::from_fn(|_| Delay::register_if(registers.exit_parts)),
            exit_register: Delay::register_if(registers.exit),
            set_register: Delay::register_if(registers.exit_parts),
            nibble: std::array::from_fn(|i| Constant::new(nibble::<R>(i))),
            zero_register: Delay::register_if(registers.exit),
            valid_at_sum: ClearedDelay::new(registers.before_sum())?,
            first_at_sum: Delay::new(registers.before_sum())?,
            last_at_sum: Delay::new(registers.before_sum())?,
            valid_at_state: ClearedDelay::new(usize::from(registers.sum))?,
            first_at_state: Delay::register_if(registers.sum),
            last_at_state: Delay::register_if(registers.sum),
            done_at_exit: ClearedDelay::new(usize::from(registers.exit_parts) + usize::from(registers.exit))?,
            _latency: registers.latency(),
            _last_bits: config.last_bits,
            _polynomial: config.polynomial,
            ..
        })
    }

    /// Clocks from the `last` beat to `crc.valid`.
    pub fn latency(&self) -> u32 {
        self._latency
    }

    fn update(&mut self) {
        // The data's own share of the register, without feedback.
        for i in 0..4 {
            group_sum[i] = no_classes;
        }
        for i in 0..S {
            slot[i].data = beat.data;
            slot_register[i].d = slot[i].sum;
            group_sum[i % 4] = group_sum[i % 4] ^ slot_register[i].q;
        }
        let mut class_sum = no_classes;
        for i in 0..4 {
            group_register[i].d = group_sum[i];
            class_sum = class_sum ^ group_register[i].q;
        }
        class_register.d = class_sum;
        for i in 0..3 {
            part[i].data = class_register.q;
            part_register[i].d = part[i].sum;
        }
        let sum = part_register[0].q ^ part_register[1].q ^ part_register[2].q;
        sum_register.d = sum;
        if first_at_sum.q {
            sum_register.d = sum ^ first_addend;
        }

        // Which beat that is.
        valid_at_sum.d = beat.valid & !clear;
        first_at_sum.d = first;
        last_at_sum.d = last;
        valid_at_state.d = valid_at_sum.q;
        first_at_state.d = first_at_sum.q;
        last_at_state.d = last_at_sum.q;

        // The register, in its sparse basis.
        feedback.data = state;
        state.enable = valid_at_state.q;
        state = sum_register.q ^ feedback.sum;
        if first_at_state.q {
            state = sum_register.q;
        }

        // And out.
        done = valid_at_state.q & last_at_state.q;
        done_at_exit.d = done;
        for i in 0..4 {
            exit_part[i].data = state;
            exit_part_register[i].d = exit_part[i].sum;
        }
        exit_register.d = exit_part_register[0].q
            ^ exit_part_register[1].q
            ^ exit_part_register[2].q
            ^ exit_part_register[3].q;
        let mut set = no_set;
        for i in 0..4 {
            set = set.with(i, (state & nibble[i]).any());
        }
        set_register.d = set;
        zero_register.d = !set_register.q.any();
        crc = In { data: exit_register.q, valid: done_at_exit.q };
        good = zero_register.q;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let polynomial = format!("{:x}", self._polynomial.coefficients());
        let parameters = [
            ("w", W.to_string()),
            ("polynomial", polynomial),
            ("last", self._last_bits.to_string()),
            ("latency", self._latency.to_string()),
        ];
        block_label("link_crc", &parameters)
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_crc",
    chapter: "10-link",
    summary: "parallel CRC over W bits per clock",
    parameters: &[
        ParameterInfo::new("w", 132, Allowed::Range(32, 704), "bits per beat"),
        ParameterInfo::new(
            "polynomial",
            0x11753,
            Allowed::Range(0x101, 0x1ffff),
            "generator with its highest coefficient; 8 to 16 bits",
        ),
        ParameterInfo::new(
            "uncovered",
            16,
            Allowed::Range(0, 64),
            "bits at the end of the last beat that are not covered; 0 for a receiver",
        ),
        ParameterInfo::new(
            "pipeline",
            1,
            Allowed::OneOf(&[0, 1, 2]),
            "0 short (2 clocks), 1 balanced (4), 2 fast (7, or 8 at 528 bits)",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "fast_132", values: &[("pipeline", 2)] },
        Preset { name: "fast_264", values: &[("w", 264), ("pipeline", 2)] },
        Preset { name: "fast_528", values: &[("w", 528), ("pipeline", 2)] },
        Preset { name: "short_132", values: &[("pipeline", 0)] },
        Preset { name: "receiver_132", values: &[("uncovered", 0)] },
        Preset { name: "bits14", values: &[("polynomial", 0x5853), ("uncovered", 14)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let polynomial = polynomial_of(settings)?;
    shapes! {
        settings: (w, r = polynomial.width()) => build_as [w, r, slots(w)];
        presets { (132, 16) (264, 16) (528, 16) (132, 14) }
    }
}

/// Bits of a beat for each slot of a wide one.
const SLOT_BITS: usize = 44;

/// Slots for beats of `w` bits.
const fn slots(w: usize) -> usize {
    let wide = w / SLOT_BITS;
    if wide > SLOTS {
        wide
    } else {
        SLOTS
    }
}

fn polynomial_of(settings: &Settings) -> Result<Polynomial, ConfigError> {
    let coefficients = settings.get("polynomial")? as u32;
    Polynomial::new(coefficients)
        .ok_or_else(|| settings.unsupported("polynomial", "a polynomial with constant term"))
}

/// Builds the block with these const parameters; see [`LinkCrc`].
pub fn build_as<const W: usize, const R: usize, const S: usize>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let polynomial = polynomial_of(settings)?;
    let pipeline = CrcPipeline::from_setting(settings.get("pipeline")?);
    let last_bits = W.saturating_sub(settings.size("uncovered")?);
    let block = LinkCrc::<W, R, S>::new(CrcConfig { polynomial, last_bits, pipeline })?;
    let streams = [("beat", FlowSink), ("crc", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(block.latency()), "last beat to crc.valid");
    Ok(BuiltBlock::new(block, interface))
}

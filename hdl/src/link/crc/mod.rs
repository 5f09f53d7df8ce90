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

pub mod matrix;
mod plan;
mod sharing;
mod xor_matrix;

pub use xor_matrix::XorMatrix;

use crate::config::{check_derived, check_range, ConfigError};
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::{ClearedDelay, Delay, Register};
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
        let behind = usize::from(self.sum) + usize::from(self.exit_parts) + usize::from(self.exit);
        (self.before_sum() + 1 + behind) as u32
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
#[derive(LogicBlock, Clone, Debug)]
pub struct LinkCrc<const W: usize, const R: usize, const S: usize = SLOTS> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets the frame and the pipeline.
    pub clear: Signal<In, Bit>,
    /// Bits of the frame, bit 0 first.
    pub beat: FlowIn<Bits<W>>,
    /// The beat is the first of its frame.
    pub first: Signal<In, Bit>,
    /// The beat is the last of its frame.
    pub last: Signal<In, Bit>,
    /// The frame's CRC, bit 0 sent first.
    pub crc: FlowOut<Bits<R>>,
    /// The frame's register is 0; counts with `crc.valid`.
    pub good: Signal<Out, Bit>,

    slot: [XorMatrix<W, CLASSES>; S],
    slot_register: [Delay<Bits<CLASSES>>; S],
    /// Every fourth part.
    group_sum: [Signal<Local, Bits<CLASSES>>; 4],
    group_register: [Delay<Bits<CLASSES>>; 4],
    class_sum: Signal<Local, Bits<CLASSES>>,
    no_classes: Constant<Bits<CLASSES>>,
    class_register: Delay<Bits<CLASSES>>,
    part: [XorMatrix<CLASSES, R>; 3],
    part_register: [Delay<Bits<R>>; 3],
    first_addend: Constant<Bits<R>>,
    sum: Signal<Local, Bits<R>>,
    sum_register: Delay<Bits<R>>,
    feedback: XorMatrix<R, R>,
    state: Register<Bits<R>>,
    exit_part: [XorMatrix<R, R>; 4],
    exit_part_register: [Delay<Bits<R>>; 4],
    exit_register: Delay<Bits<R>>,
    set: Signal<Local, Bits<4>>,
    no_set: Constant<Bits<4>>,
    set_register: Delay<Bits<4>>,
    zero_register: Delay<Bit>,
    nibble: [Constant<Bits<R>>; 4],

    valid_at_sum: ClearedDelay<Bit>,
    first_at_sum: Delay<Bit>,
    last_at_sum: Delay<Bit>,
    valid_at_state: ClearedDelay<Bit>,
    first_at_state: Delay<Bit>,
    last_at_state: Delay<Bit>,
    done: Register<Bit>,
    done_at_exit: ClearedDelay<Bit>,
    _latency: u32,
    _last_bits: usize,
    _polynomial: Polynomial,
}

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
            clock: Signal::default(),
            clear: Signal::default(),
            beat: FlowIn::default(),
            first: Signal::default(),
            last: Signal::default(),
            crc: FlowOut::default(),
            good: Signal::default(),
            slot: matrices(plan.slots::<S>())?,
            slot_register: std::array::from_fn(|_| Delay::register_if(registers.slots)),
            group_sum: Default::default(),
            group_register: std::array::from_fn(|_| Delay::register_if(registers.groups)),
            class_sum: Signal::default(),
            no_classes: Constant::new(Bits::default()),
            class_register: Delay::register_if(registers.classes),
            part: matrices(plan.parts)?,
            part_register: std::array::from_fn(|_| Delay::register_if(registers.parts)),
            first_addend: Constant::new(Bits::from(LiteralType::from(plan.first))),
            sum: Signal::default(),
            sum_register: Delay::register_if(registers.sum),
            feedback: XorMatrix::new(plan.feedback)?,
            state: Register::default(),
            exit_part: matrices(plan.exit)?,
            exit_part_register: std::array::from_fn(|_| Delay::register_if(registers.exit_parts)),
            exit_register: Delay::register_if(registers.exit),
            set: Signal::default(),
            no_set: Constant::new(Bits::default()),
            set_register: Delay::register_if(registers.exit_parts),
            nibble: std::array::from_fn(|i| Constant::new(nibble::<R>(i))),
            zero_register: Delay::register_if(registers.exit),
            valid_at_sum: ClearedDelay::new(registers.before_sum())?,
            first_at_sum: Delay::new(registers.before_sum())?,
            last_at_sum: Delay::new(registers.before_sum())?,
            valid_at_state: ClearedDelay::new(usize::from(registers.sum))?,
            first_at_state: Delay::register_if(registers.sum),
            last_at_state: Delay::register_if(registers.sum),
            done: Register::default(),
            done_at_exit: ClearedDelay::new(usize::from(registers.exit_parts) + usize::from(registers.exit))?,
            _latency: registers.latency(),
            _last_bits: config.last_bits,
            _polynomial: config.polynomial,
        })
    }

    /// Clocks from the `last` beat to `crc.valid`.
    pub fn latency(&self) -> u32 {
        self._latency
    }
}

impl<const W: usize, const R: usize, const S: usize> Logic for LinkCrc<W, R, S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.class_register.clock.next = self.clock.val();
        self.sum_register.clock.next = self.clock.val();
        self.state.clock.next = self.clock.val();
        self.exit_register.clock.next = self.clock.val();
        self.zero_register.clock.next = self.clock.val();
        self.valid_at_sum.clock.next = self.clock.val();
        self.first_at_sum.clock.next = self.clock.val();
        self.last_at_sum.clock.next = self.clock.val();
        self.valid_at_state.clock.next = self.clock.val();
        self.first_at_state.clock.next = self.clock.val();
        self.last_at_state.clock.next = self.clock.val();
        self.done.clock.next = self.clock.val();
        self.done_at_exit.clock.next = self.clock.val();

        // The data's own share of the register, without feedback.
        for i in 0..4 {
            self.group_sum[i].next = self.no_classes.val();
        }
        for i in 0..S {
            self.slot_register[i].clock.next = self.clock.val();
            self.slot[i].data.next = self.beat.data.val();
            self.slot_register[i].d.next = self.slot[i].sum.val();
            self.group_sum[i % 4].next = self.group_sum[i % 4].val() ^ self.slot_register[i].q.val();
        }
        self.class_sum.next = self.no_classes.val();
        for i in 0..4 {
            self.group_register[i].clock.next = self.clock.val();
            self.group_register[i].d.next = self.group_sum[i].val();
            self.class_sum.next = self.class_sum.val() ^ self.group_register[i].q.val();
        }
        self.class_register.d.next = self.class_sum.val();
        for i in 0..3 {
            self.part_register[i].clock.next = self.clock.val();
            self.part[i].data.next = self.class_register.q.val();
            self.part_register[i].d.next = self.part[i].sum.val();
        }
        self.sum.next =
            self.part_register[0].q.val() ^ self.part_register[1].q.val() ^ self.part_register[2].q.val();
        self.sum_register.d.next = self.sum.val();
        if self.first_at_sum.q.val() {
            self.sum_register.d.next = self.sum.val() ^ self.first_addend.val();
        }

        // Which beat that is.
        self.valid_at_sum.clear.next = self.clear.val();
        self.valid_at_state.clear.next = self.clear.val();
        self.valid_at_sum.d.next = self.beat.valid.val() & !self.clear.val();
        self.first_at_sum.d.next = self.first.val();
        self.last_at_sum.d.next = self.last.val();
        self.valid_at_state.d.next = self.valid_at_sum.q.val();
        self.first_at_state.d.next = self.first_at_sum.q.val();
        self.last_at_state.d.next = self.last_at_sum.q.val();

        // The register, in its sparse basis.
        self.feedback.data.next = self.state.q.val();
        self.state.clear.next = self.clear.val();
        self.state.enable.next = self.valid_at_state.q.val();
        self.state.d.next = self.sum_register.q.val() ^ self.feedback.sum.val();
        if self.first_at_state.q.val() {
            self.state.d.next = self.sum_register.q.val();
        }

        // And out.
        self.done.clear.next = self.clear.val();
        self.done.enable.next = true;
        self.done.d.next = self.valid_at_state.q.val() & self.last_at_state.q.val();
        self.done_at_exit.clear.next = self.clear.val();
        self.done_at_exit.d.next = self.done.q.val();
        for i in 0..4 {
            self.exit_part_register[i].clock.next = self.clock.val();
            self.exit_part[i].data.next = self.state.q.val();
            self.exit_part_register[i].d.next = self.exit_part[i].sum.val();
        }
        self.exit_register.d.next = self.exit_part_register[0].q.val()
            ^ self.exit_part_register[1].q.val()
            ^ self.exit_part_register[2].q.val()
            ^ self.exit_part_register[3].q.val();
        self.set_register.clock.next = self.clock.val();
        self.set.next = self.no_set.val();
        for i in 0..4 {
            self.set.next = self.set.val().replace_bit(i, (self.state.q.val() & self.nibble[i].val()).any());
        }
        self.set_register.d.next = self.set.val();
        self.zero_register.d.next = !self.set_register.q.val().any();
        self.crc.data.next = self.exit_register.q.val();
        self.crc.valid.next = self.done_at_exit.q.val();
        self.good.next = self.zero_register.q.val();
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

drive_ports!(impl[const W: usize, const R: usize, const S: usize] LinkCrc<W, R, S> {
    clock, clear, beat, first, last, crc, good,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_crc",
    chapter: "10-link",
    summary: "parallel CRC over W bits per clock",
    parameters: &[
        ParameterInfo {
            name: "w",
            default: 132,
            allowed: Allowed::OneOf(&[66, 68, 132, 136, 264, 272, 528]),
            doc: "bits per beat",
        },
        ParameterInfo {
            name: "polynomial",
            default: 0x11753,
            allowed: Allowed::Range(0x101, 0x1ffff),
            doc: "generator with its highest coefficient; 8 to 16 bits",
        },
        ParameterInfo {
            name: "uncovered",
            default: 16,
            allowed: Allowed::Range(0, 64),
            doc: "bits at the end of the last beat that are not covered; 0 for a receiver",
        },
        ParameterInfo {
            name: "pipeline",
            default: 1,
            allowed: Allowed::OneOf(&[0, 1, 2]),
            doc: "0 short (2 clocks), 1 balanced (4), 2 fast (7, or 8 at 528 bits)",
        },
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
    let coefficients = settings.get("polynomial")? as u32;
    let polynomial = Polynomial::new(coefficients)
        .ok_or_else(|| settings.unsupported("polynomial", "a polynomial with constant term"))?;
    match polynomial.width() {
        8 => build_r::<8>(settings, polynomial),
        9 => build_r::<9>(settings, polynomial),
        10 => build_r::<10>(settings, polynomial),
        11 => build_r::<11>(settings, polynomial),
        12 => build_r::<12>(settings, polynomial),
        13 => build_r::<13>(settings, polynomial),
        14 => build_r::<14>(settings, polynomial),
        15 => build_r::<15>(settings, polynomial),
        16 => build_r::<16>(settings, polynomial),
        _ => Err(settings.unsupported("polynomial", "8 to 16 bits")),
    }
}

fn build_r<const R: usize>(settings: &Settings, polynomial: Polynomial) -> Result<BuiltBlock, ConfigError> {
    match settings.get("w")? {
        66 => build_wr::<66, R, 4>(settings, polynomial),
        68 => build_wr::<68, R, 4>(settings, polynomial),
        132 => build_wr::<132, R, 4>(settings, polynomial),
        136 => build_wr::<136, R, 4>(settings, polynomial),
        264 => build_wr::<264, R, 6>(settings, polynomial),
        272 => build_wr::<272, R, 6>(settings, polynomial),
        528 => build_wr::<528, R, 12>(settings, polynomial),
        _ => Err(settings.unsupported("w", "66, 68, 132, 136, 264, 272 or 528")),
    }
}

fn build_wr<const W: usize, const R: usize, const S: usize>(
    settings: &Settings,
    polynomial: Polynomial,
) -> Result<BuiltBlock, ConfigError> {
    let pipeline = CrcPipeline::from_setting(settings.get("pipeline")?);
    let last_bits = W.saturating_sub(settings.size("uncovered")?);
    let block = LinkCrc::<W, R, S>::new(CrcConfig { polynomial, last_bits, pipeline })?;
    let streams = [("beat", FlowSink), ("crc", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(block.latency()), "last beat to crc.valid");
    Ok(BuiltBlock::new(block, interface))
}

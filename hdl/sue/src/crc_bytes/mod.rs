//! `crc_bytes`: CRC-32 or CRC-32C over frames of bytes, a word of 8 or 16 bytes per clock (chapter 50, 3.3 and 4.7).
//!
//! - `word` is a flow of W bits, byte 0 in bits 7:0; `first` and `last` come with it. A frame is the words from a `first` to the next
//!   `last`, both may be the same word, gaps are allowed. A `first` always starts over, so a frame that was cut off leaves nothing.
//! - Of the `last` word the lowest `bytes` bytes belong to the frame, 1 to W/8; others are ignored. All other words are whole.
//! - [`CrcBytes`] gives the frame's CRC as it is sent: byte 0 of `crc.data` first. [`CrcBytesCheck`] runs over data and CRC and says whether they
//!   fit; it is smaller, because the state needs no way back to the register.
//! - Throughput one word per clock, whatever the frames' lengths. `clear` forgets frames and what is in the pipeline.
//!
//! | block | latency from the `last` word | stages |
//! |---|---|---|
//! | `crc_bytes` | 10 clocks (W = 64), 11 (W = 128) | 5 of the register; back over 4, 2, 1 bytes (8 more if W = 128); to the register's own basis, in two |
//! | `crc_bytes_check` | 8 clocks | 5 of the register; compare bits, four and eight at a time |
//!
//! How the matrices come about is told in `plan`; `short` has the register in two clocks, for the MAC.

pub mod check;
pub(crate) mod plan;
mod register;
pub(crate) mod short;

pub use check::{CrcBytesCheck, ENTRY as CHECK_ENTRY};

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay, XorMatrix};
use flitforge_protocol::sue::crc::ByteCrc;
use plan::{BytesPlan, EXIT_SUMS, GROUP_SUMS, WIDTH};
use register::{CrcRegister, STATE_CLOCKS};

/// Clocks from the state to the CRC, without those of the way back.
const EXIT_CLOCKS: usize = 2;

/// CRC of frames over words of `W` bits (`N` bytes); `C` = log2(`N`) + 1, `B` = log2(`N`), `G` = 15 `W` / 4, `Q` = 2 `W`. See the
/// [module](self).
#[block(new)]
pub struct CrcBytes<
    const W: usize,
    const N: usize,
    const C: usize,
    const B: usize,
    const G: usize,
    const Q: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames.
    clear: In<Bit>,
    /// Words of frames, byte 0 first.
    pub word: FlowIn<Bits<W>>,
    /// The word is the first of its frame.
    first: In<Bit>,
    /// The word is the last of its frame.
    last: In<Bit>,
    /// With `last`: bytes of the word that belong to the frame, 1 to W/8.
    bytes: In<Bits<C>>,
    /// The frame's CRC, byte 0 sent first.
    pub crc: FlowOut<Bits<WIDTH>>,

    #[wire(clock, clear)]
    register: CrcRegister<W, N, C, G, Q>,
    back: Vec<XorMatrix<WIDTH, WIDTH>>,
    #[wire(d = _)]
    run_back: [Reg<Bits<WIDTH>>; B],
    #[wire(clock)]
    missing_at_back: Vec<Delay<Bit>>,
    exit_groups: XorMatrix<WIDTH, EXIT_SUMS>,
    #[wire(d = _)]
    exit_sum: Reg<Bits<EXIT_SUMS>>,
    exit: XorMatrix<EXIT_SUMS, WIDTH>,
    #[wire(d = _)]
    result: Reg<Bits<WIDTH>>,
    #[wire(clock, clear)]
    valid_at_result: ClearedDelay<Bit>,
    final_xor: Constant<Bits<WIDTH>>,
    _crc: ByteCrc,
}

#[logic]
impl<const W: usize, const N: usize, const C: usize, const B: usize, const G: usize, const Q: usize>
    CrcBytes<W, N, C, B, G, Q>
{
    /// Clocks from the `last` word to `crc.valid`.
    pub const LATENCY: usize = STATE_CLOCKS + B + EXIT_CLOCKS;

    /// One of the two CRCs, or the reason why not.
    pub fn new(crc: ByteCrc) -> Result<Self, ConfigError> {
        check_shape("crc_bytes", [W, N, C, B, G, Q])?;
        let plan = BytesPlan::new(crc, W)?;
        Ok(Self {
            register: CrcRegister::new(&plan)?,
            back: plan.back.into_iter().rev().map(XorMatrix::new).collect::<Result<_, _>>()?,
            missing_at_back: (0..B).map(|step| Delay::new(STATE_CLOCKS + step)).collect::<Result<_, _>>()?,
            exit_groups: XorMatrix::new(plan.exit_groups)?,
            exit: XorMatrix::new(plan.exit)?,
            valid_at_result: ClearedDelay::new(B + EXIT_CLOCKS)?,
            final_xor: Constant::new(Bits::from(LiteralType::from(ByteCrc::FINAL_XOR))),
            _crc: crc,
            ..
        })
    }

    fn update(&mut self) {
        register.word = In { data: word.data, valid: word.valid };
        register = In { first, last, bytes };

        // Back over the bytes that the last word lacks, the longest step first.
        let missing = bits::<C>(0) - bytes;
        let mut value = register.state;
        for i in 0..B {
            missing_at_back[i].d = missing[B - 1 - i];
            back[i].data = value;
            run_back[i] = value;
            if missing_at_back[i].q {
                run_back[i] = back[i].sum;
            }
            value = run_back[i];
        }

        // From the basis of the state to the register.
        exit_groups.data = value;
        exit_sum = exit_groups.sum;
        exit.data = exit_sum;
        result = exit.sum ^ final_xor;
        valid_at_result.d = register.done;
        crc = In { data: result, valid: valid_at_result.q };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("crc_bytes", &[("w", W.to_string()), ("crc", name_of(self._crc).into())])
    }
}

/// Refuses widths the block is not made for; the others follow from the first.
fn check_shape(block: &'static str, [w, n, c, b, g, q]: [usize; 6]) -> Result<(), ConfigError> {
    check_one_of(block, "W", w as u64, WORDS)?;
    let derived = [
        ("N", n, "W / 8", w / 8),
        ("C", c, "log2(N) + 1", log2(w / 8) + 1),
        ("B", b, "log2(N)", log2(w / 8)),
        ("G", g, "15 W / 4", w / 4 * GROUP_SUMS),
        ("Q", q, "2 W", 2 * w),
    ];
    derived.into_iter().try_for_each(|(name, given, rule, value)| {
        check_derived(block, name, given as u64, rule, value as u64)
    })
}

/// Bits of a word.
const WORDS: &[u64] = &[64, 128];

/// What `crc` may be, by number.
const CRC: ParameterInfo =
    ParameterInfo::new("crc", 0, Allowed::OneOf(&[0, 1]), "0 CRC-32 (Ethernet), 1 CRC-32C (Castagnoli)");
const WORD: ParameterInfo = ParameterInfo::new("width", 64, Allowed::OneOf(WORDS), "bits of a word");
const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "castagnoli", values: &[("crc", 1)] },
    Preset { name: "wide", values: &[("width", 128)] },
];

fn name_of(crc: ByteCrc) -> &'static str {
    match crc {
        ByteCrc::Ethernet => "crc32",
        ByteCrc::Castagnoli => "crc32c",
    }
}

fn crc_of(settings: &Settings) -> Result<ByteCrc, ConfigError> {
    Ok(match settings.get("crc")? {
        0 => ByteCrc::Ethernet,
        _ => ByteCrc::Castagnoli,
    })
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "crc_bytes",
    chapter: "50-sue",
    summary: "CRC-32 or CRC-32C of frames of bytes",
    parameters: &[WORD, CRC],
    presets: PRESETS,
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width) =>
            build_as [width, width / 8, log2(width / 8) + 1, log2(width / 8), 15 * width / 4, 2 * width];
        presets { (64) (128) }
    }
}

/// Builds the block with these const parameters; see [`CrcBytes`].
pub fn build_as<
    const W: usize,
    const N: usize,
    const C: usize,
    const B: usize,
    const G: usize,
    const Q: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let block = CrcBytes::<W, N, C, B, G, Q>::new(crc_of(settings)?)?;
    let latency = CrcBytes::<W, N, C, B, G, Q>::LATENCY as u32;
    let streams = [("word", FlowSink), ("crc", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(latency), "last word to crc.valid");
    Ok(BuiltBlock::new(block, interface))
}

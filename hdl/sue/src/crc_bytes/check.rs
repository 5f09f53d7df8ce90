//! Whether frames fit the CRC at their end.

use super::plan::{BytesPlan, WIDTH};
use super::register::{CrcRegister, STATE_CLOCKS};
use super::{check_shape, crc_of, name_of, CRC, PRESETS, WORD};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay};
use flitforge_protocol::sue::crc::ByteCrc;

/// Clocks from the state to the verdict.
const COMPARE_CLOCKS: usize = 3;

/// Says of frames over words of `W` bits whether their last four bytes are the CRC of those before. See the [module](super).
///
/// Each number of bytes that the last word lacks has its own state of a good frame; it is compared in three stages.
#[block(new)]
pub struct CrcBytesCheck<
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
    /// A frame has ended.
    done: Out<Bit>,
    /// With `done`: its CRC is right.
    good: Out<Bit>,

    #[wire(clock, clear)]
    register: CrcRegister<W, N, C, G, Q>,
    #[wire(clock)]
    missing: Delay<Bits<C>>,
    good_state: [Constant<Bits<WIDTH>>; N],
    #[wire(d = _)]
    different: Reg<Bits<WIDTH>>,
    #[wire(d = _)]
    different_four: Reg<Bits<8>>,
    #[wire(d = _)]
    right: Reg<Bit>,
    #[wire(clock, clear)]
    done_at_end: ClearedDelay<Bit>,
    _crc: ByteCrc,
}

#[logic]
impl<const W: usize, const N: usize, const C: usize, const B: usize, const G: usize, const Q: usize>
    CrcBytesCheck<W, N, C, B, G, Q>
{
    /// Clocks from the `last` word to `done`.
    pub const LATENCY: usize = STATE_CLOCKS + COMPARE_CLOCKS;

    /// A check of one of the two CRCs, or the reason why not.
    pub fn new(crc: ByteCrc) -> Result<Self, ConfigError> {
        check_shape("crc_bytes_check", [W, N, C, B, G, Q])?;
        let plan = BytesPlan::new(crc, W)?;
        let good = |zeros: usize| Constant::new(Bits::from(LiteralType::from(plan.good[zeros])));
        Ok(Self {
            register: CrcRegister::new(&plan)?,
            missing: Delay::new(STATE_CLOCKS)?,
            good_state: std::array::from_fn(good),
            done_at_end: ClearedDelay::new(COMPARE_CLOCKS)?,
            _crc: crc,
            ..
        })
    }

    fn update(&mut self) {
        register.word = In { data: word.data, valid: word.valid };
        register = In { first, last, bytes };
        missing.d = bits::<C>(0) - bytes;
        let lacks = bit_cast::<B, C>(missing.q);
        let mut wanted: Bits<WIDTH> = 0;
        for i in 0..N {
            if lacks == i {
                wanted = good_state[i];
            }
        }
        different = register.state ^ wanted;
        let mut some: Bits<8> = 0;
        for i in 0..8 {
            let four = different.bits::<4>(4 * i);
            some = some.with(i, four.any());
        }
        different_four = some;
        right = !different_four.any();
        done_at_end.d = register.done;
        done = done_at_end.q;
        good = right;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("crc_bytes_check", &[("w", W.to_string()), ("crc", name_of(self._crc).into())])
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "crc_bytes_check",
    chapter: "50-sue",
    summary: "check of the CRC-32 or CRC-32C at the end of frames",
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

/// Builds the block with these const parameters; see [`CrcBytesCheck`].
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
    let block = CrcBytesCheck::<W, N, C, B, G, Q>::new(crc_of(settings)?)?;
    let latency = CrcBytesCheck::<W, N, C, B, G, Q>::LATENCY as u32;
    let interface = InterfaceInfo::clocked(&[("word", FlowSink)], Some(latency), "last word to done");
    Ok(BuiltBlock::new(block, interface))
}

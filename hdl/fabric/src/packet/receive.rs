//! The receiver.

use super::config::{PacketConfig, PacketWidths};
use super::crc::PacketCrc;
use super::follower::PacketFollower;
use super::level::Level;
use super::part::REASON_BITS;
use super::reader::PacketReader;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::crc::packet::WIDTH;
use flitforge_protocol::flit::{BadReason, DATA_BITS};
use flitforge_protocol::packet::{packet_end, HEADER_BITS, MUTABLE_HEADER_BITS};

/// Bits of what is said of a packet's end.
pub const END_BITS: usize = packet_end::WIDTH;
/// Bits that wait for the CRC: tag, reason, bad, CRC of the Tail.
const PENDING_BITS: usize = 57;

/// Headers, words or ends waiting at which no more beats are taken: the 17 of a FIFO, less the 5 more that may come of beats taken
/// before it shows.
const MOST_WAITING: u64 = 12;

/// One flit per beat.
pub type PacketRx1 = PacketRx<1, 65, 64, 69, 4, 0>;
/// Two flits per beat.
pub type PacketRx2 = PacketRx<2, 130, 128, 134, 5, 1>;
/// Four flits per beat.
pub type PacketRx4 = PacketRx<4, 260, 256, 263, 6, 2>;

/// `fab_packet_rx`: beats of flits in, packets out; see the [module](super).
#[block("fab_packet_rx", new, f = F)]
pub struct PacketRx<
    const F: usize,
    const FLITS_W: usize,
    const DATA_W: usize,
    const WORD_W: usize,
    const BYTES_W: usize,
    const STEPS: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats of one virtual lane, or of several one packet at a time.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// Packets that begin: the Head's fields, with length 0 from a HeadBad.
    pub header_out: StreamOut<Bits<HEADER_BITS>>,
    /// Their payload: data, bytes that count, last.
    pub words_out: StreamOut<Bits<WORD_W>>,
    /// Packets that have ended: tag, reason, good.
    pub end_out: StreamOut<Bits<END_BITS>>,
    /// Event: a beat had packet flits that belong to no packet; they are tossed.
    stray: Out<Bit>,

    #[wire(clock, clear)]
    reader: PacketReader<F, FLITS_W, DATA_W, BYTES_W>,
    #[wire(clock, clear)]
    follower: PacketFollower<F, BYTES_W>,
    #[wire(clock, clear)]
    crc: PacketCrc<DATA_W, STEPS>,
    #[wire(clock, clear)]
    headers: SmallFifo<Bits<HEADER_BITS>, 4, 5>,
    #[wire(clock, clear)]
    words: SmallFifo<Bits<WORD_W>, 4, 5>,
    #[wire(clock, clear)]
    pending: SmallFifo<Bits<PENDING_BITS>, 4, 5>,
    #[wire(clock, clear)]
    header_level: Level,
    #[wire(clock, clear)]
    word_level: Level,
    #[wire(clock, clear)]
    end_level: Level,
    /// Slots 1 and up of the beat before.
    carry: Reg<Bits<DATA_W>>,
    end_tag: Reg<Bits<16>>,
    end_pcrc: Reg<Bits<WIDTH>>,

    room: Local<Bit>,
    part_of_packet: Local<Bit>,
    last_flit: Local<Bits<DATA_BITS>>,
    #[init(0)]
    no_data: Constant<Bits<DATA_W>>,
    immutable: Constant<Bits<DATA_W>>,
    #[init(BadReason::PacketCrc)]
    wrong_crc: Constant<Bits<REASON_BITS>>,
    flit_shift: Constant<Bits<9>>,
    last_flit_shift: Constant<Bits<9>>,
    count_shift: Constant<Bits<9>>,
    last_shift: Constant<Bits<9>>,
    unused_in: Vec<Constant<Bits<2>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const WORD_W: usize,
        const BYTES_W: usize,
        const STEPS: usize,
    > PacketRx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, STEPS>
{
    /// A receiver, or the reason why not; of the configuration the MTU counts.
    pub fn new(config: &PacketConfig) -> Result<Self, ConfigError> {
        config.check("fab_packet_rx")?;
        PacketWidths {
            flits: F,
            flits_bits: FLITS_W,
            data_bits: DATA_W,
            word_bits: WORD_W,
            bytes_bits: BYTES_W,
        }
        .check("fab_packet_rx")?;
        let shift = |bits: usize| Constant::new((bits as u64).into());
        let immutable = (0..DATA_W).fold(Bits::<DATA_W>::default(), |bits, bit| {
            bits.replace_bit(bit, bit >= DATA_BITS || MUTABLE_HEADER_BITS >> bit & 1 == 0)
        });
        Ok(Self {
            reader: PacketReader::new(config.mtu),
            crc: PacketCrc::new()?,
            headers: SmallFifo::new()?,
            words: SmallFifo::new()?,
            pending: SmallFifo::new()?,
            header_level: Level::new(MOST_WAITING),
            word_level: Level::new(MOST_WAITING),
            end_level: Level::new(MOST_WAITING),
            immutable: Constant::new(immutable),
            flit_shift: shift(DATA_BITS),
            last_flit_shift: shift(DATA_W - DATA_BITS),
            count_shift: shift(DATA_W),
            last_shift: shift(WORD_W - 1),
            unused_in: (0..F).map(|slot| Constant::new((((F - slot) % F) as u64).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // Beats come in while there is room for whatever those under way may give.
        room = header_level.low & word_level.low & end_level.low;
        beats_in.ready = room & !clear;
        reader = In { valid: beats_in.valid & room, beat: beats_in.data };
        follower = In { counts: reader.counts, opens: reader.opens, illegal: reader.illegal };
        follower = In { closes: reader.closes, is_tail: reader.is_tail, len2: reader.len2 };
        follower = In { is_bad: reader.is_bad, reason: reader.reason, header: reader.header };
        follower = In { without_len: reader.without_len, words: reader.words, tail_beat: reader.tail_beat };
        follower = In { tail_slot: reader.tail_slot, bytes: reader.bytes };
        stray = follower.stray;

        // The header, and the words: what the beat before left, and slot 0 of this one.
        headers.words_in = In { valid: follower.starts, data: reader.header };
        part_of_packet = follower.starts | follower.goes_on;
        let data = reader.data;
        if part_of_packet {
            carry = data >> flit_shift;
            if follower.corrupts {
                carry = no_data;
            }
        }
        last_flit = data.bits::<DATA_BITS>(0);
        if follower.flushes | follower.corrupts {
            last_flit = 0;
        }
        let word: Bits<WORD_W> = bit_cast::<WORD_W, DATA_W>(carry)
            | (bit_cast::<WORD_W, DATA_BITS>(last_flit) << last_flit_shift)
            | (bit_cast::<WORD_W, BYTES_W>(follower.word_bytes) << count_shift)
            | (bit_cast::<WORD_W, 1>(follower.last_word.into()) << last_shift);
        words.words_in = In { valid: follower.word, data: word };

        self.cover(data);

        // The end, one clock later, which waits for the CRC.
        Out { tag: end_tag, pcrc: end_pcrc } = reader;
        let mut tag: Bits<16> = 0;
        if follower.by_tail {
            tag = end_tag;
        }
        pending.words_in.valid = follower.ended;
        pending.words_in.data = bit_cast::<PENDING_BITS, 16>(tag)
            | (bit_cast::<PENDING_BITS, REASON_BITS>(follower.bad_reason) << 16)
            | (bit_cast::<PENDING_BITS, 1>(follower.bad.into()) << 24)
            | (bit_cast::<PENDING_BITS, WIDTH>(end_pcrc) << 25);

        let waiting = pending.words_out.data;
        let both = pending.words_out.valid & crc.crc.valid;
        let marked = waiting[24];
        let matches = waiting.bits::<WIDTH>(25) == crc.crc.data;
        let mut reason: Bits<REASON_BITS> = 0;
        if !matches {
            reason = wrong_crc;
        }
        if marked {
            reason = waiting.bits::<REASON_BITS>(16);
        }
        end_out.valid = both;
        end_out.data = bit_cast::<END_BITS, 16>(waiting.bits::<16>(0))
            | (bit_cast::<END_BITS, REASON_BITS>(reason) << 16)
            | (bit_cast::<END_BITS, 1>((!marked & matches).into()) << 24);
        pending.words_out.ready = both & end_out.ready;
        crc.crc.ready = both & end_out.ready;

        header_out = In { valid: headers.words_out.valid, data: headers.words_out.data };
        headers.words_out.ready = header_out.ready;
        words_out = In { valid: words.words_out.valid, data: words.words_out.data };
        words.words_out.ready = words_out.ready;

        header_level = In { up: follower.starts, down: headers.words_out.valid & header_out.ready };
        word_level = In { up: follower.word, down: words.words_out.valid & words_out.ready };
        end_level = In { up: follower.ended, down: both & end_out.ready };
    }

    /// What the CRC covers.
    fn cover(&mut self, data: Bits<DATA_W>) {
        let mut covered = data;
        if follower.starts {
            covered = data & immutable;
        }
        let mut unused: Bits<2> = 0;
        for i in 0..F {
            if reader.closes[i] {
                unused = unused_in[i];
            }
        }
        crc.beat = In { valid: part_of_packet, data: covered };
        crc = In { first: follower.starts, last: follower.ends, unused };
    }
}

const _: () = assert!(packet_end::reason::LOW == 16 && packet_end::good::LOW == 24 && END_BITS == 25);
const _: () = assert!(PENDING_BITS == 25 + WIDTH);

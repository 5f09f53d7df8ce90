//! The receiver.

use super::config::{PacketConfig, PacketWidths};
use super::crc::PacketCrc;
use super::follower::PacketFollower;
use super::level::Level;
use super::part::REASON_BITS;
use super::reader::PacketReader;
use crate::config::ConfigError;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::SmallFifo;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct PacketRx<
    const F: usize,
    const FLITS_W: usize,
    const DATA_W: usize,
    const WORD_W: usize,
    const BYTES_W: usize,
    const STEPS: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats of one virtual lane, or of several one packet at a time.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// Packets that begin: the Head's fields, with length 0 from a HeadBad.
    pub header_out: StreamOut<Bits<HEADER_BITS>>,
    /// Their payload: data, bytes that count, last.
    pub words_out: StreamOut<Bits<WORD_W>>,
    /// Packets that have ended: tag, reason, good.
    pub end_out: StreamOut<Bits<END_BITS>>,
    /// Event: a beat had packet flits that belong to no packet; they are tossed.
    pub stray: Signal<Out, Bit>,

    reader: PacketReader<F, FLITS_W, DATA_W, BYTES_W>,
    follower: PacketFollower<F, BYTES_W>,
    crc: PacketCrc<DATA_W, STEPS>,
    headers: SmallFifo<Bits<HEADER_BITS>, 4, 5>,
    words: SmallFifo<Bits<WORD_W>, 4, 5>,
    pending: SmallFifo<Bits<PENDING_BITS>, 4, 5>,
    header_level: Level,
    word_level: Level,
    end_level: Level,
    /// Slots 1 and up of the beat before.
    carry: DFF<Bits<DATA_W>>,
    end_tag: DFF<Bits<16>>,
    end_pcrc: DFF<Bits<WIDTH>>,

    room: Signal<Local, Bit>,
    part_of_packet: Signal<Local, Bit>,
    last_flit: Signal<Local, Bits<DATA_BITS>>,
    data: Signal<Local, Bits<DATA_W>>,
    word: Signal<Local, Bits<WORD_W>>,
    covered: Signal<Local, Bits<DATA_W>>,
    unused: Signal<Local, Bits<2>>,
    tag: Signal<Local, Bits<16>>,
    waiting: Signal<Local, Bits<PENDING_BITS>>,
    both: Signal<Local, Bit>,
    marked: Signal<Local, Bit>,
    matches: Signal<Local, Bit>,
    reason: Signal<Local, Bits<REASON_BITS>>,
    no_data: Constant<Bits<DATA_W>>,
    immutable: Constant<Bits<DATA_W>>,
    wrong_crc: Constant<Bits<REASON_BITS>>,
    flit_shift: Constant<Bits<9>>,
    last_flit_shift: Constant<Bits<9>>,
    count_shift: Constant<Bits<9>>,
    last_shift: Constant<Bits<9>>,
    unused_in: Vec<Constant<Bits<2>>>,
}

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
            clock: Default::default(),
            clear: Default::default(),
            beats_in: Default::default(),
            header_out: Default::default(),
            words_out: Default::default(),
            end_out: Default::default(),
            stray: Default::default(),
            reader: PacketReader::new(config.mtu),
            follower: Default::default(),
            crc: PacketCrc::new()?,
            headers: SmallFifo::new()?,
            words: SmallFifo::new()?,
            pending: SmallFifo::new()?,
            header_level: Level::new(MOST_WAITING),
            word_level: Level::new(MOST_WAITING),
            end_level: Level::new(MOST_WAITING),
            carry: Default::default(),
            end_tag: Default::default(),
            end_pcrc: Default::default(),
            room: Default::default(),
            part_of_packet: Default::default(),
            last_flit: Default::default(),
            data: Default::default(),
            word: Default::default(),
            covered: Default::default(),
            unused: Default::default(),
            tag: Default::default(),
            waiting: Default::default(),
            both: Default::default(),
            marked: Default::default(),
            matches: Default::default(),
            reason: Default::default(),
            no_data: Constant::new(Bits::default()),
            immutable: Constant::new(immutable),
            wrong_crc: Constant::new(u64::from(BadReason::PacketCrc.code()).into()),
            flit_shift: shift(DATA_BITS),
            last_flit_shift: shift(DATA_W - DATA_BITS),
            count_shift: shift(DATA_W),
            last_shift: shift(WORD_W - 1),
            unused_in: (0..F).map(|slot| Constant::new((((F - slot) % F) as u64).into())).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const WORD_W: usize,
        const BYTES_W: usize,
        const STEPS: usize,
    > Logic for PacketRx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, STEPS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, carry, end_tag, end_pcrc);
        clock!(
            self,
            clock,
            reader,
            follower,
            crc,
            headers,
            words,
            pending,
            header_level,
            word_level,
            end_level
        );
        self.reader.clear.next = self.clear.val();
        self.follower.clear.next = self.clear.val();
        self.crc.clear.next = self.clear.val();
        self.headers.clear.next = self.clear.val();
        self.words.clear.next = self.clear.val();
        self.pending.clear.next = self.clear.val();
        self.header_level.clear.next = self.clear.val();
        self.word_level.clear.next = self.clear.val();
        self.end_level.clear.next = self.clear.val();

        // Beats come in while there is room for whatever those under way may give.
        self.room.next = self.header_level.low.val() & self.word_level.low.val() & self.end_level.low.val();
        self.beats_in.ready.next = self.room.val() & !self.clear.val();
        self.reader.valid.next = self.beats_in.valid.val() & self.room.val();
        self.reader.beat.next = self.beats_in.data.val();
        self.follower.counts.next = self.reader.counts.val();
        self.follower.opens.next = self.reader.opens.val();
        self.follower.illegal.next = self.reader.illegal.val();
        self.follower.closes.next = self.reader.closes.val();
        self.follower.is_tail.next = self.reader.is_tail.val();
        self.follower.len2.next = self.reader.len2.val();
        self.follower.is_bad.next = self.reader.is_bad.val();
        self.follower.reason.next = self.reader.reason.val();
        self.follower.header.next = self.reader.header.val();
        self.follower.without_len.next = self.reader.without_len.val();
        self.follower.words.next = self.reader.words.val();
        self.follower.tail_beat.next = self.reader.tail_beat.val();
        self.follower.tail_slot.next = self.reader.tail_slot.val();
        self.follower.bytes.next = self.reader.bytes.val();
        self.stray.next = self.follower.stray.val();

        // The header, and the words: what the beat before left, and slot 0 of this one.
        self.headers.words_in.valid.next = self.follower.starts.val();
        self.headers.words_in.data.next = self.reader.header.val();
        self.part_of_packet.next = self.follower.starts.val() | self.follower.goes_on.val();
        self.data.next = self.reader.data.val();
        if self.part_of_packet.val() {
            self.carry.d.next = self.data.val() >> self.flit_shift.val();
            if self.follower.spoils.val() {
                self.carry.d.next = self.no_data.val();
            }
        }
        self.last_flit.next = self.data.val().get_bits::<DATA_BITS>(0);
        if self.follower.flushes.val() | self.follower.spoils.val() {
            self.last_flit.next = 0.into();
        }
        self.word.next = bit_cast::<WORD_W, DATA_W>(self.carry.q.val())
            | (bit_cast::<WORD_W, DATA_BITS>(self.last_flit.val()) << self.last_flit_shift.val())
            | (bit_cast::<WORD_W, BYTES_W>(self.follower.word_bytes.val()) << self.count_shift.val())
            | (bit_cast::<WORD_W, 1>(self.follower.last_word.val().into()) << self.last_shift.val());
        self.words.words_in.valid.next = self.follower.word.val();
        self.words.words_in.data.next = self.word.val();

        // What the CRC covers.
        self.covered.next = self.data.val();
        if self.follower.starts.val() {
            self.covered.next = self.data.val() & self.immutable.val();
        }
        self.unused.next = 0.into();
        for i in 0..F {
            if self.reader.closes.val().get_bit(i) {
                self.unused.next = self.unused_in[i].val();
            }
        }
        self.crc.beat.valid.next = self.part_of_packet.val();
        self.crc.beat.data.next = self.covered.val();
        self.crc.first.next = self.follower.starts.val();
        self.crc.last.next = self.follower.ends.val();
        self.crc.unused.next = self.unused.val();

        // The end, one clock later, which waits for the CRC.
        self.end_tag.d.next = self.reader.tag.val();
        self.end_pcrc.d.next = self.reader.pcrc.val();
        self.tag.next = 0.into();
        if self.follower.by_tail.val() {
            self.tag.next = self.end_tag.q.val();
        }
        self.pending.words_in.valid.next = self.follower.ended.val();
        self.pending.words_in.data.next = bit_cast::<PENDING_BITS, 16>(self.tag.val())
            | (bit_cast::<PENDING_BITS, REASON_BITS>(self.follower.bad_reason.val()) << 16)
            | (bit_cast::<PENDING_BITS, 1>(self.follower.bad.val().into()) << 24)
            | (bit_cast::<PENDING_BITS, WIDTH>(self.end_pcrc.q.val()) << 25);

        self.waiting.next = self.pending.words_out.data.val();
        self.both.next = self.pending.words_out.valid.val() & self.crc.crc.valid.val();
        self.marked.next = self.waiting.val().get_bit(24);
        self.matches.next = self.waiting.val().get_bits::<WIDTH>(25) == self.crc.crc.data.val();
        self.reason.next = 0.into();
        if !self.matches.val() {
            self.reason.next = self.wrong_crc.val();
        }
        if self.marked.val() {
            self.reason.next = self.waiting.val().get_bits::<REASON_BITS>(16);
        }
        self.end_out.valid.next = self.both.val();
        self.end_out.data.next = bit_cast::<END_BITS, 16>(self.waiting.val().get_bits::<16>(0))
            | (bit_cast::<END_BITS, REASON_BITS>(self.reason.val()) << 16)
            | (bit_cast::<END_BITS, 1>((!self.marked.val() & self.matches.val()).into()) << 24);
        self.pending.words_out.ready.next = self.both.val() & self.end_out.ready.val();
        self.crc.crc.ready.next = self.both.val() & self.end_out.ready.val();

        self.header_out.valid.next = self.headers.words_out.valid.val();
        self.header_out.data.next = self.headers.words_out.data.val();
        self.headers.words_out.ready.next = self.header_out.ready.val();
        self.words_out.valid.next = self.words.words_out.valid.val();
        self.words_out.data.next = self.words.words_out.data.val();
        self.words.words_out.ready.next = self.words_out.ready.val();

        self.header_level.up.next = self.follower.starts.val();
        self.header_level.down.next = self.headers.words_out.valid.val() & self.header_out.ready.val();
        self.word_level.up.next = self.follower.word.val();
        self.word_level.down.next = self.words.words_out.valid.val() & self.words_out.ready.val();
        self.end_level.up.next = self.follower.ended.val();
        self.end_level.down.next = self.both.val() & self.end_out.ready.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_packet_rx", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const DATA_W: usize, const WORD_W: usize, const BYTES_W: usize, const STEPS: usize] PacketRx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, STEPS> {
    clock, clear, beats_in, header_out, words_out, end_out, stray,
});

const _: () = assert!(packet_end::reason::LOW == 16 && packet_end::good::LOW == 24 && END_BITS == 25);
const _: () = assert!(PENDING_BITS == 25 + WIDTH);

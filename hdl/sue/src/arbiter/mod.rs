//! `eth_arb`: whose frame goes to the link next (chapter 50, 4.7).
//!
//! | source | class | waits for |
//! |---|---|---|
//! | `control`: PFC and CC_Update frames, without link-layer retry (`bypass`) | [`NO_CLASS`] | nothing |
//! | `aux`: event frames | [`NO_CLASS`] | `hold` |
//! | `acknowledgment`: PDUs with an acknowledgment only, and CM | ACK | `hold`, its class |
//! | `inject`: frames of the management | MGMT | `hold`, its class |
//! | `data`: PDUs with a body | `data_class` | `hold`, and its class if `data_waits` |
//!
//! - The order of the table is that of priority. A frame once begun is never interrupted.
//! - After four frames of `acknowledgment` without one of `data` between, a waiting frame of `data` goes before it and before `inject`.
//! - `class_ready` says which classes are neither paused nor out of credit. Whoever chooses the frames of `data` must choose among these, since what
//!   arrives at `data` blocks what comes after it. So it passes whatever its class has become since, unless `data_waits` is high: then it waits.
//! - `hold` keeps all frames but those of `control` from beginning: a CC_Update is due and waits for the frames under way.
//! - `started` tells of each frame with credits, when its first word goes by, so that it is charged.
//! - Latency from a word in to the same word out: 1 clock for `data`, 2 for the others, when nothing is under way. One word per clock; no clock is
//!   lost between frames while any source that may send has one. So a frame leaves without gap if its source gives it so.
//! - `clear` forgets frames under way. Sources are cleared with it.
//!
//! Each source but `data` has a register in front, so that the next choice is known a clock ahead: what selects the word comes from flip-flops.

mod words;

pub use words::*;

use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;
use flitforge_protocol::sue::class::{ClassUse, CLASSES};

/// Class of frames that have none.
pub const NO_CLASS: usize = CLASSES;
/// Class of acknowledgments.
const ACKNOWLEDGMENTS: usize = ClassUse::Acknowledgments as usize;
/// Class of frames of the management.
const MANAGEMENT: usize = ClassUse::Management as usize;
/// Classes and codes that mean none, so that any number of a class can be looked up.
const CODES: usize = 8;

/// Sources by their bit in `select`; those before `DATA` have a register in front.
const CONTROL: usize = 0;
const AUX: usize = 1;
const ACK: usize = 2;
const INJECT: usize = 3;
const DATA: usize = 4;
const SOURCES: usize = 5;
/// Frames of `acknowledgment` after which `data` has a turn.
const ROW: usize = 4;

/// The arbiter of a port; see the [module](self).
#[block("eth_arb")]
pub struct EthArb {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames under way.
    clear: In<Bit>,
    /// PFC and CC_Update frames.
    pub control: StreamIn<FrameWord>,
    /// Event frames.
    pub aux: StreamIn<FrameWord>,
    /// PDUs with an acknowledgment only, and CM.
    pub acknowledgment: StreamIn<FrameWord>,
    /// Octets of the frame of `acknowledgment` without FCS; holds through the frame.
    acknowledgment_octets: In<Bits<OCTETS_BITS>>,
    /// Frames of the management, when their token is there.
    pub inject: StreamIn<FrameWord>,
    /// Octets of the frame of `inject` without FCS; holds through the frame.
    inject_octets: In<Bits<OCTETS_BITS>>,
    /// PDUs with a body.
    pub data: StreamIn<FrameWord>,
    /// Class of the frame of `data`; holds through the frame.
    data_class: In<Bits<3>>,
    /// Octets of the frame of `data` without FCS, with its first word.
    data_octets: In<Bits<OCTETS_BITS>>,
    /// A frame of `data` waits while its class is not ready.
    data_waits: In<Bit>,
    /// Classes that may send.
    class_ready: In<Bits<CLASSES>>,
    /// No frame but of `control` begins.
    hold: In<Bit>,
    /// Frames to the link.
    pub frame: StreamOut<FrameWord>,
    /// Class of the frame; holds through the frame.
    class: Out<Bits<3>>,
    /// The frame is not under link-layer retry; holds through the frame.
    bypass: Out<Bit>,
    /// A frame of `acknowledgment`, `inject` or `data` begins.
    pub started: FlowOut<FrameCost>,

    /// The words in front.
    #[wire(clear = false)]
    word: [Register<FrameWord>; DATA],
    word_valid: [Register<Bit>; DATA],
    /// Octets of their frames.
    #[wire(clear = false)]
    kept_acknowledgment: Register<Bits<OCTETS_BITS>>,
    #[wire(clear = false)]
    kept_inject: Register<Bits<OCTETS_BITS>>,
    /// Whose turn it is.
    #[init(1 << DATA)]
    select: Register<Bits<SOURCES>>,
    /// A frame is under way.
    within: Register<Bit>,
    /// Frames of `acknowledgment` since the last one of `data`, at most four.
    row: Register<Bits<3>>,
    /// Classes that may send, a clock later.
    #[wire(enable = true)]
    may_send: Register<Bits<CODES>>,
    #[wire(clock, clear)]
    leaving: Skid<LinkWord>,
    #[wire(d = _)]
    cost: Reg<FrameCost>,
    #[wire(enable = true)]
    charged: Register<Bit>,
}

#[logic]
impl EthArb {
    fn update(&mut self) {
        may_send = cat(class_ready, bits::<2>(0));
        let room = leaving.has_room;
        let data_may = !hold & (!data_waits | may_send[data_class]);
        let (waits, side_offers) = self.look_ahead(room);
        let data_goes = select[DATA] & (within | data_may);
        data.ready = data_goes & room & !clear;
        let data_offers = data_goes & data.valid;
        let offers = side_offers | data_offers;
        let last = self.choose_word(offers);

        let goes = offers & room;
        within.enable = goes;
        within = !last;
        let starts = goes & !within;
        // As `if goes { last } else { !within }`, with whether data may begin, which comes late, at the end.
        let passes = room & !last;
        let data_waiting = select[DATA] & data.valid;
        let ends = if within {
            (side_offers | data_waiting) & room & last
        } else {
            !(side_offers & passes) & !(data_waiting & passes & data_may)
        };
        // `hold` has the word before it is asked whether `data` may.
        let data_ready = !data_waits | may_send[data_class];
        self.choose_next(waits, data_ready, ends, room);
        self.tell(starts);
    }

    /// The registers in front of all but `data`: which sources have a word next, and whether the one selected has one now.
    fn look_ahead(&mut self, room: Bit) -> (Bits<DATA>, Bit) {
        let arrives: Bits<DATA> = cat(control.valid, aux.valid, acknowledgment.valid, inject.valid);
        word[CONTROL] = control.data;
        word[AUX] = aux.data;
        word[ACK] = acknowledgment.data;
        word[INJECT] = inject.data;
        let mut waits: Bits<DATA> = 0;
        let mut moves: Bits<DATA> = 0;
        let mut side_offers: Bit = false;
        for i in 0..DATA {
            let offers = select[i] & word_valid[i];
            let free = !word_valid[i] | (offers & room);
            side_offers = side_offers | offers;
            moves = moves.with(i, free);
            waits = waits.with(i, !free | arrives[i]);
            word[i].enable = free;
            word_valid[i].enable = true;
            word_valid[i] = !free | arrives[i];
        }
        kept_acknowledgment.enable = moves[ACK];
        kept_acknowledgment = acknowledgment_octets;
        kept_inject.enable = moves[INJECT];
        kept_inject = inject_octets;
        control.ready = moves[CONTROL] & !clear;
        aux.ready = moves[AUX] & !clear;
        acknowledgment.ready = moves[ACK] & !clear;
        inject.ready = moves[INJECT] & !clear;
        (waits, side_offers)
    }

    /// The word of the source selected, to the output; whether it is the last of its frame.
    fn choose_word(&mut self, offers: Bit) -> Bit {
        let mut chosen: Bits<WORD_BITS> = 0;
        for i in 0..DATA {
            let side: Bits<WORD_BITS> = word[i].into();
            if select[i] {
                chosen = chosen | side;
            }
        }
        let front: Bits<WORD_BITS> = data.data.into();
        if select[DATA] {
            chosen = chosen | front;
        }
        let whole: FrameWord = chosen.into();
        let class_now = if select[DATA] {
            data_class
        } else if select[ACK] {
            bits::<3>(ACKNOWLEDGMENTS)
        } else if select[INJECT] {
            bits::<3>(MANAGEMENT)
        } else {
            bits::<3>(NO_CLASS)
        };
        let bypass_now = select[CONTROL];
        leaving.words_in.valid = offers;
        leaving.words_in.data = LinkWord {
            data: whole.data,
            bytes: whole.bytes,
            last: whole.last,
            error: whole.error,
            class: class_now,
            bypass: bypass_now,
        };
        let out = leaving.words_out.data;
        frame.data = FrameWord { data: out.data, bytes: out.bytes, last: out.last, error: out.error };
        frame.valid = leaving.words_out.valid;
        leaving.words_out.ready = frame.ready;
        class = out.class;
        bypass = out.bypass;
        let last = whole.last;
        last
    }

    /// Whose turn it is next.
    fn choose_next(&mut self, waits: Bits<DATA>, data_ready: Bit, ends: Bit, room: Bit) {
        // A frame of one word is counted in the clock in which the next one is chosen. Whether a frame begins is told here from flip-flops alone.
        let begins = room & !within;
        let counts_now = (row == ROW - 1) & begins & select[ACK] & word_valid[ACK];
        let full = row[2] | counts_now;
        // The turn of `data` stands until its frame begins, so a choice made again while there is no room stays the same.
        let owes_data = full & !(begins & select[DATA]) & data.valid & data_ready;
        select.enable = ends;
        select = if waits[CONTROL] | hold {
            1 << CONTROL
        } else if waits[AUX] {
            1 << AUX
        } else if waits[ACK] & may_send[ACKNOWLEDGMENTS] & !owes_data {
            1 << ACK
        } else if waits[INJECT] & may_send[MANAGEMENT] & !owes_data {
            1 << INJECT
        } else {
            1 << DATA
        };
    }

    /// Counts frames of `acknowledgment`, and tells of frames that are charged.
    fn tell(&mut self, starts: Bit) {
        row.enable = starts & (select[ACK] | select[DATA]);
        row = if select[DATA] {
            0
        } else if row == ROW {
            row
        } else {
            row + 1
        };
        charged = starts & (select[ACK] | select[INJECT] | select[DATA]);
        cost = if select[DATA] {
            FrameCost { class: data_class, octets: data_octets }
        } else if select[ACK] {
            FrameCost { class: ACKNOWLEDGMENTS, octets: kept_acknowledgment }
        } else {
            FrameCost { class: MANAGEMENT, octets: kept_inject }
        };
        started = In { data: cost, valid: charged };
    }
}

/// Bits of a word.
const WORD_BITS: usize = 70;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_arb",
    chapter: "50-sue",
    summary: "arbiter of the frames of a port",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("control", StreamSink),
        ("aux", StreamSink),
        ("acknowledgment", StreamSink),
        ("inject", StreamSink),
        ("data", StreamSink),
        ("frame", StreamSource),
        ("started", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(1), "data to frame.valid");
    Ok(BuiltBlock::new(EthArb::default(), interface))
}

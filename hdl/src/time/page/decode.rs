//! Which of the device's registers a word is.

use super::config::window_word;
use super::counters::PLACE_BITS;
use super::device::PAGE_WORD_BITS;
use super::offer::SOURCE_WORDS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_registers as page;

/// Registers whose value is kept by the page as it was written.
pub const KEPT: usize = 12;
/// These registers.
pub const KEPT_OFFSETS: [u32; KEPT] = [
    page::SET_TIME,
    page::GAIN,
    page::GAIN_ACQ,
    page::THR,
    page::LOCK_CFG,
    page::SERVO_CTL,
    page::MSTR_CTL,
    page::GEN_CFG,
    page::EVENT_MASK,
    page::TREE_PRIO,
    page::PORT_SEL,
    page::SLEW_CNT,
];
/// Place of GEN_CFG among them.
const GEN_CFG: usize = 7;
/// Registers whose values come from elsewhere.
pub const LIVE: usize = 12;
/// These registers; the first are written in `time_source`.
pub const LIVE_OFFSETS: [u32; LIVE] = [
    page::INC_NOM,
    page::LIMITS,
    page::F_ACC,
    page::SLEW_P,
    page::SLEW_CNT,
    page::TIME_ID,
    page::LOCAL_TIME,
    page::LOCAL_FRAC,
    page::SYNC_TIME,
    page::SYNC_INFO,
    page::SERVO_STAT,
    page::EVENT,
];

/// Says one clock behind a word of the page which register it is.
#[derive(LogicBlock)]
pub struct PageDecode {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Word of the page.
    pub word: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// It is written.
    pub write: Signal<In, Bit>,
    /// What is written.
    pub data: Signal<In, Bits<64>>,
    /// By place in [`KEPT_OFFSETS`].
    pub kept: Signal<Out, Bits<KEPT>>,
    /// By place in [`LIVE_OFFSETS`].
    pub live: Signal<Out, Bits<LIVE>>,
    /// SET_CMD with a command.
    pub command: Signal<Out, Bit>,
    /// A counter.
    pub counter: Signal<Out, Bit>,
    /// A write that takes longer.
    pub slow: Signal<Out, Bit>,
    /// A write of 0.
    pub zero: Signal<Out, Bit>,
    is_kept: DFF<Bits<KEPT>>,
    is_live: DFF<Bits<LIVE>>,
    is_command: DFF<Bit>,
    is_counter: DFF<Bit>,
    is_slow: DFF<Bit>,
    is_zero: DFF<Bit>,
    match_kept: Signal<Local, Bits<KEPT>>,
    match_live: Signal<Local, Bits<LIVE>>,
    match_command: Signal<Local, Bit>,
    to_source: Signal<Local, Bit>,
    kept_words: [Constant<Bits<PAGE_WORD_BITS>>; KEPT],
    live_words: [Constant<Bits<PAGE_WORD_BITS>>; LIVE],
    command_word: Constant<Bits<PAGE_WORD_BITS>>,
    counter_words: Constant<Bits<4>>,
}

impl Default for PageDecode {
    fn default() -> Self {
        let word = |offset: u32| Constant::new(window_word(0, offset).into());
        Self {
            clock: Default::default(),
            word: Default::default(),
            write: Default::default(),
            data: Default::default(),
            kept: Default::default(),
            live: Default::default(),
            command: Default::default(),
            counter: Default::default(),
            slow: Default::default(),
            zero: Default::default(),
            is_kept: Default::default(),
            is_live: Default::default(),
            is_command: Default::default(),
            is_counter: Default::default(),
            is_slow: Default::default(),
            is_zero: Default::default(),
            match_kept: Default::default(),
            match_live: Default::default(),
            match_command: Default::default(),
            to_source: Default::default(),
            kept_words: KEPT_OFFSETS.map(word),
            live_words: LIVE_OFFSETS.map(word),
            command_word: word(page::SET_CMD),
            counter_words: Constant::new((window_word(0, page::CORE_COUNTERS.offset) >> PLACE_BITS).into()),
        }
    }
}

impl Logic for PageDecode {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_kept, is_live, is_command, is_counter, is_slow, is_zero);
        self.match_kept.next = 0.into();
        for i in 0..12 {
            self.match_kept.next =
                self.match_kept.val().replace_bit(i, self.word.val() == self.kept_words[i].val());
        }
        self.match_live.next = 0.into();
        for i in 0..12 {
            self.match_live.next =
                self.match_live.val().replace_bit(i, self.word.val() == self.live_words[i].val());
        }
        self.match_command.next =
            (self.word.val() == self.command_word.val()) & self.data.val().get_bits::<2>(0).any();
        self.to_source.next =
            self.match_live.val().get_bits::<SOURCE_WORDS>(0).any() | self.match_command.val();
        self.is_kept.d.next = self.match_kept.val();
        self.is_live.d.next = self.match_live.val();
        self.is_command.d.next = self.match_command.val();
        self.is_counter.d.next = self.word.val().get_bits::<4>(4) == self.counter_words.val();
        self.is_slow.d.next = self.write.val() & (self.to_source.val() | self.match_kept.val().get_bit(7));
        self.is_zero.d.next = self.write.val() & !self.data.val().any();
        self.kept.next = self.is_kept.q.val();
        self.live.next = self.is_live.q.val();
        self.command.next = self.is_command.q.val();
        self.counter.next = self.is_counter.q.val();
        self.slow.next = self.is_slow.q.val();
        self.zero.next = self.is_zero.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("page_decode", &[])
    }
}

drive_ports!(impl[] PageDecode { clock, word, write, data, kept, live, command, counter, slow, zero });

const _: () = assert!(KEPT_OFFSETS[GEN_CFG] == page::GEN_CFG && LIVE_OFFSETS[SOURCE_WORDS] == page::TIME_ID);

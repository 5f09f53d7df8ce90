//! Writes that `time_source` carries out.

use crate::prim::stream::StreamOut;
use crate::time::source::WRITE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::SourceWriteCode;

/// Registers of `time_source`.
pub const SOURCE_WORDS: usize = 5;
/// What a write of each of them is for `time_source`.
const SOURCE_CODES: [SourceWriteCode; SOURCE_WORDS] = [
    SourceWriteCode::IncNom,
    SourceWriteCode::Limits,
    SourceWriteCode::FAcc,
    SourceWriteCode::SlewP,
    SourceWriteCode::SlewCnt,
];

/// Offers a write to `time_source` from the clock behind `start` on, and is `done` when that is ready for the next one: its registers
/// show the change then. `new_era` stands from the clock behind the transfer of a SET_CMD to that of `stepped`.
///
/// `clear` takes the offer back and ends the rest.
#[derive(LogicBlock)]
pub struct SourceOffer {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// It begins.
    pub start: Signal<In, Bit>,
    /// The register: INC_NOM, LIMITS, F_ACC, SLEW_P or SLEW_CNT, until `done`.
    pub registers: Signal<In, Bits<SOURCE_WORDS>>,
    /// It is SET_CMD, until `done`.
    pub command: Signal<In, Bit>,
    /// What is written, until `done`.
    pub data: Signal<In, Bits<64>>,
    /// SET_TIME.
    pub set_time: Signal<In, Bits<64>>,
    /// The write.
    pub source_write: StreamOut<Bits<WRITE_BITS>>,
    /// The first clock of a new SyncTime.
    pub stepped: Signal<In, Bit>,
    /// SET_CMD steps SyncTime.
    pub new_era: Signal<Out, Bit>,
    /// It ends.
    pub done: Signal<Out, Bit>,
    code: DFF<Bits<3>>,
    offers: DFF<Bit>,
    settles: DFF<Bit>,
    renews: DFF<Bit>,
    code_now: Signal<Local, Bits<3>>,
    payload: Signal<Local, Bits<64>>,
    moves: Signal<Local, Bit>,
    codes: [Constant<Bits<3>>; SOURCE_WORDS],
    add: Constant<Bits<3>>,
    set: Constant<Bits<3>>,
}

impl Default for SourceOffer {
    fn default() -> Self {
        let constant = |code: SourceWriteCode| Constant::new(u64::from(code.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            registers: Default::default(),
            command: Default::default(),
            data: Default::default(),
            set_time: Default::default(),
            source_write: Default::default(),
            stepped: Default::default(),
            new_era: Default::default(),
            done: Default::default(),
            code: Default::default(),
            offers: Default::default(),
            settles: Default::default(),
            renews: Default::default(),
            code_now: Default::default(),
            payload: Default::default(),
            moves: Default::default(),
            codes: SOURCE_CODES.map(constant),
            add: constant(SourceWriteCode::Add),
            set: constant(SourceWriteCode::Set),
        }
    }
}

impl Logic for SourceOffer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, code, offers, settles, renews);
        self.code_now.next = self.add.val();
        if self.data.val().get_bit(0) {
            self.code_now.next = self.set.val();
        }
        for i in 0..5 {
            if self.registers.val().get_bit(i) {
                self.code_now.next = self.codes[i].val();
            }
        }
        self.code.d.next = self.code_now.val();
        self.payload.next = self.data.val();
        if self.command.val() {
            self.payload.next = self.set_time.val();
        }
        self.source_write.valid.next = self.offers.q.val();
        self.source_write.data.next = bit_cast::<WRITE_BITS, 64>(self.payload.val())
            | (bit_cast::<WRITE_BITS, 3>(self.code.q.val()) << 64);
        self.moves.next = self.offers.q.val() & self.source_write.ready.val();
        self.offers.d.next = (self.offers.q.val() | self.start.val()) & !self.moves.val() & !self.clear.val();
        self.settles.d.next =
            (self.moves.val() | (self.settles.q.val() & !self.source_write.ready.val())) & !self.clear.val();
        self.done.next = self.settles.q.val() & self.source_write.ready.val();
        self.renews.d.next = ((self.renews.q.val() & !self.stepped.val())
            | (self.moves.val() & self.command.val()))
            & !self.clear.val();
        self.new_era.next = self.renews.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("source_offer", &[])
    }
}

drive_ports!(impl[] SourceOffer {
    clock, clear, start, registers, command, data, set_time, source_write, stepped, new_era, done,
});

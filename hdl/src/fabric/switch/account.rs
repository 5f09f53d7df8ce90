//! The AU of one buffer.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::FLIT_BITS;

/// Bits of a number of AU.
pub const CREDIT_BITS: usize = 16;
/// Flits of an AU: vAU 3, 64 bytes.
pub const UNIT_FLITS: usize = 8;
const _: () = assert!(FLIT_BITS == 65);

/// Counts AU as beats go in and out, `F` flits each but the last of a packet; what happens in a clock is counted in the next one.
#[derive(LogicBlock)]
pub struct SwitchAccount {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is held.
    pub clear: Signal<In, Bit>,
    /// A beat of a packet goes in, and whether it is its last.
    pub pushes: Signal<In, Bit>,
    /// See `pushes`.
    pub push_ends: Signal<In, Bit>,
    /// A beat goes out, whether it is the last, and whether it came without credit.
    pub takes: Signal<In, Bit>,
    /// See `takes`.
    pub take_ends: Signal<In, Bit>,
    /// See `takes`.
    pub take_free: Signal<In, Bit>,
    /// The packet that goes in is cut off: what follows begins another.
    pub cuts: Signal<In, Bit>,
    /// MARK_AU; 0: off.
    pub mark: Signal<In, Bits<CREDIT_BITS>>,
    /// An AU is free by the beat that went out a clock ago.
    pub released: Signal<Out, Bit>,
    /// More than MARK_AU were held two clocks ago.
    pub over: Signal<Out, Bit>,

    pushing: DFF<Bit>,
    push_end: DFF<Bit>,
    taking: DFF<Bit>,
    take_end: DFF<Bit>,
    taking_free: DFF<Bit>,
    cutting: DFF<Bit>,
    written: DFF<Bits<3>>,
    read: DFF<Bits<3>>,
    held: DFF<Bits<CREDIT_BITS>>,
    is_over: DFF<Bit>,
    begins: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    last: Constant<Bits<3>>,
    one_beat: Constant<Bits<3>>,
    one: Constant<Bits<CREDIT_BITS>>,
}

impl SwitchAccount {
    /// An account of beats of `flits` flits.
    #[must_use]
    pub fn new(flits: usize) -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            pushes: Default::default(),
            push_ends: Default::default(),
            takes: Default::default(),
            take_ends: Default::default(),
            take_free: Default::default(),
            cuts: Default::default(),
            mark: Default::default(),
            released: Default::default(),
            over: Default::default(),
            pushing: Default::default(),
            push_end: Default::default(),
            taking: Default::default(),
            take_end: Default::default(),
            taking_free: Default::default(),
            cutting: Default::default(),
            written: Default::default(),
            read: Default::default(),
            held: Default::default(),
            is_over: Default::default(),
            begins: Default::default(),
            frees: Default::default(),
            last: Constant::new(((UNIT_FLITS / flits - 1) as u64).into()),
            one_beat: Constant::new(1.into()),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for SwitchAccount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pushing, push_end, taking, take_end, taking_free, cutting);
        dff_setup!(self, clock, written, read, held, is_over);
        self.pushing.d.next = self.pushes.val();
        self.push_end.d.next = self.push_ends.val();
        self.taking.d.next = self.takes.val();
        self.take_end.d.next = self.take_ends.val();
        self.taking_free.d.next = self.take_free.val();
        self.cutting.d.next = self.cuts.val();
        self.begins.next = self.pushing.q.val() & !self.written.q.val().any();
        if self.pushing.q.val() {
            self.written.d.next = self.written.q.val() + self.one_beat.val();
            if self.push_end.q.val() | (self.written.q.val() == self.last.val()) {
                self.written.d.next = 0.into();
            }
        }
        if self.cutting.q.val() {
            self.written.d.next = 0.into();
        }
        self.frees.next = self.taking.q.val()
            & ((self.read.q.val() == self.last.val()) | self.take_end.q.val())
            & !(self.taking_free.q.val() & !self.read.q.val().any());
        if self.taking.q.val() {
            self.read.d.next = self.read.q.val() + self.one_beat.val();
            if self.take_end.q.val() | (self.read.q.val() == self.last.val()) {
                self.read.d.next = 0.into();
            }
        }
        if self.begins.val() & !self.frees.val() {
            self.held.d.next = self.held.q.val() + self.one.val();
        }
        if self.frees.val() & !self.begins.val() {
            self.held.d.next = self.held.q.val() - self.one.val();
        }
        self.is_over.d.next = self.mark.val().any() & (self.held.q.val() > self.mark.val());
        if self.clear.val() {
            self.pushing.d.next = false;
            self.taking.d.next = false;
            self.cutting.d.next = false;
            self.written.d.next = 0.into();
            self.read.d.next = 0.into();
            self.held.d.next = 0.into();
            self.is_over.d.next = false;
        }
        self.released.next = self.frees.val() & !self.clear.val();
        self.over.next = self.is_over.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_account", &[("beats", (self.last.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] SwitchAccount {
    clock, clear, pushes, push_ends, takes, take_ends, take_free, cuts, mark, released, over,
});

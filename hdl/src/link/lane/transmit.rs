//! Rows to lanes.

use super::{check_lanes, lanes_of, LaneScrambler, RowCount, ALN_LOW, LANE_BITS, ROW_BITS, SDS_LOW};
use crate::config::ConfigError;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::{Register, Skid};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::sds;
use flitforge_protocol::training::STUCK_CLOCKS;

/// Bits of the count of clocks a word waits: with 64 the lane's PHY counts as stuck, and training goes on without it.
const PATIENCE_BITS: usize = 7;
const _: () = assert!(1 << (PATIENCE_BITS - 1) == STUCK_CLOCKS, "bit 6 says that the PHY is stuck");

/// One lane of the sender: picks and scrambles its word of a row, or sends control words, or training words.
#[derive(LogicBlock)]
pub struct TxLane<const PROBATION: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Drops the waiting word.
    pub clear: Signal<In, Bit>,
    /// Rows, else training words.
    pub in_use: Signal<In, Bit>,
    /// With probation and `in_use`: no word of the row, the scrambler's alone; a word the PHY has no room for is put off.
    pub blank: [Signal<In, Bit>; PROBATION],
    /// Logical lane.
    pub rank: Signal<In, Bits<2>>,
    /// Row.
    pub row: Signal<In, Bits<ROW_BITS>>,
    /// Control word without the lane number.
    pub control: Signal<In, Bits<32>>,
    /// The row is a start or ALN row.
    pub control_row: Signal<In, Bit>,
    /// The row is a start row.
    pub start_row: Signal<In, Bit>,
    /// A row goes to the lanes.
    pub row_step: Signal<In, Bit>,
    /// Training words move: on all lanes that train in the same clock, and with the rows if there are any.
    pub train: Signal<In, Bit>,
    /// Training words are thrown away.
    pub cut: Signal<In, Bit>,
    /// A word may come.
    pub free: Signal<Out, Bit>,
    /// The PHY took no word for 64 clocks.
    pub stuck: Signal<Out, Bit>,
    /// Training words.
    pub training: StreamIn<Bits<LANE_BITS>>,
    /// Lane words.
    pub lane: StreamOut<Bits<LANE_BITS>>,
    scrambler: LaneScrambler,
    valid: DFF<Bit>,
    /// Not `valid`: a register of its own for what follows from it elsewhere.
    empty: Register<Bit>,
    /// Clocks for which the word has waited; the top bit stays up until the PHY takes it.
    patience: DFF<Bits<PATIENCE_BITS>>,
    word: Register<Bits<LANE_BITS>>,
    lane_field: Constant<Bits<32>>,
    ctl: Constant<Bits<LANE_BITS>>,
    is_free: Signal<Local, Bit>,
    may_come: Signal<Local, Bit>,
    next_valid: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<32>>,
    row_word: Signal<Local, Bits<LANE_BITS>>,
}

impl<const PROBATION: usize> TxLane<PROBATION> {
    fn new(lane: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            in_use: Default::default(),
            blank: defaults(),
            rank: Default::default(),
            row: Default::default(),
            control: Default::default(),
            control_row: Default::default(),
            start_row: Default::default(),
            row_step: Default::default(),
            train: Default::default(),
            cut: Default::default(),
            free: Default::default(),
            stuck: Default::default(),
            training: Default::default(),
            lane: Default::default(),
            scrambler: LaneScrambler::new(lane)?,
            valid: Default::default(),
            empty: Register::new(true),
            patience: Default::default(),
            word: Default::default(),
            lane_field: Constant::new(((lane as u64) << sds::lane::LOW).into()),
            ctl: Constant::new(Bits::default().replace_bit(32, true)),
            is_free: Default::default(),
            may_come: Default::default(),
            next_valid: Default::default(),
            chosen: Default::default(),
            row_word: Default::default(),
        })
    }
}

impl<const PROBATION: usize> Logic for TxLane<PROBATION> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, patience);
        clock!(self, clock, empty, word, scrambler);
        self.is_free.next = !self.valid.q.val() | self.lane.ready.val();
        self.may_come.next = self.empty.q.val() | self.lane.ready.val();
        self.free.next = self.may_come.val();
        // A stuck lane's words are thrown away: its set is broken, so the peer leaves the lane out.
        self.stuck.next = self.patience.q.val().get_bit(6);
        self.training.ready.next =
            (self.train.val() | self.cut.val()) & !self.in_use.val() & !self.clear.val();
        if !self.patience.q.val().get_bit(6) {
            self.patience.d.next = self.patience.q.val() + 1;
        }
        if self.may_come.val() | self.clear.val() {
            self.patience.d.next = 0.into();
        }

        self.chosen.next = self.row.val().get_bits::<32>(0);
        if self.rank.val() == 1 {
            self.chosen.next = self.row.val().get_bits::<32>(32);
        }
        if self.rank.val() == 2 {
            self.chosen.next = self.row.val().get_bits::<32>(64);
        }
        if self.rank.val() == 3 {
            self.chosen.next = self.row.val().get_bits::<32>(96);
        }
        for i in 0..PROBATION {
            if self.blank[i].val() {
                self.chosen.next = 0.into();
                self.training.ready.next = true;
            }
        }
        self.row_word.next = bit_cast::<LANE_BITS, 32>(self.chosen.val() ^ self.scrambler.word.val());
        if self.control_row.val() {
            self.row_word.next = self.ctl.val() | bit_cast::<LANE_BITS, 32>(self.control.val());
            if self.start_row.val() {
                self.row_word.next = (self.ctl.val() | bit_cast::<LANE_BITS, 32>(self.lane_field.val()))
                    | bit_cast::<LANE_BITS, 32>(self.control.val());
            }
        }
        self.scrambler.restart.next = self.start_row.val();
        self.scrambler.advance.next = self.row_step.val() & !self.control_row.val();
        for i in 0..PROBATION {
            if self.blank[i].val() & !self.may_come.val() {
                self.scrambler.advance.next = false;
            }
        }

        self.word.clear.next = false;
        self.word.enable.next = self.is_free.val();
        self.word.d.next = self.training.data.val();
        self.next_valid.next = self.valid.q.val();
        if self.is_free.val() {
            self.next_valid.next = (self.training.valid.val() & self.train.val()) & !self.cut.val();
        }
        if self.in_use.val() {
            self.word.d.next = self.row_word.val();
            if self.is_free.val() {
                self.next_valid.next = self.row_step.val();
            }
        }
        self.valid.d.next = self.next_valid.val() & !self.clear.val();
        self.empty.clear.next = self.clear.val();
        self.empty.enable.next = true;
        self.empty.d.next = !self.next_valid.val();
        self.lane.valid.next = self.valid.q.val();
        self.lane.data.next = self.word.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match PROBATION {
            0 => block_label("lane_tx_lane", &[]),
            _ => block_label("lane_tx_lane", &[("probation", "1".to_string())]),
        }
    }
}

/// Sender's side of `link_lane`; see the [module](super).
#[derive(LogicBlock)]
pub struct LinkLaneTx<const LANES: usize, const PROBATION: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: stops; what waits here is lost.
    pub clear: Signal<In, Bit>,
    /// With the training words that leave next, or at once if there are none: send the start row, then rows.
    pub start: Signal<In, Bit>,
    /// Physical lanes in use; logical lane i is the i-th of them. Changes only while stopped.
    pub active: Signal<In, Bits<4>>,
    /// With probation: lanes that, if they are not in use, carry the words of their scramblers, and ALN rows with the others.
    pub probe: [Signal<In, Bits<4>>; PROBATION],
    /// CRC mode, for the start row.
    pub crc_mode: Signal<In, Bits<2>>,
    /// Bond index, for the start row.
    pub bond_index: Signal<In, Bits<2>>,
    /// L - 1, from `active` one clock before.
    pub last_lane: Signal<Out, Bits<2>>,
    /// A row waits here.
    pub row_waits: Signal<Out, Bit>,
    /// Rows: word i in bits 32i..32i+31. Two wait here at most, one before the start.
    pub rows: StreamIn<Bits<ROW_BITS>>,
    /// Lane words of the lanes that are not in use, and of all lanes while stopped.
    pub training: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Lane words: word in bits 31..0, ctl in bit 32.
    pub lanes: [StreamOut<Bits<LANE_BITS>>; LANES],

    row_skid: Skid<Bits<ROW_BITS>>,
    running: DFF<Bit>,
    start_due: DFF<Bit>,
    in_use: DFF<Bits<4>>,
    /// Before the start: a row waits. A register of its own next to the buffer, for `rows.ready` goes far.
    has_waited: DFF<Bit>,
    /// Lanes that rows go to now.
    claimed: DFF<Bits<4>>,
    /// `running`, and a lane is in use. What every scrambler waits for is a register, as is `control_row`.
    moving: DFF<Bit>,
    /// The next row is a start or ALN row.
    control_row: DFF<Bit>,
    ranks: [DFF<Bits<2>>; 4],
    last: DFF<Bits<2>>,
    row_count: RowCount,
    lane: [TxLane<PROBATION>; LANES],
    one: Constant<Bits<2>>,
    sds_low: Constant<Bits<32>>,
    aln_low: Constant<Bits<32>>,
    count: [Signal<Local, Bits<3>>; 5],
    count_low: Signal<Local, Bits<2>>,
    control: Signal<Local, Bits<32>>,
    runs: Signal<Local, Bit>,
    next_claimed: Signal<Local, Bits<4>>,
    busy: Signal<Local, Bits<4>>,
    train: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    /// The start row goes next.
    begins: Signal<Local, Bit>,
    beside: [Signal<Local, Bit>; LANES],
    may_wait: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    row_step: Signal<Local, Bit>,
}

impl<const LANES: usize, const PROBATION: usize> LinkLaneTx<LANES, PROBATION> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_lane_tx", LANES)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            active: Default::default(),
            probe: defaults(),
            crc_mode: Default::default(),
            bond_index: Default::default(),
            last_lane: Default::default(),
            row_waits: Default::default(),
            rows: Default::default(),
            training: defaults(),
            lanes: defaults(),
            row_skid: Default::default(),
            running: Default::default(),
            start_due: Default::default(),
            in_use: Default::default(),
            has_waited: Default::default(),
            claimed: Default::default(),
            moving: Default::default(),
            control_row: Default::default(),
            ranks: Default::default(),
            last: Default::default(),
            row_count: Default::default(),
            lane: lanes_of("link_lane_tx", TxLane::new)?,
            one: Constant::new(1.into()),
            sds_low: Constant::new(SDS_LOW.into()),
            aln_low: Constant::new(ALN_LOW.into()),
            count: Default::default(),
            count_low: Default::default(),
            control: Default::default(),
            runs: Default::default(),
            next_claimed: Default::default(),
            busy: Default::default(),
            train: Default::default(),
            cut: Default::default(),
            begins: Default::default(),
            beside: defaults(),
            may_wait: Default::default(),
            step: Default::default(),
            row_step: Default::default(),
        })
    }
}

impl<const LANES: usize, const PROBATION: usize> Logic for LinkLaneTx<LANES, PROBATION> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, running, start_due, has_waited, in_use, claimed, moving, control_row, last);
        clock!(self, clock, row_count, row_skid);
        self.row_skid.clear.next = self.clear.val();
        self.row_waits.next = self.row_skid.words_out.valid.val();
        // One row waits before the start, so that they do not leave in a burst that a receiver of one flit per beat cannot take.
        self.may_wait.next = !self.has_waited.q.val();
        self.row_skid.words_in.data.next = self.rows.data.val();
        self.row_skid.words_in.valid.next = self.rows.valid.val() & self.may_wait.val();
        self.rows.ready.next = self.row_skid.words_in.ready.val() & self.may_wait.val();

        // count[i]: active lanes below lane i. All that follows from `active` is registered: it changes only
        // while stopped, and in the clock of the start nothing moves yet.
        self.count[0].next = 0.into();
        for i in 0..4 {
            self.count[i + 1].next = self.count[i].val() + self.active.val().get_bit(i);
            self.ranks[i].clock.next = self.clock.val();
            self.ranks[i].d.next = self.count[i].val().get_bits::<2>(0);
        }
        self.count_low.next = self.count[4].val().get_bits::<2>(0);
        self.last.d.next = self.count_low.val() - self.one.val();
        self.last_lane.next = self.last.q.val();
        self.in_use.d.next = self.active.val();

        // A row moves when the register of every active lane is free.
        self.busy.next = 0.into();
        for i in 0..LANES {
            self.busy.next =
                self.busy.val().replace_bit(i, self.in_use.q.val().get_bit(i) & !self.lane[i].free.val());
        }
        self.step.next = self.moving.q.val() & !self.busy.val().any();
        self.row_skid.words_out.ready.next = self.step.val() & !self.control_row.q.val();
        self.row_step.next =
            self.step.val() & (self.control_row.q.val() | self.row_skid.words_out.valid.val());
        self.row_count.restart.next = self.start_due.q.val();
        self.row_count.row.next = self.row_step.val();

        self.control.next = self.aln_low.val() | (bit_cast::<32, 16>(self.row_count.number.val()) << 16);
        if self.start_due.q.val() {
            self.control.next = ((self.sds_low.val() | (bit_cast::<32, 2>(self.bond_index.val()) << 18))
                | (bit_cast::<32, 2>(self.crc_mode.val()) << 20))
                | (bit_cast::<32, 2>(self.last.q.val()) << 22);
        }
        // Training words leave all lanes in step, so that a PHY may send them as rows (`phy_lvds`), and those of lanes
        // beside rows in step with these: so all lanes' FIFOs in the PHY are equally full when all lanes train again.
        self.train.next =
            !self.moving.q.val() | (self.control_row.q.val() | self.row_skid.words_out.valid.val());
        for i in 0..LANES {
            self.beside[i].next = self.lane[i].stuck.val();
            for j in 0..PROBATION {
                self.beside[i].next = self.lane[i].stuck.val() | self.probe[j].val().get_bit(i);
            }
            if self.moving.q.val() {
                self.beside[i].next = !self.claimed.q.val().get_bit(i);
            }
            self.train.next = self.train.val() & (self.lane[i].free.val() | self.beside[i].val());
        }
        // Where rows have stopped, what is left of the set of a lane beside them is thrown away: the others have no such words.
        self.cut.next = false;
        for i in 0..LANES {
            self.cut.next = self.cut.val() | !self.training[i].valid.val();
        }
        if self.moving.q.val() {
            self.cut.next = false;
        }
        self.begins.next = self.start.val() & (self.train.val() | self.cut.val());
        self.runs.next = (self.running.q.val() | self.begins.val()) & !self.clear.val();
        self.has_waited.d.next = (self.has_waited.q.val()
            | (self.rows.valid.val() & self.row_skid.words_in.ready.val()))
            & (!self.runs.val() & !self.clear.val());
        self.running.d.next = self.runs.val();
        self.moving.d.next = self.runs.val() & self.active.val().any();
        self.next_claimed.next = 0.into();
        for i in 0..4 {
            self.next_claimed.next =
                self.next_claimed.val().replace_bit(i, self.runs.val() & self.active.val().get_bit(i));
        }
        self.claimed.d.next = self.next_claimed.val();
        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].clear.next = self.clear.val();
            self.lane[i].in_use.next = self.claimed.q.val().get_bit(i);
            for j in 0..PROBATION {
                self.lane[i].blank[j].next =
                    self.probe[j].val().get_bit(i) & !self.claimed.q.val().get_bit(i);
                self.lane[i].in_use.next = self.claimed.q.val().get_bit(i) | self.probe[j].val().get_bit(i);
            }
            self.lane[i].rank.next = self.ranks[i].q.val();
            self.lane[i].row.next = self.row_skid.words_out.data.val();
            self.lane[i].control.next = self.control.val();
            self.lane[i].control_row.next = self.control_row.q.val();
            self.lane[i].start_row.next = self.start_due.q.val();
            self.lane[i].row_step.next = self.row_step.val();
            self.lane[i].train.next = self.train.val();
            self.lane[i].cut.next = self.cut.val();
            StreamIn::<Bits<LANE_BITS>>::link(&mut self.training[i], &mut self.lane[i].training);
            StreamOut::<Bits<LANE_BITS>>::link(&mut self.lanes[i], &mut self.lane[i].lane);
        }

        if self.step.val() {
            self.start_due.d.next = false;
        }
        if self.begins.val() {
            self.start_due.d.next = true;
        }
        if self.clear.val() {
            self.start_due.d.next = false;
        }
        self.control_row.d.next = self.start_due.d.val() | self.row_count.due_next.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = ("lanes", LANES.to_string());
        match PROBATION {
            0 => block_label("link_lane_tx", &[lanes]),
            _ => block_label("link_lane_tx", &[lanes, ("probation", "1".to_string())]),
        }
    }
}

drive_ports!(impl[const LANES: usize, const PROBATION: usize] LinkLaneTx<LANES, PROBATION> {
    clock, clear, start, active, probe, crc_mode, bond_index, last_lane, row_waits, rows, training, lanes,
});

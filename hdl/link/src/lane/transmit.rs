//! Rows to lanes.

use super::{check_lanes, lanes_of, LaneScrambler, RowCount, ALN_LOW, LANE_BITS, ROW_BITS, SDS_LOW};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Skid;
use flitforge_protocol::lane_word::sds;
use flitforge_protocol::training::STUCK_CLOCKS;

/// Bits of the count of clocks a word waits: with 64 the lane's PHY counts as stuck, and training goes on without it.
const TIMEOUT_BITS: usize = 7;
const _: () = assert!(1 << (TIMEOUT_BITS - 1) == STUCK_CLOCKS, "bit 6 says that the PHY is stuck");

/// One lane of the sender: picks and scrambles its word of a row, or sends control words, or training words.
#[block(new)]
pub struct TxLane<const PROBATION: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Drops the waiting word.
    clear: In<Bit>,
    /// Rows, else training words.
    in_use: In<Bit>,
    /// With probation and `in_use`: no word of the row, the scrambler's alone; a word the PHY has no room for is put off.
    blank: [In<Bit>; PROBATION],
    /// Logical lane.
    rank: In<Bits<2>>,
    /// Row.
    row: In<Bits<ROW_BITS>>,
    /// Control word without the lane number.
    control: In<Bits<32>>,
    /// The row is a start or ALN row.
    control_row: In<Bit>,
    /// The row is a start row.
    start_row: In<Bit>,
    /// A row goes to the lanes.
    row_step: In<Bit>,
    /// Training words move: on all lanes that train in the same clock, and with the rows if there are any.
    train: In<Bit>,
    /// Training words are thrown away.
    cut: In<Bit>,
    /// A word may come.
    free: Out<Bit>,
    /// The PHY took no word for 64 clocks.
    stuck: Out<Bit>,
    /// Training words.
    pub training: StreamIn<Bits<LANE_BITS>>,
    /// Lane words.
    pub lane: StreamOut<Bits<LANE_BITS>>,
    #[wire(clock)]
    scrambler: LaneScrambler,
    valid: Reg<Bit>,
    /// Not `valid`: a register of its own for what follows from it elsewhere.
    #[init(true)]
    empty: Register<Bit>,
    /// Clocks for which the word has waited; the top bit stays up until the PHY takes it.
    timeout: Reg<Bits<TIMEOUT_BITS>>,
    #[wire(clear = false)]
    word: Register<Bits<LANE_BITS>>,
    lane_field: Constant<Bits<32>>,
    ctl: Constant<Bits<LANE_BITS>>,
    is_free: Local<Bit>,
    may_come: Local<Bit>,
    next_valid: Local<Bit>,
}

#[logic]
impl<const PROBATION: usize> TxLane<PROBATION> {
    fn new(lane: usize) -> Result<Self, ConfigError> {
        Ok(Self {
            scrambler: LaneScrambler::new(lane)?,
            lane_field: Constant::new(((lane as u64) << sds::lane::LOW).into()),
            ctl: Constant::new(Bits::default().replace_bit(32, true)),
            ..
        })
    }

    fn update(&mut self) {
        is_free = !valid | lane.ready;
        may_come = empty | lane.ready;
        free = may_come;
        // A stuck lane's words are thrown away: its set is broken, so the peer leaves the lane out.
        stuck = timeout[6];
        training.ready = (train | cut) & !in_use & !clear;
        if !timeout[6] {
            timeout = timeout + 1;
        }
        if may_come | clear {
            timeout = 0;
        }

        let mut chosen = row.bits::<32>(0);
        if rank == 1 {
            chosen = row.bits::<32>(32);
        }
        if rank == 2 {
            chosen = row.bits::<32>(64);
        }
        if rank == 3 {
            chosen = row.bits::<32>(96);
        }
        for i in 0..PROBATION {
            if blank[i] {
                chosen = 0;
                training.ready = true;
            }
        }
        let mut row_word = bit_cast::<LANE_BITS, 32>(chosen ^ scrambler.word);
        if control_row {
            row_word = ctl | bit_cast::<LANE_BITS, 32>(control);
            if start_row {
                row_word = (ctl | bit_cast::<LANE_BITS, 32>(lane_field)) | bit_cast::<LANE_BITS, 32>(control);
            }
        }
        scrambler = In { restart: start_row, advance: row_step & !control_row };
        for i in 0..PROBATION {
            if blank[i] & !may_come {
                scrambler.advance = false;
            }
        }

        word.enable = is_free;
        word = training.data;
        next_valid = valid;
        if is_free {
            next_valid = (training.valid & train) & !cut;
        }
        if in_use {
            word = row_word;
            if is_free {
                next_valid = row_step;
            }
        }
        valid = next_valid & !clear;
        empty = !next_valid;
        lane = In { valid, data: word };
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match PROBATION {
            0 => block_label("lane_tx_lane", &[]),
            _ => block_label("lane_tx_lane", &[("probation", "1".to_string())]),
        }
    }
}

/// Sender's side of `link_lane`; see the [module](super).
#[block(new)]
pub struct LinkLaneTx<const LANES: usize, const PROBATION: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: stops; what waits here is lost.
    clear: In<Bit>,
    /// With the training words that leave next, or at once if there are none: send the start row, then rows.
    start: In<Bit>,
    /// Physical lanes in use; logical lane i is the i-th of them. Changes only while stopped.
    active: In<Bits<4>>,
    /// With probation: lanes that, if they are not in use, carry the words of their scramblers, and ALN rows with the others.
    probe: [In<Bits<4>>; PROBATION],
    /// CRC mode, for the start row.
    crc_mode: In<Bits<2>>,
    /// Bond index, for the start row.
    bond_index: In<Bits<2>>,
    /// L - 1, from `active` one clock before.
    last_lane: Out<Bits<2>>,
    /// A row waits here.
    row_waits: Out<Bit>,
    /// Rows: word i in bits 32i..32i+31. Two wait here at most, one before the start.
    pub rows: StreamIn<Bits<ROW_BITS>>,
    /// Lane words of the lanes that are not in use, and of all lanes while stopped.
    pub training: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Lane words: word in bits 31..0, ctl in bit 32.
    pub lanes: [StreamOut<Bits<LANE_BITS>>; LANES],

    #[wire(clock, clear)]
    row_skid: Skid<Bits<ROW_BITS>>,
    running: Reg<Bit>,
    start_due: Reg<Bit>,
    in_use: Reg<Bits<4>>,
    /// Before the start: a row waits. A register of its own next to the buffer, for `rows.ready` goes far.
    has_waited: Reg<Bit>,
    /// Lanes that rows go to now.
    claimed: Reg<Bits<4>>,
    /// `running`, and a lane is in use. What every scrambler waits for is a register, as is `control_row`.
    moving: Reg<Bit>,
    /// The next row is a start or ALN row.
    control_row: Reg<Bit>,
    #[wire(d = _)]
    ranks: [Reg<Bits<2>>; 4],
    last: Reg<Bits<2>>,
    #[wire(clock)]
    row_count: RowCount,
    #[wire(clock, clear)]
    lane: [TxLane<PROBATION>; LANES],
    #[init(1)]
    one: Constant<Bits<2>>,
    #[init(SDS_LOW)]
    sds_low: Constant<Bits<32>>,
    #[init(ALN_LOW)]
    aln_low: Constant<Bits<32>>,
    count: [Local<Bits<3>>; 5],
    count_low: Local<Bits<2>>,
    control: Local<Bits<32>>,
    runs: Local<Bit>,
    next_claimed: Local<Bits<4>>,
    busy: Local<Bits<4>>,
    train: Local<Bit>,
    cut: Local<Bit>,
    /// The start row goes next.
    begins: Local<Bit>,
    beside: [Local<Bit>; LANES],
}

#[logic]
impl<const LANES: usize, const PROBATION: usize> LinkLaneTx<LANES, PROBATION> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_lane_tx", LANES)?;
        Ok(Self { lane: lanes_of("link_lane_tx", TxLane::new)?, .. })
    }

    fn update(&mut self) {
        row_waits = row_skid.words_out.valid;
        // One row waits before the start, so that they do not leave in a burst that a receiver of one flit per beat cannot take.
        let may_wait = !has_waited;
        row_skid.words_in = In { data: rows.data, valid: rows.valid & may_wait };
        rows.ready = row_skid.words_in.ready & may_wait;

        // count[i]: active lanes below lane i. All that follows from `active` is registered: it changes only
        // while stopped, and in the clock of the start nothing moves yet.
        count[0] = 0;
        for i in 0..4 {
            count[i + 1] = count[i] + active[i];
            ranks[i] = count[i].bits::<2>(0);
        }
        count_low = count[4].bits::<2>(0);
        last = count_low - one;
        last_lane = last;
        in_use = active;

        // A row moves when the register of every active lane is free.
        busy = 0;
        for i in 0..LANES {
            busy = busy.with(i, in_use[i] & !lane[i].free);
        }
        let step = moving & !busy.any();
        row_skid.words_out.ready = step & !control_row;
        let row_step = step & (control_row | row_skid.words_out.valid);
        row_count = In { restart: start_due, row: row_step };

        control = aln_low | (bit_cast::<32, 16>(row_count.number) << 16);
        if start_due {
            control = ((sds_low | (bit_cast::<32, 2>(bond_index) << 18))
                | (bit_cast::<32, 2>(crc_mode) << 20))
                | (bit_cast::<32, 2>(last) << 22);
        }
        self.send_training();
        self.claim_lanes(row_step);

        if step {
            start_due = false;
        }
        if begins {
            start_due = true;
        }
        if clear {
            start_due = false;
        }
        control_row = start_due.d | row_count.due_next;
    }

    /// Training words leave all lanes in step, so that a PHY may send them as rows (`phy_lvds`), and those of lanes
    /// beside rows in step with these: so all lanes' FIFOs in the PHY are equally full when all lanes train again.
    fn send_training(&mut self) {
        train = !moving | (control_row | row_skid.words_out.valid);
        for i in 0..LANES {
            beside[i] = lane[i].stuck;
            for j in 0..PROBATION {
                beside[i] = lane[i].stuck | probe[j][i];
            }
            if moving {
                beside[i] = !claimed[i];
            }
            train = train & (lane[i].free | beside[i]);
        }
    }

    /// Where rows have stopped, what is left of the set of a lane beside them is thrown away: the others have no such words.
    fn claim_lanes(&mut self, row_step: Bit) {
        cut = false;
        for i in 0..LANES {
            cut = cut | !training[i].valid;
        }
        if moving {
            cut = false;
        }
        begins = start & (train | cut);
        runs = (running | begins) & !clear;
        has_waited = (has_waited | (rows.valid & row_skid.words_in.ready)) & (!runs & !clear);
        running = runs;
        moving = runs & active.any();
        next_claimed = 0;
        for i in 0..4 {
            next_claimed = next_claimed.with(i, runs & active[i]);
        }
        claimed = next_claimed;
        for i in 0..LANES {
            lane[i].in_use = claimed[i];
            for j in 0..PROBATION {
                lane[i].blank[j] = probe[j][i] & !claimed[i];
                lane[i].in_use = claimed[i] | probe[j][i];
            }
            lane[i] = In { rank: ranks[i], row: row_skid.words_out.data, control, control_row };
            lane[i] = In { start_row: start_due, row_step, train, cut };
            link(training[i], lane[i].training);
            link(lanes[i], lane[i].lane);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let lanes = ("lanes", LANES.to_string());
        match PROBATION {
            0 => block_label("link_lane_tx", &[lanes]),
            _ => block_label("link_lane_tx", &[lanes, ("probation", "1".to_string())]),
        }
    }
}

//! What waits for the counts, and whose turn it is: one operation a clock.

use super::operation::*;
use crate::arbiter::FrameCost;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{OrderedSetType, ORDERED_SET_START, O_CODE};

/// Code of CF_Update.
const CF_UPDATE: usize = OrderedSetType::CfUpdate as usize;
/// The operation of an idle clock that counts the cells of the largest frame; those before look at a class each.
const MEASURE: usize = 6;
/// Bits of an operation.
const OPERATION_BITS: usize = 9;

/// Operations for the counts; see the [module](self).
#[block("credit_queue")]
pub struct CreditQueue {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets what waits, and puts the counts to zero.
    clear: In<Bit>,
    /// Frames chosen.
    pub taken: FlowIn<FrameCost>,
    /// Frames sent.
    pub sent: FlowIn<FrameCost>,
    /// Frames that came.
    pub received: FlowIn<FrameCost>,
    /// Frames that have left the receive buffer.
    pub freed: FlowIn<FrameCost>,
    /// Ordered sets, octet 0 in bits 7:0.
    pub sets: FlowIn<Bits<64>>,
    /// CC of the peer.
    pub entries: StreamIn<ClassCells>,
    /// Classes whose CF is to be told; with bit 3 as the second one.
    pub tell: StreamIn<Bits<4>>,
    /// What follows a check.
    pub moved: FlowIn<CreditMove>,
    /// Octets of the largest frame.
    largest: In<Bits<14>>,
    /// To the counts.
    request: Out<CreditRequest>,
    /// A frame was chosen and is not counted yet.
    more_taken: Out<Bit>,
    /// The counts are zero: frames are counted from now on.
    runs: Out<Bit>,
    /// A CF_Update was taken.
    freed_received: Out<Bit>,

    #[init(true)]
    zeroing: Register<Bit>,
    walk: Register<Bits<4>>,
    /// Frames that wait: one each.
    #[wire(enable = true)]
    waits: Register<Bits<4>>,
    cost: [Reg<FrameCost>; 4],
    /// Counts of a CF_Update that wait.
    #[wire(enable = true)]
    set_waits: Register<Bits<2>>,
    set: Reg<FreedUpdate>,
    #[wire(enable = true)]
    follows: Register<Bit>,
    #[wire(d = _)]
    follow: Reg<CreditMove>,
    /// A check one and two clocks ago.
    #[wire(enable = true)]
    checked: Register<Bits<2>>,
    /// A check of the receiver one to six clocks ago: what follows it is not added yet.
    #[wire(enable = true)]
    heals: Register<Bits<6>>,
    /// What idle clocks look at.
    #[init(MEASURE)]
    idle: Register<Bits<3>>,
    #[wire(enable = true)]
    operation: Register<CreditOperation>,
    #[wire(d = _)]
    place: Reg<CreditRequest>,
}

#[logic]
impl CreditQueue {
    /// Kinds of frames, by their bit in `waits`.
    const TAKEN: usize = 0;
    const SENT: usize = 1;
    const RECEIVED: usize = 2;
    const FREED: usize = 3;

    fn update(&mut self) {
        let goes = self.turns();
        self.take_frames(goes);
        self.take_set(goes);
        self.write_operation(goes);
        self.write_place(goes);
    }

    /// Whose turn it is: one bit of 11, in their order: zeros, what follows a check, four kinds of frames, two counts of a CF_Update, CC of the peer, CF to be
    /// told, an idle clock.
    fn turns(&mut self) -> Bits<11> {
        let apart = !checked.any();
        let asks: Bits<11> = cat(
            zeroing,
            follows,
            waits[0],
            waits[1],
            waits[2],
            waits[3],
            set_waits[0] & apart,
            set_waits[1] & apart,
            entries.valid & apart & !heals.any(),
            tell.valid,
            true,
        );
        let mut goes: Bits<11> = 0;
        let mut free: Bit = true;
        for i in 0..11 {
            goes = goes.with(i, asks[i] & free);
            free = free & !asks[i];
        }
        zeroing.enable = walk.all();
        zeroing = false;
        walk.enable = zeroing;
        walk = walk + 1;
        heals = cat(goes[8], heals[0..5]);
        checked = cat(goes[6] | goes[7] | goes[8], checked[0]);
        idle.enable = goes[10];
        idle = if idle == MEASURE { 0 } else { idle + 1 };
        entries.ready = goes[8] & !clear;
        tell.ready = goes[9] & !clear;
        follows = moved.valid;
        follow = moved.data;
        runs = !zeroing;
        goes
    }

    /// Frames wait until they are counted. While counts are put to zero nothing is.
    fn take_frames(&mut self, goes: Bits<11>) {
        let comes: Bits<4> = cat(taken.valid, sent.valid, received.valid, freed.valid);
        let left: Bits<4> = waits & !goes[2..6];
        waits = if zeroing { 0 } else { comes | left };
        if taken.valid {
            cost[Self::TAKEN] = taken.data;
        }
        if sent.valid {
            cost[Self::SENT] = sent.data;
        }
        if received.valid {
            cost[Self::RECEIVED] = received.data;
        }
        if freed.valid {
            cost[Self::FREED] = freed.data;
        }
        more_taken = waits[0];
    }

    /// A CF_Update waits until both its counts are taken; others that come meanwhile are not needed, since counts only grow.
    fn take_set(&mut self, goes: Bits<11>) {
        let octets = sets.data;
        let word: Bits<64> = cat(
            octets[56..64],
            octets[48..56],
            octets[40..48],
            octets[32..40],
            octets[24..32],
            octets[16..24],
            octets[8..16],
            octets[0..8],
        );
        let update: FreedUpdate = word.into();
        let is_update =
            (update.start == ORDERED_SET_START) & (update.kind == CF_UPDATE) & (update.o_code == O_CODE);
        let takes = sets.valid & is_update & !set_waits.any() & !zeroing;
        if takes {
            set = update;
        }
        let both: Bits<2> = if takes { 3 } else { 0 };
        set_waits = both | (set_waits & !goes[6..8]);
        freed_received = takes;
    }

    fn write_operation(&mut self, goes: Bits<11>) {
        let measures = goes[10] & (idle == MEASURE);
        let zero_receiver = goes[0] & walk[3];
        let told = tell.data;
        operation = CreditOperation {
            receiver: zero_receiver | (goes[1] & follow.receiver) | goes[4] | goes[5] | goes[8] | goes[9],
            adds: (goes[1] & follow.receiver) | goes[2] | goes[5],
            passes: (goes[1] & follow.receiver) | goes[3] | goes[4],
            checks: goes[6] | goes[7] | goes[8],
            tells: goes[9],
            second: told[3],
            returns: (goes[1] & !follow.receiver) | (goes[10] & !measures),
            zeroes: goes[0],
            measures,
        };
    }

    fn write_place(&mut self, goes: Bits<11>) {
        let told = tell.data;
        let entry = entries.data;
        let walks: Bits<3> = walk[0..3];
        let tells: Bits<3> = told[0..3];
        let mut class: Bits<3> = 0;
        let mut octets: Bits<14> = 0;
        let mut cells: Bits<15> = 0;
        for i in 0..4 {
            let frame = cost[i];
            if goes[i + 2] {
                class = class | frame.class;
                octets = octets | frame.octets;
            }
        }
        if goes[0] {
            class = class | walks;
        }
        if goes[1] {
            class = class | follow.class;
            cells = cells | follow.cells;
        }
        if goes[6] {
            cells = cells | set.cnt1;
        }
        if goes[7] {
            cells = cells | set.cnt2;
        }
        if goes[8] {
            class = class | entry.class;
            cells = cells | entry.cells;
        }
        if goes[9] {
            class = class | tells;
        }
        if goes[10] {
            class = class | idle;
            octets = octets | largest;
        }
        let frames: Bits<4> = goes[2..6];
        let nothing: Bits<OPERATION_BITS> = 0;
        let vc = if goes[7] { set.vc2 } else { set.vc1 };
        place = CreditRequest {
            operation: nothing.into(),
            class,
            by_vc: goes[6] | goes[7],
            vc,
            by_octets: frames.any() | (goes[10] & (idle == MEASURE)),
            octets,
            cells,
        };
        request = CreditRequest { operation, ..place };
    }
}

const _: () = assert!(MEASURE == CLASSES);

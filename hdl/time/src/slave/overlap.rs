//! Whether a Low fits the last High.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{master_time_high, master_time_low, JOIN_SLACK_NS};

/// Bits of the age of a High in ns: a High that is older fits no Low.
const AGE_BITS: usize = 42;

/// The last High and its age (chapter 20, 4.7 rule 2).
///
/// `fits` and `full` follow 1 and 4 clocks after `check`, `high_held` and `carry` 1 and 2; they hold until the next
/// one. The age of a High counts from the clock before it. `clear` forgets the High.
#[block("overlap_check")]
pub struct OverlapCheck {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of this clock, whole ns.
    local: In<Bits<64>>,
    /// `low` and `low_local` are those of a Low; they hold still for 4 clocks.
    check: In<Bit>,
    /// Payload of a MasterTimeLow.
    low: In<Bits<48>>,
    /// LocalTime of its R edge, whole ns.
    low_local: In<Bits<64>>,
    /// The High of the last check; 0 if there is none.
    high_held: Out<Bits<48>>,
    /// It is of the Low's tree and era.
    fits: Out<Bit>,
    /// Its overlap byte fits Low's for its age.
    full: Out<Bit>,
    /// Low's overlap byte is the smaller one: it has passed zero.
    carry: Out<Bit>,
    local_before: Reg<Bits<AGE_BITS>>,
    last: Reg<Bits<48>>,
    known: Reg<Bit>,
    since: Reg<Bits<AGE_BITS>>,
    /// The highest bit of LocalTime differs from that of `since`, and was equal again later.
    wrapped: Reg<Bit>,
    stale: Reg<Bit>,
    held: Reg<Bits<48>>,
    is_fit: Reg<Bit>,
    fresh: Reg<Bit>,
    age: Reg<Bits<AGE_BITS>>,
    // The parts of the age against the slack.
    top_all: Reg<Bit>,
    top_any: Reg<Bit>,
    slack_reached: Reg<Bit>,
    below_reached: Reg<Bit>,
    /// The age is just above, or just below, a multiple of 2^32 ns.
    above: Reg<Bit>,
    below: Reg<Bit>,
    overlap: Reg<Bits<9>>,
    distance: Reg<Bits<10>>,
    is_full: Reg<Bit>,
    age_low: Local<Bits<20>>,
    age_top: Local<Bits<12>>,
    age_high: Local<Bits<9>>,
    low_byte: Local<Bits<8>>,
    high_byte: Local<Bits<8>>,
    step: Local<Bits<8>>,
    distance_top: Local<Bits<9>>,
    window: Local<Bit>,
    #[init(JOIN_SLACK_NS)]
    slack: Constant<Bits<20>>,
    #[init((1_u64 << 20) - JOIN_SLACK_NS)]
    slack_below: Constant<Bits<20>>,
}

#[logic]
impl OverlapCheck {
    fn update(&mut self) {
        local_before = local.bits::<AGE_BITS>(0);
        if local_before[41] != since[41] {
            wrapped = true;
        } else {
            stale = stale | wrapped;
        }
        if high.valid {
            last = high.data;
            known = true;
            since = local_before;
            wrapped = false;
            stale = false;
        }

        if check {
            held = last;
            is_fit = known & (last.bits::<4>(40) == low.bits::<4>(40));
            fresh = !stale;
            age = low_local.bits::<AGE_BITS>(0) - since;
        }

        // Second clock: the step of the overlap byte, modulo 256.
        age_low = age.bits::<20>(0);
        age_top = age.bits::<12>(20);
        // The highest bit that differs from a constant decides; a carry chain would be three times as large.
        let mut under_slack = false;
        let mut under_below = false;
        for i in 0..20 {
            if age_low[i] != slack[i] {
                under_slack = slack[i];
            }
            if age_low[i] != slack_below[i] {
                under_below = slack_below[i];
            }
        }
        top_all = age_top.all();
        top_any = age_top.any();
        slack_reached = !under_slack;
        below_reached = !under_below;
        low_byte = low.bits::<8>(32);
        high_byte = held.bits::<8>(0);
        overlap = bit_cast::<9, 8>(low_byte) - bit_cast::<9, 8>(high_byte);
        // Third clock.
        below = top_all & below_reached;
        above = !top_any & !slack_reached;
        // Multiples of 2^32 ns in the age, less the step; where the highest bit of the age is set there are too many in any case.
        age_high = age.bits::<9>(32);
        step = overlap.bits::<8>(0);
        distance = bit_cast::<10, 9>(age_high) - bit_cast::<10, 8>(step);
        // Fourth clock. The step is the number of multiples or one more; with the slack one less or two more.
        // 0 and -1, 1 with `above`, -2 with `below`.
        distance_top = distance.bits::<9>(1);
        window =
            (!distance_top.any() & (!distance[0] | above)) | (distance_top.all() & (distance[0] | below));
        is_full = is_fit & fresh & !age[41] & window;

        if clear {
            last = 0;
            known = false;
        }
        high_held = held;
        fits = is_fit;
        full = is_full;
        carry = overlap[8];
    }
}

const _: () = assert!(JOIN_SLACK_NS < 1 << 20);
const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_low::era::LOW == 42);
const _: () = assert!(master_time_high::tree::LOW == 40 && master_time_high::era::LOW == 42);
const _: () = assert!(master_time_high::time::LOW == 0 && master_time_low::time::WIDTH == 40);

//! From Lows and Highs to samples.

use super::{EraCheck, OverlapCheck, PhaseDifference, SAMPLE_BITS, TIME_WORD_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{master_time_high, master_time_low};
use flitforge_protocol::time_registers::{master_high, master_low};
use flitforge_protocol::time_servo::{DIFFERENCE_BITS, ERROR_BITS, SLAVE_CLOCKS};

/// A Low is in work while one of these bits is set: bit k in the clock k + 1 after it.
const STAGES: usize = SLAVE_CLOCKS as usize - 1;
/// Bits of MASTER_HIGH and MASTER_LOW in a sample.
const WORD: usize = 46;

/// Joins, checks the era and takes the phase error of one tree (chapter 20, 4.7 rules 1 to 4).
///
/// One Low in 8 clocks; `sample` and the events follow 8 clocks after `low`. A High counts for Lows that come from the clock
/// before it on, and its age counts from that clock too: `time_extract` gives the High of a beat one clock after its
/// Low. `offset` and `offset_valid` count 2 clocks after `low`. `clear` drops the Low in work and forgets High and era.
#[block("time_join")]
pub struct TimeJoin {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of this clock, 64.32 ns.
    local: In<Bits<TIME_WORD_BITS>>,
    /// SyncTime of this clock, 64.32 ns.
    sync: In<Bits<TIME_WORD_BITS>>,
    /// CLOCK_OFFSET of both banks, 1/256 ns.
    offset: [In<Bits<48>>; 2],
    /// Banks that are valid.
    offset_valid: In<Bits<2>>,
    /// A sample to be stored, see [`SAMPLE_BITS`].
    pub sample: FlowOut<Bits<SAMPLE_BITS>>,
    /// The sample is full and of the current era.
    used: Out<Bit>,
    /// With `used`: V + ClockOffset - SyncTime, signed, 1/256 ns.
    difference: Out<Bits<DIFFERENCE_BITS>>,
    /// With `used`: the same with 32 bits, saturating.
    error: Out<Bits<ERROR_BITS>>,
    /// ERA_CUR.
    era: Out<Bits<2>>,
    /// ERA_CUR is known.
    era_known: Out<Bit>,
    /// Event: ERA_CUR moved on.
    new_era: Out<Bit>,
    /// Event: no High of the Low's era (NO_HIGH).
    no_high: Out<Bit>,
    /// Event: High and Low disagree (OVERLAP_BAD).
    overlap_bad: Out<Bit>,
    /// Event: OLD_ERA.
    old_era: Out<Bit>,
    /// Event: BAD_ERA.
    bad_era: Out<Bit>,
    /// Event: a Low came while one was worked on, and is lost.
    late: Out<Bit>,
    #[wire(clock, clear)]
    eras: EraCheck,
    #[wire(clock, clear)]
    overlaps: OverlapCheck,
    #[wire(clock)]
    differences: PhaseDifference,
    stage: Reg<Bits<STAGES>>,
    low_held: Reg<Bits<48>>,
    local_held: Reg<Bits<TIME_WORD_BITS>>,
    sync_held: Reg<Bits<DIFFERENCE_BITS>>,
    offset_held: Reg<Bits<48>>,
    /// One bit of `stage` is set.
    busy: Reg<Bit>,
    /// The era counts.
    kept: Reg<Bit>,
    wanted: Reg<Bit>,
    stored: Reg<Bit>,
    used_now: Reg<Bit>,
    moved_now: Reg<Bit>,
    no_high_now: Reg<Bit>,
    overlap_now: Reg<Bit>,
    old_now: Reg<Bit>,
    bad_now: Reg<Bit>,
    late_now: Reg<Bit>,
    accept: Local<Bit>,
    last: Local<Bit>,
    high_word: Local<Bits<WORD>>,
    low_word: Local<Bits<WORD>>,
}

#[logic]
impl TimeJoin {
    fn update(&mut self) {
        self.take_low();

        // Clock 2: a High that came one clock after the Low is known now.
        eras = In { check: stage[1], era_in: low_held.bits::<2>(42), offset_valid };
        overlaps = In { check: stage[1], low: low_held, low_local: local_held.bits::<64>(32) };
        if stage[1] {
            offset_held = offset[0];
            if low_held[42] {
                offset_held = offset[1];
            }
        }

        // Clocks 1 to 7.
        let high_in = overlaps.high_held;
        differences.low =
            (bit_cast::<44, 40>(low_held.bits::<40>(0)) << 4) | bit_cast::<44, 4>(low_held.bits::<4>(44));
        differences = In { high: high_in.bits::<24>(8), carry: overlaps.carry, sync: sync_held };
        differences.offset = offset_held;
        kept = !eras.old & !eras.bad;
        wanted = kept & overlaps.full;
        differences.wanted = kept & overlaps.full;

        // Clock 7: what shows in the next one.
        last = stage[6];
        stored = last & kept;
        used_now = last & wanted;
        moved_now = last & eras.moved;
        no_high_now = last & !overlaps.fits;
        overlap_now = last & overlaps.fits & !overlaps.full;
        old_now = last & eras.old;
        bad_now = last & eras.bad;

        if clear {
            stage = 0;
            busy = false;
            stored = false;
            used_now = false;
            moved_now = false;
            no_high_now = false;
            overlap_now = false;
            old_now = false;
            bad_now = false;
            late_now = false;
        }

        // The words as the registers show them.
        high_word = bit_cast::<WORD, 40>(high_in.bits::<40>(0))
            | (bit_cast::<WORD, 4>(high_in.bits::<4>(44)) << 40)
            | (bit_cast::<WORD, 2>(high_in.bits::<2>(42)) << 44);
        low_word = bit_cast::<WORD, 40>(low_held.bits::<40>(0))
            | (bit_cast::<WORD, 4>(low_held.bits::<4>(44)) << 40)
            | (bit_cast::<WORD, 2>(low_held.bits::<2>(42)) << 44);
        sample.valid = stored;
        sample.data = (bit_cast::<SAMPLE_BITS, ERROR_BITS>(differences.error)
            | (bit_cast::<SAMPLE_BITS, TIME_WORD_BITS>(local_held) << 32)
            | (bit_cast::<SAMPLE_BITS, WORD>(high_word) << 128)
            | (bit_cast::<SAMPLE_BITS, WORD>(low_word) << 174))
            .with(220, overlaps.full)
            .with(221, overlaps.carry & overlaps.full);
        used = used_now;
        Out { difference, error } = differences;
        Out { era, known: era_known } = eras;
        new_era = moved_now;
        no_high = no_high_now;
        overlap_bad = overlap_now;
        old_era = old_now;
        bad_era = bad_now;
        late = late_now;
    }

    /// Clock 0.
    fn take_low(&mut self) {
        accept = low.valid & !busy;
        late_now = low.valid & busy;
        busy = accept | (busy & !stage[6]);
        stage = (stage << 1).with(0, accept);
        // Taken with or without a Low: a register alone enables these 216.
        if !busy {
            low_held = low.data;
            local_held = local;
            sync_held = sync.bits::<DIFFERENCE_BITS>(24);
        }
        overlaps.high = In { valid: high.valid, data: high.data };
        overlaps.local = local.bits::<64>(32);
    }
}

const _: () = assert!(STAGES == 7 && master_time_low::era::LOW == 42 && master_time_low::frac::LOW == 44);
const _: () = assert!(master_time_high::era::LOW == 42 && master_time_high::quality::LOW == 44);
const _: () =
    assert!(master_low::frac::LOW == 40 && master_low::era::LOW == 44 && master_low::era::WIDTH == 2);
const _: () = assert!(master_high::quality::LOW == 40 && master_high::era::LOW == 44);

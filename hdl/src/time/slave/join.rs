//! From Lows and Highs to samples.

use super::{EraCheck, OverlapCheck, PhaseDifference, SAMPLE_BITS, TIME_WORD_BITS};
use crate::prim::stream::{FlowIn, FlowOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock, Default)]
pub struct TimeJoin {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Payload of a MasterTimeLow, corrected by the rx lag.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// LocalTime of this clock, 64.32 ns.
    pub local: Signal<In, Bits<TIME_WORD_BITS>>,
    /// SyncTime of this clock, 64.32 ns.
    pub sync: Signal<In, Bits<TIME_WORD_BITS>>,
    /// CLOCK_OFFSET of both banks, 1/256 ns.
    pub offset: [Signal<In, Bits<48>>; 2],
    /// Banks that are valid.
    pub offset_valid: Signal<In, Bits<2>>,
    /// A sample to be stored, see [`SAMPLE_BITS`].
    pub sample: FlowOut<Bits<SAMPLE_BITS>>,
    /// The sample is full and of the current era.
    pub used: Signal<Out, Bit>,
    /// With `used`: V + ClockOffset - SyncTime, signed, 1/256 ns.
    pub difference: Signal<Out, Bits<DIFFERENCE_BITS>>,
    /// With `used`: the same with 32 bits, saturating.
    pub error: Signal<Out, Bits<ERROR_BITS>>,
    /// ERA_CUR.
    pub era: Signal<Out, Bits<2>>,
    /// ERA_CUR is known.
    pub era_known: Signal<Out, Bit>,
    /// Event: ERA_CUR moved on.
    pub new_era: Signal<Out, Bit>,
    /// Event: no High of the Low's era (NO_HIGH).
    pub no_high: Signal<Out, Bit>,
    /// Event: High and Low disagree (OVERLAP_BAD).
    pub overlap_bad: Signal<Out, Bit>,
    /// Event: OLD_ERA.
    pub old_era: Signal<Out, Bit>,
    /// Event: BAD_ERA.
    pub bad_era: Signal<Out, Bit>,
    /// Event: a Low came while one was worked on, and is lost.
    pub late: Signal<Out, Bit>,
    eras: EraCheck,
    overlaps: OverlapCheck,
    differences: PhaseDifference,
    stage: DFF<Bits<STAGES>>,
    low_held: DFF<Bits<48>>,
    local_held: DFF<Bits<TIME_WORD_BITS>>,
    sync_held: DFF<Bits<DIFFERENCE_BITS>>,
    offset_held: DFF<Bits<48>>,
    /// One bit of `stage` is set.
    busy: DFF<Bit>,
    /// The era counts.
    kept: DFF<Bit>,
    wanted: DFF<Bit>,
    stored: DFF<Bit>,
    used_now: DFF<Bit>,
    moved_now: DFF<Bit>,
    no_high_now: DFF<Bit>,
    overlap_now: DFF<Bit>,
    old_now: DFF<Bit>,
    bad_now: DFF<Bit>,
    late_now: DFF<Bit>,
    accept: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    high_word: Signal<Local, Bits<WORD>>,
    low_word: Signal<Local, Bits<WORD>>,
    high_in: Signal<Local, Bits<48>>,
}

impl Logic for TimeJoin {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            stage,
            low_held,
            local_held,
            sync_held,
            offset_held,
            busy,
            kept,
            wanted,
            stored,
            used_now
        );
        dff_setup!(self, clock, moved_now, no_high_now, overlap_now, old_now, bad_now, late_now);
        clock!(self, clock, eras, overlaps, differences);
        self.eras.clear.next = self.clear.val();
        self.overlaps.clear.next = self.clear.val();

        // Clock 0.
        self.accept.next = self.low.valid.val() & !self.busy.q.val();
        self.late_now.d.next = self.low.valid.val() & self.busy.q.val();
        self.busy.d.next = self.accept.val() | (self.busy.q.val() & !self.stage.q.val().get_bit(6));
        self.stage.d.next = (self.stage.q.val() << 1).replace_bit(0, self.accept.val());
        // Taken with or without a Low: a register alone enables these 216.
        if !self.busy.q.val() {
            self.low_held.d.next = self.low.data.val();
            self.local_held.d.next = self.local.val();
            self.sync_held.d.next = self.sync.val().get_bits::<DIFFERENCE_BITS>(24);
        }
        self.overlaps.high.valid.next = self.high.valid.val();
        self.overlaps.high.data.next = self.high.data.val();
        self.overlaps.local.next = self.local.val().get_bits::<64>(32);

        // Clock 2: a High that came one clock after the Low is known now.
        self.eras.check.next = self.stage.q.val().get_bit(1);
        self.eras.era_in.next = self.low_held.q.val().get_bits::<2>(42);
        self.eras.offset_valid.next = self.offset_valid.val();
        self.overlaps.check.next = self.stage.q.val().get_bit(1);
        self.overlaps.low.next = self.low_held.q.val();
        self.overlaps.low_local.next = self.local_held.q.val().get_bits::<64>(32);
        if self.stage.q.val().get_bit(1) {
            self.offset_held.d.next = self.offset[0].val();
            if self.low_held.q.val().get_bit(42) {
                self.offset_held.d.next = self.offset[1].val();
            }
        }

        // Clocks 1 to 7.
        self.high_in.next = self.overlaps.high_held.val();
        self.differences.low.next = (bit_cast::<44, 40>(self.low_held.q.val().get_bits::<40>(0)) << 4)
            | bit_cast::<44, 4>(self.low_held.q.val().get_bits::<4>(44));
        self.differences.high.next = self.high_in.val().get_bits::<24>(8);
        self.differences.carry.next = self.overlaps.carry.val();
        self.differences.sync.next = self.sync_held.q.val();
        self.differences.offset.next = self.offset_held.q.val();
        self.kept.d.next = !self.eras.old.val() & !self.eras.bad.val();
        self.wanted.d.next = self.kept.q.val() & self.overlaps.full.val();
        self.differences.wanted.next = self.kept.q.val() & self.overlaps.full.val();

        // Clock 7: what shows in the next one.
        self.last.next = self.stage.q.val().get_bit(6);
        self.stored.d.next = self.last.val() & self.kept.q.val();
        self.used_now.d.next = self.last.val() & self.wanted.q.val();
        self.moved_now.d.next = self.last.val() & self.eras.moved.val();
        self.no_high_now.d.next = self.last.val() & !self.overlaps.fits.val();
        self.overlap_now.d.next = self.last.val() & self.overlaps.fits.val() & !self.overlaps.full.val();
        self.old_now.d.next = self.last.val() & self.eras.old.val();
        self.bad_now.d.next = self.last.val() & self.eras.bad.val();

        if self.clear.val() {
            self.stage.d.next = 0.into();
            self.busy.d.next = false;
            self.stored.d.next = false;
            self.used_now.d.next = false;
            self.moved_now.d.next = false;
            self.no_high_now.d.next = false;
            self.overlap_now.d.next = false;
            self.old_now.d.next = false;
            self.bad_now.d.next = false;
            self.late_now.d.next = false;
        }

        // The words as the registers show them.
        self.high_word.next = bit_cast::<WORD, 40>(self.high_in.val().get_bits::<40>(0))
            | (bit_cast::<WORD, 4>(self.high_in.val().get_bits::<4>(44)) << 40)
            | (bit_cast::<WORD, 2>(self.high_in.val().get_bits::<2>(42)) << 44);
        self.low_word.next = bit_cast::<WORD, 40>(self.low_held.q.val().get_bits::<40>(0))
            | (bit_cast::<WORD, 4>(self.low_held.q.val().get_bits::<4>(44)) << 40)
            | (bit_cast::<WORD, 2>(self.low_held.q.val().get_bits::<2>(42)) << 44);
        self.sample.valid.next = self.stored.q.val();
        self.sample.data.next = (bit_cast::<SAMPLE_BITS, ERROR_BITS>(self.differences.error.val())
            | (bit_cast::<SAMPLE_BITS, TIME_WORD_BITS>(self.local_held.q.val()) << 32)
            | (bit_cast::<SAMPLE_BITS, WORD>(self.high_word.val()) << 128)
            | (bit_cast::<SAMPLE_BITS, WORD>(self.low_word.val()) << 174))
            .replace_bit(220, self.overlaps.full.val())
            .replace_bit(221, self.overlaps.carry.val() & self.overlaps.full.val());
        self.used.next = self.used_now.q.val();
        self.difference.next = self.differences.difference.val();
        self.error.next = self.differences.error.val();
        self.era.next = self.eras.era.val();
        self.era_known.next = self.eras.known.val();
        self.new_era.next = self.moved_now.q.val();
        self.no_high.next = self.no_high_now.q.val();
        self.overlap_bad.next = self.overlap_now.q.val();
        self.old_era.next = self.old_now.q.val();
        self.bad_era.next = self.bad_now.q.val();
        self.late.next = self.late_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_join", &[])
    }
}

drive_ports!(impl[] TimeJoin {
    clock, clear, low, high, local, sync, offset, offset_valid, sample, used, difference, error, era, era_known, new_era,
    no_high, overlap_bad, old_era, bad_era, late,
});

const _: () = assert!(STAGES == 7 && master_time_low::era::LOW == 42 && master_time_low::frac::LOW == 44);
const _: () = assert!(master_time_high::era::LOW == 42 && master_time_high::quality::LOW == 44);
const _: () =
    assert!(master_low::frac::LOW == 40 && master_low::era::LOW == 44 && master_low::era::WIDTH == 2);
const _: () = assert!(master_high::quality::LOW == 40 && master_high::era::LOW == 44);

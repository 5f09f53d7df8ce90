//! `sue_lite_completions`: what became of the bodies of SUE Lite, in their order (chapter 50, 4.8): `cpl` when link-layer retry has its acknowledgment.
//!
//! | what is told | what becomes of the oldest frames |
//! |---|---|
//! | `acknowledged`: so many | status `Delivered` |
//! | `lost`: so many | status `Failed`, `lost_frame` with each |
//! | `port_on` low | all that are here, and those that come until it is high again: as `lost` |
//! | the oldest one is `failed` | status `Failed` |
//!
//! - At most 128 frames wait; at most 33 runs of frames, told and not carried out, wait (link-layer retry holds 64 frames and tells every 3 clocks at most).
//! - A completion per clock, one clock between two runs. 3 clocks from `acknowledged` to the first completion; a frame has to be here for 4 clocks.
//! - After `port_on` was low `begun.ready` is low until no frame waits.
//! - `clear` forgets everything.

use super::entry::{LiteFrame, LiteRun};
use crate::llr_tx::FRAMES_BITS;
use crate::slot_walker::{BodyStatus, Completion};
use flitforge_hdl_prim::fifo::Fifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Clocks from `acknowledged` to the first completion.
pub const LATENCY: u32 = 4;

/// Completions of SUE Lite. See the [module](self).
#[block("sue_lite_completions", new)]
pub struct SueLiteCompletions {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything.
    clear: In<Bit>,
    /// The port is switched on.
    port_on: In<Bit>,
    /// Frames that begin.
    pub begun: StreamIn<LiteFrame>,
    /// Frames that the peer has.
    pub acknowledged: FlowIn<Bits<FRAMES_BITS>>,
    /// Frames that are lost.
    pub lost: FlowIn<Bits<FRAMES_BITS>>,
    /// What became of the bodies.
    pub completions: FlowOut<Completion>,
    /// With a completion: the frame was lost.
    lost_frame: Out<Bit>,
    /// No frame waits.
    idle: Out<Bit>,

    #[wire(clock, clear)]
    frames: Fifo<LiteFrame, 7, 8>,
    #[wire(clock, clear)]
    runs: SmallFifo<LiteRun, 5, 6>,
    /// Frames of the run in hand, and whether they are lost.
    left: Register<Bits<FRAMES_BITS>>,
    run_lost: Reg<Bit>,
    /// Frames that wait.
    held: Register<Bits<8>>,
    /// The port was off, and frames of then wait.
    losing: Register<Bit>,
    #[wire(d = _)]
    done: Reg<Completion>,
    done_valid: Register<Bit>,
    done_lost: Register<Bit>,
}

#[logic]
impl SueLiteCompletions {
    /// No frame waits.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { frames: Fifo::new()?, runs: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        let takes = !losing | !port_on;
        frames.words_in = In { data: begun.data, valid: begun.valid & takes };
        begun.ready = frames.words_in.ready & takes;
        let comes = begun.valid & takes & frames.words_in.ready;

        let told = if lost.valid { lost.data } else { acknowledged.data };
        runs.words_in.data = LiteRun { frames: told, lost: lost.valid };
        runs.words_in.valid = (acknowledged.valid | lost.valid) & told.any();

        // The oldest frame.
        let oldest = frames.words_out.data;
        let there = frames.words_out.valid;
        let in_run = left.any();
        let fails = there & oldest.failed;
        let of_run = there & !oldest.failed & in_run;
        let no_run = !in_run & !runs.words_out.valid;
        let of_port = there & !oldest.failed & losing & no_run;
        let goes = fails | of_run | of_port;
        frames.words_out.ready = goes;

        // The run in hand. One of frames that are not here is forgotten.
        let run = runs.words_out.data;
        let loads = !in_run & runs.words_out.valid;
        runs.words_out.ready = loads;
        let astray = in_run & !held.any();
        left.enable = loads | of_run | astray;
        left = if loads {
            run.frames
        } else if astray {
            0
        } else {
            left - 1
        };
        if loads {
            run_lost = run.lost;
        }

        let more = comes & !goes;
        let fewer = goes & !comes;
        held = if more {
            held + 1
        } else if fewer {
            held - 1
        } else {
            held
        };
        idle = !held.any();
        losing = !port_on | (losing & held.any());

        let fate_lost = of_port | (of_run & run_lost);
        let status = if of_run & !run_lost { BodyStatus::Delivered } else { BodyStatus::Failed };
        done = Completion {
            connection: cat(oldest.vc, oldest.destination),
            destination: oldest.destination,
            vc: oldest.vc,
            commands: oldest.commands,
            status,
        };
        done_valid = goes;
        done_lost = fate_lost;
        completions = In { data: done, valid: done_valid };
        lost_frame = done_lost;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_lite_completions",
    chapter: "50-sue",
    summary: "what became of the bodies of SUE Lite",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams =
        [("begun", StreamSink), ("acknowledged", FlowSink), ("lost", FlowSink), ("completions", FlowSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "acknowledged to completions.valid");
    Ok(BuiltBlock::new(SueLiteCompletions::new()?, interface))
}

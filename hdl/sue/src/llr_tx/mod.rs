//! `eth_llr_tx`: the sender of link-layer retry, between the arbiter and the MAC (chapter 50, 0, 3.7, 4.7).
//!
//! | state | what becomes of frames | leaves on |
//! |---|---|---|
//! | OFF | standard preamble | `enable` → INIT |
//! | INIT | wait, best effort or discard; LLR_INIT every INIT_T | its echo → ADVANCE |
//! | ADVANCE | numbered, sent and stored; they wait while the buffer is full | LLR_NACK, replay timer → REPLAY |
//! | REPLAY | stored ones again from the oldest, once; new ones wait | the last one begins, or all is acknowledged → ADVANCE; one replay more than MAX → FLUSH |
//! | FLUSH | as INIT | `restart`, or by itself with `automatic` → INIT |
//!
//! - Frames with `bypass`, or of a class that is not eligible, have the standard preamble, are not stored, and go in all states, also between two
//!   frames of a replay. A frame that has begun is never interrupted: whatever happens meanwhile counts after its last word.
//! - A numbered frame begins while fewer than `frames_max` are outstanding and at most `room_words` words are in the buffer; how long it is nobody
//!   knows then. A frame that does not fit is cut and poisoned (`too_long`), here and in the buffer: the memory is never overrun.
//! - `mandatory` (SUE Lite): frames without `bypass` are never sent without a number, whatever their class; in OFF they wait. So each of them is acknowledged, told as
//!   flushed, or discarded, in their order: `acknowledged` says how many frames an acknowledgment has freed, a clock after it was judged.
//! - What waits at `frame` is in the way of what comes after it. `is_open` tells the arbiter whether a frame without `bypass` may begin.
//! - Acknowledgments are judged one per 3 clocks; of those that come closer the last one counts. A frame under way cannot be acknowledged yet.
//! - FLUSH by PCS_LOST_T and AGE_T counts ticks of 1,024 clocks, up to one more than was set, never fewer.
//! - The nonce of LLR_INIT goes on counting over a `clear`, so that a peer can tell a new start; 0 is never sent.
//! - Latency 1 clock from `frame` to `frames`; one word per clock. Two clocks pass from one numbered frame to the next one, which preamble and gap
//!   need on the line in any case. A replay begins 10 clocks after its LLR_NACK came, if the line is idle.
//! - `clear` forgets all frames and goes to OFF; the MAC is to be cleared with it.

mod merge;
mod settings;
mod store;
mod timers;
mod window;

pub use settings::*;
pub use store::MARGIN_WORDS;

use crate::frame::{FramePreamble, FrameWord};
use crate::llr_set::{LlrSet, LlrSetKind};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::SEQUENCE_BITS;
use merge::LlrMerge;
use store::LlrStore;
use timers::LlrTimers;
use window::{LlrWindow, WindowDecision};

/// Width of a count of outstanding frames: up to 64 (LLR_FRAMES).
pub const FRAMES_BITS: usize = 7;
/// Width of a place in the largest buffer.
const START_BITS: usize = 13;
/// Width of the time in ticks.
const TICK_BITS: usize = 16;
/// Clocks from a frame's word to the MAC.
pub const LATENCY: u32 = 1;
/// Clocks from an LLR_NACK to the first word of its replay, if the line is idle.
pub const REPLAY_LATENCY: u32 = 10;

/// Whose frame is under way.
#[packed]
enum Source {
    None,
    New,
    Replay,
    Dropped,
}

/// The sender with a buffer of 2^`A` words; `P` = `A` + 1. See the [module](self).
#[block("eth_llr_tx", new, words = 1usize << A)]
pub struct EthLlrTx<const A: usize, const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all frames.
    clear: In<Bit>,
    /// Link-layer retry is on (P_CTRL).
    enable: In<Bit>,
    /// To INIT; what is outstanding is dropped.
    restart: In<Bit>,
    /// Frames without `bypass` are sent with a number, or not at all.
    mandatory: In<Bit>,
    /// The PCS has its link.
    pcs_up: In<Bit>,
    /// What the registers say.
    pub settings: LlrTxSettings,
    /// Frames to be sent.
    pub frame: StreamIn<FrameWord>,
    /// Class of the frame.
    class: In<Bits<3>>,
    /// The frame has the standard preamble whatever its class.
    bypass: In<Bit>,
    /// Ordered sets of link-layer retry that came.
    pub sets: FlowIn<LlrSet>,
    /// Ordered sets that the receiver wants to send.
    pub answers: StreamIn<LlrSet>,
    /// CF_Update that flow control wants to send, octet 0 in bits 7:0.
    pub credits: StreamIn<Bits<64>>,
    /// Frames to the MAC.
    pub frames: StreamOut<FrameWord>,
    /// Their preamble; it holds through the frame.
    preamble: Out<FramePreamble>,
    /// Ordered sets to the MAC, octet 0 in bits 7:0.
    pub control: StreamOut<Bits<64>>,
    /// The state.
    state: Out<LlrTxState>,
    /// A frame without `bypass` may begin, or is dropped.
    is_open: Out<Bit>,
    /// No frame is without acknowledgment.
    empty: Out<Bit>,
    /// Frames that their peer has.
    pub acknowledged: FlowOut<Bits<FRAMES_BITS>>,
    /// A link failure.
    pub flushed: FlowOut<LlrFlush>,
    /// What else happened.
    pub events: LlrTxEvents,

    #[wire(clock, clear, first = settings.first, frames_max = settings.frames_max, storing)]
    #[wire(frame_start = store.frame_start, tick = timers.tick)]
    window: LlrWindow<P>,
    #[wire(clock, clear, word, room_words = settings.room_words, oldest_start = window.oldest_start)]
    store: LlrStore<A, P>,
    #[wire(clock, clear, pcs_up, pcs_lost = settings.pcs_lost, age = settings.age, oldest_tick = window.oldest_tick)]
    #[wire(init_interval = settings.init_interval, replay_timer = settings.replay_timer)]
    timers: LlrTimers,
    #[wire(clock, clear, twice = settings.twice, first, nonce)]
    merge: LlrMerge,
    mode: Register<LlrTxState>,
    source: Register<Source>,
    /// The frame under way is numbered and stored.
    storing: Register<Bit>,
    /// Two clocks after a numbered frame.
    settling: Register<Bits<2>>,
    /// The reader has to go to the oldest frame.
    rewind: Register<Bit>,
    /// Two clocks after anything that moves the replay.
    replay_settling: Register<Bits<2>>,
    /// The next frame of the replay, and whether it is acknowledged already or the last one.
    cursor: Reg<Bits<SEQUENCE_BITS>>,
    #[wire(d = _)]
    behind: Reg<Bit>,
    #[wire(d = _)]
    is_last: Reg<Bit>,
    attempts: Reg<Bits<8>>,
    #[wire(d = _)]
    attempts_used: Reg<Bit>,
    #[wire(d = _)]
    no_attempts: Reg<Bit>,
    first: Reg<Bits<SEQUENCE_BITS>>,
    /// It survives a clear.
    nonce: Reg<Bits<16>>,
    /// An echo one clock ago: parts of it are as sent.
    echoes: Register<Bit>,
    #[wire(d = _)]
    echo_matches: Reg<Bits<4>>,
    restarts: Register<Bit>,
    /// A link failure one and two clocks ago; what it dropped under way.
    left: Register<Bits<2>>,
    cause: Reg<LlrFlushCause>,
    cut_off: Reg<Bit>,
    word: Reg<FrameWord>,
    word_valid: Register<Bit>,
    head: Reg<FramePreamble>,
    opens: Register<Bit>,
    started: Register<Bit>,
    sent: Register<Bit>,
    resent: Register<Bit>,
    replayed_nack: Register<Bit>,
    replayed_timer: Register<Bit>,
    discarded: Register<Bit>,
    too_long: Register<Bit>,
    taken: Register<Bit>,
    ignored: Register<Bit>,
    #[wire(d = _)]
    freed: Reg<Bits<FRAMES_BITS>>,
    frees: Register<Bit>,
}

#[logic]
impl<const A: usize, const P: usize> EthLlrTx<A, P> {
    /// A sender that is OFF.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { window: LlrWindow::new()?, store: LlrStore::new()?, .. })
    }

    fn update(&mut self) {
        let advances = mode == LlrTxState::Advance;
        let replaying = mode == LlrTxState::Replay;
        let runs = advances | replaying;
        let decided = window.decision;
        let progress = decided.taken & decided.moves;
        let starts_running = self.match_echo(runs, decided);
        let (replays, leaves) = self.judge_failures(advances, replaying, runs, decided, progress);

        let halted = (mode == LlrTxState::Init) | (mode == LlrTxState::Flush);
        let off = mode == LlrTxState::Off;
        let has_room = window.has_room & store.has_room;
        let waiting = settings.waiting;
        let eligible = settings.eligible;
        let best_effort = waiting == LlrWaiting::BestEffort;
        let plain = bypass | (!mandatory & (!eligible[class] | off | (halted & best_effort)));
        let numbered = advances & has_room & !settling.any() & !plain;
        let passes = off | (halted & (waiting != LlrWaiting::Block));
        let discards = halted & (waiting == LlrWaiting::Discard);
        opens = (advances & has_room & !settling.any()) | discards | (passes & !mandatory);
        is_open = opens;
        let unwanted = discards & !plain;
        freed = window.freed;
        frees = progress;
        acknowledged = In { data: freed, valid: frees };

        let (rewinds, may_replay) = self.aim_replay(replaying, replays, decided, leaves);
        let (starts, resends) = self.move_frames(plain, numbered, unwanted, may_replay, leaves);
        let begins = self.begin_anew(leaves, starts);
        self.compare_echo(begins);

        replay_settling = cat(decided.valid | replays | rewinds | resends, replay_settling[0]);
        let ends_replay = resends & is_last;
        let all_acknowledged = progress & !decided.remains;
        let moved = match mode {
            LlrTxState::Off => LlrTxState::Off,
            LlrTxState::Init => {
                if starts_running {
                    LlrTxState::Advance
                } else {
                    LlrTxState::Init
                }
            }
            LlrTxState::Advance => {
                if replays {
                    LlrTxState::Replay
                } else {
                    LlrTxState::Advance
                }
            }
            LlrTxState::Replay => {
                if (ends_replay | all_acknowledged) & !replays {
                    LlrTxState::Advance
                } else {
                    LlrTxState::Replay
                }
            }
            LlrTxState::Flush => LlrTxState::Flush,
        };
        mode = if !enable {
            LlrTxState::Off
        } else if begins {
            LlrTxState::Init
        } else if leaves | (restart & !off) {
            LlrTxState::Flush
        } else {
            moved
        };
        state = mode;

        timers = In { ends_now: begins, starts_init: merge.started & (mode == LlrTxState::Init) };
        timers.starts_replay = progress | starts_running | ends_replay | (advances & !window.held & !starts);
        timers.fresh = decided.taken | !window.held;
        window = In { begins, drops: leaves, runs, timer_replays: replays & !decided.valid };
        store.begins = begins;
        link(sets, window.sets);
        link(answers, merge.answers);
        link(credits, merge.credits);
        link(control, merge.control);
        merge.starts = (mode == LlrTxState::Init) & timers.due;
        self.tell(starts, resends);
    }

    /// What is said of acknowledgments, and of the echo of LLR_INIT.
    fn match_echo(&mut self, runs: Bit, decided: WindowDecision) -> Bit {
        let initial = mode == LlrTxState::Init;
        let matches = echoes & echo_matches.all();
        let starts_running = matches & initial;
        started = starts_running;
        taken = decided.taken | (matches & (initial | runs));
        ignored = (decided.valid & !decided.taken) | (echoes & !(echo_matches.all() & (initial | runs)));
        starts_running
    }

    /// The echo that comes, in parts. One that comes while the nonce changes is of the old one.
    fn compare_echo(&mut self, begins: Bit) {
        let set = sets.data;
        let sequence = set.sequence;
        let data = set.data;
        echoes = sets.valid & (set.kind == LlrSetKind::Echo);
        echo_matches = cat(
            sequence[0..10] == first[0..10],
            sequence[10..20] == first[10..20],
            data[0..8] == nonce[0..8],
            (data[8..16] == nonce[8..16]) & !begins,
        );
    }

    /// What begins a replay, and what ends in FLUSH or OFF.
    fn judge_failures(
        &mut self,
        advances: Bit,
        replaying: Bit,
        runs: Bit,
        decided: WindowDecision,
        progress: Bit,
    ) -> (Bit, Bit) {
        let asked_nack = decided.taken & decided.nack & decided.remains & !(replaying & decided.known);
        let asked_timer = timers.due & advances & window.held & !decided.valid;
        let asked = asked_nack | asked_timer;
        let limit = settings.replays_max;
        attempts_used = (attempts == limit) & !limit.all();
        no_attempts = !limit.any();
        let exhausted = if progress { no_attempts } else { attempts_used };

        let stops = !enable | restart;
        let aged = timers.aged & window.held;
        let fails = stops | timers.lost | aged;
        let replays = runs & asked & !exhausted & !fails;
        let leaves = runs & (fails | (asked & exhausted));
        let attempts_before = if progress { bits::<8>(0) } else { attempts };
        attempts = if replays { attempts_before + 1 } else { attempts_before };
        if leaves {
            cause = if stops {
                LlrFlushCause::Host
            } else if timers.lost {
                LlrFlushCause::PcsLost
            } else if aged {
                LlrFlushCause::Age
            } else {
                LlrFlushCause::Replays
            };
        }
        if mode == LlrTxState::Init {
            attempts = 0;
        }
        replayed_nack = replays & asked_nack;
        replayed_timer = replays & asked_timer;
        (replays, leaves)
    }

    /// To INIT, once what was dropped is told and an LLR_INIT on offer is gone.
    fn begin_anew(&mut self, leaves: Bit, starts: Bit) -> Bit {
        let wanted = restarts | (settings.automatic & pcs_up);
        let may_begin = (mode == LlrTxState::Off) | ((mode == LlrTxState::Flush) & wanted);
        let begins = enable & !clear & may_begin & !left.any() & !merge.starting;
        restarts = (restarts | (restart & (mode != LlrTxState::Off))) & enable & !begins;
        if begins {
            first = settings.first;
            nonce = if nonce.all() { 1 } else { nonce + 1 };
        }
        let is_host = !enable | restart;
        left = cat(leaves & (window.held | starts | !is_host), left[0]);
        let count = window.count;
        let lost = count + bit_cast::<FRAMES_BITS, 1>(cut_off.into());
        flushed = In { data: LlrFlush { frames: lost, cause }, valid: left[1] };
        begins
    }

    /// Where the replay is, and whether its next frame may begin.
    fn aim_replay(
        &mut self,
        replaying: Bit,
        replays: Bit,
        decided: WindowDecision,
        leaves: Bit,
    ) -> (Bit, Bit) {
        let oldest = window.oldest;
        let upcoming = window.upcoming;
        let distance = cursor[0..8] - oldest[0..8];
        behind = distance[7];
        let cursor_after = cursor[0..FRAMES_BITS] + 1;
        is_last = cursor_after == upcoming[0..FRAMES_BITS];
        let settled = !replay_settling.any() & !decided.valid;
        // The reader runs ahead: all that it is to read has to be in the memory.
        let rewinds = replaying & rewind & (source != Source::Replay) & !storing & !decided.valid;
        rewind = replays | (replaying & !leaves & !rewinds & (rewind | (behind & settled)));
        store = In { rewinds, reads: replaying | (source == Source::Replay) };
        if rewinds {
            cursor = oldest;
        }
        let may_replay = replaying & !rewind & !behind & settled & store.read_valid;
        (rewinds, may_replay)
    }

    /// One word of the frame under way, or the first of the next one.
    fn move_frames(
        &mut self,
        plain: Bit,
        numbered: Bit,
        unwanted: Bit,
        may_replay: Bit,
        leaves: Bit,
    ) -> (Bit, Bit) {
        let moves = !word_valid | frames.ready;
        let idle = source == Source::None;
        let goes = (source == Source::New) | (idle & (plain | numbered));
        let dumps = (source == Source::Dropped) | (idle & unwanted);
        frame.ready = !clear & ((goes & moves) | dumps);
        let offered = frame.data;
        let from_frame = frame.valid & goes & moves;
        let dropped = frame.valid & dumps;
        let cut = storing & store.nearly_full & !offered.last;
        let last = offered.last | cut;
        let starts = from_frame & idle & numbered;
        let stored = from_frame & (storing | (idle & numbered));
        let ends = stored & last;

        let replay_turn = (source == Source::Replay) | (idle & may_replay & !(frame.valid & plain));
        let replayed = store.read_word;
        let from_replay = moves & store.read_valid & replay_turn;
        let resends = from_replay & idle;
        store.pops = from_replay;

        source.enable = from_frame | dropped | from_replay;
        source = if from_replay {
            if replayed.last {
                Source::None
            } else {
                Source::Replay
            }
        } else if offered.last {
            Source::None
        } else if dropped | cut {
            Source::Dropped
        } else {
            Source::New
        };
        if moves {
            word = if replay_turn {
                replayed
            } else {
                FrameWord { last, error: offered.error | cut, ..offered }
            };
        }
        word_valid.enable = moves;
        word_valid = from_frame | from_replay;
        if moves & idle {
            let number = if replay_turn { cursor } else { window.upcoming };
            head = FramePreamble { numbered: replay_turn | numbered, sequence: number };
        }
        if resends {
            cursor = cursor + 1;
        }
        storing = (storing | starts) & !ends & !leaves;
        if leaves {
            cut_off = (storing | starts) & !ends;
        }
        settling = cat(ends, settling[0]);
        window = In { starts, ends };
        store = In { takes: stored, ends };
        discarded = dropped & idle;
        too_long = from_frame & cut;
        frames = In { data: word, valid: word_valid };
        preamble = head;
        (starts, resends)
    }

    /// What the counters hear of it, a clock later.
    fn tell(&mut self, starts: Bit, resends: Bit) {
        sent = starts;
        resent = resends;
        empty = !window.held;
        events = In { started, sent, resent, replay_nack: replayed_nack, replay_timer: replayed_timer };
        events =
            In { discarded, too_long, init_sent: merge.started, control_taken: taken, control_bad: ignored };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_llr_tx",
    chapter: "50-sue",
    summary: "link-layer retry of Ethernet, sender",
    parameters: &[ParameterInfo::new(
        "words",
        2048,
        Allowed::PowerOfTwo(64, 4096),
        "replay buffer in words of 8 octets, a power of two",
    )],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "small", values: &[("words", 64)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (words) => build_as [log2(words), log2(words) + 1];
        presets { (2048) (64) }
    }
}

/// Builds the block with these const parameters; see [`EthLlrTx`].
pub fn build_as<const A: usize, const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("frame", StreamSink),
        ("sets", FlowSink),
        ("answers", StreamSink),
        ("credits", StreamSink),
        ("frames", StreamSource),
        ("control", StreamSource),
        ("acknowledged", FlowSource),
        ("flushed", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "transfer in to valid out");
    Ok(BuiltBlock::new(EthLlrTx::<A, P>::new()?, interface))
}

//! `sue_gen`: what a port does with generations beside the check of the header (chapter 50, 4.8).
//!
//! The check itself is in `sue_decap`, whose `generation_drop` and source come here: frames of another generation have `error` and reach no PSN state.
//!
//! | what | rule |
//! |---|---|
//! | `pdus` | go on a clock later; those of which a word comes while `conn_clr` is carried out get `error`, and `busy` tells it (GEN_BUSY) |
//! | `conn_clr` | `stop` at once; once `sending` is low, `wipe` for 2 clocks; once `clearing` is low, `cleared` until `conn_clr` falls |
//! | `dropped` | of this peer a frame of another generation came; noted until `progress` of a connection to it |
//! | `newer` | whether the peer is known to be ahead (`peer_newer` of chapter 40) |
//! | `expiring` | 3 clocks later `forgiven` says whether the expiry of this connection does not count: its peer is newer, or was noted |
//! | `expires` with `forgiven` | `skew` with the connection: GEN_SKEW |
//!
//! - A connection is {peer, VC}, VC in the lowest two bits.
//! - Without `enable` (GEN_EN) nothing is forgiven. `conn_clr` is carried out all the same.
//! - `stop` keeps frames from beginning; `wipe` clears packer, sender and receiver of all ports together. Link-layer retry and flow control go on.
//! - `clear` and `wipe` forget all notes and `newer`, one peer per clock; `newer.ready` is low until then, and no expiry is asked for.
//! - `dropped` is at least 2 clocks apart, and so is `progress`.
//!
//! Until chapter 40's blocks are here, who instantiates it drives `conn_clr`, `newer` and gg.

use crate::frame::FrameWord;
use crate::network::NetworkSource;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Clocks from `pdus` in to the same word out.
pub const LATENCY: u32 = 1;
/// Clocks from `expiring` to `forgiven`.
pub const FORGIVES: u32 = 3;
/// Bits of a virtual channel in the number of a connection.
const VC_BITS: usize = 2;
/// Clocks that others have to lower `sending` or to raise `clearing`, less 1.
const SETTLES: usize = 7;
/// Clocks of `wipe`, less 1.
const WIPES: usize = 1;

/// Whether a peer is of a later generation.
#[packed]
pub struct PeerNewer {
    /// The peer.
    peer: Bits<10>,
    /// It is.
    newer: Bit,
}

/// Where the wiping is.
#[packed]
pub enum Wiping {
    /// Nothing to be done.
    Runs,
    /// The frame on the wire is finished.
    Stops,
    /// All is cleared.
    Wipes,
    /// Tables are walked through.
    Walks,
    /// It is done.
    Done,
}

/// Generations at a port with 2^`P` peers. See the [module](self).
#[block("sue_gen", new, peers = 1usize << P)]
pub struct SueGen<const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all.
    clear: In<Bit>,
    /// GEN_EN.
    enable: In<Bit>,
    /// PDUs without their network header.
    pub pdus: FlowIn<FrameWord>,
    /// What the header says, from the first word of the PDU to its last.
    source: In<NetworkSource>,
    /// PDUs that may be looked at.
    pub passed: FlowOut<FrameWord>,
    /// `source` of these.
    passed_source: Out<NetworkSource>,
    /// Pulse: a PDU got `error` because all is being cleared (GEN_BUSY).
    busy: Out<Bit>,
    /// A frame of this peer was of another generation (GEN_DROP).
    pub dropped: FlowIn<Bits<10>>,
    /// A connection has got on.
    pub progress: FlowIn<Bits<12>>,
    /// What is known of peers.
    pub newer: StreamIn<PeerNewer>,
    /// The connection whose timer has run out.
    expiring: In<Bits<12>>,
    /// It does not count.
    forgiven: Out<Bit>,
    /// Pulse: it is carried out.
    expires: In<Bit>,
    /// GEN_SKEW of this connection.
    pub skew: FlowOut<Bits<12>>,
    /// Step WIPE of chapter 40; until `cleared`.
    conn_clr: In<Bit>,
    /// A frame is on its way to the wire.
    sending: In<Bit>,
    /// Tables are being cleared.
    clearing: In<Bit>,
    /// No frame begins.
    stop: Out<Bit>,
    /// Packer, sender and receiver forget everything.
    wipe: Out<Bit>,
    /// All of it is done.
    cleared: Out<Bit>,

    state: Register<Wiping>,
    /// Clocks in the state.
    waited: Register<Bits<3>>,
    /// A PDU is under way.
    inside: Register<Bit>,
    /// A word of it came while all was being cleared.
    spoiled: Register<Bit>,
    #[wire(d = _)]
    word: Reg<FrameWord>,
    #[wire(enable = true)]
    valid: Register<Bit>,
    #[wire(d = _)]
    word_source: Reg<NetworkSource>,
    #[wire(enable = true)]
    is_busy: Register<Bit>,
    /// By peer, a note.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    notes: Ram<Bits<1>, P>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    ahead: Ram<Bits<1>, P>,
    /// All notes go.
    #[init(true)]
    forgets: Register<Bit>,
    walk: Register<Bits<P>>,
    /// What is written into `notes`.
    #[wire(enable = true)]
    notes_write: Register<Bit>,
    #[wire(d = _)]
    notes_peer: Reg<Bits<P>>,
    #[wire(d = _)]
    note: Reg<Bits<1>>,
    /// A connection to this peer got on while a note was written.
    waits: Register<Bit>,
    waiting_peer: Reg<Bits<P>>,
    #[wire(enable = true)]
    ahead_write: Register<Bit>,
    #[wire(d = _)]
    ahead_peer: Reg<Bits<P>>,
    #[wire(d = _)]
    is_ahead: Reg<Bits<1>>,
    /// The peer that is asked for.
    #[wire(d = _)]
    asked: Reg<Bits<P>>,
    #[wire(enable = true)]
    forgives: Register<Bit>,
    #[wire(enable = true)]
    skews: Register<Bit>,
    #[wire(d = _)]
    skewed: Reg<Bits<12>>,
}

#[logic]
impl<const P: usize> SueGen<P> {
    /// Nothing is known of any peer.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_gen", "P", P as u64, 1, 10)?;
        let ram = || RamConfig { output_register: false, ..RamConfig::table(1 << P) };
        Ok(Self { notes: Ram::new(ram())?, ahead: Ram::new(ram())?, .. })
    }

    fn update(&mut self) {
        self.wipe_all();
        self.gate();
        self.note_peers();
        self.forgive();
    }

    /// The steps of WIPE.
    fn wipe_all(&mut self) {
        let settled = waited == SETTLES;
        let coming = match state {
            Wiping::Runs => {
                if conn_clr {
                    Wiping::Stops
                } else {
                    Wiping::Runs
                }
            }
            Wiping::Stops => {
                if settled & !sending {
                    Wiping::Wipes
                } else {
                    Wiping::Stops
                }
            }
            Wiping::Wipes => {
                if waited == WIPES {
                    Wiping::Walks
                } else {
                    Wiping::Wipes
                }
            }
            Wiping::Walks => {
                if settled & !clearing & !forgets {
                    Wiping::Done
                } else {
                    Wiping::Walks
                }
            }
            Wiping::Done => {
                if conn_clr {
                    Wiping::Done
                } else {
                    Wiping::Runs
                }
            }
        };
        let moves = coming != state;
        state.enable = true;
        state = coming;
        waited.enable = moves | !settled;
        waited = if moves { 0 } else { waited + 1 };
        stop = state != Wiping::Runs;
        wipe = state == Wiping::Wipes;
        cleared = state == Wiping::Done;
    }

    /// PDUs a clock later.
    fn gate(&mut self) {
        let now = pdus.data;
        let closed = state != Wiping::Runs;
        let spoils = closed | (spoiled & inside);
        inside.enable = pdus.valid;
        inside = !now.last;
        spoiled.enable = pdus.valid;
        spoiled = spoils;
        word = FrameWord { error: now.error | (now.last & spoils), ..now };
        valid = pdus.valid;
        word_source = source;
        is_busy = pdus.valid & now.last & spoils & !now.error;
        passed = In { data: word, valid };
        passed_source = word_source;
        busy = is_busy;
    }

    /// Notes of peers, and who is ahead. A note goes before what takes one away, which waits then.
    fn note_peers(&mut self) {
        let wiping = state == Wiping::Wipes;
        walk.enable = forgets | wiping;
        walk = if wiping { 0 } else { walk + 1 };
        forgets.clear = false;
        forgets.enable = true;
        forgets = clear | wiping | (forgets & !walk.all());
        let from = dropped.data;
        let connection = progress.data;
        let arrives = connection.bits::<P>(VC_BITS);
        let takes_away = progress.valid | waits;
        waits.enable = true;
        waits = takes_away & dropped.valid & !forgets;
        if progress.valid {
            waiting_peer = arrives;
        }
        let away = if progress.valid { arrives } else { waiting_peer };
        notes_write = forgets | dropped.valid | takes_away;
        notes_peer = if forgets {
            walk
        } else if dropped.valid {
            from.bits::<P>(0)
        } else {
            away
        };
        let noted = dropped.valid & !forgets;
        note = noted.into();
        notes = In { write_enable: notes_write, write_address: notes_peer, write_data: note };

        let told = newer.data;
        let of_peer = told.peer;
        newer.ready = !forgets & !clear;
        ahead_write = forgets | newer.valid;
        ahead_peer = if forgets { walk } else { of_peer.bits::<P>(0) };
        let known = told.newer & !forgets;
        is_ahead = known.into();
        ahead = In { write_enable: ahead_write, write_address: ahead_peer, write_data: is_ahead };
    }

    /// Whether an expiry counts.
    fn forgive(&mut self) {
        let connection = expiring;
        asked = connection.bits::<P>(VC_BITS);
        notes.read_address = asked;
        ahead.read_address = asked;
        let noted = notes.read_data;
        let is_newer = ahead.read_data;
        forgives = enable & !forgets & (noted.any() | is_newer.any());
        forgiven = forgives;
        skews = expires & forgives;
        skewed = expiring;
        skew = In { data: skewed, valid: skews };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_gen",
    chapter: "50-sue",
    summary: "generations at a port: gate, skew, wiping",
    parameters: &[ParameterInfo::new("peers", 64, Allowed::PowerOfTwo(2, 1024), "peers, a power of two")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("peers", 1024)] },
        Preset { name: "small", values: &[("peers", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (peers) => build_as [log2(peers)];
        presets { (64) (1024) (4) }
    }
}

/// Builds the block with these const parameters; see [`SueGen`].
pub fn build_as<const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("pdus", FlowSink),
        ("passed", FlowSource),
        ("dropped", FlowSink),
        ("progress", FlowSink),
        ("newer", StreamSink),
        ("skew", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "pdus to passed");
    Ok(BuiltBlock::new(SueGen::<P>::new()?, interface))
}

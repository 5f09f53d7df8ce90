//! `eth_pfc`: priority flow control of a port, both ends (chapter 50, 3.7 and 4.7).
//!
//! **Pauses that the peer asks for.** `frames` takes words of received frames of any kind, `verdicts` one bit for each frame in their order, after its last
//! word. Good PFC frames set timers of eight priorities; other frames, bad ones and malformed ones change nothing.
//!
//! - A named class is in `paused` from 4 clocks after the verdict on. A pause lasts as long as asked for and at most 11 clocks more, since priorities take turns;
//!   the end of a pause (quanta 0) is carried out within 14 clocks.
//! - PFC frames may follow each other every 9 clocks; a line has 10 and a half between them at least. At most four wait for their verdict or to be carried
//!   out; one more is taken for no PFC frame.
//! - `storm` is high for one clock for a class that has been paused for longer than PFC_WD, and at most 1,024 clocks longer; again only after the pause has
//!   ended. A pause that is renewed before its end goes on.
//!
//! **Pauses asked of the peer.** `fill` says how full the receive buffer of each class is, in units of 64 octets like the thresholds.
//!
//! - At XOFF or above a lossless class asks for a pause, at XON or below it ends it. A frame names all classes that are paused, and those whose pause ends:
//!   so each frame renews all pauses, and half of `quanta` after the last one, or up to 8 clocks before, there is another. XON has to be below XOFF.
//! - Of two classes with one priority, a pause of either holds.
//! - A frame is offered 10 clocks after the fill that causes it; it leaves without gap once its first word is taken. What is asked for meanwhile
//!   goes into the next frame.
//!
//! | event | means |
//! |---|---|
//! | `received` | PFC rx by class: a good frame named its priority |
//! | `sent` | PFC tx by class: a frame that names it begins |
//! | `storm` | PFC_WD by class |
//!
//! `clear` ends all pauses and forgets what was asked for; the peer's pauses end with their timers.

mod receive;
mod send;

pub use receive::PfcReceive;
pub use send::PfcSend;

use crate::frame::FrameWord;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;

/// Priority flow control of a port; see the [module](self).
#[block("eth_pfc")]
pub struct EthPfc {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Ends all pauses.
    clear: In<Bit>,
    /// The port has PFC.
    enable: In<Bit>,
    /// Words of received frames, of any kind.
    pub frames: FlowIn<FrameWord>,
    /// Whether a frame is good, once for each in their order, after its last word.
    pub verdicts: FlowIn<Bit>,
    /// Fill of the classes' receive buffers in 64 octets.
    fill: [In<Bits<8>>; CLASSES],
    /// P_PFC0, P_PFC1: from this fill on a pause is asked for.
    xoff: [In<Bits<8>>; CLASSES],
    /// P_PFC0, P_PFC1: down to this fill it is ended.
    xon: [In<Bits<8>>; CLASSES],
    /// P_PFC1: the pause that is asked for, in 512 bit times.
    quanta: In<Bits<16>>,
    /// PFC_WD in 1024 clocks.
    watchdog: In<Bits<16>>,
    /// CLASS0 to CLASS5: lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// CLASS0 to CLASS5: PCP, which is the priority.
    priorities: [In<Bits<3>>; CLASSES],
    /// Own address, its first octet in the highest bits.
    source: In<Bits<48>>,
    /// PFC frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// Classes that are paused.
    paused: Out<Bits<CLASSES>>,
    /// PFC rx.
    received: Out<Bits<CLASSES>>,
    /// PFC tx.
    sent: Out<Bits<CLASSES>>,
    /// PFC_WD.
    storm: Out<Bits<CLASSES>>,

    #[wire(clock, clear, enable, watchdog)]
    receive: PfcReceive,
    #[wire(clock, clear, enable, quanta, source, lossless)]
    send: PfcSend,
}

#[logic]
impl EthPfc {
    fn update(&mut self) {
        link(frames, receive.frames);
        link(verdicts, receive.verdicts);
        link(frame, send.frame);
        for i in 0..CLASSES {
            receive.priorities[i] = priorities[i];
            send.priorities[i] = priorities[i];
            send.fill[i] = fill[i];
            send.xoff[i] = xoff[i];
            send.xon[i] = xon[i];
        }
        Out { paused, received, storm } = receive;
        Out { sent } = send;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_pfc",
    chapter: "50-sue",
    summary: "priority flow control of a port",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("frames", FlowSink), ("verdicts", FlowSink), ("frame", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(4), "verdict to paused");
    Ok(BuiltBlock::new(EthPfc::default(), interface))
}

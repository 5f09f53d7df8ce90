//! `sue_mgmt`: frames that the host injects and extracts through the registers (chapter 50, 4.8). Unreliable.
//!
//! | what happens | then |
//! |---|---|
//! | `inject_words` | the word waits, 512 of them at most |
//! | `inject`: {octets, port} | the words since the last one are a frame of that port, those beyond its octets go away; `injecting` is high until then |
//! | a word without room; `inject` while `injecting`, with fewer words than its octets, or with none | `refused`; nothing else changes |
//! | `injecting`, and a token is there | the frame leaves to `eth_arb` of its port, and `injected` tells it; the next token is there `inject_gap` clocks later |
//! | a good frame of `eth_demux` with an Ethertype that is neither that of PDUs nor of event frames, to the own address or to a group | it is kept, `extracted` tells it |
//! | the same without room | it is dropped, `dropped` tells it: EXT_DROP |
//! | any other frame | nothing |
//! | `extract_valid` | a frame waits, the ports take turns; `extract_taken` takes a word, and after its last one comes the next frame |
//!
//! - Which frames are PDUs FMT and ETYPE say, as for the network headers; the own address is {02, gg, MAC_PART, XPU, port} in all formats.
//! - Words of `data` go to the network headers as well, which count what is extracted there as HDR_BAD.
//! - Each port has room for 512 words and 32 frames; a frame of more than 2,048 octets has none.
//! - `octets` holds through a frame of `frames`. A port that is not there takes its frame at once.
//! - Latency: from `inject` to the first word 3 clocks, if there is a token; from the last word of a frame to `extract_valid` 8 clocks, and one more for each port
//!   that has none. A word per clock each way.
//! - `clear` forgets all words and frames, but not how long ago a frame was injected. Settings hold still but while cleared.

mod extract;
mod inject;

pub use extract::{Extract, ExtractRule, WordSigns, LENGTH_BITS};
pub use inject::{Inject, Injection};

use crate::arbiter::OCTETS_BITS;
use crate::frame::FrameWord;
use crate::network::{FormatChoice, NetworkSettings};
use crate::registers::ManagementFrame;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::network::{fid, HeaderFormat, MAC_PREFIX};
use flitforge_protocol::sue_registers::{inj_gap, MAX_PORTS};

/// Clocks from `inject` to the first word of the frame.
pub const LATENCY: u32 = 3;
/// Bits of a port in the own address.
const PORT_BITS: usize = fid::port::WIDTH;
/// Bits of the own XPU.
const XPU_BITS: usize = fid::xpu::WIDTH;
/// Those of them in the last octet.
const LOW_BITS: usize = 8 - PORT_BITS;
const V4: usize = HeaderFormat::StandardV4 as usize;
const V6: usize = HeaderFormat::StandardV6 as usize;
const GEN1: usize = HeaderFormat::AfhGen1 as usize;
const GEN2: usize = HeaderFormat::AfhGen2 as usize;
const COMPRESSED: usize = HeaderFormat::AfhGen2Compressed as usize;

/// Injects and extracts at `N` ports. See the [module](self).
#[block("sue_mgmt", new, ports = N)]
pub struct SueMgmt<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets words and frames.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Own gg.
    generation: In<Bits<8>>,
    /// GEN_EN.
    generation_enable: In<Bit>,
    /// INJ_GAP, clocks.
    inject_gap: In<Bits<{ inj_gap::clocks::WIDTH }>>,
    /// INJ_DATA: words of the next frame, octet 0 in bits 7:0.
    pub inject_words: FlowIn<Bits<64>>,
    /// INJ_CTL: the frame is to be sent.
    pub inject: FlowIn<ManagementFrame>,
    /// It has not left.
    injecting: Out<Bit>,
    /// Pulse: a word or a frame was refused.
    refused: Out<Bit>,
    /// By port, frames to `eth_arb`.
    pub frames: [StreamOut<FrameWord>; N],
    /// Octets of the frame without FCS.
    octets: Out<Bits<OCTETS_BITS>>,
    /// Pulse by port: a frame begins to leave.
    injected: [Out<Bit>; N],
    /// By port, frames of `eth_demux` with a network header.
    pub data: [FlowIn<FrameWord>; N],
    /// By port, those of the management; never in a clock of `data`.
    pub management: [FlowIn<FrameWord>; N],
    /// EXT_DATA: the next word, octet 0 in bits 7:0.
    extract_word: Out<Bits<64>>,
    /// It was read.
    extract_taken: In<Bit>,
    /// EXT_CTL: the frame that waits.
    front: Out<ManagementFrame>,
    /// There is one.
    extract_valid: Out<Bit>,
    /// Pulse by port: a frame was kept.
    extracted: [Out<Bit>; N],
    /// Pulse by port: a frame had no room.
    dropped: [Out<Bit>; N],

    #[wire(clock)]
    choice: FormatChoice,
    #[wire(d = _)]
    rule: Reg<ExtractRule>,
    #[wire(clock, clear)]
    injector: Inject,
    #[wire(clock, clear)]
    kept: [Extract; N],
    /// The port whose frame is read.
    turn: Register<Bits<2>>,
    /// Its frame is there.
    #[wire(enable = true)]
    reading: Register<Bit>,
    numbers: [Constant<Bits<PORT_BITS>>; N],
}

#[logic]
impl<const N: usize> SueMgmt<N> {
    /// Without frames.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_mgmt", "ports", N as u64, 1, MAX_PORTS as u64)?;
        let kept: Result<Vec<Extract>, ConfigError> = (0..N).map(|_| Extract::new()).collect();
        let kept = kept?.try_into().unwrap_or_else(|_| unreachable!("N of them"));
        let numbers = std::array::from_fn(|port| Constant::new((port as u64).into()));
        Ok(Self { injector: Inject::new()?, kept, numbers, .. })
    }

    fn update(&mut self) {
        self.send();
        self.settle();
        self.receive();
    }

    /// The frame that is injected goes to its port.
    fn send(&mut self) {
        injector = In { gap: inject_gap };
        injector.words = In { data: inject_words.data, valid: inject_words.valid };
        injector.order = In { data: inject.data, valid: inject.valid };
        Out { busy: injecting, refused, octets } = injector;
        let to = injector.port;
        let mut goes: Bit = true;
        for i in 0..N {
            let mine = to == numbers[i];
            frames[i] = In { data: injector.frame.data, valid: injector.frame.valid & mine };
            injected[i] = injector.started & mine;
            if mine {
                goes = frames[i].ready;
            }
        }
        injector.frame.ready = goes;
    }

    /// Which frames are not for the host.
    fn settle(&mut self) {
        choice.settings = settings;
        let format = settings.format;
        let ethertype = choice.ethertype;
        let both = ((format == GEN2) | (format == COMPRESSED)) & !settings.lite;
        rule = ExtractRule {
            ethertype: cat(ethertype[8..16], ethertype[0..8]),
            compressed: (format == COMPRESSED) | both,
            plain: !(format == COMPRESSED) | both,
            taggable: (format == V4) | (format == V6) | (format == GEN1),
        };
    }

    /// Frames of the ports, which take turns.
    fn receive(&mut self) {
        let gg = if generation_enable { generation } else { 0 };
        let partition = settings.machine_partition;
        let xpu = settings.own_xpu;
        let takes = extract_taken & reading;
        let mut word: Bits<64> = 0;
        let mut length: Bits<LENGTH_BITS> = 0;
        let mut there: Bit = false;
        let mut ends: Bit = false;
        for i in 0..N {
            kept[i].rule = rule;
            kept[i].own = cat(
                bits::<8>(MAC_PREFIX),
                gg,
                partition[8..16],
                partition[0..8],
                xpu[LOW_BITS..XPU_BITS],
                numbers[i],
                xpu[0..LOW_BITS],
            );
            kept[i].data = In { data: data[i].data, valid: data[i].valid };
            kept[i].management = In { data: management[i].data, valid: management[i].valid };
            extracted[i] = kept[i].stored;
            dropped[i] = kept[i].dropped;
            let mine = turn == i;
            if mine {
                word = kept[i].words.data;
                length = kept[i].lengths.data;
                there = kept[i].words.valid & kept[i].lengths.valid;
                ends = kept[i].last;
            }
            kept[i].words.ready = takes & mine;
            kept[i].lengths.ready = takes & mine & kept[i].last;
        }
        extract_word = word;
        front = ManagementFrame { octets: length, port: bit_cast::<4, 2>(turn) };
        extract_valid = reading;
        let over = takes & ends;
        reading = if reading { !over } else { there };
        turn.enable = over | (!reading & !there);
        turn = if turn == N - 1 { 0 } else { turn + 1 };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_mgmt",
    chapter: "50-sue",
    summary: "frames that the host injects and extracts",
    parameters: &[ParameterInfo::new("ports", 1, Allowed::OneOf(&[1, 2, 4]), "ports")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "two", values: &[("ports", 2)] },
        Preset { name: "four", values: &[("ports", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (ports) => build_as [ports];
        presets { (1) (2) (4) }
    }
}

/// Builds the block with so many ports; see [`SueMgmt`].
pub fn build_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let mut streams = vec![("inject_words".to_owned(), FlowSink), ("inject".to_owned(), FlowSink)];
    for port in 0..N {
        streams.push((format!("frames[{port}]"), StreamSource));
        streams.push((format!("data[{port}]"), FlowSink));
        streams.push((format!("management[{port}]"), FlowSink));
    }
    let streams: Vec<_> = streams.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "inject to the first word");
    Ok(BuiltBlock::new(SueMgmt::<N>::new()?, interface))
}

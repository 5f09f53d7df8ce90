//! Both ends at work, each edge of each clock in its own time: oscillators, the PHYs' FIFOs, lines, packets, register buses.

use crate::time_beat::end::HfiEnd;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_fabric::manager::{AccessError, RegisterAccess};
use flitforge_fabric::topology::DeviceId;
use flitforge_hdl::time::hfi::TimeHfiConfig;
use flitforge_hdl::time::port::TimePortConfig;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_lag::{helper_period, DDMTD_K};
use flitforge_protocol::time_servo::ServoState;
use flitforge_sim::compiled::{Clocks, Compiled, Handle};
use flitforge_sim::design_of;
use flitforge_sim::kit::{rng, seed, Rng as KitRng};
use flitforge_testkit::{handle, Clocked, CompiledBlock, FlitWay, Pins, RegisterBus, Several};
use rand::Rng;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// Nominal core clock: 50 ns, so that a period has few clocks.
pub const CORE_FS: u64 = 50_000_000;
/// Nominal word clock: 1.37 % slower.
const WORD_FS: u64 = 50_685_000;
/// With DDMTD a third slower, where BEAT sees nothing: within 0.1 % of a small ratio.
pub const DDMTD_WORD_FS: u64 = CORE_FS * 4 / 3;
/// What the oscillators of the helper clocks are off, ppm.
const HELPER_PPM: [i64; 2] = [60, -45];
/// NOM of tx and rx, ns: words of 50 ns wait for 1 to 2 us, and a lag of more than 2.05 us is none.
const NOMINAL_NS: [u64; 2] = [1_000; 2];
/// Words of the FIFO in front of a line.
const FIFO_WORDS: usize = 4;

/// Nominal word clock beside the meters of this source.
fn word_fs(source: PhaseSource) -> u64 {
    if source == PhaseSource::Ddmtd {
        DDMTD_WORD_FS
    } else {
        WORD_FS
    }
}

/// The port of an end whose lanes have this word clock.
pub fn port_config(source: PhaseSource, word_fs: u64) -> TimePortConfig {
    let small = TimePortConfig::one_clock(1, CORE_FS);
    TimePortConfig { phase_source: source, word_fs, nominal_ns: NOMINAL_NS, ..small }
}

fn program(source: PhaseSource, end: usize) -> &'static Arc<Compiled> {
    static PROGRAMS: [[OnceLock<Arc<Compiled>>; 2]; 4] = [const { [const { OnceLock::new() }; 2] }; 4];
    PROGRAMS[usize::from(source.code())][end].get_or_init(|| {
        let port = port_config(source, word_fs(source));
        let config = TimeHfiConfig { port, ..TimeHfiConfig::small(CORE_FS, 1) };
        let guid = 0x11 * (1 + end as u64);
        let design = match source {
            PhaseSource::Beat => design(HfiEnd::<1, 0>::new(guid, &config)),
            PhaseSource::Ddmtd => design(HfiEnd::<0, 1>::new(guid, &config)),
            _ => design(HfiEnd::<0, 0>::new(guid, &config)),
        };
        Compiled::new(&design).expect("compiles")
    })
}

fn design(mut block: impl DriveBlock) -> flitforge_elaborate::Design {
    block.connect_all();
    design_of("hfi_end", &block).expect("elaborates")
}

/// The ports that every edge looks at.
struct Watched {
    words_valid: Handle,
    words_data: Handle,
    words_ready: Handle,
    in_valid: Handle,
    in_data: Handle,
    tx_fill: Handle,
    rx_fill: Handle,
    sync: Handle,
}

/// One end: its clocks, in fs, and its PHY.
struct End {
    block: CompiledBlock,
    watched: Watched,
    clocks: [Clocks; 3],
    core: (u64, u64),
    word: (u64, u64),
    /// With DDMTD.
    helper: Option<(u64, u64, Clocks)>,
    to_line: VecDeque<u64>,
    from_line: VecDeque<u64>,
    /// Words on the way here, by their time.
    arriving: VecDeque<(u64, Option<u64>)>,
    /// Word times without a word since the link came up.
    gaps: u64,
}

impl End {
    fn new(source: PhaseSource, end: usize, ppm: i64) -> Self {
        let program = program(source, end);
        let handle = |name: &str| handle(program, name);
        let watched = Watched {
            words_valid: handle("words_out.valid"),
            words_data: handle("words_out.data"),
            words_ready: handle("words_out.ready"),
            in_valid: handle("words_in.valid"),
            in_data: handle("words_in.data"),
            tx_fill: handle("tx_fill"),
            rx_fill: handle("rx_fill"),
            sync: handle("sync"),
        };
        // A fast oscillator has short periods.
        let period =
            |nominal: u64, ppm: i64| nominal.wrapping_add_signed(-(nominal as i64 / 1_000_000) * ppm);
        let helper = (source == PhaseSource::Ddmtd).then(|| {
            let nominal = helper_period(word_fs(source), DDMTD_K.1);
            let clocks = program.clocks(&["helper_clock[0]"]).expect("a clock");
            (3_000_017 * (end as u64 + 1), period(nominal, HELPER_PPM[end]), clocks)
        });
        Self {
            block: CompiledBlock::new(program),
            watched,
            clocks: ["clock", "tx_clock", "rx_clock"].map(|name| program.clocks(&[name]).expect("a clock")),
            core: (1_000_003 * (end as u64 + 1), period(CORE_FS, ppm)),
            word: (7_000_001 * (end as u64 + 1), period(word_fs(source), ppm)),
            helper,
            to_line: VecDeque::new(),
            from_line: VecDeque::new(),
            arriving: VecDeque::new(),
            gaps: 0,
        }
    }

    /// An edge of the core clock; `out` are the packet flits from this end, `back` those from the other one.
    fn core_edge(&mut self, new: bool, [out, back]: [&mut FlitWay; 2]) {
        let (watched, instance) = (&self.watched, &mut self.block.instance);
        instance.set(watched.tx_fill, self.to_line.len() as u64);
        instance.set(watched.rx_fill, self.from_line.len() as u64);
        let word = self.from_line.pop_front();
        instance.set(watched.in_valid, word.is_some().into());
        instance.set(watched.in_data, word.unwrap_or(0));
        let room = self.to_line.len() < FIFO_WORDS;
        instance.set(watched.words_ready, room.into());
        out.drive(instance, new);
        if room && instance.get(watched.words_valid) == 1 {
            self.to_line.push_back(instance.get(watched.words_data));
        }
        out.take(instance);
        back.receive(instance);
        instance.step(self.clocks[0]);
        self.core.0 += self.core.1;
    }
}

impl Clocked for End {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.block
    }

    fn clock(&mut self) {
        self.block.instance.step(self.clocks[0]);
    }
}

pub struct Net {
    ends: [End; 2],
    flits: [FlitWay; 2],
    delay_fs: u64,
    random: KitRng,
    /// Chance per clock that a flit is offered.
    pub pace: f64,
}

impl Net {
    /// Ends whose oscillators are so many ppm off, a line of this delay.
    pub fn new(source: PhaseSource, ppm: [i64; 2], delay_fs: u64) -> Self {
        let ends = [0, 1].map(|end| End::new(source, end, ppm[end]));
        let flits = [0, 1].map(|end: usize| {
            let programs = [end, 1 - end].map(|end| program(source, end));
            FlitWay::new(end, (programs[0], "flits_in"), (programs[1], "flits_out"))
        });
        let mut net = Self { ends, flits, delay_fs, random: rng(seed(0xBEA7), "beat"), pace: 0.0 };
        net.both("clear", 1);
        net.run(2);
        net.both("clear", 0);
        net.run(40);
        net
    }

    fn both(&mut self, name: &str, value: u64) {
        for end in &mut self.ends {
            end.set(name, value);
        }
    }

    /// The edge that comes first; says whether it was one of an end's core clock, and whose.
    fn step(&mut self) -> Option<usize> {
        let at = |end: &End, kind: usize| match kind {
            0 => end.core.0,
            1 => end.word.0,
            2 => end.helper.as_ref().map_or(u64::MAX, |(time, ..)| *time),
            _ => end.arriving.front().map_or(u64::MAX, |(time, _)| *time),
        };
        let edges = (0..8).map(|edge| (edge / 4, edge % 4));
        let (index, kind) = edges.min_by_key(|(end, kind)| at(&self.ends[*end], *kind)).expect("some");
        match kind {
            0 => {
                let new = self.pace > 0.0 && self.random.random_bool(self.pace);
                let [first, second] = &mut self.flits;
                let ways = if index == 0 { [first, second] } else { [second, first] };
                self.ends[index].core_edge(new, ways);
                return Some(index);
            }
            1 => {
                let end = &mut self.ends[index];
                let word = end.to_line.pop_front();
                end.gaps += u64::from(word.is_none());
                let arrives = end.word.0 + self.delay_fs;
                end.word.0 += end.word.1;
                end.block.instance.step(end.clocks[1]);
                self.ends[1 - index].arriving.push_back((arrives, word));
            }
            2 => {
                let end = &mut self.ends[index];
                if let Some((time, period, clocks)) = &mut end.helper {
                    end.block.instance.step(*clocks);
                    *time += *period;
                }
            }
            _ => {
                let end = &mut self.ends[index];
                let (_, word) = end.arriving.pop_front().expect("it is there");
                end.from_line.extend(word);
                end.block.instance.step(end.clocks[2]);
            }
        }
        None
    }

    /// So many core clocks of end 1.
    pub fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            while self.step() != Some(1) {}
        }
    }

    /// Both links enabled and Active.
    pub fn come_up(&mut self) {
        for end in &mut self.ends {
            end.set("link_addr", u64::from(CTRL / 8));
            end.set("link_wdata", 1 << ctrl::enable::LOW);
            end.set("link_we", 1);
        }
        self.run(2);
        self.both("link_we", 0);
        let active = u64::from(LinkState::Active.code());
        let mut clocks = 0;
        while self.ends.iter_mut().any(|end| end.get("link_state") != active) {
            self.run(100);
            clocks += 100;
            assert!(clocks < 400_000, "the link does not come up");
        }
        self.ends.iter_mut().for_each(|end| end.gaps = 0);
    }

    pub fn state(&mut self, end: usize) -> ServoState {
        ServoState::from_code(self.ends[end].get("state") as u8).expect("a state")
    }

    pub fn gaps(&self) -> [u64; 2] {
        [self.ends[0].gaps, self.ends[1].gaps]
    }

    pub fn flits(&self) -> [u64; 2] {
        [self.flits[1].arrived(), self.flits[0].arrived()]
    }

    /// SyncTime of end 1 less that of end 0 at one time, fs. The SyncTime that stands is that of the coming edge.
    pub fn apart_fs(&mut self) -> i128 {
        let mut at_zero = |end: usize| {
            let End { block, watched, core, .. } = &mut self.ends[end];
            let words = block.instance.words(watched.sync);
            let sync = i128::from(words[0]) | i128::from(words[1]) << 64;
            ((sync * 1_000_000) >> 32) - i128::from(core.0)
        };
        at_zero(1) - at_zero(0)
    }
}

impl Several for Net {
    fn pins_of(&mut self, index: usize) -> &mut dyn Pins {
        &mut self.ends[index].block
    }

    fn edge(&mut self) -> Option<usize> {
        self.step()
    }
}

impl Net {
    fn request(&mut self, index: usize, offset: u32, write: Option<u64>) -> Result<u64, AccessError> {
        RegisterBus::new().access(&mut self.one(index), index as DeviceId, offset, write)
    }
}

impl RegisterAccess for Net {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        self.request(device as usize, offset, None)
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.request(device as usize, offset, Some(value)).map(|_| ())
    }

    fn wait_us(&mut self, microseconds: u64) {
        self.run(microseconds * 1_000_000_000 / CORE_FS);
    }
}

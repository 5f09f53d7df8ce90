//! XGMII with 64 data bits (IEEE 802.3, clause 46, two transfers side by side): frames to words and back.
//!
//! Ports are `NAME.data` (64 bits, lane 0 lowest) and `NAME.control` (a bit per lane). A frame starts in lane 0 or 4,
//! begins with preamble and start delimiter and ends with a terminate character; idles stand between frames. Sequence
//! ordered sets (fault signalling) are not part of it.

use super::random::{rng, Rng};
use super::{Agent, Coverage, Pace, Pacer};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Control characters.
const IDLE: u8 = 0x07;
const START: u8 = 0xfb;
const TERMINATE: u8 = 0xfd;
const ERROR: u8 = 0xfe;
/// Octets between start character and start delimiter, and the delimiter.
const PREAMBLE: u8 = 0x55;
const PREAMBLE_OCTETS: usize = 6;
const DELIMITER: u8 = 0xd5;
/// Lanes of a word.
const LANES: usize = 8;
/// Least octets from a terminate character, that one included, to the next start at a receiver.
pub const LEAST_GAP: u64 = 5;

/// One word: a character per lane, and whether it is a control character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XgmiiWord {
    /// Lane 0 in the lowest octet.
    pub data: u64,
    /// Bit `n` is set if lane `n` holds a control character.
    pub control: u8,
}

impl XgmiiWord {
    /// Idles in all lanes.
    pub const IDLE: Self = Self { data: 0x0707_0707_0707_0707, control: 0xff };

    fn of(characters: &[(u8, bool)]) -> Self {
        let lanes = characters.iter().enumerate();
        lanes.fold(Self { data: 0, control: 0 }, |word, (lane, (octet, control))| Self {
            data: word.data | u64::from(*octet) << (8 * lane),
            control: word.control | u8::from(*control) << lane,
        })
    }

    fn lane(self, lane: usize) -> (u8, bool) {
        ((self.data >> (8 * lane)) as u8, self.control >> lane & 1 == 1)
    }
}

/// Turns frames into words.
#[derive(Clone, Debug, Default)]
pub struct XgmiiEncoder {
    waiting: VecDeque<(u8, bool)>,
}

impl XgmiiEncoder {
    /// Appends a frame after at least `gap` octets between frames (the terminate character counts); it starts in the
    /// next lane 0 or 4. The octet at `error` becomes an error character.
    pub fn frame(&mut self, octets: &[u8], gap: u64, error: Option<usize>) {
        self.waiting.extend((1..gap).map(|_| (IDLE, true)));
        while self.waiting.len() % (LANES / 2) != 0 {
            self.waiting.push_back((IDLE, true));
        }
        self.waiting.push_back((START, true));
        self.waiting.extend([(PREAMBLE, false); PREAMBLE_OCTETS]);
        self.waiting.push_back((DELIMITER, false));
        let octet = |(index, octet): (usize, &u8)| match error == Some(index) {
            true => (ERROR, true),
            false => (*octet, false),
        };
        self.waiting.extend(octets.iter().enumerate().map(octet));
        self.waiting.push_back((TERMINATE, true));
    }

    /// True if nothing but idles is left.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The next word.
    pub fn word(&mut self) -> XgmiiWord {
        let lanes: Vec<_> = (0..LANES).map(|_| self.waiting.pop_front().unwrap_or((IDLE, true))).collect();
        XgmiiWord::of(&lanes)
    }
}

/// A received frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XgmiiFrame {
    /// Octets after the start delimiter; an error character counts as 0.
    pub octets: Vec<u8>,
    /// An error character stood within.
    pub error: bool,
    /// Lane of the start character: 0 or 4.
    pub start_lane: usize,
}

/// Turns words into frames and checks the rules.
#[derive(Clone, Debug)]
pub struct XgmiiDecoder {
    frame: Option<(XgmiiFrame, usize)>,
    /// Octets since the terminate character, that one included.
    gap: u64,
}

impl Default for XgmiiDecoder {
    fn default() -> Self {
        Self { frame: None, gap: u64::MAX }
    }
}

/// A broken rule and what was seen.
pub type XgmiiFault = (&'static str, String);

impl XgmiiDecoder {
    /// Takes a word; returns the frames that end in it, or the rule that it breaks.
    pub fn word(&mut self, word: XgmiiWord) -> Result<Vec<XgmiiFrame>, XgmiiFault> {
        let mut frames = vec![];
        for lane in 0..LANES {
            let (octet, control) = word.lane(lane);
            match (self.frame.take(), control) {
                (None, _) => self.between(lane, octet, control)?,
                (Some(frame), true) => frames.extend(self.control(frame, lane, octet)?),
                (Some(frame), false) => self.frame = Some(data(frame, octet)?),
            }
        }
        Ok(frames)
    }

    fn between(&mut self, lane: usize, octet: u8, control: bool) -> Result<(), XgmiiFault> {
        match (control, octet) {
            (true, START) if lane % (LANES / 2) != 0 => {
                Err(("a frame starts in lane 0 or 4", format!("start character in lane {lane}")))
            }
            (true, START) if self.gap < LEAST_GAP => {
                Err(("frames are at least 5 octets apart", format!("only {} octets", self.gap)))
            }
            (true, START) => {
                self.frame = Some((XgmiiFrame { octets: vec![], error: false, start_lane: lane }, 0));
                Ok(())
            }
            (true, IDLE | ERROR) => {
                self.gap = self.gap.saturating_add(1);
                Ok(())
            }
            (control, octet) => {
                let kind = if control { "control" } else { "data" };
                Err(("idles stand between frames", format!("{kind} {octet:02x} in lane {lane}")))
            }
        }
    }

    fn control(
        &mut self,
        (mut frame, header): (XgmiiFrame, usize),
        lane: usize,
        octet: u8,
    ) -> Result<Option<XgmiiFrame>, XgmiiFault> {
        match octet {
            TERMINATE if header > PREAMBLE_OCTETS => {
                self.gap = 1;
                Ok(Some(frame))
            }
            TERMINATE => {
                Err(("a frame has a preamble", format!("it ends in lane {lane} before its delimiter")))
            }
            ERROR => {
                frame.error = true;
                let header = if header <= PREAMBLE_OCTETS {
                    header + 1
                } else {
                    frame.octets.push(0);
                    header
                };
                self.frame = Some((frame, header));
                Ok(None)
            }
            other => Err((
                "a frame ends with a terminate character",
                format!("control {other:02x} in lane {lane}"),
            )),
        }
    }
}

fn data((mut frame, header): (XgmiiFrame, usize), octet: u8) -> Result<(XgmiiFrame, usize), XgmiiFault> {
    let expected = if header < PREAMBLE_OCTETS { PREAMBLE } else { DELIMITER };
    if header > PREAMBLE_OCTETS {
        frame.octets.push(octet);
        return Ok((frame, header));
    }
    if octet != expected {
        let detail = format!("octet {} is {octet:02x}, not {expected:02x}", header + 1);
        return Err(("a frame has a preamble", detail));
    }
    Ok((frame, header + 1))
}

struct Ports {
    name: String,
    data: PortHandle,
    control: PortHandle,
}

impl Ports {
    fn find(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let (data, control) = (bench.port(&format!("{name}.data"))?, bench.port(&format!("{name}.control"))?);
        let widths = (bench.width(data), bench.width(control));
        if widths != (64, 8) {
            return Err(SimError::PortMisuse {
                block: bench.ports().block().into(),
                path: name.into(),
                problem: format!("{} data and {} control bits; XGMII here has 64 and 8", widths.0, widths.1),
            });
        }
        Ok(Self { name: name.into(), data, control })
    }
}

/// Makes the octets of the next frame; `None` when there is none now.
type MakeFrame<'a> = Box<dyn FnMut(&mut Rng) -> Option<Vec<u8>> + 'a>;

/// Sends random frames into a block, with random gaps and now and then an error character.
pub struct XgmiiSource<'a> {
    ports: Ports,
    rng: Rng,
    pacer: Pacer,
    encoder: XgmiiEncoder,
    frames: MakeFrame<'a>,
    sent: Rc<RefCell<Vec<XgmiiFrame>>>,
    errors: f64,
    started: u64,
    broken: u64,
}

impl<'a> XgmiiSource<'a> {
    /// Frames of 64 to 300 random octets on the input `name`, at a mixed pace, without errors.
    pub fn new(bench: &dyn Bench, name: &str, seed: u64) -> Result<Self, SimError> {
        let ports = Ports::find(bench, name)?;
        let frames = |rng: &mut Rng| {
            let octets = rng.random_range(64..=300);
            Some((0..octets).map(|_| rng.random()).collect())
        };
        Ok(Self {
            rng: rng(seed, name),
            ports,
            pacer: Pacer::new(Pace::mixed()),
            encoder: XgmiiEncoder::default(),
            frames: Box::new(frames),
            sent: Rc::default(),
            errors: 0.0,
            started: 0,
            broken: 0,
        })
    }

    /// Sets the pace: whether a frame follows after the least gap or the line stays idle for a clock.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pacer = Pacer::new(pace);
        self
    }

    /// Sets the frames; `None` sends nothing now.
    pub fn frames(mut self, frames: impl FnMut(&mut Rng) -> Option<Vec<u8>> + 'a) -> Self {
        self.frames = Box::new(frames);
        self
    }

    /// Puts an error character into a frame with this probability.
    pub fn errors(mut self, probability: f64) -> Self {
        self.errors = probability.clamp(0.0, 1.0);
        self
    }

    /// What was sent, as it must arrive; readable while the simulation runs. The start lane is 0 throughout: it
    /// is the line's business.
    pub fn sent(&self) -> Rc<RefCell<Vec<XgmiiFrame>>> {
        self.sent.clone()
    }
}

impl Agent for XgmiiSource<'_> {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.encoder.is_idle() && self.pacer.next(&mut self.rng) {
            if let Some(mut octets) = (self.frames)(&mut self.rng).filter(|octets| !octets.is_empty()) {
                let wrong = self.rng.random_bool(self.errors);
                let error = wrong.then(|| self.rng.random_range(0..octets.len()));
                let gap = self.rng.random_range(LEAST_GAP..=20);
                self.encoder.frame(&octets, gap, error);
                error.into_iter().for_each(|index| octets[index] = 0);
                self.sent.borrow_mut().push(XgmiiFrame { octets, error: wrong, start_lane: 0 });
                self.started += 1;
                self.broken += u64::from(wrong);
            }
        }
        let word = self.encoder.word();
        bench.set_u64(self.ports.data, word.data);
        bench.set_u64(self.ports.control, word.control.into());
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.frames_sent", self.ports.name), self.started);
        into.add(format!("{}.frames_with_error", self.ports.name), self.broken);
    }
}

/// What a monitor does with a frame: the clock of its end and the frame.
type OnFrame<'a> = Box<dyn FnMut(u64, &XgmiiFrame) -> Result<(), SimError> + 'a>;

/// Watches an XGMII of either direction: checks the rules and hands out the frames.
pub struct XgmiiMonitor<'a> {
    ports: Ports,
    decoder: XgmiiDecoder,
    on_frame: Vec<OnFrame<'a>>,
    starts: [u64; 2],
    errors: u64,
}

impl<'a> XgmiiMonitor<'a> {
    /// A monitor of the XGMII called `name`.
    pub fn new(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let ports = Ports::find(bench, name)?;
        Ok(Self { ports, decoder: XgmiiDecoder::default(), on_frame: vec![], starts: [0; 2], errors: 0 })
    }

    /// As [`new`](Self::new), for an output of the block only.
    pub fn sink(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let found = Self::new(bench, name)?;
        match bench.ports().port(found.ports.data).kind {
            PortKind::Output => Ok(found),
            _ => Err(SimError::PortMisuse {
                block: bench.ports().block().into(),
                path: name.into(),
                problem: "enters the block: use a source".into(),
            }),
        }
    }

    /// Calls `action` on every frame.
    pub fn on_frame(mut self, action: impl FnMut(u64, &XgmiiFrame) -> Result<(), SimError> + 'a) -> Self {
        self.on_frame.push(Box::new(action));
        self
    }
}

impl Agent for XgmiiMonitor<'_> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let control = bench.get_u64(self.ports.control) as u8;
        let word = XgmiiWord { data: bench.get_u64(self.ports.data), control };
        let frames = self.decoder.word(word).map_err(|(rule, detail)| SimError::Protocol {
            clock,
            interface: self.ports.name.clone(),
            rule,
            detail,
        })?;
        for frame in &frames {
            self.starts[usize::from(frame.start_lane > 0)] += 1;
            self.errors += u64::from(frame.error);
            self.on_frame.iter_mut().try_for_each(|action| action(clock, frame))?;
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        let counts = [("start_in_lane_0", self.starts[0]), ("start_in_lane_4", self.starts[1])];
        for (what, count) in counts.into_iter().chain([("frames_with_error", self.errors)]) {
            into.add(format!("{}.{what}", self.ports.name), count);
        }
    }
}

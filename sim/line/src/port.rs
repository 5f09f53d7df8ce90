//! One end's port: its signals by handle, and its register bus.

use crate::program::{handle, program, BlockChoice};
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_protocol::register::BYTES;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::SimError;
use std::collections::VecDeque;
use std::sync::Arc;

/// Clocks in which the register bus has to answer.
const ACK_CLOCKS: u32 = 64;

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortShape {
    /// Flits per beat.
    pub flits: usize,
    /// Lanes.
    pub lanes: usize,
    /// Replay slots.
    pub slots: usize,
}

/// Handles of one lane of a port: valid, data, ready out; valid, data in.
#[derive(Clone, Copy, Debug)]
pub struct LanePorts {
    /// Words out.
    pub tx: [Handle; 3],
    /// Words in.
    pub rx: [Handle; 2],
}

/// Handles of a port.
#[derive(Clone, Debug)]
pub struct PortHandles {
    /// Synchronous clear.
    pub clear: Handle,
    bus: [Handle; 6],
    /// Beats in: valid, data, ready.
    pub flits_in: [Handle; 3],
    /// Beats out: valid, data.
    pub flits_out: [Handle; 2],
    /// State as STATUS has it.
    pub state: Handle,
    /// Numbers start at 0.
    pub restart: Handle,
    /// Lanes sent on, received on.
    pub masks: [Handle; 2],
    /// Lanes to invert, boundaries to move.
    pub orders: [Handle; 2],
    /// `signal_ok`, `lane_lock`, `elastic_error`.
    pub told: [Handle; 3],
    /// By lane.
    pub lanes: Vec<LanePorts>,
}

/// A compiled port.
#[derive(Clone)]
pub struct PortProgram {
    /// What is built.
    pub shape: PortShape,
    /// The program.
    pub program: Arc<Compiled>,
    /// Its signals.
    pub handles: Arc<PortHandles>,
    /// The core clock.
    pub clock: Clocks,
}

const BUS: [&str; 6] = ["addr", "wdata", "we", "re", "rdata", "ack"];

impl PortProgram {
    /// A port of the library with short timeouts.
    pub fn new(shape: PortShape, guid: u64) -> Result<Self, SimError> {
        const BLOCK: &str = "link_port";
        let PortShape { flits, lanes, slots } = shape;
        let values = [("f", flits), ("lanes", lanes), ("r", slots)];
        let mut values: Vec<_> = values.map(|(name, value)| (name, value as u64)).into();
        values.push(("guid", guid));
        let outputs = outputs_of(lanes);
        let program = program(&BlockChoice { block: BLOCK, values }, &outputs)?;
        let get = |path: &str| handle(&program, BLOCK, path);
        let lane = |lane: usize| {
            let tx = all(["valid", "data", "ready"], |part| get(&format!("tx[{lane}].{part}")))?;
            let rx = all(["valid", "data"], |part| get(&format!("rx[{lane}].{part}")))?;
            Ok::<_, SimError>(LanePorts { tx, rx })
        };
        let handles = PortHandles {
            clear: get("clear")?,
            bus: all(BUS, get)?,
            flits_in: all(["flits_in.valid", "flits_in.data", "flits_in.ready"], get)?,
            flits_out: all(["flits_out.valid", "flits_out.data"], get)?,
            state: get("state")?,
            restart: get("restart")?,
            masks: all(["tx_lanes", "rx_lanes"], get)?,
            orders: all(["invert", "slip"], get)?,
            told: all(["signal_ok", "lane_lock", "elastic_error"], get)?,
            lanes: (0..lanes).map(lane).collect::<Result<_, _>>()?,
        };
        let clock = program.all_clocks();
        Ok(Self { shape, program, handles: Arc::new(handles), clock })
    }
}

fn outputs_of(lanes: usize) -> Vec<String> {
    let fixed = [
        "rdata",
        "ack",
        "flits_in.ready",
        "flits_out.valid",
        "flits_out.data",
        "state",
        "restart",
        "tx_lanes",
        "rx_lanes",
        "invert",
        "slip",
    ];
    let per_lane = (0..lanes).flat_map(|lane| ["valid", "data"].map(|part| format!("tx[{lane}].{part}")));
    fixed.map(String::from).into_iter().chain(per_lane).collect()
}

/// One result per name.
pub(crate) fn all<const N: usize, T: Copy>(
    names: [&str; N],
    mut get: impl FnMut(&str) -> Result<T, SimError>,
) -> Result<[T; N], SimError> {
    let mut found = vec![];
    for name in names {
        found.push(get(name)?);
    }
    found.try_into().map_err(|_| crate::program::refused("names", &"as many results as names were expected"))
}

/// What the register bus is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Byte offset in the page.
    pub offset: u32,
    /// Value to write; `None` reads.
    pub write: Option<u64>,
}

impl Request {
    /// Sets this bit of CTRL and CTRL.enable.
    pub fn control(bit: usize) -> Self {
        Self { offset: CTRL, write: Some(1 << bit | 1 << ctrl::enable::LOW) }
    }

    /// CTRL.disable.
    pub fn disable() -> Self {
        Self { offset: CTRL, write: Some(1 << ctrl::disable::LOW) }
    }

    /// Reads a register.
    pub fn read(offset: u32) -> Self {
        Self { offset, write: None }
    }

    /// Writes a register.
    pub fn write(offset: u32, value: u64) -> Self {
        Self { offset, write: Some(value) }
    }
}

/// The master on the register bus: requests one behind the other.
#[derive(Clone, Debug, Default)]
pub struct Bus {
    waiting: VecDeque<Request>,
    /// Clocks since the request that is out.
    out: Option<u32>,
    /// What was read last, in order.
    pub answers: VecDeque<u64>,
}

impl Bus {
    /// Asks.
    pub fn ask(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Nothing is asked for or on its way.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Sets the bus for this clock.
    #[inline]
    pub fn drive(&mut self, port: &mut Instance, handles: &PortHandles) {
        if self.waiting.is_empty() {
            return;
        }
        let [addr, wdata, we, re, ..] = handles.bus;
        let begins = self.out.is_none();
        let Some(request) = self.waiting.front() else { return };
        if begins {
            port.set(addr, u64::from(request.offset) / BYTES as u64);
            port.set(wdata, request.write.unwrap_or(0));
        }
        port.set(we, u64::from(begins && request.write.is_some()));
        port.set(re, u64::from(begins && request.write.is_none()));
        self.out = Some(self.out.map_or(0, |clocks| clocks + 1));
    }

    /// Looks at the bus of this clock. False if it does not answer.
    #[inline]
    pub fn look(&mut self, port: &mut Instance, handles: &PortHandles) -> bool {
        let Some(clocks) = self.out else { return true };
        let [_, _, we, re, rdata, ack] = handles.bus;
        if port.get(ack) == 1 {
            if self.waiting.pop_front().is_some_and(|request| request.write.is_none()) {
                self.answers.push_back(port.get(rdata));
            }
            self.out = None;
            port.set(we, 0);
            port.set(re, 0);
        }
        clocks < ACK_CLOCKS
    }
}

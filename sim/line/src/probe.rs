//! What a waveform shows of one end: names, widths, and the values of one core clock.

use crate::cable::{Cable, LaneFault};
use crate::packets::PacketPorts;
use crate::port::{LinkPorts, PortHandles, PortProgram};
use flitforge_elaborate::graph::Shape;
use flitforge_protocol::link::LinkState;
use flitforge_sim::compiled::{Handle, Instance};

/// A signal of a waveform: path, width, shape.
pub type Shown = (String, u32, Shape);

/// Bits of a state and of a fault in a waveform.
const STATE_BITS: u32 = 3;
const FAULT_BITS: u32 = 2;

const STREAM: [&str; 3] = ["valid", "data", "ready"];

/// Reads the ports of an end just before its core clock's edge.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    names: Vec<String>,
    handles: Vec<Handle>,
    /// Ports that are states of a link.
    states: Vec<bool>,
    /// The values, port after port.
    pub values: Vec<Vec<u64>>,
}

impl Probe {
    /// All that is shown of a port.
    pub fn new(port: &PortProgram) -> Self {
        let mut probe = Self::default();
        let handles = &port.handles;
        probe.add("clear", handles.clear);
        probe.add("elastic_error", handles.elastic_error);
        for (link, ports) in handles.links.iter().enumerate() {
            probe.add_link(link, ports);
        }
        probe.add_beats(handles);
        for (lane, ports) in handles.lanes.iter().enumerate() {
            probe.add_all(&format!("lane{lane}.tx"), &STREAM, &ports.tx);
            probe.add_all(&format!("lane{lane}.rx"), &STREAM, &ports.rx);
        }
        probe.values = probe.handles.iter().map(|_| vec![]).collect();
        probe
    }

    fn add(&mut self, name: &str, handle: Handle) {
        self.names.push(name.into());
        self.handles.push(handle);
        self.states.push(false);
    }

    fn add_all(&mut self, scope: &str, names: &[&str], handles: &[Handle]) {
        for (name, handle) in names.iter().zip(handles) {
            self.add(&format!("{scope}.{name}"), *handle);
        }
    }

    fn add_link(&mut self, link: usize, ports: &LinkPorts) {
        let scope = format!("link{link}");
        self.add(&format!("{scope}.state"), ports.state);
        self.states.pop();
        self.states.push(true);
        self.add_all(&scope, &["tx_lanes", "rx_lanes"], &ports.masks);
        self.add_all(&scope, &["invert", "slip"], &ports.orders);
        self.add_all(&scope, &["signal_ok", "lane_lock"], &ports.told);
    }

    fn add_beats(&mut self, handles: &PortHandles) {
        if let Some(flits) = &handles.flits_in {
            self.add_all("flits_in", &STREAM, flits);
        }
        if let Some(flits) = &handles.flits_out {
            self.add_all("flits_out", &STREAM, flits);
        }
        if let Some(up) = handles.up {
            self.add("up", up);
        }
        for (vl, PacketPorts { inputs, outputs }) in handles.packets.iter().enumerate() {
            let names = ["header_in", "words_in", "header_out", "words_out", "end_out"];
            for (name, ports) in names.iter().zip(inputs.iter().chain(outputs)) {
                self.add_all(&format!("vl{vl}.{name}"), &STREAM, ports);
            }
        }
        if let Some(bus) = &handles.bus {
            self.add_all("bus", &["addr", "wdata", "we", "re", "rdata", "ack"], bus);
        }
    }

    /// The values of this clock.
    pub fn sample(&mut self, port: &mut Instance) {
        for (value, handle) in self.values.iter_mut().zip(&self.handles) {
            value.clear();
            value.extend_from_slice(port.words(*handle));
        }
    }

    /// Signals of an end and of its cables, in the order in which they are told: the port's, power, by link the cable, by lane its fault.
    pub fn shown(&self, end: usize, links: usize, lanes: usize) -> Vec<Shown> {
        let ports = self.names.iter().zip(&self.handles).zip(&self.states);
        let of_port = ports.map(|((name, handle), is_state)| {
            let shape = if *is_state { state_shape() } else { Shape::Bits };
            let width = if *is_state { STATE_BITS } else { handle.width() };
            (format!("end{end}.{name}"), width, shape)
        });
        let mut shown: Vec<Shown> = of_port.collect();
        shown.push((format!("end{end}.powered"), 1, Shape::Bits));
        for link in 0..links {
            shown.push((format!("end{end}.cable{link}.plugged"), 1, Shape::Bits));
            let lane = |lane| (format!("end{end}.cable{link}.fault{lane}"), FAULT_BITS, fault_shape());
            shown.extend((0..lanes).map(lane));
        }
        shown
    }
}

/// What [`Probe::shown`] names besides the ports.
pub fn around(powered: bool, cables: &[Cable]) -> impl Iterator<Item = u64> + '_ {
    let of_cable = |cable: &'_ Cable| {
        let faults: Vec<u64> = cable.lanes.iter().map(|lane| lane.fault as u64).collect();
        std::iter::once(u64::from(cable.plugged)).chain(faults)
    };
    std::iter::once(u64::from(powered)).chain(cables.iter().flat_map(of_cable))
}

fn state_shape() -> Shape {
    let name =
        |code| LinkState::from_code(code).map_or_else(|| code.to_string(), |state| state.name().to_string());
    Shape::Enum("LinkState".into(), (0..1 << STATE_BITS).map(name).collect())
}

fn fault_shape() -> Shape {
    let faults = [LaneFault::Whole, LaneFault::Quiet, LaneFault::Level, LaneFault::Junk];
    Shape::Enum("LaneFault".into(), faults.iter().map(|fault| format!("{fault:?}")).collect())
}

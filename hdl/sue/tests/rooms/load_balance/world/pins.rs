//! The pins of the load balance.

use super::{port_of, SOURCES};
use flitforge_hdl_sue::load_balance::PORTS;
use flitforge_sim::{Bench, PortHandle, SimError};

/// The pins.
pub struct Pins {
    pub clear: PortHandle,
    pub unordered: PortHandle,
    pub settling: PortHandle,
    pub held: PortHandle,
    pub draining: PortHandle,
    pub led_moved: PortHandle,
    pub leads: PortHandle,
    pub led_head: PortHandle,
    pub led_commands: PortHandle,
    pub home_peer: PortHandle,
    pub home_shown: PortHandle,
    pub up: PortHandle,
    pub ready: Vec<PortHandle>,
    pub asked: PortHandle,
    pub credits: Vec<PortHandle>,
    /// valid, data
    pub sent: Vec<[PortHandle; 2]>,
    pub empty: PortHandle,
    /// valid, ready, data
    pub changes: [PortHandle; 3],
    pub body: [[PortHandle; 3]; 2],
    pub bodies: Vec<[PortHandle; 3]>,
    pub head: [PortHandle; 2],
    pub commands: [PortHandle; 2],
    /// valid, data
    pub refused: [PortHandle; 2],
    pub spoiled: [PortHandle; 2],
    pub vc_ready: PortHandle,
    pub load: Vec<PortHandle>,
    pub blocked: Vec<PortHandle>,
}

impl Pins {
    pub fn new(bench: &dyn Bench) -> Result<Self, SimError> {
        let port = |path: &str| bench.port(path);
        let stream = |name: String| -> Result<[PortHandle; 3], SimError> {
            Ok([
                port(&format!("{name}.valid"))?,
                port(&format!("{name}.ready"))?,
                port(&format!("{name}.data"))?,
            ])
        };
        let flow = |name: String| -> Result<[PortHandle; 2], SimError> {
            Ok([port(&format!("{name}.valid"))?, port(&format!("{name}.data"))?])
        };
        let each = |name: &str| {
            (0..PORTS).map(|index| port(&port_of(index, name, ""))).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            clear: port("clear")?,
            unordered: port("unordered")?,
            settling: port("settling")?,
            held: port("held")?,
            draining: port("draining")?,
            led_moved: port("led_moved")?,
            leads: port("leads")?,
            led_head: port("led_head")?,
            led_commands: port("led_commands")?,
            home_peer: port("home_peer")?,
            home_shown: port("home_shown")?,
            up: port("up")?,
            ready: each("ready")?,
            asked: port("asked_vc")?,
            credits: each("credits")?,
            empty: port("empty")?,
            sent: (0..PORTS).map(|index| flow(port_of(index, "sent", ""))).collect::<Result<_, _>>()?,
            changes: stream("changes".into())?,
            body: [stream(SOURCES[0].into())?, stream(SOURCES[1].into())?],
            bodies: (0..PORTS).map(|index| stream(port_of(index, "bodies", ""))).collect::<Result<_, _>>()?,
            head: [port("head")?, port("moved_head")?],
            commands: [port("commands")?, port("moved_commands")?],
            refused: flow("refused".into())?,
            spoiled: flow("spoiled".into())?,
            vc_ready: port("vc_ready")?,
            load: each("load")?,
            blocked: each("blocked")?,
        })
    }
}

//! The pair of a board, the node `sue_pair`: two instances back to back with test traffic and wrong bits on their line.
//!
//! | device | is |
//! |---|---|
//! | 0, 1 | instance of XPU 0, of XPU 1 |
//! | 2, 3 | their traffic |

use super::{encode, Config, ConfigError, Sue, SueError};
use flitforge_protocol::register::{AccessError, DeviceId, RegisterAccess, RegisterValue};
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::MAX_DATA_BYTES;
use flitforge_protocol::sue_port_registers::{FlowControl, PortCounter};
use flitforge_protocol::sue_registers::SueCounter;
use flitforge_protocol::sue_traffic_registers::{self as page, CHANCE_BITS};
use std::fmt;
use thiserror::Error;

/// Ends.
pub const ENDS: usize = 2;
/// Device of an end's traffic.
const TRAFFIC: DeviceId = ENDS as DeviceId;
/// What a table shows of an instance and of its port.
const COUNTED: [SueCounter; 3] = [SueCounter::BodyTx, SueCounter::Replay, SueCounter::Gap];
const COUNTED_BY_PORT: [PortCounter; 3] = [PortCounter::RetryReplay, PortCounter::Fcs, PortCounter::Code];
/// Microseconds that ports have to come up.
const UP_US: u64 = 100_000;
/// Microseconds between two looks.
const LOOK_US: u64 = 1_000;

/// Why a pair does not run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PairError {
    /// An instance cannot be used.
    #[error(transparent)]
    Sue(#[from] SueError),
    /// Other hardware than test traffic of this version.
    #[error("device {device}: ID is {found:#x}, no test traffic with version {} of its page; is another design loaded?", page::PAGE_VERSION)]
    Hardware {
        /// Device.
        device: DeviceId,
        /// Its ID.
        found: u64,
    },
    /// A number out of range.
    #[error("{name} of {value}: {least} to {most} can be")]
    Range {
        /// What.
        name: &'static str,
        /// The value.
        value: u64,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// A port does not come up, or does not reach its peer.
    #[error("port of device {device}: not connected after {} ms; is link-layer retry on at both ends?", UP_US / 1_000)]
    Down {
        /// Device.
        device: DeviceId,
    },
}

impl From<AccessError> for PairError {
    fn from(error: AccessError) -> Self {
        Self::Sue(error.into())
    }
}

/// How a pair is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Link-layer retry.
    pub retry: bool,
    /// Priority flow control.
    pub pause: bool,
    /// Columns of 2^24 with a wrong bit, in each direction.
    pub chance: u64,
    /// Most data octets of a command.
    pub most: u64,
    /// All commands have that many.
    pub fixed: bool,
    /// Commands that each end sends; 0: without end.
    pub commands: u64,
    /// RTO, clocks.
    pub timeout: u64,
}

impl Settings {
    /// Refuses numbers that the hardware cannot take.
    pub fn check(&self) -> Result<(), PairError> {
        let range = |name, value, most| match value <= most {
            true => Ok(()),
            false => Err(PairError::Range { name, value, least: 0, most }),
        };
        range("chance", self.chance, (1 << CHANCE_BITS) - 1)?;
        range("most", self.most, MAX_DATA_BYTES as u64)?;
        range("commands", self.commands, u32::MAX.into())
    }

    fn config(&self, end: usize) -> Config {
        Config {
            xpu: end as u16,
            timeout: self.timeout,
            retry: self.retry,
            flow_control: if self.pause { FlowControl::Pause } else { FlowControl::None },
            ..Config::default()
        }
    }
}

/// The pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    ends: [Sue; ENDS],
}

impl Pair {
    /// Looks whether all four devices are what they should be.
    pub fn open(access: &mut impl RegisterAccess) -> Result<Self, PairError> {
        let ends = [Sue::open(access, 0)?, Sue::open(access, 1)?];
        for device in [TRAFFIC, TRAFFIC + 1] {
            let found = access.read(device, page::ID)?;
            let id = page::id::Value::decode(found);
            if (id.magic, id.version) != (page::PAGE_ID, page::PAGE_VERSION) {
                return Err(PairError::Hardware { device, found });
            }
        }
        Ok(Self { ends })
    }

    /// Sets up both ends, waits until they reach one another, and starts the traffic; what its table counts begins at 0. Nothing is written if a number is out of range.
    pub fn start(&self, access: &mut impl RegisterAccess, settings: &Settings) -> Result<(), PairError> {
        settings.check()?;
        for (end, sue) in self.ends.iter().enumerate() {
            let plan = settings.config(end).plan(sue);
            plan.map_err(|problem: ConfigError| SueError::Config { device: end as DeviceId, problem })?;
        }
        for end in 0..ENDS {
            self.run(access, end, settings, false)?;
        }
        for (end, sue) in self.ends.iter().enumerate() {
            sue.configure(access, &settings.config(end))?;
            sue.reach(access, 1 - end as u16, 1)?;
        }
        for end in 0..ENDS {
            self.await_port(access, end)?;
        }
        for sue in &self.ends {
            for counter in COUNTED {
                sue.clear_counter(access, counter)?;
            }
            for counter in COUNTED_BY_PORT {
                sue.clear_port_counter(access, 0, counter)?;
            }
        }
        (0..ENDS).try_for_each(|end| self.run(access, end, settings, true))
    }

    fn await_port(&self, access: &mut impl RegisterAccess, end: usize) -> Result<(), PairError> {
        for _ in 0..UP_US / LOOK_US {
            if self.ends[end].is_up(access, 0)? && self.ends[end].reached(access, 1 - end as u16)? == 1 {
                return Ok(());
            }
            access.wait_us(LOOK_US);
        }
        Err(PairError::Down { device: end as DeviceId })
    }

    fn run(
        &self,
        access: &mut impl RegisterAccess,
        end: usize,
        settings: &Settings,
        run: bool,
    ) -> Result<(), PairError> {
        let device = TRAFFIC + end as DeviceId;
        access.write(device, page::LIMIT, settings.commands)?;
        access.write(device, page::LOSS, settings.chance)?;
        let traffic = page::traffic::Value {
            run: run.into(),
            fixed: settings.fixed.into(),
            most: settings.most,
            peer: 1 - end as u64,
            channels: (1 << VCS) - 1,
            stall: 0,
        };
        access.write(device, page::TRAFFIC, encode(&traffic))?;
        Ok(())
    }

    /// Stops the traffic; what is on its way goes on.
    pub fn stop(&self, access: &mut impl RegisterAccess) -> Result<(), PairError> {
        for end in 0..ENDS {
            let device = TRAFFIC + end as DeviceId;
            let traffic = page::traffic::Value::decode(access.read(device, page::TRAFFIC)?);
            access.write(device, page::TRAFFIC, encode(&page::traffic::Value { run: 0, ..traffic }))?;
            access.write(device, page::LOSS, 0)?;
        }
        Ok(())
    }

    /// What both ends have counted.
    pub fn table(&self, access: &mut impl RegisterAccess) -> Result<Table, PairError> {
        Ok(Table { rows: [self.row(access, 0)?, self.row(access, 1)?] })
    }

    fn row(&self, access: &mut impl RegisterAccess, end: usize) -> Result<Row, PairError> {
        let (sue, device) = (&self.ends[end], TRAFFIC + end as DeviceId);
        let up = sue.is_up(access, 0)?;
        let mut of_traffic = |offset| access.read(device, offset);
        let [sent, received, wrong, damaged, delivered, failed] = [
            of_traffic(page::SENT)?,
            of_traffic(page::RECEIVED)?,
            of_traffic(page::WRONG)?,
            of_traffic(page::DAMAGED)?,
            of_traffic(page::DELIVERED)?,
            of_traffic(page::FAILED)?,
        ];
        let [bodies, replays, gaps] = of_each(COUNTED, |counter| sue.counter(access, counter))?;
        let [link_replays, fcs, code] =
            of_each(COUNTED_BY_PORT, |counter| sue.port_counter(access, 0, counter))?;
        Ok(Row {
            up,
            sent,
            received,
            wrong,
            damaged,
            delivered,
            failed,
            bodies,
            replays,
            gaps,
            link_replays,
            frames_bad: fcs + code,
        })
    }
}

fn of_each<C: Copy, const N: usize>(
    counters: [C; N],
    mut read: impl FnMut(C) -> Result<u64, SueError>,
) -> Result<[u64; N], SueError> {
    let mut values = [0; N];
    for (value, counter) in values.iter_mut().zip(counters) {
        *value = read(counter)?;
    }
    Ok(values)
}

/// What an end has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its port is up.
    pub up: bool,
    /// Commands given to the instance.
    pub sent: u64,
    /// Commands that came right.
    pub received: u64,
    /// Commands that came wrong.
    pub wrong: u64,
    /// Columns to this end with a wrong bit.
    pub damaged: u64,
    /// Bodies delivered.
    pub delivered: u64,
    /// Bodies that failed.
    pub failed: u64,
    /// Bodies sent for the first time.
    pub bodies: u64,
    /// Bodies sent again.
    pub replays: u64,
    /// PDUs after a gap.
    pub gaps: u64,
    /// Replays of link-layer retry.
    pub link_replays: u64,
    /// Frames with a wrong FCS or code.
    pub frames_bad: u64,
}

/// Both ends; shown as text with a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// XPU 0 and XPU 1.
    pub rows: [Row; ENDS],
}

impl Table {
    /// Every command that was sent has come, and every body was acknowledged.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let [first, second] = &self.rows;
        let all_came = first.sent == second.received && second.sent == first.received;
        all_came && self.rows.iter().all(|row| row.bodies == row.delivered + row.failed)
    }

    /// Nothing came wrong, and no body failed.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.rows.iter().all(|row| row.wrong == 0 && row.failed == 0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "XPU port       sent   received wrong     bodies replays    gaps link replays bad frames damaged columns")?;
        for (xpu, row) in self.rows.iter().enumerate() {
            let port = if row.up { "up" } else { "down" };
            writeln!(
                f,
                "{xpu:>3} {port:<4} {:>10} {:>10} {:>5} {:>10} {:>7} {:>7} {:>12} {:>10} {:>15}",
                row.sent,
                row.received,
                row.wrong,
                row.bodies,
                row.replays,
                row.gaps,
                row.link_replays,
                row.frames_bad,
                row.damaged
            )?;
        }
        Ok(())
    }
}

//! What an instance is set to, checked before it is written.

use super::{encode, Sue};
use flitforge_protocol::field_range::FieldRange;
use flitforge_protocol::register::{Page, RegisterValue, Reset};
use flitforge_protocol::sue::crc::{fcs, CRC_BYTES};
use flitforge_protocol::sue::header::HeaderShape;
use flitforge_protocol::sue::link_control::CELL_BYTES_MIN;
use flitforge_protocol::sue::network::HeaderFormat;
use flitforge_protocol::sue::reliability;
use flitforge_protocol::sue_port_registers::{self as port, FlowControl};
use flitforge_protocol::sue_registers::{self as page, port_page};
use thiserror::Error;

/// Settings of an instance and of its port 0. Everything else is as after power-on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Own XPU.
    pub xpu: u16,
    /// Network header.
    pub format: HeaderFormat,
    /// WIN, PDUs.
    pub window: u64,
    /// RTO, clocks.
    pub timeout: u64,
    /// RETRY_MAX, expiries of RTO without a sign of life.
    pub retries: u64,
    /// ACK_TIMER, clocks.
    pub acknowledgment_timer: u64,
    /// Partitions that are allowed, up to 1,023.
    pub partitions: Vec<u16>,
    /// Link-layer retry.
    pub retry: bool,
    /// Flow control of the port.
    pub flow_control: FlowControl,
    /// XOFF and XON of all classes, 64 octets.
    pub thresholds: (u64, u64),
    /// With CBFC: LIMIT of the classes of data, in cells of 256 octets; no more than a virtual channel has room for at the peer.
    pub limit: u64,
}

impl Default for Config {
    /// The reset values of the chapter; XPU 0, partition 1.
    fn default() -> Self {
        Self {
            xpu: 0,
            format: HeaderFormat::AfhGen2,
            window: 16,
            timeout: 3200,
            retries: page::RETRY_MAX,
            acknowledgment_timer: 128,
            partitions: vec![1],
            retry: false,
            flow_control: FlowControl::None,
            thresholds: port::PAUSE_THRESHOLDS,
            limit: port::LIMIT,
        }
    }
}

/// A configuration that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A field out of range.
    #[error("{register}.{field} of {value}: {least} to {most} can be")]
    Range {
        /// Register.
        register: &'static str,
        /// Field.
        field: &'static str,
        /// The value.
        value: u64,
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// An XPU that the instance has no connection for.
    #[error("XPU {xpu}: this instance was built for XPUs 0 to {most}")]
    Xpu {
        /// The XPU.
        xpu: u16,
        /// Largest one.
        most: u64,
    },
    /// A partition that the table has not.
    #[error("partition {partition}: 0 to 1023 can be")]
    Partition {
        /// The partition.
        partition: u16,
    },
    /// XON above XOFF.
    #[error("XON of {xon} above XOFF of {xoff}: pauses would never end")]
    Thresholds {
        /// XOFF.
        xoff: u64,
        /// XON.
        xon: u64,
    },
    /// CBFC with a LIMIT below the largest frame.
    #[error(
        "CBFC with a LIMIT of {limit} cells: a largest frame takes {least}, so nothing would ever be sent"
    )]
    Credits {
        /// LIMIT, cells.
        limit: u64,
        /// Cells of a largest frame.
        least: u64,
    },
}

/// What is written, in this order.
pub(super) struct Plan {
    pub writes: Vec<(u32, u64)>,
    pub control: page::ctrl::Value,
    pub port_control: port::p_ctrl::Value,
}

/// What a register of a page holds after power-on, as far as the page knows it.
fn reset(of: &Page, offset: u32) -> u64 {
    match of.register_at(offset).map(|(register, _)| register.reset) {
        Some(Reset::Value(value)) => value,
        _ => 0,
    }
}

/// Refuses fields out of range.
fn check(of: &Page, ranges: &[FieldRange], offset: u32, word: u64) -> Result<(), ConfigError> {
    let Some((register, _)) = of.register_at(offset) else { return Ok(()) };
    for range in ranges.iter().filter(|range| range.offset == offset) {
        let Some(field) = register.layout.fields.iter().find(|field| field.name == range.field) else {
            continue;
        };
        let value = field.get(word.into());
        if !(range.least..=range.most).contains(&value) {
            let most = range.most.min(field.ones());
            return Err(ConfigError::Range {
                register: register.name,
                field: range.field,
                value,
                least: range.least,
                most,
            });
        }
    }
    Ok(())
}

/// A field's value, or the refusal of one that does not fit.
fn fits(register: &'static str, field: &'static str, value: u64, bits: u32) -> Result<u64, ConfigError> {
    let most = (1 << bits) - 1;
    (value <= most).then_some(value).ok_or(ConfigError::Range { register, field, value, least: 0, most })
}

impl Config {
    /// What is to be written for it, or why it cannot work.
    pub(super) fn plan(&self, sue: &Sue) -> Result<Plan, ConfigError> {
        self.check_numbers(sue)?;
        let local = page::local::Value {
            xpu: self.xpu.into(),
            ..RegisterValue::decode(reset(&page::PAGE, page::LOCAL))
        };
        let rel0 = page::rel0::Value {
            window: fits("REL0", "window", self.window, 15)?,
            acknowledgment_timer: fits("REL0", "acknowledgment_timer", self.acknowledgment_timer, 16)?,
            ..RegisterValue::decode(reset(&page::PAGE, page::REL0))
        };
        let rel1 = page::rel1::Value {
            timeout: fits("REL1", "timeout", self.timeout, 24)?,
            retry_max: fits("REL1", "retry_max", self.retries, 4)?,
            ..RegisterValue::decode(reset(&page::PAGE, page::REL1))
        };
        let formats = RegisterValue::decode(sue.sizes().format_default());
        let format = page::fmt::Value { format: self.format as u64, ..formats };
        let (xoff, xon) = self.thresholds;
        let four = |(xoff, xon): (u64, u64)| (xoff | xon << 8) * 0x0001_0001_0001_0001;
        fits("P_PFC0", "xoff_0", xoff, 8)?;
        let pause = (port_page(0) + port::P_PFC0, four((xoff, xon)));
        let four_limits = self.limit * 0x0001_0001_0001_0001;
        let more = port::p_control::Value {
            largest: self.largest(sue),
            ..RegisterValue::decode(reset(&port::PAGE, port::P_CONTROL))
        };
        // A link that was flushed comes up again by itself.
        let limits = port::p_llr_limits::Value {
            automatic: 1,
            ..RegisterValue::decode(reset(&port::PAGE, port::P_LLR_LIMITS))
        };
        let writes = vec![
            (page::LOCAL, encode(&local)),
            (page::REL0, encode(&rel0)),
            (page::REL1, encode(&rel1)),
            (page::FMT, encode(&format)),
            pause,
            (port_page(0) + port::P_LLR_LIMITS, encode(&limits)),
            (port_page(0) + port::P_LIM0, four_limits),
            (port_page(0) + port::P_CONTROL, encode(&more)),
        ];
        let ranges = sue.sizes().ranges();
        writes.iter().try_for_each(|(offset, word)| check(&page::PAGE, &ranges, *offset, *word))?;
        let port_control = port::p_ctrl::Value {
            enable: 1,
            retry: self.retry.into(),
            flow_control: self.flow_control as u64,
            control_twice: self.retry.into(),
            ..RegisterValue::decode(reset(&port::PAGE, port::P_CTRL))
        };
        check(&port::PAGE, &port::ranges(), port::P_CTRL, encode(&port_control))?;
        let control = RegisterValue::decode(reset(&page::PAGE, page::CTRL));
        Ok(Plan { writes, control, port_control })
    }

    fn check_numbers(&self, sue: &Sue) -> Result<(), ConfigError> {
        let most = sue.peers() - 1;
        if u64::from(self.xpu) > most {
            return Err(ConfigError::Xpu { xpu: self.xpu, most });
        }
        if let Some(partition) = self.partitions.iter().find(|partition| **partition > 1023) {
            return Err(ConfigError::Partition { partition: *partition });
        }
        let (xoff, xon) = self.thresholds;
        if xon > xoff {
            return Err(ConfigError::Thresholds { xoff, xon });
        }
        fits("P_LIM0", "limit_0", self.limit, 14)?;
        // CELL and PKT_OVHD stay as after power-on.
        let cost = port::p_cell::Value::decode(reset(&port::PAGE, port::P_CELL));
        let octets = self.largest(sue) + (fcs::WIDTH / 8) as u64 + cost.overhead;
        let least = octets.div_ceil((CELL_BYTES_MIN as u64) << cost.cell);
        match self.flow_control {
            FlowControl::Credits if self.limit < least => {
                Err(ConfigError::Credits { limit: self.limit, least })
            }
            _ => Ok(()),
        }
    }

    /// Octets of the largest frame without FCS: a body as large as a slot, R-CRC and headers.
    fn largest(&self, sue: &Sue) -> u64 {
        let plain = HeaderShape::plain(self.format);
        let network = HeaderShape { tagged: plain.is_taggable(), ..plain }.bytes();
        sue.sizes().slot_bytes + (network + reliability::header::WIDTH / 8 + CRC_BYTES) as u64
    }
}

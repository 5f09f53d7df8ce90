//! A port set to what two ends have agreed on by LLDP (chapter 50, 0, "negotiation").

use super::{encode, PortNumber, Sue, SueError};
use flitforge_model::sue::lldp::Agreement;
use flitforge_protocol::register::{RegisterAccess, RegisterValue};
use flitforge_protocol::sue_port_registers::{self as port, FlowControl, LIMIT_MAX};
use flitforge_protocol::sue_registers::port_page;
use thiserror::Error;

/// An agreement that a port cannot keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A port that is not there.
    #[error("port {port}: this instance has {count}")]
    Port {
        /// The port.
        port: PortNumber,
        /// Ports of the instance.
        count: u64,
    },
    /// CBFC without credits, or with more than there can be.
    #[error("CBFC with a LIMIT of {limit}: 1 to {LIMIT_MAX} can be")]
    Limit {
        /// LIMIT.
        limit: u16,
    },
}

impl Sue {
    /// Writes what [`decide`](flitforge_model::sue::lldp::decide) came to: LLR and flow control of P_CTRL, and LIMIT of all classes with
    /// CBFC. The port is turned off for it; frames on their way are lost, and go-back-N sends them again. All else stays.
    /// If the port has had CBFC, turn the instance off before: credits of what is in its receive buffer would be lost.
    pub fn agree(
        &self,
        access: &mut impl RegisterAccess,
        number: PortNumber,
        agreed: &Agreement,
    ) -> Result<(), SueError> {
        let fail = |problem| Err(SueError::Link { device: self.device, problem });
        let (count, limit, is_credits) =
            (self.sizes.ports, agreed.limit, agreed.flow == FlowControl::Credits);
        if u64::from(number) >= count {
            return fail(LinkError::Port { port: number, count });
        }
        if is_credits && !(1..=LIMIT_MAX).contains(&limit.into()) {
            return fail(LinkError::Limit { limit });
        }
        self.guarded(access, "P_CTRL", |sue, access| {
            let base = port_page(number);
            let before = port::p_ctrl::Value::decode(access.read(sue.device, base + port::P_CTRL)?);
            let off = port::p_ctrl::Value { enable: 0, ..before };
            access.write(sue.device, base + port::P_CTRL, encode(&off))?;
            if is_credits {
                let all = u64::from(limit) * 0x0001_0001_0001_0001;
                access.write(sue.device, base + port::P_LIM0, all)?;
                access.write(sue.device, base + port::P_LIM1, all & 0xFFFF_FFFF)?;
            }
            let (retry, flow_control) = (agreed.retry.into(), agreed.flow as u64);
            let on = port::p_ctrl::Value { retry, flow_control, enable: 1, retry_restart: 0, ..before };
            Ok(access.write(sue.device, base + port::P_CTRL, encode(&on))?)
        })
    }
}

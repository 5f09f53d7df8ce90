//! Time flits by meaning (chapter 20, 3.1).

use crate::flit::{Flit, FlitError};
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype};
use flitforge_protocol::time::{delay_req, delay_resp, master_time_high, master_time_low};
use flitforge_protocol::{Field, Layout};

use super::TimeValue;

/// MasterTimeLow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeLow {
    /// Time\[39:0\] and 1/16 ns.
    pub value: TimeValue,
    /// Clock tree, 0 to 3.
    pub tree: u8,
    /// Era, 0 to 3.
    pub era: u8,
}

/// MasterTimeHigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeHigh {
    /// Time\[63:32\].
    pub time: u32,
    /// The manager's index of the master.
    pub index: u8,
    /// Clock tree, 0 to 3.
    pub tree: u8,
    /// Era, 0 to 3.
    pub era: u8,
    /// Quality code, 0 to 15; codes without a name are carried too.
    pub quality: u8,
}

/// A time flit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimeFlit {
    /// MasterTimeLow.
    Low(TimeLow),
    /// MasterTimeHigh.
    High(TimeHigh),
    /// DelayReq.
    DelayReq {
        /// Names the round.
        tag: u8,
    },
    /// DelayResp.
    DelayResp {
        /// Turn-around, 1/256 ns.
        turnaround: u32,
        /// Tag of the request.
        tag: u8,
        /// The responder's lag meters were valid.
        phase_valid: bool,
        /// The responder's SyncTime is locked.
        locked: bool,
    },
}

/// Writes fields into a word and refuses values that do not fit.
pub(super) fn pack(layout: &'static Layout, fields: &[(Field, u64)]) -> Result<u128, FlitError> {
    fields.iter().try_fold(0, |word, &(field, value)| {
        if value > field.ones() {
            let (layout, name, largest) = (layout.name, field.name, field.ones());
            return Err(FlitError::Field { layout, field: name, value, largest });
        }
        Ok(field.set(word, value))
    })
}

impl TimeFlit {
    /// The flit's subtype.
    #[must_use]
    pub const fn subtype(&self) -> SpcSubtype {
        match self {
            TimeFlit::Low(_) => SpcSubtype::MasterTimeLow,
            TimeFlit::High(_) => SpcSubtype::MasterTimeHigh,
            TimeFlit::DelayReq { .. } => SpcSubtype::DelayReq,
            TimeFlit::DelayResp { .. } => SpcSubtype::DelayResp,
        }
    }

    /// The 65-bit flit; a field value that does not fit is refused.
    pub fn encode(&self) -> Result<Flit, FlitError> {
        let data = match *self {
            TimeFlit::Low(TimeLow { value, tree, era }) => {
                use master_time_low as low;
                let fields = [
                    (low::time::FIELD, value.nanoseconds()),
                    (low::tree::FIELD, tree.into()),
                    (low::era::FIELD, era.into()),
                    (low::frac::FIELD, value.frac().into()),
                ];
                pack(&low::LAYOUT, &fields)?
            }
            TimeFlit::High(TimeHigh { time, index, tree, era, quality }) => {
                use master_time_high as high;
                let fields = [
                    (high::time::FIELD, time.into()),
                    (high::index::FIELD, index.into()),
                    (high::tree::FIELD, tree.into()),
                    (high::era::FIELD, era.into()),
                    (high::quality::FIELD, quality.into()),
                ];
                pack(&high::LAYOUT, &fields)?
            }
            TimeFlit::DelayReq { tag } => pack(&delay_req::LAYOUT, &[(delay_req::tag::FIELD, tag.into())])?,
            TimeFlit::DelayResp { turnaround, tag, phase_valid, locked } => {
                let fields = [
                    (delay_resp::turnaround::FIELD, turnaround.into()),
                    (delay_resp::tag::FIELD, tag.into()),
                    (delay_resp::phase_valid::FIELD, phase_valid.into()),
                    (delay_resp::locked::FIELD, locked.into()),
                ];
                pack(&delay_resp::LAYOUT, &fields)?
            }
        };
        let payload =
            spc::subtype::FIELD.set(spc::data::FIELD.set(0, data as u64), self.subtype().code().into());
        Ok(Flit::control(Opcode::Spc, payload as u64))
    }

    /// The time flit, or `None` if it is another flit. Reserved bits are ignored.
    #[must_use]
    pub fn decode(flit: Flit) -> Option<Self> {
        let (subtype, data) = special(flit)?;
        let get = |field: Field| field.get(data.into());
        Some(match SpcSubtype::from_code(subtype)? {
            SpcSubtype::MasterTimeLow => {
                use master_time_low as low;
                let value = TimeValue::new(get(low::time::FIELD), get(low::frac::FIELD) as u8);
                TimeFlit::Low(TimeLow {
                    value,
                    tree: get(low::tree::FIELD) as u8,
                    era: get(low::era::FIELD) as u8,
                })
            }
            SpcSubtype::MasterTimeHigh => {
                use master_time_high as high;
                TimeFlit::High(TimeHigh {
                    time: get(high::time::FIELD) as u32,
                    index: get(high::index::FIELD) as u8,
                    tree: get(high::tree::FIELD) as u8,
                    era: get(high::era::FIELD) as u8,
                    quality: get(high::quality::FIELD) as u8,
                })
            }
            SpcSubtype::DelayReq => TimeFlit::DelayReq { tag: get(delay_req::tag::FIELD) as u8 },
            SpcSubtype::DelayResp => TimeFlit::DelayResp {
                turnaround: get(delay_resp::turnaround::FIELD) as u32,
                tag: get(delay_resp::tag::FIELD) as u8,
                phase_valid: get(delay_resp::phase_valid::FIELD) == 1,
                locked: get(delay_resp::locked::FIELD) == 1,
            },
            SpcSubtype::NeighbourIdentity => return None,
        })
    }
}

/// Subtype and data of a special (SPC) flit, `None` for other flits.
#[must_use]
pub fn special(flit: Flit) -> Option<(u8, u64)> {
    (flit.opcode()? == Opcode::Spc).then(|| {
        let payload = control::payload::FIELD.get(flit.bits()).into();
        (spc::subtype::FIELD.get(payload) as u8, spc::data::FIELD.get(payload))
    })
}

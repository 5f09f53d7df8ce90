//! Control flits by meaning (chapter 10, 3.2).

use crate::flit::{Flit, FlitError};
use flitforge_protocol::flit::{
    body_bad, control, crdt_ret, credit_code_low, head_bad, retrain_retry_req, retry_mrkr, retry_req,
    rnd_trip_mrkr, spc, tail_bad, vl_mrkr, FlitKind, Opcode, RetrainKind, SpcSubtype, CREDIT_CODE_BITS,
    MAX_VLS,
};
use flitforge_protocol::time::{master_time_high, master_time_low};
use flitforge_protocol::{Field, Layout};

/// Which flit of a pair of Null LTPs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Half {
    /// The `.0`, sent first.
    First,
    /// The `.1`.
    Second,
}

impl Half {
    const fn pick(self, first: Opcode, second: Opcode) -> Opcode {
        match self {
            Half::First => first,
            Half::Second => second,
        }
    }

    const fn from_bit(bit: u64) -> Self {
        if bit == 0 {
            Half::First
        } else {
            Half::Second
        }
    }
}

/// A control flit with its fields named. Reasons and subtypes stay codes, since undefined ones are passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the fields are those of the protocol crate's layouts, documented there
pub enum Control {
    Idle,
    ForceIdle,
    VlMrkr { vl: u8 },
    CrdtRet { codes: [u8; MAX_VLS] },
    Spc { subtype: u8, data: u64 },
    HeadBad { dst: u16, src: u16, vl: u8, ptype: u8, reason: u8 },
    BodyBad { reason: u8 },
    TailBad { reason: u8, vl: u8 },
    RetryReq { half: Half, next_rx_ltp: u16 },
    RetryMrkr { half: Half, first_replayed: u16, next_write_ltp: u16 },
    RndTripMrkr { half: Half, token: u8, reply: bool },
    Retrain { kind: u8, half: Half, fresh: bool, next_rx_ltp: u16 },
}

/// Builds a payload field by field and refuses values that do not fit.
struct Payload {
    layout: &'static Layout,
    word: u128,
}

impl Payload {
    fn new(opcode: Opcode) -> Self {
        Payload { layout: opcode.payload(), word: 0 }
    }

    fn with(mut self, field: Field, value: u64) -> Result<Self, FlitError> {
        if value > field.ones() {
            let (layout, field, largest) = (self.layout.name, field.name, field.ones());
            return Err(FlitError::Field { layout, field, value, largest });
        }
        self.word = field.set(self.word, value);
        Ok(self)
    }
}

impl Control {
    /// The kind of an opcode 0x28 flit without other content.
    #[must_use]
    pub const fn retrain(kind: RetrainKind) -> Self {
        Control::Retrain { kind: kind.code(), half: Half::First, fresh: false, next_rx_ltp: 0 }
    }

    /// The pair of time flits of a 64-bit time: MasterTimeLow and MasterTimeHigh, chapter 20's bits zero.
    #[must_use]
    pub const fn master_time(time: u64) -> [Control; 2] {
        let low = time & master_time_low::time::FIELD.ones();
        let high = (time >> 32) & master_time_high::time::FIELD.ones();
        [
            Control::Spc { subtype: SpcSubtype::MasterTimeLow.code(), data: low },
            Control::Spc { subtype: SpcSubtype::MasterTimeHigh.code(), data: high },
        ]
    }

    /// The opcode this content is sent with.
    #[must_use]
    pub const fn opcode(&self) -> Opcode {
        match self {
            Control::Idle => Opcode::Idle,
            Control::ForceIdle => Opcode::ForceIdle,
            Control::VlMrkr { .. } => Opcode::VlMrkr,
            Control::CrdtRet { .. } => Opcode::CrdtRet,
            Control::Spc { .. } => Opcode::Spc,
            Control::HeadBad { .. } => Opcode::HeadBad,
            Control::BodyBad { .. } => Opcode::BodyBad,
            Control::TailBad { .. } => Opcode::TailBad,
            Control::RetryReq { half, .. } => half.pick(Opcode::RetryReq0, Opcode::RetryReq1),
            Control::RetryMrkr { half, .. } => half.pick(Opcode::RetryMrkr0, Opcode::RetryMrkr1),
            Control::RndTripMrkr { half, .. } => half.pick(Opcode::RndTripMrkr0, Opcode::RndTripMrkr1),
            Control::Retrain { .. } => Opcode::RetrainRetryReq,
        }
    }

    /// The flit. A value that does not fit its field is refused.
    pub fn encode(&self) -> Result<Flit, FlitError> {
        let opcode = self.opcode();
        let payload = Payload::new(opcode);
        let payload = match *self {
            Control::Idle | Control::ForceIdle => payload,
            Control::VlMrkr { vl } => payload.with(vl_mrkr::vl::FIELD, vl.into())?,
            Control::CrdtRet { codes } => payload.with(crdt_ret::codes::FIELD, pack_credit_codes(&codes)?)?,
            Control::Spc { subtype, data } => {
                payload.with(spc::data::FIELD, data)?.with(spc::subtype::FIELD, subtype.into())?
            }
            Control::HeadBad { dst, src, vl, ptype, reason } => payload
                .with(head_bad::dst::FIELD, dst.into())?
                .with(head_bad::src::FIELD, src.into())?
                .with(head_bad::vl::FIELD, vl.into())?
                .with(head_bad::ptype::FIELD, ptype.into())?
                .with(head_bad::reason::FIELD, reason.into())?,
            Control::BodyBad { reason } => payload.with(body_bad::reason::FIELD, reason.into())?,
            Control::TailBad { reason, vl } => {
                payload.with(tail_bad::reason::FIELD, reason.into())?.with(tail_bad::vl::FIELD, vl.into())?
            }
            Control::RetryReq { next_rx_ltp, .. } => {
                payload.with(retry_req::next_rx_ltp::FIELD, next_rx_ltp.into())?
            }
            Control::RetryMrkr { first_replayed, next_write_ltp, .. } => payload
                .with(retry_mrkr::first_replayed::FIELD, first_replayed.into())?
                .with(retry_mrkr::next_write_ltp::FIELD, next_write_ltp.into())?,
            Control::RndTripMrkr { token, reply, .. } => payload
                .with(rnd_trip_mrkr::token::FIELD, token.into())?
                .with(rnd_trip_mrkr::reply::FIELD, reply.into())?,
            Control::Retrain { kind, half, fresh, next_rx_ltp } => payload
                .with(retrain_retry_req::next_rx_ltp::FIELD, next_rx_ltp.into())?
                .with(retrain_retry_req::kind::FIELD, kind.into())?
                .with(retrain_retry_req::second::FIELD, u64::from(half == Half::Second))?
                .with(retrain_retry_req::fresh::FIELD, fresh.into())?,
        };
        Ok(Flit::control(opcode, payload.word as u64))
    }

    /// The meaning of a control flit. Reserved bits are ignored.
    pub fn decode(flit: Flit) -> Result<Self, FlitError> {
        flit.expect(FlitKind::Control)?;
        let code = flit.opcode_code().unwrap_or_default();
        let opcode = Opcode::from_code(code).ok_or(FlitError::Opcode { flit, opcode: code })?;
        let payload = u128::from(control::payload::FIELD.get(flit.bits()));
        let half = Half::from_bit(u64::from(code) & 1);
        Ok(match opcode {
            Opcode::Idle => Control::Idle,
            Opcode::ForceIdle => Control::ForceIdle,
            Opcode::VlMrkr => Control::VlMrkr { vl: vl_mrkr::vl::FIELD.get(payload) as u8 },
            Opcode::CrdtRet => {
                Control::CrdtRet { codes: unpack_credit_codes(crdt_ret::codes::FIELD.get(payload)) }
            }
            Opcode::Spc => Control::Spc {
                subtype: spc::subtype::FIELD.get(payload) as u8,
                data: spc::data::FIELD.get(payload),
            },
            Opcode::HeadBad => Control::HeadBad {
                dst: head_bad::dst::FIELD.get(payload) as u16,
                src: head_bad::src::FIELD.get(payload) as u16,
                vl: head_bad::vl::FIELD.get(payload) as u8,
                ptype: head_bad::ptype::FIELD.get(payload) as u8,
                reason: head_bad::reason::FIELD.get(payload) as u8,
            },
            Opcode::BodyBad => Control::BodyBad { reason: body_bad::reason::FIELD.get(payload) as u8 },
            Opcode::TailBad => Control::TailBad {
                reason: tail_bad::reason::FIELD.get(payload) as u8,
                vl: tail_bad::vl::FIELD.get(payload) as u8,
            },
            Opcode::RetryReq0 | Opcode::RetryReq1 => {
                Control::RetryReq { half, next_rx_ltp: retry_req::next_rx_ltp::FIELD.get(payload) as u16 }
            }
            Opcode::RetryMrkr0 | Opcode::RetryMrkr1 => Control::RetryMrkr {
                half,
                first_replayed: retry_mrkr::first_replayed::FIELD.get(payload) as u16,
                next_write_ltp: retry_mrkr::next_write_ltp::FIELD.get(payload) as u16,
            },
            Opcode::RndTripMrkr0 | Opcode::RndTripMrkr1 => Control::RndTripMrkr {
                half,
                token: rnd_trip_mrkr::token::FIELD.get(payload) as u8,
                reply: rnd_trip_mrkr::reply::FIELD.get(payload) == 1,
            },
            Opcode::RetrainRetryReq => Control::Retrain {
                kind: retrain_retry_req::kind::FIELD.get(payload) as u8,
                half: Half::from_bit(retrain_retry_req::second::FIELD.get(payload)),
                fresh: retrain_retry_req::fresh::FIELD.get(payload) == 1,
                next_rx_ltp: retrain_retry_req::next_rx_ltp::FIELD.get(payload) as u16,
            },
        })
    }
}

/// The 64-bit time of a MasterTimeLow and a MasterTimeHigh, `None` if the flits are others or disagree in
/// time\[39:32\], which is in both.
#[must_use]
pub fn time_of(low: Control, high: Control) -> Option<u64> {
    match (low, high) {
        (Control::Spc { subtype: first, data: low }, Control::Spc { subtype: second, data: high })
            if first == SpcSubtype::MasterTimeLow.code() && second == SpcSubtype::MasterTimeHigh.code() =>
        {
            let low = master_time_low::time::FIELD.get(low.into());
            let high = master_time_high::time::FIELD.get(high.into());
            (low >> 32 == high & 0xFF).then_some(high << 32 | low & 0xFFFF_FFFF)
        }
        _ => None,
    }
}

fn pack_credit_codes(codes: &[u8; MAX_VLS]) -> Result<u64, FlitError> {
    let largest = (1 << CREDIT_CODE_BITS) - 1;
    codes.iter().enumerate().try_fold(0, |word, (vl, &code)| {
        let value = u64::from(code);
        if value > largest {
            return Err(FlitError::Field { layout: crdt_ret::LAYOUT.name, field: "codes", value, largest });
        }
        Ok(word | value << credit_code_low(vl))
    })
}

fn unpack_credit_codes(word: u64) -> [u8; MAX_VLS] {
    std::array::from_fn(|vl| (word >> credit_code_low(vl) & 7) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_do_not_fit_are_refused() {
        assert!(Control::TailBad { reason: 1, vl: 16 }.encode().is_err());
        assert!(Control::VlMrkr { vl: 32 }.encode().is_err());
        assert!(Control::Spc { subtype: 1, data: 1 << 48 }.encode().is_err());
        assert!(Control::Retrain { kind: 16, half: Half::First, fresh: false, next_rx_ltp: 0 }
            .encode()
            .is_err());
        let mut codes = [0; MAX_VLS];
        codes[15] = 8;
        assert!(Control::CrdtRet { codes }.encode().is_err());
    }

    #[test]
    fn undefined_opcodes_and_other_kinds_are_refused() {
        assert!(matches!(Control::decode(Flit::other(1 << 56)), Err(FlitError::Opcode { opcode: 1, .. })));
        assert!(matches!(Control::decode(Flit::body(0)), Err(FlitError::Kind { .. })));
    }
}

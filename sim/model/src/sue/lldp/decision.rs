//! What two ends of a link do after each has heard the other.

use super::{Advertisement, CreditOffer, Neighbour};
use flitforge_protocol::sue_port_registers::{FlowControl, LIMIT_MAX};

/// What both ends do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// Link-layer retry.
    pub retry: bool,
    /// Flow control.
    pub flow: FlowControl,
    /// LIMIT of each lossless virtual channel of what is sent: the neighbour's pool in equal shares. 0 without CBFC.
    pub limit: u16,
    /// Why something that was wanted here is not done.
    pub reasons: Vec<Reason>,
}

/// Why something that was wanted is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The neighbour has said nothing, or goodbye, or nothing of the link.
    Silent,
    /// The neighbour does not want link-layer retry.
    NoRetry,
    /// The neighbour does not want CBFC.
    NoCredits,
    /// The ends have other lossless virtual channels.
    OtherChannels,
    /// A share of a pool is less than the largest frame costs.
    SmallPool,
}

impl Reason {
    /// What to tell.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Reason::Silent => "the neighbour says nothing of link-layer retry and CBFC",
            Reason::NoRetry => "the neighbour does not want link-layer retry",
            Reason::NoCredits => "the neighbour does not want CBFC",
            Reason::OtherChannels => {
                "the ends have other lossless virtual channels: set both to one class table"
            }
            Reason::SmallPool => "a share of the credits is less than the largest frame costs",
        }
    }
}

/// What this end does after it has sent `own` and heard `neighbour`. The same function at the other end comes to the same retry and
/// flow control, whatever was sent. Without CBFC there is `fallback`, which is not negotiated here. `largest` is what the largest
/// frame costs, in credits.
#[must_use]
pub fn decide(
    own: &Advertisement,
    neighbour: Option<&Neighbour>,
    fallback: FlowControl,
    largest: u16,
) -> Agreement {
    let heard = neighbour.filter(|neighbour| neighbour.time_to_live > 0);
    let Some(other) = heard.and_then(|neighbour| neighbour.advertisement) else {
        let wanted = own.options.retry || own.options.credits;
        let reasons = if wanted { vec![Reason::Silent] } else { vec![] };
        return Agreement { retry: false, flow: fallback, limit: 0, reasons };
    };
    let mut reasons = vec![];
    let retry = own.options.retry && other.options.retry;
    if own.options.retry && !retry {
        reasons.push(Reason::NoRetry);
    }
    let limit = match share(own, &other, largest) {
        Ok(limit) => Some(limit),
        Err(reason) => {
            reasons.extend(reason.filter(|_| own.options.credits));
            None
        }
    };
    let flow = if limit.is_some() { FlowControl::Credits } else { fallback };
    Agreement { retry, flow, limit: limit.unwrap_or(0), reasons }
}

/// What each lossless virtual channel of what this end sends may have. Whether there is one does not depend on the direction.
fn share(own: &Advertisement, other: &Advertisement, largest: u16) -> Result<u16, Option<Reason>> {
    let wanted = [own, other].map(|end| end.credits.filter(|_| end.options.credits));
    let [Some(here), Some(there)] = wanted else {
        return Err(wanted[1].is_none().then_some(Reason::NoCredits));
    };
    if here.lossless != there.lossless || here.lossless == 0 {
        return Err(Some(Reason::OtherChannels));
    }
    let of = |offer: CreditOffer| {
        (u32::from(offer.pool) / offer.lossless.count_ones()).min(LIMIT_MAX as u32) as u16
    };
    if of(here).min(of(there)) < largest.max(1) {
        return Err(Some(Reason::SmallPool));
    }
    Ok(of(there))
}

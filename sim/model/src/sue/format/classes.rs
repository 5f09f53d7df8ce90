//! The class table (chapter 50, 3.6).

use super::octets::{pack, FieldError, Word};
use flitforge_protocol::sue::class::{
    class, traffic_class, ClassUse, Loss, CLASSES, DEFAULTS, MIN_LOSSLESS, VCS,
};
use thiserror::Error;

/// One class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Whether frames may be lost.
    pub loss: Loss,
    /// 802.1Q priority and priority of PFC, 3 bits.
    pub pcp: u8,
    /// Differentiated services code point, 6 bits.
    pub dscp: u8,
    /// Virtual channel of credit-based flow control, 5 bits.
    pub cbfc_vc: u8,
}

/// A table that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ClassError {
    /// A field out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// Too few lossless classes.
    #[error("{found} lossless classes: at least {MIN_LOSSLESS} are needed")]
    TooFewLossless {
        /// Lossless classes.
        found: usize,
    },
    /// VC0 and ACK have one PCP.
    #[error("requests (VC0) and acknowledgments (ACK) both have PCP {pcp}: give them two")]
    SharedPriority {
        /// The priority.
        pcp: u8,
    },
    /// VC0 and ACK have one virtual channel of CBFC.
    #[error("requests (VC0) and acknowledgments (ACK) both have CBFC VC {vc}: give them two")]
    SharedCredits {
        /// The virtual channel.
        vc: u8,
    },
    /// SUE Lite tells virtual channels by their DSCP.
    #[error("two virtual channels have DSCP {dscp}: SUE Lite could not tell them apart; give them two")]
    SharedDscp {
        /// The code point.
        dscp: u8,
    },
}

/// The six classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassTable([Class; CLASSES]);

impl Default for ClassTable {
    fn default() -> Self {
        ClassTable(DEFAULTS.map(|row| Class {
            loss: row.loss,
            pcp: row.pcp,
            dscp: row.dscp,
            cbfc_vc: row.cbfc_vc,
        }))
    }
}

impl ClassTable {
    /// The table of these classes, class 0 first.
    pub fn new(classes: [Class; CLASSES]) -> Result<Self, ClassError> {
        for row in classes {
            row.register()?;
        }
        let found = classes.iter().filter(|row| row.loss == Loss::Lossless).count();
        if found < MIN_LOSSLESS {
            return Err(ClassError::TooFewLossless { found });
        }
        let table = ClassTable(classes);
        let (requests, answers) = (table.class(ClassUse::Requests), table.class(ClassUse::Acknowledgments));
        if requests.pcp == answers.pcp {
            return Err(ClassError::SharedPriority { pcp: requests.pcp });
        }
        if requests.cbfc_vc == answers.cbfc_vc {
            return Err(ClassError::SharedCredits { vc: requests.cbfc_vc });
        }
        Ok(table)
    }

    /// The class for this use.
    #[must_use]
    pub const fn class(&self, of: ClassUse) -> Class {
        self.0[of as usize]
    }

    /// TC of a class, without congestion mark.
    pub fn traffic_class(&self, of: ClassUse) -> Result<u8, FieldError> {
        let fields = [(traffic_class::dscp::FIELD, self.class(of).dscp.into())];
        Ok(pack(&traffic_class::LAYOUT, &fields)? as u8)
    }

    /// The virtual channel whose class has the DSCP of this TC, for SUE Lite. The congestion mark does not matter.
    #[must_use]
    pub fn vc_of(&self, tc: u8) -> Option<u8> {
        let dscp = Word::of(tc).get_u8(traffic_class::dscp::FIELD);
        self.0[..VCS].iter().position(|row| row.dscp == dscp).map(|vc| vc as u8)
    }

    /// Refuses a table in which two virtual channels have one DSCP.
    pub fn check_lite(&self) -> Result<(), ClassError> {
        let rows = &self.0[..VCS];
        let shared = |place: usize| rows[..place].iter().any(|row| row.dscp == rows[place].dscp);
        match (0..VCS).find(|place| shared(*place)) {
            Some(place) => Err(ClassError::SharedDscp { dscp: rows[place].dscp }),
            None => Ok(()),
        }
    }
}

impl Class {
    /// The class as its register has it.
    pub fn register(&self) -> Result<u16, FieldError> {
        let fields = [
            (class::lossless::FIELD, self.loss.code().into()),
            (class::pcp::FIELD, self.pcp.into()),
            (class::dscp::FIELD, self.dscp.into()),
            (class::cbfc_vc::FIELD, self.cbfc_vc.into()),
        ];
        Ok(pack(&class::LAYOUT, &fields)? as u16)
    }

    /// The class in a register.
    #[must_use]
    pub fn from_register(register: u16) -> Self {
        let word = Word::of(register);
        let loss = match word.get(class::lossless::FIELD) {
            0 => Loss::Lossy,
            _ => Loss::Lossless,
        };
        let (pcp, dscp) = (word.get_u8(class::pcp::FIELD), word.get_u8(class::dscp::FIELD));
        Class { loss, pcp, dscp, cbfc_vc: word.get_u8(class::cbfc_vc::FIELD) }
    }
}

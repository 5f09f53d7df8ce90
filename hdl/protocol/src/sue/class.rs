//! Classes of the link (chapter 50, 3.6): their numbers and default values.

layout! {
    /// A class as registers CLASS0 to CLASS5 hold it.
    class, "Class", 15 bits, "chapter 50, 5", {
        lossless [0 +: 1] "1: no frame may be dropped for want of room";
        pcp [1 +: 3] "802.1Q priority, and priority of PFC";
        dscp [4 +: 6] "differentiated services code point";
        cbfc_vc [10 +: 5] "virtual channel of credit-based flow control";
    }
}
layout! {
    /// TC: the traffic class octet of IP and of the AFH headers.
    traffic_class, "TC", 8 bits, "chapter 50, 3.5", {
        ecn [0 +: 2] "explicit congestion notification";
        dscp [2 +: 6] "differentiated services code point";
    }
}

coded_enum! {
    /// What a class carries.
    ClassUse: u8, {
        Requests = 0, "VC0", "requests";
        Responses = 1, "VC1", "responses";
        Vc2 = 2, "VC2", "commands of virtual channel 2";
        Vc3 = 3, "VC3", "commands of virtual channel 3";
        Acknowledgments = 4, "ACK", "PDUs with an acknowledgment only, and CM";
        Management = 5, "MGMT", "management, lossy";
    }
}

impl ClassUse {
    /// The class of the commands of a virtual channel; `None` from VC 4 on.
    #[must_use]
    pub const fn of_vc(vc: u8) -> Option<Self> {
        match Self::from_code(vc) {
            Some(Self::Acknowledgments | Self::Management) | None => None,
            data => data,
        }
    }
}

coded_enum! {
    /// What becomes of a class's frames when there is no room.
    Loss: u8, {
        Lossy = 0, "lossy", "frames may be dropped";
        Lossless = 1, "lossless", "the sender waits";
    }
}

/// Number of classes.
pub const CLASSES: usize = ClassUse::ALL.len();
/// Virtual channels of commands.
pub const VCS: usize = 4;

/// Reset values of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassDefault {
    /// Whether frames may be lost.
    pub loss: Loss,
    /// 802.1Q priority.
    pub pcp: u8,
    /// Differentiated services code point.
    pub dscp: u8,
    /// Virtual channel of credit-based flow control.
    pub cbfc_vc: u8,
}

/// Reset values of the classes, class 0 first (chapter 50, 3.6).
pub const DEFAULTS: [ClassDefault; CLASSES] = [
    ClassDefault { loss: Loss::Lossless, pcp: 3, dscp: 26, cbfc_vc: 0 },
    ClassDefault { loss: Loss::Lossless, pcp: 4, dscp: 34, cbfc_vc: 1 },
    ClassDefault { loss: Loss::Lossless, pcp: 2, dscp: 18, cbfc_vc: 2 },
    ClassDefault { loss: Loss::Lossless, pcp: 1, dscp: 10, cbfc_vc: 3 },
    ClassDefault { loss: Loss::Lossless, pcp: 5, dscp: 46, cbfc_vc: 4 },
    ClassDefault { loss: Loss::Lossy, pcp: 0, dscp: 0, cbfc_vc: 5 },
];
/// Least number of lossless classes (chapter 50, 3.6).
pub const MIN_LOSSLESS: usize = 2;

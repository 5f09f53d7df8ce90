//! Choice of the CRC mode of a direction (chapter 10, 4.6 rule 4).

use flitforge_protocol::ltp::CrcMode;

/// What an end says about CRC modes in its training sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModeOffer {
    /// Bit 0 mode 1, bit 1 mode 2, bit 2 mode 3. Mode 0 is always in.
    pub capabilities: u8,
    /// Preferred mode; a value above 3 prefers none.
    pub preferred: u8,
    /// Part of a bond: only mode 1 will do.
    pub bonded: bool,
}

impl ModeOffer {
    fn has(self, mode: CrcMode) -> bool {
        match mode.code() {
            0 => true,
            code => self.capabilities >> (code - 1) & 1 == 1,
        }
    }
}

/// The mode of a direction with `lanes` active lanes. Both ends come to the same one. `None`: an end is bonded and
/// mode 1 is not common to both.
#[must_use]
pub fn choose_mode(mine: ModeOffer, yours: ModeOffer, lanes: usize) -> Option<CrcMode> {
    let common = |mode: &CrcMode| mine.has(*mode) && yours.has(*mode);
    if mine.bonded || yours.bonded {
        return Some(CrcMode::Bits14).filter(common);
    }
    let preferred = (mine.preferred == yours.preferred).then(|| CrcMode::from_code(mine.preferred)).flatten();
    let order = [CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane, CrcMode::Standard];
    let chosen = preferred.filter(common).or_else(|| order.into_iter().find(common))?;
    if chosen.allows_lanes(lanes) {
        return Some(chosen);
    }
    Some(if common(&CrcMode::Overlapping48) { CrcMode::Overlapping48 } else { CrcMode::Standard })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn offer(capabilities: u8, preferred: u8) -> ModeOffer {
        ModeOffer { capabilities, preferred, bonded: false }
    }

    #[test]
    fn an_equal_preference_wins_if_both_can() {
        for code in 0..4 {
            let chosen = choose_mode(offer(7, code), offer(7, code), 4);
            assert_eq!(chosen, CrcMode::from_code(code));
        }
        assert_eq!(
            choose_mode(offer(0b101, 2), offer(7, 2), 4),
            Some(CrcMode::Bits14),
            "mode 2 is not common"
        );
    }

    #[test]
    fn else_the_order_is_1_2_3_0() {
        let all = [(7, 1), (6, 2), (4, 3), (0, 0), (5, 1), (2, 2), (1, 1), (3, 1)];
        for (capabilities, mode) in all {
            assert_eq!(choose_mode(offer(capabilities, 0), offer(7, 1), 4), CrcMode::from_code(mode));
        }
        assert_eq!(choose_mode(offer(1, 1), offer(6, 1), 4), Some(CrcMode::Standard), "nothing in common");
        assert_eq!(choose_mode(offer(7, 7), offer(7, 7), 4), Some(CrcMode::Bits14), "7 is no mode");
    }

    #[test]
    fn mode_3_falls_back_below_three_lanes() {
        for lanes in [1, 2] {
            assert_eq!(choose_mode(offer(7, 3), offer(7, 3), lanes), Some(CrcMode::Overlapping48));
            assert_eq!(choose_mode(offer(4, 3), offer(6, 3), lanes), Some(CrcMode::Standard));
        }
        assert_eq!(choose_mode(offer(4, 3), offer(6, 3), 3), Some(CrcMode::PerLane));
    }

    #[test]
    fn a_bond_takes_mode_1_or_nothing() {
        let bonded = ModeOffer { bonded: true, ..offer(7, 2) };
        assert_eq!(choose_mode(bonded, offer(7, 2), 4), Some(CrcMode::Bits14));
        assert_eq!(choose_mode(bonded, offer(6, 2), 4), None);
    }
}

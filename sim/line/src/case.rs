//! Cases, drawn from a seed and a number.

use crate::event::{Author, Event, Script};
use crate::limits::{MOST_CLOCKS_PER_WORD, MOST_NOTICE};
use crate::phy::Phy;
use crate::port::{Kind, PortShape, MAX_LINKS};
use crate::setup::Setup;
use crate::wires::Wires;
use flitforge_protocol::lane_word::{LVDS_CLOCKS_PER_1000_WORDS, SERDES_CLOCKS_PER_1000_WORDS};
use flitforge_sim::kit::{rng, Rng};
use rand::seq::IndexedRandom;
use rand::Rng as _;
use std::fmt;

/// Core clocks per word in units of 10^-6: what the clocks may be off by and still be faster than the words.
const LEAST_RATIO: u64 = 1_000_500;
/// A training set of eight words has to fit a step, and the clocks may be off.
const MOST_RATIO: u64 = 1_000_000 * MOST_CLOCKS_PER_WORD - 10_000;
/// Largest offset of an end's clocks in parts per billion; both ends: 200 ppm.
const MOST_OFFSET: i64 = 100_000;

/// Kinds of ports that stand at the two ends.
pub const KINDS: [[Kind; 2]; 6] = [
    [Kind::Link, Kind::Link],
    [Kind::Bonded, Kind::Bonded],
    [Kind::Compact, Kind::Compact],
    [Kind::Compact, Kind::Link],
    [Kind::Fab, Kind::Fab],
    [Kind::FabBonded, Kind::FabBonded],
];

/// What a campaign leaves open, or not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Choice {
    /// Only these kinds of ports.
    pub kinds: Option<[Kind; 2]>,
    /// Only this PHY.
    pub phy: Option<Phy>,
    /// Only this class of events.
    pub event: Option<Event>,
    /// Only ports with so many lanes.
    pub lanes: Option<usize>,
    /// Only this ratio of core clocks to words, in units of 10^-6.
    pub ratio: Option<u64>,
    /// Only so many flits per beat of a link, where there is a choice.
    pub flits: Option<usize>,
    /// Only cables whose lanes are in order and upright.
    pub straight: bool,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Seed of the campaign.
    pub campaign: u64,
    /// Number in the campaign.
    pub number: u64,
    /// Seed of everything random while it runs.
    pub seed: u64,
    /// Ports, PHY, clocks and cable.
    pub setup: Setup,
    /// Class of events.
    pub event: Event,
    /// What happens.
    pub script: Script,
}

impl Case {
    /// Case `number` of the campaign with this seed. Every draw is made, whatever the choice, so that a case is the same
    /// one by its number alone and with all of its properties chosen.
    pub fn new(campaign: u64, number: u64, choice: &Choice) -> Self {
        let mut random = rng(campaign, &format!("line case {number}"));
        let phy = Phy::ALL[random.random_range(0..Phy::ALL.len())];
        let event = Event::ALL[random.random_range(0..Event::ALL.len())];
        let lanes = [4, 4, 4, 3, 2, 1].choose(&mut random).copied().unwrap_or(4);
        let kinds = KINDS[[0, 0, 0, 0, 0, 1, 1, 2, 3, 4].choose(&mut random).copied().unwrap_or(0)];
        let few = random.random_bool(0.5);
        let (phy, event) = (choice.phy.unwrap_or(phy), choice.event.unwrap_or(event));
        // What was added later has draws of its own, so that all others are as they were.
        let mut later = rng(campaign, &format!("line case {number}, later"));
        let kinds = with_fab_bond(kinds, &mut later);
        let flits = if later.random_bool(0.25) { 4 } else { 2 };
        let (kinds, flits) = (choice.kinds.unwrap_or(kinds), choice.flits.unwrap_or(flits));
        let shape = shape(kinds, choice.lanes.unwrap_or(lanes), few, flits);
        let drawn = ratio(&mut random);
        let ratio = match phy {
            Phy::Loop => 1_000_000,
            Phy::Ecp5 => choice.ratio.unwrap_or(drawn.max(1_000 * SERDES_CLOCKS_PER_1000_WORDS)),
            Phy::Lvds => choice.ratio.unwrap_or(drawn.max(1_000 * LVDS_CLOCKS_PER_1000_WORDS)),
        };
        let offset = |random: &mut Rng| random.random_range(-MOST_OFFSET..=MOST_OFFSET);
        let offsets = [offset(&mut random), offset(&mut random)];
        let wander = if random.random_bool(0.3) { random.random_range(1_000..50_000) } else { 0 };
        let late = |random: &mut Rng| random.random_range(0..if phy == Phy::Loop { 60 } else { 800 });
        let pace =
            |random: &mut Rng| if random.random_bool(0.6) { 1.0 } else { random.random_range(0.01..0.9) };
        let is_loop = phy == Phy::Loop;
        let setup = Setup {
            phy,
            kinds,
            shape,
            ratio,
            offsets: if is_loop { [0; 2] } else { offsets },
            wander: if is_loop { 0 } else { wander },
            late: [late(&mut random), late(&mut random)],
            notice: random.random_range(4..MOST_NOTICE),
            pace: [pace(&mut random), pace(&mut random)],
            wires: wires(
                phy,
                &shape,
                choice.straight,
                &mut rng(campaign, &format!("line case {number}, wires")),
            ),
        };
        let seed = random.random();
        let script = Author::write(event, &setup, &mut random);
        Self { campaign, number, seed, setup, event, script }
    }

    /// The command that runs this case alone.
    pub fn command(&self) -> String {
        let at = |name: &str, all: &[&str]| all.iter().position(|known| *known == name).unwrap_or(0) + 1;
        let phys = Phy::ALL.map(Phy::block);
        let events = Event::ALL.map(Event::name);
        let ports = KINDS.iter().position(|kinds| *kinds == self.setup.kinds).unwrap_or(0) + 1;
        format!(
            "flitforge sim line --seed {} --set ports={ports} --set phy={} --set event={} --set lanes={} --set ratio={} --set flits={} --set straight={} --set first={} --set cases=1",
            self.campaign,
            at(self.setup.phy.block(), &phys),
            at(self.event.name(), &events),
            self.setup.shape.lanes,
            self.setup.ratio,
            self.setup.shape.flits,
            u8::from(self.setup.wires == STRAIGHT),
            self.number
        )
    }
}

/// All cables straight.
const STRAIGHT: [[Wires; MAX_LINKS]; 2] = [[Wires::STRAIGHT; MAX_LINKS]; 2];

/// A bond that takes packets in place of every third that is a bond or takes packets.
fn with_fab_bond(kinds: [Kind; 2], random: &mut Rng) -> [Kind; 2] {
    let is_other = kinds[0].is_bond() || kinds[0].takes_packets();
    if random.random_range(0..3) == 0 && is_other {
        [Kind::FabBonded, Kind::FabBonded]
    } else {
        kinds
    }
}

fn wires(phy: Phy, shape: &PortShape, straight: bool, random: &mut Rng) -> [[Wires; MAX_LINKS]; 2] {
    let mut wires = STRAIGHT;
    for of_end in &mut wires {
        of_end[..shape.links].iter_mut().for_each(|wires| *wires = Wires::draw(phy, shape.lanes, random));
    }
    if straight {
        STRAIGHT
    } else {
        wires
    }
}

/// The ports of a kind that are nearest to so many lanes and flits; `few` replay slots where there is a choice.
fn shape(kinds: [Kind; 2], lanes: usize, few: bool, flits: usize) -> PortShape {
    let one = PortShape { flits: 1, lanes: 1, links: 1, slots: 16 };
    match kinds[0] {
        Kind::Compact => one,
        Kind::Bonded | Kind::FabBonded if lanes == 1 => PortShape { links: 2, ..one },
        Kind::Fab if lanes == 1 => one,
        Kind::Fab => PortShape { flits: 2, lanes: 4, links: 1, slots: 16 },
        Kind::Bonded | Kind::FabBonded => PortShape { flits: 2, lanes: 4, links: 2, slots: 128 },
        Kind::Link if lanes == 4 && flits == 4 => PortShape { flits: 4, lanes, links: 1, slots: 128 },
        Kind::Link => {
            PortShape { flits: 2, lanes, links: 1, slots: if lanes == 4 && few { 16 } else { 128 } }
        }
    }
}

/// Half of the cases near the limits and at whole numbers, the others anywhere.
fn ratio(random: &mut Rng) -> u64 {
    let near = random.random_range(LEAST_RATIO..1_040_000);
    let low = random.random_range(1_040_000..1_300_000);
    let whole = random.random_range(2..=7) * 1_000_000;
    let odd = [1_600_000, 2_200_000, 2_500_000, 3_300_000, MOST_RATIO].choose(random).copied();
    let octaves = random.random_range(0.0..(MOST_RATIO as f64 / LEAST_RATIO as f64).log2());
    let any = (LEAST_RATIO as f64 * octaves.exp2()) as u64;
    match random.random_range(0..8) {
        0 => near,
        1 => low,
        2 | 3 => whole,
        4 => odd.unwrap_or(whole),
        _ => any,
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "case {} of seed {}: {}, {}", self.number, self.campaign, self.event, self.setup)?;
        for step in &self.script.steps {
            writeln!(f, "  {step}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_the_same_by_number_and_by_all_of_its_properties() {
        for number in 0..200 {
            let case = Case::new(7, number, &Choice::default());
            let choice = Choice {
                kinds: Some(case.setup.kinds),
                phy: Some(case.setup.phy),
                event: Some(case.event),
                lanes: Some(case.setup.shape.lanes),
                ratio: Some(case.setup.ratio),
                flits: Some(case.setup.shape.flits),
                straight: case.setup.wires == STRAIGHT,
            };
            assert_eq!(Case::new(7, number, &choice), case);
        }
    }

    #[test]
    fn every_kind_of_port_beats_and_wires_come() {
        let cases: Vec<Case> = (0..400).map(|number| Case::new(1, number, &Choice::default())).collect();
        for kinds in KINDS {
            assert!(cases.iter().any(|case| case.setup.kinds == kinds), "{kinds:?}");
        }
        for flits in [1, 2, 4] {
            assert!(cases.iter().any(|case| case.setup.shape.flits == flits), "F = {flits}");
        }
        for phy in Phy::ALL {
            let of_phy = || cases.iter().filter(|case| case.setup.phy == phy);
            let wires = || of_phy().flat_map(|case| case.setup.wires.iter().flatten());
            assert!(wires().any(|wires| wires.to(0) != 0), "{phy}: lanes in another order");
            let turned = wires().any(|wires| (0..4).any(|lane| wires.is_turned(lane)));
            assert_eq!(turned, phy != Phy::Loop, "{phy}: inverted lanes");
        }
    }

    #[test]
    fn every_class_and_phy_comes() {
        let cases: Vec<Case> = (0..400).map(|number| Case::new(1, number, &Choice::default())).collect();
        for event in Event::ALL {
            assert!(cases.iter().any(|case| case.event == event), "{event}");
        }
        for phy in Phy::ALL {
            let ratios: Vec<u64> =
                cases.iter().filter(|case| case.setup.phy == phy).map(|case| case.setup.ratio).collect();
            assert!(!ratios.is_empty());
            let least = match phy {
                Phy::Loop => continue,
                Phy::Ecp5 => 1_000 * SERDES_CLOCKS_PER_1000_WORDS,
                Phy::Lvds => 1_000 * LVDS_CLOCKS_PER_1000_WORDS,
            };
            assert!(ratios.iter().all(|ratio| *ratio >= least), "{phy} below what it needs");
            assert!(ratios.iter().any(|ratio| *ratio < least + 10_000), "{phy} near the least");
            assert!(ratios.iter().any(|ratio| *ratio > 7_000_000), "{phy} near 8");
        }
    }
}

//! Programming trees in an order that never lets a slave join a path with another path's offset (chapter 20, 7 rules
//! 5 to 8).

use super::offsets::{offsets, OffsetTable};
use super::tables::{measure_links, LinkMeasurement, LinkTable};
use super::tree::{build_tree, ClockTree, TreeInput, TreePolicy};
use super::{ManagerError, RegisterAccess};
use crate::network::path_fields;
use crate::topology::{DeviceId, DeviceKind, Port, Topology};
use flitforge_protocol::time_registers::{
    self as regs, f_acc, gen_cfg, inc_nom, mstr_ctl, role, smp_stat, sync_info, tree_prio,
};
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS, F_ACC_FRAC, INC_FRAC};
use flitforge_protocol::Field;
use std::collections::{BTreeMap, BTreeSet};

/// A reconfiguration waits for so long, longer than any path (rule 7), in microseconds.
const DRAIN_US: u64 = 1000;

/// How a master generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation {
    /// GEN_PERIOD, 2^20 ns.
    pub period: u64,
    /// GEN_PHASE, 2^12 ns.
    pub phase: u64,
    /// HIGH_EVERY.
    pub high_every: u64,
    /// Quality code.
    pub quality: u8,
}

/// Everything to be written for one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePlan {
    /// Tree id, 0 to 3.
    pub id: u8,
    /// The tree.
    pub tree: ClockTree,
    /// Offsets of its slaves.
    pub offsets: OffsetTable,
    /// ROLE and PATH bits of this tree by port of a switch.
    pub ports: BTreeMap<Port, PortPlan>,
}

/// A port's part in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortPlan {
    /// The switch's upstream port.
    Up,
    /// A downstream port: EXP_SRC and RING_SEL.
    Down {
        /// Stop the time comes from.
        source: u8,
        /// Ring it comes on.
        ring: u8,
    },
}

/// The manager: what it knows of the fabric and what it last wrote.
#[derive(Debug, Clone)]
pub struct Manager {
    topology: Topology,
    alive: Vec<bool>,
    links: LinkTable,
    increments: Vec<u64>,
    policy: TreePolicy,
}

impl Manager {
    /// For a fabric of which nothing is measured yet; all devices count as alive, with this increment per clock.
    #[must_use]
    pub fn new(topology: Topology, increment: u64, policy: TreePolicy) -> Self {
        let devices = topology.devices().len();
        let links = LinkTable::new(topology.links().len());
        Self { topology, alive: vec![true; devices], links, increments: vec![increment; devices], policy }
    }

    /// The fabric.
    #[must_use]
    pub const fn topology(&self) -> &Topology {
        &self.topology
    }

    /// The link table; taking a link out of it takes it out of use.
    pub fn links_mut(&mut self) -> &mut LinkTable {
        &mut self.links
    }

    /// Marks a device as lost or as back.
    pub fn set_alive(&mut self, device: DeviceId, alive: bool) {
        if let Some(entry) = self.alive.get_mut(device as usize) {
            *entry = alive;
        }
    }

    /// Measures all links (rule 3).
    pub fn measure(
        &mut self,
        access: &mut impl RegisterAccess,
        how: &LinkMeasurement,
    ) -> Result<(), ManagerError> {
        self.links = measure_links(access, &self.topology, &self.alive, how)?;
        Ok(())
    }

    /// Reads how long a core clock of each switch is: INC_NOM + F_ACC where its SyncTime is locked, else INC_NOM (rule 4).
    pub fn read_increments(&mut self, access: &mut impl RegisterAccess) -> Result<(), ManagerError> {
        for (device, kind) in self.topology.devices().iter().enumerate() {
            if matches!(kind, DeviceKind::Hfi) || !self.alive[device] {
                continue;
            }
            let device_id = device as DeviceId;
            let read =
                |access: &mut dyn FnMut(u32) -> Result<u64, super::AccessError>, offset, field: Field| {
                    access(offset).map(|value| field.get(value.into()))
                };
            let mut fetch = |offset| access.read(device_id, offset);
            let nominal = read(&mut fetch, regs::INC_NOM, inc_nom::value::FIELD)?;
            fetch(regs::LOCAL_TIME)?; // loads the shadow set
            let state = read(&mut fetch, regs::SYNC_INFO, sync_info::state::FIELD)?;
            let frequency = read(&mut fetch, regs::F_ACC, f_acc::value::FIELD)?;
            let signed = (frequency << (64 - F_ACC_BITS)) as i64 >> (64 - F_ACC_BITS + F_ACC_FRAC - INC_FRAC);
            let locked = state == u64::from(ServoState::Track.code());
            self.increments[device] = if locked { nominal.wrapping_add_signed(signed) } else { nominal };
        }
        Ok(())
    }

    fn input(&self) -> TreeInput<'_> {
        TreeInput {
            topology: &self.topology,
            links: &self.links,
            increments: &self.increments,
            alive: &self.alive,
        }
    }

    /// Tree, offsets and port roles for a master; nothing is written.
    pub fn plan(&self, master: DeviceId, id: u8) -> Result<TreePlan, ManagerError> {
        let tree = build_tree(self.input(), master, self.policy)?;
        let offsets = offsets(self.input(), &tree)?;
        let mut ports = BTreeMap::new();
        for &device in &tree.order {
            let Some(upstream) = tree.upstream[device as usize] else { continue };
            if matches!(self.topology.devices()[device as usize], DeviceKind::Switch(_)) {
                ports.insert(Port { device, port: upstream.port }, PortPlan::Up);
            }
            if let DeviceKind::Switch(shape) = self.topology.devices()[upstream.from as usize] {
                let source = tree.source_stop(upstream.from, &shape);
                let ring = shape.path(source, upstream.from_port.into()).ring as u8;
                let above = Port { device: upstream.from, port: upstream.from_port };
                ports.insert(above, PortPlan::Down { source: source as u8, ring });
            }
        }
        Ok(TreePlan { id, tree, offsets, ports })
    }

    /// Devices that a plan does not reach.
    #[must_use]
    pub fn unreached(&self, plan: &TreePlan) -> Vec<DeviceId> {
        let reached: BTreeSet<DeviceId> = plan.tree.order.iter().copied().chain([plan.tree.master]).collect();
        (0..self.topology.devices().len() as DeviceId).filter(|device| !reached.contains(device)).collect()
    }

    /// Sets which trees these devices follow first; which trees they take at all stays.
    pub fn prioritise(
        &self,
        access: &mut impl RegisterAccess,
        devices: &[DeviceId],
        order: [u8; 4],
    ) -> Result<(), ManagerError> {
        let fields = [
            tree_prio::first::FIELD,
            tree_prio::second::FIELD,
            tree_prio::third::FIELD,
            tree_prio::fourth::FIELD,
        ];
        for &device in devices {
            let old = access.read(device, regs::TREE_PRIO)?;
            let new =
                fields.iter().zip(order).fold(old, |word, (field, tree)| set(word, *field, tree.into()));
            access.write(device, regs::TREE_PRIO, new)?;
        }
        Ok(())
    }

    /// Start of a tree (rule 5): offsets of the era's bank, PATH, DN_EN from the leaves up, UP_EN, then GEN_EN.
    pub fn start(
        &self,
        access: &mut impl RegisterAccess,
        plan: &TreePlan,
        era: u8,
        generation: &Generation,
    ) -> Result<(), ManagerError> {
        write_offsets(access, plan, era)?;
        self.write_roles(access, plan, &BTreeMap::new())?;
        start_master(access, plan, era, generation)
    }

    /// Another plan for a running tree (rule 7): the old master stops, the fabric drains, every slave gets its offset in
    /// the other bank, roles change, and the new master starts with the next era. `old_master` is false if it is gone.
    pub fn change(
        &self,
        access: &mut impl RegisterAccess,
        (old, new): (&TreePlan, &TreePlan),
        era: u8,
        generation: &Generation,
        old_master: bool,
    ) -> Result<(), ManagerError> {
        if old_master {
            stop_master(access, old.tree.master)?;
        }
        access.wait_us(DRAIN_US);
        write_offsets(access, new, era)?;
        self.write_roles(access, new, &old.ports)?;
        start_master(access, new, era, generation)
    }

    /// Writes the roles that differ: DN_EN off, UP_EN, PATH, then DN_EN on from the leaves up.
    fn write_roles(
        &self,
        access: &mut impl RegisterAccess,
        plan: &TreePlan,
        old: &BTreeMap<Port, PortPlan>,
    ) -> Result<(), ManagerError> {
        let usable = |port: &Port| self.alive[port.device as usize];
        let gone = old.iter().filter(|(port, role)| usable(port) && plan.ports.get(port) != Some(role));
        for (&port, _) in gone {
            write_role(access, port, plan.id, None)?;
        }
        let news = || plan.ports.iter().filter(|(port, role)| usable(port) && old.get(port) != Some(role));
        for (&port, role) in news().filter(|(_, role)| **role != PortPlan::Up) {
            write_path(access, port, plan.id, *role)?;
        }
        let depth: BTreeMap<DeviceId, usize> =
            plan.tree.order.iter().enumerate().map(|(place, device)| (*device, place)).collect();
        let mut down: Vec<_> = news().filter(|(_, role)| **role != PortPlan::Up).collect();
        down.sort_by_key(|(port, _)| std::cmp::Reverse(depth.get(&port.device).copied().unwrap_or(0)));
        let up = news().filter(|(_, role)| **role == PortPlan::Up);
        for (&port, role) in down.into_iter().chain(up) {
            write_role(access, port, plan.id, Some(*role))?;
        }
        Ok(())
    }
}

fn set(word: u64, field: Field, value: u64) -> u64 {
    field.set(word.into(), value) as u64
}

/// Writes one port's UP_EN and DN_EN bits of a tree, and checks that the device took them.
fn write_role(
    access: &mut impl RegisterAccess,
    port: Port,
    id: u8,
    plan: Option<PortPlan>,
) -> Result<(), ManagerError> {
    let device = port.device;
    access.write(device, regs::PORT_SEL, port.port.into())?;
    let old = access.read(device, regs::ROLE)?;
    let bit = |field: Field, on: bool| {
        let bits = field.get(old.into()) & !(1 << id);
        bits | u64::from(on) << id
    };
    let up = bit(role::up_en::FIELD, plan == Some(PortPlan::Up));
    let down = bit(role::dn_en::FIELD, matches!(plan, Some(PortPlan::Down { .. })));
    let written = set(set(old, role::up_en::FIELD, up), role::dn_en::FIELD, down);
    access.write(device, regs::ROLE, written)?;
    let read = access.read(device, regs::ROLE)?;
    if read != written {
        return Err(ManagerError::Refused { device, offset: regs::ROLE, written, read });
    }
    Ok(())
}

fn write_path(
    access: &mut impl RegisterAccess,
    port: Port,
    id: u8,
    plan: PortPlan,
) -> Result<(), ManagerError> {
    let PortPlan::Down { source, ring } = plan else { return Ok(()) };
    access.write(port.device, regs::PORT_SEL, port.port.into())?;
    let old = access.read(port.device, regs::PATH)?;
    let (of_source, of_ring) = path_fields(id);
    let value = set(set(old, of_source, source.into()), of_ring, ring.into());
    Ok(access.write(port.device, regs::PATH, value)?)
}

/// Writes the era's bank of every slave and makes it valid.
fn write_offsets(access: &mut impl RegisterAccess, plan: &TreePlan, era: u8) -> Result<(), ManagerError> {
    let base = regs::tree(plan.id.into()) - regs::TREE;
    let bank = u32::from(era & 1);
    for &(device, offset) in &plan.offsets.rows {
        let register = [regs::CLOCK_OFFSET0, regs::CLOCK_OFFSET1][bank as usize];
        access.write(device, base + register, offset as u64)?;
        let status = access.read(device, base + regs::SMP_STAT)?;
        let valid = smp_stat::valid::FIELD.get(status.into()) | 1 << bank;
        access.write(device, base + regs::SMP_STAT, set(status, smp_stat::valid::FIELD, valid))?;
        let prio = access.read(device, regs::TREE_PRIO)?;
        let slaves = tree_prio::slave_en::FIELD.get(prio.into()) | 1 << plan.id;
        access.write(device, regs::TREE_PRIO, set(prio, tree_prio::slave_en::FIELD, slaves))?;
    }
    Ok(())
}

fn stop_master(access: &mut impl RegisterAccess, master: DeviceId) -> Result<(), ManagerError> {
    let control = access.read(master, regs::MSTR_CTL)?;
    Ok(access.write(master, regs::MSTR_CTL, set(control, mstr_ctl::gen_en::FIELD, 0))?)
}

/// A master does not follow its own tree any more, and generates with this era.
fn start_master(
    access: &mut impl RegisterAccess,
    plan: &TreePlan,
    era: u8,
    generation: &Generation,
) -> Result<(), ManagerError> {
    let master = plan.tree.master;
    let prio = access.read(master, regs::TREE_PRIO)?;
    let slaves = tree_prio::slave_en::FIELD.get(prio.into()) & !(1 << plan.id);
    access.write(master, regs::TREE_PRIO, set(prio, tree_prio::slave_en::FIELD, slaves))?;
    let config = [
        (gen_cfg::period::FIELD, generation.period),
        (gen_cfg::phase::FIELD, generation.phase),
        (gen_cfg::high_every::FIELD, generation.high_every),
    ];
    let config = config.into_iter().fold(0, |word, (field, value)| set(word, field, value));
    access.write(master, regs::GEN_CFG, config)?;
    let read = access.read(master, regs::GEN_CFG)?;
    if read != config {
        return Err(ManagerError::Refused { device: master, offset: regs::GEN_CFG, written: config, read });
    }
    let control = [
        (mstr_ctl::gen_en::FIELD, 1),
        (mstr_ctl::tree::FIELD, plan.id.into()),
        (mstr_ctl::era::FIELD, u64::from(era & 3)),
        (mstr_ctl::index::FIELD, u64::from(master & 0xFF)),
        (mstr_ctl::quality::FIELD, generation.quality.into()),
    ];
    let control = control.into_iter().fold(0, |word, (field, value)| set(word, field, value));
    Ok(access.write(master, regs::MSTR_CTL, control)?)
}

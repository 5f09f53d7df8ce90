//! The simulated devices' register pages (chapter 20, section 5): what the manager library and software servos use.

use super::node::Node;
use super::Network;
use crate::manager::{AccessError, RegisterAccess};
use crate::topology::{DeviceId, Port};
use flitforge_model::time::{Generator, GeneratorConfig, TreeSelector};
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers::{
    self as regs, epoch, gen_cfg, ldm_ctl, limits, master_high, master_low, mstr_ctl, role, servo_ctl,
    set_cmd, slew_cnt, smp_err, smp_stat, sync_info, tree_prio,
};
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS, INC_FRAC, SLEW_P_BITS};
use flitforge_protocol::Field;

fn get(value: u64, field: Field) -> u64 {
    field.get(value.into())
}

fn put(fields: &[(Field, u64)]) -> u64 {
    fields.iter().fold(0, |word, &(field, value)| field.set(word, value)) as u64
}

/// A signed value of so many bits.
const fn sign_extend(value: u64, bits: usize) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

/// The tree and the register of tree 0 that an offset in the trees' range means.
fn of_tree(offset: u32) -> Option<(usize, u32)> {
    let inside = (regs::TREE..regs::TREE + MAX_TREES as u32 * regs::TREE_STEP).contains(&offset);
    inside.then(|| {
        let tree = (offset - regs::TREE) / regs::TREE_STEP;
        (tree as usize, offset - tree * regs::TREE_STEP)
    })
}

/// True for the window of the selected port.
fn is_of_port(offset: u32) -> bool {
    (regs::PORT..regs::TREE_PRIO).contains(&offset)
}

impl RegisterAccess for Network {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        let now = self.now;
        let node = self.reachable(device, offset)?;
        if offset == regs::LOCAL_TIME {
            let edge = node.oscillator.edge_from(now).0;
            node.advance(edge);
            node.shadow = (node.source.local(), node.source.sync());
        }
        Ok(match of_tree(offset) {
            Some((tree, register)) => node.read_tree(tree, register),
            None if is_of_port(offset) => node.read_port(offset),
            None => node.read_core(offset),
        })
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        let now = self.now;
        let node = self.reachable(device, offset)?;
        let edge = node.oscillator.edge_from(now).0;
        node.advance(edge);
        match of_tree(offset) {
            Some((tree, register)) => node.write_tree(tree, register, value),
            None if offset == regs::MSTR_CTL => {
                node.write_master(value);
                self.schedule(device);
            }
            None if offset == regs::LDM_CTL => {
                let port = Port { device, port: node.port_sel };
                if let Some(state) = node.ports.get_mut(usize::from(port.port)) {
                    state.control = value & !ldm_ctl::start::FIELD.mask() as u64;
                    (state.mean, state.range) = (0, 0);
                }
                if get(value, ldm_ctl::start::FIELD) == 1 {
                    self.measure(port);
                }
            }
            None if is_of_port(offset) => node.write_port(offset, value),
            None => node.write_core(offset, value),
        }
        Ok(())
    }

    fn wait_us(&mut self, microseconds: u64) {
        self.run_until(self.now + microseconds as i64 * 1_000_000);
    }
}

impl Network {
    fn reachable(&mut self, device: DeviceId, offset: u32) -> Result<&mut Node, AccessError> {
        let node = self.nodes.get_mut(device as usize).filter(|node| node.alive);
        node.ok_or(AccessError { device, offset, problem: "the device does not answer" })
    }
}

impl Node {
    fn read_core(&self, offset: u32) -> u64 {
        let servo = self.servo.as_ref();
        let state = servo.map_or(ServoState::Free, |servo| servo.state()).code().into();
        let fraction = |time: u128| time as u64 & u64::from(u32::MAX);
        match offset {
            regs::INC_NOM => self.source.inc_nom(),
            regs::LOCAL_TIME => (self.shadow.0 >> INC_FRAC) as u64,
            regs::LOCAL_FRAC => fraction(self.shadow.0),
            regs::SYNC_TIME => (self.shadow.1 >> INC_FRAC) as u64,
            regs::SYNC_INFO => put(&[
                (sync_info::frac::FIELD, fraction(self.shadow.1)),
                (sync_info::epoch::FIELD, self.source.epoch().into()),
                (sync_info::state::FIELD, state),
            ]),
            regs::SET_TIME => self.set_time,
            regs::F_ACC => self.source.f_acc() as u64 & ((1 << F_ACC_BITS) - 1),
            regs::SLEW_P => self.source.slew().0 as u64 & ((1 << SLEW_P_BITS) - 1),
            regs::SLEW_CNT => put(&[
                (slew_cnt::left::FIELD, self.source.slew().1.into()),
                (slew_cnt::length::FIELD, servo.map_or(0, |servo| servo.config().slew_n.into())),
            ]),
            regs::SERVO_CTL => servo.map_or(0, |servo| {
                let config = servo.config();
                put(&[
                    (servo_ctl::en::FIELD, config.enabled.into()),
                    (servo_ctl::step_en::FIELD, config.step_en.into()),
                    (servo_ctl::freeze::FIELD, config.freeze.into()),
                ])
            }),
            regs::MSTR_CTL => self.mstr_ctl,
            regs::GEN_CFG => self.gen_cfg,
            regs::TREE_PRIO => self.tree_prio,
            regs::PORT_SEL => self.port_sel.into(),
            _ => 0,
        }
    }

    fn write_core(&mut self, offset: u32, value: u64) {
        match offset {
            // A refused value leaves the old one; the refusal is counted in the source.
            regs::INC_NOM => drop(self.source.write_inc_nom(value)),
            regs::LIMITS => {
                drop(self.source.write_limits(get(value, limits::f::FIELD), get(value, limits::slew::FIELD)));
            }
            regs::SET_TIME => self.set_time = value,
            regs::SET_CMD => self.set_command(value),
            regs::F_ACC => self.source.write_f_acc(sign_extend(value, F_ACC_BITS)),
            regs::SLEW_P => {
                let left = self.source.slew().1;
                self.source.write_slew(sign_extend(value, SLEW_P_BITS), left);
            }
            regs::SLEW_CNT => {
                let per_clock = self.source.slew().0;
                self.source.write_slew(per_clock, get(value, slew_cnt::left::FIELD) as u32);
            }
            regs::SERVO_CTL => {
                if let Some(servo) = &mut self.servo {
                    let config = servo.config_mut();
                    config.enabled = get(value, servo_ctl::en::FIELD) == 1;
                    config.step_en = get(value, servo_ctl::step_en::FIELD) == 1;
                    config.freeze = get(value, servo_ctl::freeze::FIELD) == 1;
                }
            }
            regs::GEN_CFG if self.generator_config(value, self.mstr_ctl).is_some() => self.gen_cfg = value,
            regs::TREE_PRIO => self.write_trees(value),
            regs::PORT_SEL => self.port_sel = value as u8 & 0x3F,
            _ => {}
        }
    }

    fn set_command(&mut self, value: u64) {
        if get(value, set_cmd::set::FIELD) == 1 {
            self.source.set(self.set_time);
        } else if get(value, set_cmd::add::FIELD) == 1 {
            self.source.step(i128::from(self.set_time as i64) << INC_FRAC);
        }
        if let Some(generator) = &mut self.generator {
            generator.stepped();
        }
        self.check_order();
    }

    fn write_trees(&mut self, value: u64) {
        self.tree_prio = value;
        let order = [
            tree_prio::first::FIELD,
            tree_prio::second::FIELD,
            tree_prio::third::FIELD,
            tree_prio::fourth::FIELD,
        ]
        .map(|field| get(value, field) as u8);
        let enabled = std::array::from_fn(|tree| get(value, tree_prio::slave_en::FIELD) >> tree & 1 == 1);
        let hold = self
            .servo
            .as_ref()
            .map_or(0, |servo| u64::from(servo.config().hold_n) * u64::from(servo.config().nclk));
        let selector = TreeSelector::new(order, enabled, hold);
        self.selector.reconfigure(&selector);
    }

    fn generator_config(&self, gen_cfg: u64, mstr_ctl: u64) -> Option<Generator> {
        let config = GeneratorConfig {
            period: get(gen_cfg, gen_cfg::period::FIELD),
            phase: get(gen_cfg, gen_cfg::phase::FIELD),
            high_every: get(gen_cfg, gen_cfg::high_every::FIELD),
            separate: get(mstr_ctl, mstr_ctl::high_mode::FIELD) == 1,
            tree: get(mstr_ctl, mstr_ctl::tree::FIELD) as u8,
            index: get(mstr_ctl, mstr_ctl::index::FIELD) as u8,
            quality: get(mstr_ctl, mstr_ctl::quality::FIELD) as u8,
        };
        Generator::new(config).ok()
    }

    fn write_master(&mut self, value: u64) {
        self.mstr_ctl = value;
        if get(value, mstr_ctl::gen_en::FIELD) == 0 {
            self.generator = None;
            return;
        }
        let Some(mut generator) = self.generator_config(self.gen_cfg, value) else { return };
        generator.start(get(value, mstr_ctl::era::FIELD) as u8);
        // The first clock sets the first due time.
        generator.clock(self.source.sync(), 0, false);
        self.generator = Some(Box::new(generator));
    }

    fn read_tree(&mut self, tree: usize, register: u32) -> u64 {
        let sample = self.popped[tree];
        match register {
            regs::SMP_STAT => {
                let slave = self.slaves[tree].as_deref();
                put(&[
                    (smp_stat::level::FIELD, slave.map_or(0, |slave| slave.level() as u64)),
                    (smp_stat::overflow::FIELD, slave.is_some_and(|slave| slave.counters.over > 0).into()),
                    (smp_stat::era::FIELD, slave.and_then(|slave| slave.era()).unwrap_or(0).into()),
                    (smp_stat::valid::FIELD, self.valid[tree].into()),
                    (smp_stat::era_known::FIELD, slave.is_some_and(|slave| slave.era().is_some()).into()),
                ])
            }
            regs::SMP_POP => {
                let next = self.slaves[tree].as_deref_mut().and_then(|slave| slave.pop());
                self.popped[tree] = next.or(sample);
                next.is_some().into()
            }
            regs::MASTER_HIGH => sample.and_then(|sample| sample.high).map_or(0, |high| {
                put(&[
                    (master_high::time::FIELD, high.time.into()),
                    (master_high::index::FIELD, high.index.into()),
                    (master_high::quality::FIELD, high.quality.into()),
                    (master_high::era::FIELD, high.era.into()),
                ])
            }),
            regs::MASTER_LOW => sample.map_or(0, |sample| {
                put(&[
                    (master_low::time::FIELD, sample.low.value.nanoseconds()),
                    (master_low::frac::FIELD, sample.low.value.frac().into()),
                    (master_low::era::FIELD, sample.low.era.into()),
                    (master_low::full::FIELD, sample.full.is_some().into()),
                ])
            }),
            regs::MASTER_FULL => sample.and_then(|sample| sample.full).unwrap_or(0),
            regs::SMP_LOCAL => sample.map_or(0, |sample| (sample.local >> INC_FRAC) as u64),
            regs::SMP_ERR => sample.map_or(0, |sample| {
                let fraction = sample.local as u64 & u64::from(u32::MAX);
                put(&[(smp_err::frac::FIELD, fraction), (smp_err::error::FIELD, sample.error as u32 as u64)])
            }),
            regs::CLOCK_OFFSET0 => self.offsets[tree][0] as u64,
            regs::CLOCK_OFFSET1 => self.offsets[tree][1] as u64,
            _ => 0,
        }
    }

    fn write_tree(&mut self, tree: usize, register: u32, value: u64) {
        match register {
            regs::CLOCK_OFFSET0 => self.offsets[tree][0] = value as i64,
            regs::CLOCK_OFFSET1 => self.offsets[tree][1] = value as i64,
            regs::SMP_STAT => self.valid[tree] = get(value, smp_stat::valid::FIELD) as u8,
            _ => return,
        }
        let Some(slave) = self.slaves[tree].as_deref_mut() else { return };
        for bank in 0..2 {
            let valid = self.valid[tree] >> bank & 1 == 1;
            slave.set_offset(bank, valid.then_some(self.offsets[tree][bank]));
        }
    }

    fn read_port(&self, offset: u32) -> u64 {
        let Some(port) = self.ports.get(usize::from(self.port_sel)) else { return 0 };
        match offset {
            regs::ROLE => port.role,
            regs::PATH => port.path,
            regs::RX_CORR => port.rx_corr as u32 as u64,
            regs::LDM_CTL => port.control,
            regs::LDM_MEAN => port.mean,
            regs::LDM_RANGE => port.range,
            regs::LDM_ASYM => port.asymmetry as u32 as u64,
            regs::EPOCH => put(&[
                (epoch::link::FIELD, port.link_epoch.into()),
                (epoch::measured::FIELD, port.measured_epoch.into()),
            ]),
            _ => 0,
        }
    }

    fn write_port(&mut self, offset: u32, value: u64) {
        let Some(port) = self.ports.get_mut(usize::from(self.port_sel)) else { return };
        match offset {
            // A tree that is up and down on one port is refused: the old value stays.
            regs::ROLE if get(value, role::up_en::FIELD) & get(value, role::dn_en::FIELD) == 0 => {
                port.role = value
            }
            regs::PATH => port.path = value,
            regs::RX_CORR => port.rx_corr = value as u32 as i32,
            regs::LDM_ASYM => port.asymmetry = value as u32 as i32,
            regs::EPOCH => port.measured_epoch = get(value, epoch::measured::FIELD) as u16,
            _ => {}
        }
    }
}

//! Which port shows which field, and which port a read shows.

use super::golden::{Golden, Kind};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::network::{ClassSettings, NetworkSettings};
use flitforge_protocol::sue_port_registers as port;
use flitforge_protocol::sue_registers as instance;
use flitforge_sim::Bench;
use rust_hdl::prelude::*;

type NetworkBits = Bits<{ <NetworkSettings as Synth>::BITS }>;

/// A field and the output that shows it.
pub type Output = (u32, &'static str, String);

/// Outputs of plain fields.
pub fn outputs(kind: Kind) -> Vec<Output> {
    match kind {
        Kind::Instance => instance_outputs(),
        Kind::Port => port_outputs(),
    }
}

fn listed(rows: &[(u32, &'static str, &str)]) -> Vec<Output> {
    rows.iter().map(|(offset, field, path)| (*offset, *field, (*path).to_owned())).collect()
}

fn instance_outputs() -> Vec<Output> {
    use instance::*;
    listed(&[
        (CTRL, "enable", "settings.enable"),
        (CTRL, "unordered", "settings.unordered"),
        (CTRL, "renack", "settings.renack"),
        (CTRL, "strict_failover", "settings.strict_failover"),
        (CTRL, "generation_enable", "settings.generation_enable"),
        (CTRL, "response_mode", "settings.response_mode"),
        (CTRL, "partition_check", "settings.partition_check"),
        (LOCAL, "xpu", "settings.own"),
        (LOCAL, "acknowledgment_partition", "settings.acknowledgment_partition"),
        (REL0, "slot_min", "settings.slot_min"),
        (REL0, "acknowledgment_coalesce", "settings.coalesce"),
        (REL0, "acknowledgment_timer", "settings.acknowledgment_timer"),
        (REL0, "window", "sender.window"),
        (REL1, "timeout", "settings.timeout"),
        (REL1, "management_timeout", "settings.management_timeout"),
        (REL1, "management_tries", "settings.management_tries"),
        (REL1, "retry_max", "sender.retry_max"),
        (REL1, "backoff", "sender.backoff"),
        (REL1, "nack_max", "sender.nack_max"),
        (REL1, "stuck_fails", "sender.stuck_fail"),
        (PACK, "most", "pack.pack_max"),
        (PACK, "weight_0", "pack.weight_0"),
        (PACK, "weight_1", "pack.weight_1"),
        (PACK, "weight_2", "pack.weight_2"),
        (PACK, "weight_3", "pack.weight_3"),
        (QTH, "initial_credits", "settings.initial"),
        (QTH, "high", "settings.queue_high"),
        (QTH, "low", "settings.queue_low"),
        (TBL_ADDR, "table", "command_table"),
        (TBL_ADDR, "index", "command_index"),
        (INJ_GAP, "clocks", "inject_gap"),
    ])
}

fn port_outputs() -> Vec<Output> {
    use port::*;
    let mut rows = listed(&[
        (P_CTRL, "enable", "enable"),
        (P_CTRL, "retry", "retry"),
        (P_CTRL, "flow_control", "flow_control"),
        (P_CTRL, "fcs_over_sequence", "mac_tx.fcs_over_sequence"),
        (P_CTRL, "fcs_over_sequence", "mac_rx.fcs_over_sequence"),
        (P_CTRL, "loopback", "loopback"),
        (P_CTRL, "minimum", "mac_tx.minimum"),
        (P_CTRL, "minimum", "mac_rx.minimum"),
        (P_CTRL, "gap", "mac_tx.gap"),
        (P_CTRL, "lite_partition", "lite_partition"),
        (P_CTRL, "control_in_frame", "mac_tx.control_in_frame"),
        (P_CTRL, "control_twice", "retry_tx.twice"),
        (P_CTRL, "control_twice", "retry_rx.twice"),
        (P_CTRL, "profile", "profile"),
        (P_CTRL, "profile", "retry_rx.accepts_poison"),
        (P_LLR, "replay_timer", "retry_tx.replay_timer"),
        (P_LLR, "replays_max", "retry_tx.replays_max"),
        (P_LLR, "init_timer", "retry_tx.init_interval"),
        (P_LLR, "nack_timer", "retry_rx.nack_timer"),
        (P_LLR_LIMITS, "pcs_lost", "retry_tx.pcs_lost"),
        (P_LLR_LIMITS, "age", "retry_tx.age"),
        (P_LLR_LIMITS, "frames_max", "retry_tx.frames_max"),
        (P_LLR_LIMITS, "waiting", "retry_tx.waiting"),
        (P_LLR_LIMITS, "automatic", "retry_tx.automatic"),
        (P_LLR_LIMITS, "eligible", "retry_tx.eligible"),
        (P_LLR_START, "first", "retry_tx.first"),
        (P_LLR_START, "room_words", "retry_tx.room_words"),
        (P_LLR_START, "twice_within", "retry_rx.twice_within"),
        (P_PFC1, "quanta", "quanta"),
        (P_PFC1, "watchdog", "watchdog"),
        (P_CELL, "cell", "cell"),
        (P_CELL, "overhead", "overhead"),
        (P_CELL, "cell_batch", "cell_batch"),
        (P_CELL, "freed_timer", "cf_timer"),
        (P_CELL, "consumed_timer", "cc_timer"),
        (P_CELL, "pool", "pool"),
        (P_CONTROL, "opcode", "opcode"),
        (P_CONTROL, "largest", "largest"),
    ]);
    let of_class = [
        (P_PFC0, "xoff_0", "xon_0", P_LIM0, "limit_0"),
        (P_PFC0, "xoff_1", "xon_1", P_LIM0, "limit_1"),
        (P_PFC0, "xoff_2", "xon_2", P_LIM0, "limit_2"),
        (P_PFC0, "xoff_3", "xon_3", P_LIM0, "limit_3"),
        (P_PFC1, "xoff_4", "xon_4", P_LIM1, "limit_4"),
        (P_PFC1, "xoff_5", "xon_5", P_LIM1, "limit_5"),
    ];
    for (class, (pause, xoff, xon, limits, limit)) in of_class.into_iter().enumerate() {
        rows.push((pause, xoff, format!("xoff[{class}]")));
        rows.push((pause, xon, format!("xon[{class}]")));
        rows.push((limits, limit, format!("limits[{class}]")));
    }
    rows
}

fn class_of(word: u64) -> ClassSettings {
    ClassSettings {
        lossless: word & 1 == 1,
        pcp: (word >> 1 & 7).into(),
        dscp: (word >> 4 & 63).into(),
        cbfc_vc: (word >> 10 & 31).into(),
    }
}

/// What the network headers have to be told.
fn network(golden: &Golden, lite: bool) -> NetworkSettings {
    use instance::*;
    let format = |name: &str| golden.field(FMT, name);
    let ethertype = |name: &str| golden.field(ETYPE, name);
    NetworkSettings {
        format: format("format").into(),
        vlan: format("vlan") == 1,
        shim: format("shim") == 1,
        second_ethertype: format("second_ethertype") == 1,
        vid: format("vid").into(),
        hop: format("hop").into(),
        ttl: format("ttl").into(),
        esun_payload: format("esun_payload").into(),
        lite,
        afh1_ethertype: ethertype("afh1").into(),
        sue_ethertype: ethertype("sue").into(),
        lite_ethertype: ethertype("lite").into(),
        esun_ethertype: format("esun_ethertype").into(),
        udp_port: ethertype("udp_port").into(),
        ip_base: golden.field(IP_BASE, "value").into(),
        ip6_middle: golden.field(IP6_MID, "value").into(),
        ip6_high: golden.field(IP6_HI, "value").into(),
        own_xpu: golden.field(LOCAL, "xpu").into(),
        machine_partition: golden.field(LOCAL, "machine_partition").into(),
        class_0: class_of(golden.kept[&CLASS0]),
        class_1: class_of(golden.kept[&CLASS1]),
        class_2: class_of(golden.kept[&CLASS2]),
        class_3: class_of(golden.kept[&CLASS3]),
        class_4: class_of(golden.kept[&CLASS4]),
        class_5: class_of(golden.kept[&CLASS5]),
    }
}

/// Every output of what is kept.
pub fn check(golden: &Golden, outputs: &[Output], lite: bool, bench: &dyn Bench) -> Result<(), String> {
    for (offset, field, path) in outputs {
        let (found, wanted) =
            (bench.get_u64(bench.port(path).map_err(|e| e.to_string())?), golden.field(*offset, field));
        if found != wanted {
            return Err(format!("{path} is {found:#x}, not {wanted:#x}"));
        }
    }
    if golden.kind == Kind::Instance {
        let port = |path| bench.port(path).map_err(|e: flitforge_sim::SimError| e.to_string());
        let told: NetworkSettings = NetworkBits::from_value(&bench.get(port("network")?)).into();
        let wanted = network(golden, lite);
        if told != wanted {
            return Err(format!("network is {told:?}, not {wanted:?}"));
        }
        let types = bench.get(port("settings.types")?);
        let wanted = [golden.kept[&instance::TYPE_CFG0], golden.kept[&instance::TYPE_CFG1]];
        if types.words() != wanted {
            return Err(format!("types are {types:?}, not {wanted:x?}"));
        }
    }
    Ok(())
}

/// Inputs that reads show, with their widths.
pub fn inputs(kind: Kind) -> Vec<(&'static str, u32)> {
    match kind {
        Kind::Instance => vec![
            ("up", 4),
            ("blocked", 4),
            ("clearing", 1),
            ("loads[0]", 8),
            ("loads[1]", 8),
            ("loads[2]", 8),
            ("loads[3]", 8),
            ("generation", 8),
            ("minimum", 6),
            ("injecting", 1),
            ("extract_word", 64),
            ("extracted", 16),
            ("extract_valid", 1),
        ],
        Kind::Port => vec![("up", 1), ("retry_tx_state", 3), ("retry_rx_state", 2), ("paused", 8)],
    }
}

/// What a read shows of inputs.
pub fn shown(kind: Kind, offset: u32, input: &dyn Fn(&str) -> u64) -> u64 {
    match (kind, offset) {
        (Kind::Port, port::P_STAT) => {
            input("up") | input("retry_tx_state") << 1 | input("retry_rx_state") << 4 | input("paused") << 8
        }
        (Kind::Instance, instance::STATUS) => {
            let loads =
                (0..4).fold(0, |word, port| word | input(&format!("loads[{port}]")) << (16 + 8 * port));
            input("up") | input("blocked") << 4 | input("clearing") << 8 | loads
        }
        (Kind::Instance, instance::LOCAL) => input("generation") << 16,
        (Kind::Instance, instance::INJ_CTL) => input("injecting") << 31,
        (Kind::Instance, instance::EXT_DATA) => input("extract_valid") * input("extract_word"),
        (Kind::Instance, instance::EXT_CTL) => input("extracted") | input("extract_valid") << 31,
        _ => 0,
    }
}

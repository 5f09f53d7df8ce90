use flitforge_hdl::fabric::port::FabPortConfig;
use flitforge_hdl::fabric::switch::SwitchIngress;
use flitforge_hdl::link::port::PortConfig;
use flitforge_hdl::node::switch_node::{NodeBus, SwitchNode1, SwitchNodeConfig};
use flitforge_protocol::link::LinkState;
use flitforge_testkit::{Clocked, StockBlock};

type Node = SwitchNode1<4, 8, 2, 3, 32, 4, 5, 6, 7, 8, 4>;

#[test]
fn nodes_that_nobody_builds_are_refused() {
    let port = FabPortConfig::new(PortConfig::new(1, 1, 16), 2, 1_024).with_mtu(256);
    let refused = |ports: usize, port: FabPortConfig| {
        Node::new(&SwitchNodeConfig { ports, port }).err().map(|error| error.parameter)
    };
    assert_eq!(refused(4, port), None);
    assert_eq!(refused(1, port), Some("ports".into()));
    assert_eq!(refused(17, port), Some("ports".into()));
    assert_eq!(refused(5, port), Some("P".into()), "a type for four");
    assert_eq!(refused(4, FabPortConfig { buffer: 2_048, ..port }), Some("B".into()));
    assert_eq!(refused(4, port.with_mtu(4_096)), Some("vl_buf".into()), "a buffer holds a packet");
}

#[test]
fn a_request_goes_to_one_page_once_and_a_page_that_is_not_there_reads_0() {
    let mut bench = StockBlock::new(NodeBus::<3>::default());
    bench.set("addr", 1 << 7 | 5).set("re", 1);
    assert_eq!((bench.get("page_re"), bench.get("page_we"), bench.get("word")), (2, 0, 5));
    for _ in 0..3 {
        bench.clock();
        assert_eq!((bench.get("page_re"), bench.get("ack")), (0, 0), "held, taken once");
    }
    bench.set("page_ack", 2).set("page_rdata[1]", 77);
    bench.clock();
    bench.set("page_ack", 0).set("page_rdata[1]", 0).set("re", 0);
    assert_eq!((bench.get("ack"), bench.get("rdata")), (1, 77));
    bench.clock();
    assert_eq!(bench.get("ack"), 0);
    // A write, and a page after the last.
    bench.set("addr", 2 << 7).set("we", 1);
    assert_eq!((bench.get("page_re"), bench.get("page_we")), (0, 4));
    bench.clock();
    // Cleared in work: no answer.
    bench.set("we", 0).set("clear", 1);
    bench.clock();
    bench.set("clear", 0).set("addr", 3 << 7).set("re", 1);
    assert_eq!((bench.get("ack"), bench.get("page_re")), (0, 0));
    bench.clock();
    assert_eq!((bench.get("ack"), bench.get("rdata")), (1, 0));
}

fn ingress() -> StockBlock<SwitchIngress<2, 74>> {
    let mut bench = StockBlock::new(SwitchIngress::default());
    bench.set("beats_out.ready", 1);
    bench
}

fn state(bench: &mut StockBlock<SwitchIngress<2, 74>>, state: LinkState) {
    bench.set("state", state.code().into());
    bench.clock();
}

#[test]
fn a_link_is_up_from_active_to_down_and_lost_once() {
    let mut bench = ingress();
    state(&mut bench, LinkState::Init);
    assert_eq!(bench.get("up"), 0, "Init for the first time");
    for standing in [LinkState::Active, LinkState::Retraining, LinkState::Init, LinkState::Degraded] {
        state(&mut bench, standing);
        assert_eq!(bench.get("up"), 1, "{standing:?}");
    }
    state(&mut bench, LinkState::Down);
    assert_eq!(bench.get("up"), 0);
    let lost = |bench: &mut StockBlock<SwitchIngress<2, 74>>, clocks: u64| -> Vec<u64> {
        (0..clocks)
            .filter(|_| {
                let lost = bench.get("lost") == 1;
                bench.clock();
                lost
            })
            .collect()
    };
    assert_eq!(lost(&mut bench, 60).len(), 0, "what was on its way still comes");
    assert_eq!(lost(&mut bench, 300).len(), 1, "once");
    for training in [LinkState::Polling, LinkState::Training, LinkState::Init] {
        state(&mut bench, training);
    }
    assert_eq!(lost(&mut bench, 100).len(), 0, "still the same loss");
    // A start: not up while it lasts, lost with its end.
    state(&mut bench, LinkState::Active);
    bench.set("starts", 1);
    assert_eq!(bench.get("up"), 0);
    bench.set("begins", 1);
    bench.clock();
    bench.set("starts", 0).set("begins", 0);
    assert_eq!(lost(&mut bench, 1).len(), 1);
    assert_eq!((lost(&mut bench, 100).len(), bench.get("up")), (0, 1));
    bench.set("clear", 1);
    bench.clock();
    assert_eq!(bench.get("up"), 0);
}

#[test]
fn what_nobody_granted_stops_the_beats_until_the_next_start() {
    for spills in [false, true] {
        let mut bench = ingress();
        bench.set("beats_in.valid", 1);
        assert_eq!(bench.get("beats_out.valid"), 1);
        match spills {
            true => bench.set("beats_out.ready", 0),
            false => bench.set("overrun", 2),
        };
        bench.clock();
        bench.set("beats_out.ready", 1).set("overrun", 0);
        assert_eq!((bench.get("beats_out.valid"), bench.get("spilled")), (0, spills.into()));
        bench.clock();
        assert_eq!((bench.get("beats_out.valid"), bench.get("spilled")), (0, 0));
        bench.set("begins", 1);
        bench.clock();
        bench.set("begins", 0);
        assert_eq!(bench.get("beats_out.valid"), 1, "the link has started");
    }
}

#[test]
fn au_are_told_three_clocks_later() {
    let mut bench = ingress();
    bench.set("freed", 2);
    let mut told = vec![];
    for _ in 0..5 {
        bench.clock();
        bench.set("freed", 0);
        told.push(bench.get("released"));
    }
    assert_eq!(told, [0, 0, 2, 0, 0]);
}

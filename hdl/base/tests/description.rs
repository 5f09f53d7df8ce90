//! What `#[hdl_gen]` makes is rust-hdl's own syntax tree, and it connects the same signals.

use rust_hdl::prelude::{Atom, Block, Logic, Probe};

/// The same blocks twice: with rust-hdl's macro and with this one.
macro_rules! twice {
    ($($blocks:tt)*) => {
        mod stock {
            use rust_hdl::prelude::*;
            $($blocks)*
        }
        mod data {
            use flitforge_base::prelude::*;
            $($blocks)*
        }
    };
}

twice! {
    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    enum Phase {
        Idle,
        Run,
        Stop,
    }

    #[derive(Copy, Clone, Default, Debug, PartialEq, LogicStruct)]
    struct Pair {
        low: Bits<4>,
        high: Bits<12>,
    }

    #[derive(LogicInterface, Clone, Debug, Default)]
    #[join = "There"]
    struct Here {
        pub go: Signal<Out, Bit>,
        pub back: Signal<In, Bits<8>>,
    }

    #[derive(LogicInterface, Clone, Debug, Default)]
    #[join = "Here"]
    struct There {
        pub go: Signal<In, Bit>,
        pub back: Signal<Out, Bits<8>>,
    }

    #[derive(LogicBlock, Default)]
    struct Child {
        pub clock: Signal<In, Clock>,
        pub there: There,
        pub q: Signal<Out, Bits<8>>,
        held: DFF<Bits<8>>,
    }

    impl Logic for Child {
        #[hdl_gen]
        fn update(&mut self) {
            dff_setup!(self, clock, held);
            if self.there.go.val() {
                self.held.d.next = self.held.q.val() + 1;
            }
            self.there.back.next = self.held.q.val();
            self.q.next = self.held.q.val();
        }
    }

    #[derive(LogicBlock)]
    pub struct Everything<const W: usize, const N: usize> {
        pub clock: Signal<In, Clock>,
        pub a: Signal<In, Bits<16>>,
        pub b: Signal<In, Bits<16>>,
        pub wide: Signal<Out, Bits<W>>,
        pub y: Signal<Out, Bits<16>>,
        pub bit: Signal<Out, Bit>,
        pub signed: Signal<Out, Signed<16>>,
        pub lanes: [Signal<Out, Bits<16>>; 4],
        pub through: [Signal<Out, Bits<8>>; N],
        pair: Signal<Local, Pair>,
        state: DFF<Phase>,
        plain: DFF<Bits<16>>,
        other: DFF<Bits<16>>,
        ten: Constant<Bits<16>>,
        here: Here,
        child: Child,
        children: [Child; N],
    }

    impl<const W: usize, const N: usize> Default for Everything<W, N> {
        fn default() -> Self {
            Self {
                clock: Default::default(),
                a: Default::default(),
                b: Default::default(),
                wide: Default::default(),
                y: Default::default(),
                bit: Default::default(),
                signed: Default::default(),
                lanes: Default::default(),
                through: std::array::from_fn(|_| Default::default()),
                pair: Default::default(),
                state: Default::default(),
                plain: Default::default(),
                other: Default::default(),
                ten: Constant::new(10.into()),
                here: Default::default(),
                child: Default::default(),
                children: std::array::from_fn(|_| Default::default()),
            }
        }
    }

    impl<const W: usize, const N: usize> Logic for Everything<W, N> {
        #[hdl_gen]
        fn update(&mut self) {
            println!("a remark with 100 % and \"quotes\"");
            dff_setup!(self, clock, state, plain);
            clock!(self, clock, other, child);
            self.other.d.next = self.a.val() & 0xFF;
            Here::join(&mut self.here, &mut self.child.there);
            self.here.go.next = self.a.val().get_bit(3);
            self.wide.next = bit_cast::<W, 16>(self.a.val()) << bits::<W>(2);
            self.signed.next = signed_cast(self.a.val());
            self.pair.next.low = self.a.val().get_bits::<4>(2);
            self.pair.next.high = bit_cast::<12, 16>(self.b.val() >> 4_u64);
            self.bit.next = (self.a.val() == self.b.val()) && !(self.a.val().get_bit(2))
                || (self.a.val() < self.b.val()) | (self.a.val() <= bits::<16>(5_u64))
                || (self.a.val() > self.b.val()) ^ (self.a.val() >= bits::<16>(0xF000)) & true;
            match self.state.q.val() {
                Phase::Idle => {
                    if self.a.val().any() {
                        self.state.d.next = Phase::Run;
                    } else if self.a.val().all() || self.b.val().xor() {
                        self.state.d.next = Phase::Stop;
                        self.plain.d.next = self.plain.q.val() - 1;
                    } else {
                        self.plain.d.next = !self.plain.q.val();
                    }
                }
                Phase::Run => self.state.d.next = Phase::Stop,
                _ => {
                    self.state.d.next = Phase::Idle;
                }
            }
            self.y.next = self.plain.q.val().replace_bit(self.a.val().get_bits::<4>(0).index(), false);
            match self.a.val().index() {
                0 => self.y.next = 0.into(),
                7 => {
                    self.y.next = bit_cast::<16, 32>(bit_cast::<16, 12>(self.pair.val().high) * self.ten.val());
                }
                _ => {}
            }
            for i in 0..4 {
                self.lanes[i].next = self.a.val().replace_bit(i, true);
            }
            for i in 0..N {
                self.children[i].clock.next = self.clock.val();
                self.children[i].there.go.next = self.b.val().get_bit(i);
                self.through[i].next = self.children[i].q.val() | self.child.q.val();
            }
        }
    }
}

/// Every atom that is connected, by the path of its names.
#[derive(Default)]
struct Connected {
    path: Vec<String>,
    atoms: Vec<(String, bool)>,
}

impl Probe for Connected {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.into());
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.path.push(name.into());
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        self.atoms.push((format!("{}.{name}", self.path.join(".")), atom.connected()));
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}

fn connected(mut block: impl Block) -> Vec<(String, bool)> {
    block.connect_all();
    let mut probe = Connected::default();
    block.accept("top", &mut probe);
    probe.atoms
}

#[test]
fn the_tree_is_the_one_of_rust_hdl() {
    let (stock, data) = (stock::Everything::<40, 3>::default(), data::Everything::<40, 3>::default());
    let (stock, data) = (format!("{:#?}", stock.hdl()), format!("{:#?}", data.hdl()));
    assert!(stock.lines().count() > 500, "a tree with every construct");
    for (place, (left, right)) in stock.lines().zip(data.lines()).enumerate() {
        assert_eq!(left, right, "line {place} of the tree");
    }
    assert_eq!(stock.lines().count(), data.lines().count());
}

#[test]
fn the_same_signals_are_connected() {
    let (stock, data) =
        (connected(stock::Everything::<40, 3>::default()), connected(data::Everything::<40, 3>::default()));
    assert!(stock.iter().any(|(name, _)| name.contains("children")), "{stock:?}");
    assert!(stock.iter().any(|(_, connected)| *connected) && stock.iter().any(|(_, connected)| !*connected));
    assert_eq!(stock, data);
}

#[test]
fn arrays_of_defaults() {
    let array: [u8; 3] = flitforge_base::defaults();
    assert_eq!(array, [0, 0, 0]);
}

#[test]
#[should_panic(expected = "different versions")]
fn a_text_of_another_version_is_refused() {
    flitforge_base::description::decode("A s x Q 1", &[], vec![]);
}

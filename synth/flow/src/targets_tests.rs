use super::*;
use crate::ladder::area::Area;
use crate::report::Spread;

const TARGETS: &str = "# head\n[[target]]\nname = \"a\"\nblock = \"a\"\nlevel = \"place\"\ndevice = \"lfe5u-85f-6\"\nmhz = 200\n\n\
    [[target]]\nname = \"b\"\nblock = \"b\"\nlevel = \"lint\"\ndevice = \"lfe5u-85f-6\"\n";

fn targets() -> Targets {
    Targets::parse("t.toml", TARGETS).unwrap()
}

#[test]
fn bad_targets_are_refused_with_their_line() {
    let cases = [
        ("mhz = 200", "mhz = 0", "t.toml:2: target `a`: mhz = 0"),
        ("mhz = 200\n", "\n", "t.toml:2: target `a`: level \"place\" needs mhz"),
        ("name = \"b\"", "name = \"a\"", "t.toml:9: target `a`: the name is taken"),
        ("lfe5u-85f-6\"\nmhz", "lfe5u-86f-6\"\nmhz", "t.toml:2: target `a`: device `lfe5u-86f-6`"),
        ("level = \"lint\"", "level = \"paint\"", "t.toml:12: "),
        ("block = \"b\"", "blok = \"b\"", "t.toml:11: "),
    ];
    for (good, bad, expected) in cases {
        assert!(TARGETS.contains(good));
        let message = Targets::parse("t.toml", &TARGETS.replacen(good, bad, 1)).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
    assert!(targets().find("c").unwrap_err().to_string().contains("is no target; `flitforge list`"));
}

#[test]
fn bad_budgets_are_refused_with_their_line() {
    let good = "\n[[budget]]\ntarget = \"a\"\nlut4 = 100\nff = 50\nfmax_mhz = 250.0\n";
    Budgets::parse("b.toml", good, &targets()).unwrap();
    let cases = [
        (good.replace("\"a\"", "\"c\""), "b.toml:2: budget `c`: is no target"),
        (good.replace("\"a\"", "\"b\""), "b.toml:2: budget `b`: its target is not synthesised"),
        (good.replace("fmax_mhz = 250.0\n", ""), "b.toml:2: budget `a`: fmax_mhz is given exactly"),
        (good.repeat(2), "b.toml:8: budget `a`: appears twice"),
        (format!("{good}area_tolerance_percent = 80\n"), "b.toml:2: budget `a`: a tolerance of 80"),
    ];
    for (text, expected) in cases {
        let message = Budgets::parse("b.toml", &text, &targets()).unwrap_err().to_string();
        assert!(message.starts_with(expected), "{message}");
    }
}

fn report(lut4: u64, ff: u64, ebr: u64, mhz: Option<f64>) -> SynthReport {
    SynthReport {
        area: Area { lut4, ff, ebr, ..Area::default() },
        fmax_mhz: mhz.map(|median| Spread { median, min: median, max: median }),
        ..crate::report::sample()
    }
}

#[test]
fn drift_finds_losses_and_gains_beyond_the_tolerance() {
    let budget = Budget {
        target: "a".into(),
        lut4: 100,
        ff: 100,
        ebr: 2,
        fmax_mhz: Some(200.0),
        area_tolerance_percent: 3.0,
        fmax_tolerance_percent: 8.0,
    };
    let found = |r: SynthReport| drift(&r, &budget).iter().map(|d| (d.figure, d.kind)).collect::<Vec<_>>();
    use DriftKind::{Better, Worse};
    assert_eq!(found(report(103, 97, 2, Some(184.0))), []);
    assert_eq!(found(report(104, 100, 2, Some(200.0))), [("lut4", Worse)]);
    assert_eq!(found(report(100, 96, 3, Some(183.9))), [("ff", Better), ("ebr", Worse), ("fmax_mhz", Worse)]);
    assert_eq!(found(report(100, 100, 2, Some(217.0))), [("fmax_mhz", Better)]);
    assert_eq!(found(report(100, 100, 2, None)), [("fmax_mhz", Worse)]);
}

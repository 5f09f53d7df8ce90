//! The waveform of a case: it tells what the history tells, with the times of the ends' own clocks.

use flitforge_line::{run, run_with_waves, Case, Choice, Event, Phy, KINDS};
use flitforge_sim::waves::WaveRequest;
use std::collections::BTreeMap;

/// Changes of a text waveform by the path of the signal: time in picoseconds, value.
fn changes(text: &str) -> BTreeMap<String, Vec<(u64, String)>> {
    let (mut scopes, mut names, mut changes, mut time) = (vec![], BTreeMap::new(), BTreeMap::new(), 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, "$end"] => scopes.push(name.to_string()),
            ["$upscope", "$end"] => drop(scopes.pop()),
            ["$var", _, _, code, name, ..] => {
                let path = format!("{}.{name}", scopes.join("."));
                names.insert(code.to_string(), path.clone());
                changes.insert(path, vec![]);
            }
            [word] if word.starts_with('#') => time = word[1..].parse().expect("a time"),
            [value, code] if names.contains_key(code) => {
                let list = changes.get_mut(&names[code]).expect("declared");
                list.push((time, value[1..].to_string()));
            }
            [word] if word.len() > 1 && names.contains_key(&word[1..]) => {
                changes.get_mut(&names[&word[1..]]).expect("declared").push((time, word[..1].to_string()));
            }
            _ => {}
        }
    }
    changes
}

#[test]
fn a_waveform_tells_what_the_history_tells() {
    let choice = Choice {
        kinds: Some(KINDS[0]),
        phy: Some(Phy::Ecp5),
        event: Some(Event::Retrain),
        lanes: Some(4),
        ratio: Some(1_000_500),
        flits: Some(2),
        straight: true,
    };
    let case = Case::new(1, 0, &choice);
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("case.vcd");
    let outcome = run_with_waves(&case, &WaveRequest::file(Some(&path))).expect("written");
    let without = run(&case);
    assert_eq!((&outcome.failure, outcome.clocks), (&without.failure, without.clocks), "it changes nothing");
    assert!(outcome.failure.is_some(), "the clock is too slow");
    let changes = changes(&std::fs::read_to_string(&path).expect("written"));
    for end in 0..2 {
        let states = &changes[&format!("line.end{end}.link0.state")];
        let told = outcome
            .history
            .iter()
            .filter(|line| line.contains(&format!("end {end} ")) && line.contains(" -> "));
        let told: Vec<&str> = told.filter_map(|line| line.split(" -> ").nth(1)?.split(' ').next()).collect();
        let shown: Vec<&str> = states.iter().skip(1).map(|(_, state)| state.as_str()).collect();
        assert!(told.len() > 10 && shown.starts_with(&told[..told.len() - 1]), "{told:?}\n{shown:?}");
        let rises: Vec<u64> = changes[&format!("line.end{end}.core")]
            .iter()
            .filter(|(_, to)| to == "1")
            .map(|(time, _)| *time)
            .collect();
        let mean = (rises[rises.len() - 1] - rises[0]) as f64 / (rises.len() - 1) as f64;
        let expected = 10_000.0 / (1.0 + case.setup.offsets[end] as f64 * 1e-9);
        let wander = f64::from(case.setup.wander) * 1e-9 * 10_000.0;
        assert!((mean - expected).abs() <= wander + 0.01, "{mean} ps of end {end}, expected {expected}");
    }
    for name in [
        "link0.tx_lanes",
        "link0.invert",
        "link0.lane_lock",
        "lane3.rx.data",
        "flits_out.valid",
        "elastic_error",
    ] {
        assert!(!changes[&format!("line.end1.{name}")].is_empty(), "{name}");
    }
    assert!(changes["line.end0.elastic_error"].iter().any(|(_, value)| value == "1"), "it lacks words");
}

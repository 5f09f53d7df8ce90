use super::table::Table;

const ROWS: &str = r#"
    /// Control.
    CTRL = 0x010, ReadWrite except { go: SelfClearing, stop: Write }, ctrl, {
        enable [0 +: 1] "on"; go [1 +: 1] "starts"; stop [5 +: 2] "stops"; }
    /// Lanes.
    LANE[4] = BASE + 0x20, Counter reset(Reset::Value(0xF << 24)), lane, { errors [8 +: 24] "errors"; debt [0 +: 8] "debt"; }
    ;
    /// Counters.
    COUNTS = 0x80, 32, { ONE, TWO }
"#;

#[test]
fn rows_groups_and_exceptions_are_read() {
    let table: Table = syn::parse_str(ROWS).expect("a table");
    let rows: Vec<String> = table.rows.iter().map(|row| format!("{row:?}")).collect();
    assert_eq!(
        rows,
        [
            "CTRL ctrl enable[0+:1]ReadWrite go[1+:1]SelfClearing stop[5+:2]Write",
            "LANE lane debt[0+:8]Counter errors[8+:24]Counter",
        ]
    );
    assert_eq!(table.rows.iter().map(|row| row.several).collect::<Vec<_>>(), [false, true]);
    assert_eq!(table.groups[0].name, "COUNTS");
    assert_eq!(table.groups[0].counters, ["ONE", "TWO"]);
}

#[test]
fn what_a_page_does_not_know_is_refused() {
    let page = |options: &str| {
        let given = format!("{{ t, \"label\", address = 4, {options} }} {{ struct Page; }} {{ {ROWS} }}");
        super::expand(given.parse().expect("tokens")).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(page("elsewhere(LANE)"), Ok(()));
    for (options, message) in [
        ("", "several registers of one name stand in an `elsewhere(..)`"),
        ("elsewhere(LANES)", "the table has no such register"),
        ("elsewhere(LANE), given(CTRL.off)", "the register has no such field"),
        ("elsewhere(LANE), counters(ALL)", "the table has no such group of counters"),
        ("elsewhere(LANE), counters(COUNTS, THREE = 2)", "the group has no such counter"),
        ("elsewhere(LANE), interrupt(CTRL)", "an interrupt has two registers: `interrupt(EVENT, MASK)`"),
    ] {
        assert_eq!(page(options), Err(message.to_owned()), "{options}");
    }
    let error = page("lost(CTRL)").expect_err("no such list");
    assert!(error.starts_with("a page takes `address = bits`"), "{error}");
}

#[test]
fn a_whole_register_has_one_field_of_its_own_access() {
    let table: Table = syn::parse_str(
        r#"
        CTRL = 0, ReadWrite except { go: SelfClearing }, ctrl, { low [0 +: 3] "low"; high [8 +: 8] "high"; go [20 +: 1] "go"; }
        EVENT = 8, WriteOneClears, event, { begun [0 +: 1] "begun"; lost [7 +: 1] "lost"; }
        MIXED = 16, ReadWrite except { near: Read }, mixed, { on [0 +: 1] "on"; near [3 +: 1] "near"; far [4 +: 4] "far"; }
        COUNT = 24, Counter, count, { errors [0 +: 32] "errors"; }
    "#,
    )
    .expect("a table");
    let whole: Vec<_> = table
        .rows
        .iter()
        .map(|row| row.whole().map(|row| format!("{row:?}")).map_err(|error| error.to_string()))
        .collect();
    assert_eq!(
        whole,
        [
            Ok("CTRL ctrl value[0+:16]ReadWrite go[20+:1]SelfClearing".to_owned()),
            Ok("EVENT event happened[0+:8]WriteOneClears".to_owned()),
            Err("a field of another access stands among those of the whole".to_owned()),
            Err("fields of this access have ports of their own".to_owned()),
        ]
    );
}

( time /tmp/tm/release/flitforge sim sue-incast --campaign 2 --json --force --out /tmp/tm/full ) > /tmp/tm/full.json 2>&1

# SPDX-License-Identifier: MIT
# trace.sh - the summary of a trace file equals that of the run itself; other files are refused.
. "$2/tests/cli/common.bash"
needs_json

run 0 run lu -n 256 -b 32 --backend cpu --workers 2 --policy grr --stats --trace t.json
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >said
run 0 trace t.json
silent_err
in_out 'cpu, 2 workers, schedule rings'
in_out '204 tasks in '
in_out '^critical path .* parallelism'
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >file
cmp -s said file || fail "the file says: $(cat file), the run said: $(cat said)"

# Spawned tasks have no number, but a body and a time.
run 0 run uts --opt depth=5 --workers 2 --stats --trace made.json --timeline made.svg
in_out '^trace +16 events kept, 0 dropped'
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >said
run 0 trace made.json
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >file
cmp -s said file || fail "of spawned tasks the file says: $(cat file), the run said: $(cat said)"
[ "$(grep -o '"task":4294967295' made.json | wc -l)" = 15 ] || fail "spawned tasks of the trace: $(head -c 600 made.json)"

# Of a pool: its tasks, on the workers that ended them.
run 0 run mandel/pool -n 100x84 -b 16x20 --workers 2 --trace pool.json
run 0 trace pool.json
in_out 'cpu, 2 workers, schedule pool$'
in_out '35 tasks in '
in_out '^mandel_tile +35 '
in_out '^trace +35 events kept, 0 dropped'
HEDDLE_POOL_TRACE=10 run 0 run mandel/pool -n 100x84 -b 16x20 --workers 1 --trace few.json
run 0 trace few.json
in_out '10 events kept, 25 dropped'

# Of a wave a slice is a stretch of a band: 128 columns of 4 bands of 64 rows, and what it has waited is no busy time.
run 0 run dtw/wave -n 256x8192 --backend cpu --workers 2 --schedule wave --stats --trace wave.json --timeline wave.svg
in_out '^trace +256 events kept, 0 dropped'
in_out '^load +[0-9]+ to [0-9]+ tasks a worker'
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >said
run 0 trace wave.json
sed -n '/^body/,/^$/p; /^load/p; /^trace/p' out | sort >file
cmp -s said file || fail "of a wave the file says: $(cat file), the run said: $(cat said)"
grep -q '"name":"band 3".*"band":3,"first_column":8064,"last_column":8191,"waited_us":' wave.json ||
    fail "the last stretch of the wave: $(grep '"band 3"' wave.json | tail -1)"

HEDDLE_TRACE=10 run 0 run lu -n 256 -b 32 --workers 1 --trace few.json
run 0 trace few.json
in_out '10 events kept, 194 dropped'

refused 'nowhere.json: cannot be read' trace nowhere.json
refused 'one file' trace
refused 'one file' trace t.json few.json
printf '{"traceEvents": [\n {"ph": "X",\n' >cut.json
refused 'cut.json:[0-9]+: ' trace cut.json
echo '{"traceEvents": []}' >other.json
refused 'no trace of heddle' trace other.json
echo '[]' >list.json
refused 'no trace of heddle' trace list.json
head='"heddle": {"workers": 1, "tasks": 1, "dropped": 0, "run_us": 5, "path_us": 1}'
event() { echo "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"task\", $1, \"args\": {\"queue_us\": 0, \"dep_us\": 0}}], $head}" >event.json; }
event '"name": "b", "tid": 0, "ts": 1, "dur": 2'
run 0 trace event.json
in_out '^b +1 +2\.000 us'
event '"name": "b", "tid": 1, "ts": 1, "dur": 2'
refused 'event 0: "tid" is no worker' trace event.json
event '"name": "b", "tid": 0, "ts": -1, "dur": 2'
refused 'event 0: "ts" or "dur" is no time' trace event.json
event '"tid": 0, "ts": 1, "dur": 2'
refused 'event 0: has no name' trace event.json
wave() { echo "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"task\", \"name\": \"band 1\", \"tid\": $1, \"ts\": 1, \"dur\": 4,
 \"args\": {\"body\": \"b\", \"first_column\": 0, \"waited_us\": $2}}], ${head%\}}, \"lanes\": 2}}" >event.json; }
wave 1 1
run 0 trace event.json
in_out '^b +1 +3\.000 us'
in_out '^0 +0 +1\.500 us'
wave 2 1
refused 'event 0: "tid" is no worker' trace event.json
wave 1 5
refused 'event 0: "waited_us" is no time of it' trace event.json
head='"heddle": {"workers": -1, "tasks": 1, "dropped": 0, "run_us": 5, "path_us": 1}'
event '"name": "b", "tid": 0, "ts": 1, "dur": 2'
refused '"workers" is not a number' trace event.json
finish

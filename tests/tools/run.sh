#!/bin/sh
# The program from the outside: run.sh PERDURE. Works in a directory of its own, talks to loopback
# only, and ends the servers that it started by their process ids.
set -eu
perdure=${1:?usage: run.sh PERDURE}
work=$(mktemp -d)
server=
passed=0
failed=0

stop_server() {
  [ -n "$server" ] || return 0
  kill -TERM "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}
trap 'stop_server; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

unset PERDURE_DATA PERDURE_TOKEN XDG_DATA_HOME || true
data=$work/data
p() { verb=$1; shift; "$perdure" "$verb" "$@"; }

pass() { passed=$((passed + 1)); echo "ok    $1"; }
fail() { failed=$((failed + 1)); echo "FAIL  $1"; [ -z "${2:-}" ] || printf '      %s\n' "$2"; }
# check NAME COMMAND...: passes when the command succeeds.
check() { name=$1; shift; if "$@" >"$work/out" 2>"$work/err"; then pass "$name"; else
  fail "$name" "$(cat "$work/out" "$work/err")"; fi; }
# equal NAME EXPECTED ACTUAL
equal() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected '$2', got '$3'"; fi; }
# has NAME TEXT PART
has() { case $2 in *"$3"*) pass "$1" ;; *) fail "$1" "no '$3' in '$2'" ;; esac; }
# exits NAME CODE COMMAND...
exits() {
  name=$1; expected=$2; shift 2
  code=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  if [ "$code" = "$expected" ]; then pass "$name"; else
    fail "$name" "exit code $code instead of $expected: $(cat "$work/out" "$work/err")"; fi
}
# field JSON PATH: a member by its path, as in memories.0.text
field() {
  python3 -c '
import json, sys
value = json.loads(sys.argv[1])
for name in sys.argv[2].split("."):
    value = value[int(name)] if isinstance(value, list) else value[name]
print(value if isinstance(value, str) else json.dumps(value))' "$1" "$2"
}
start_server() {
  rm -f "$work/serve.out"
  "$perdure" serve --data "$data" --port 0 --json "$@" >"$work/serve.out" 2>"$work/serve.err" &
  server=$!
  tries=0
  until [ -s "$work/serve.out" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
      cat "$work/serve.err"
      echo "the server did not start"
      exit 1
    fi
    sleep 0.1
  done
  address=$(field "$(head -1 "$work/serve.out")" address)
}

# --- exit codes of usage
exits "no verb is a usage error" 2 "$perdure"
exits "an unknown verb is a usage error" 2 "$perdure" remember
exits "an unknown option is a usage error" 2 "$perdure" init --colour red
exits "--help is fine" 0 "$perdure" --help
exits "the help of a verb is fine" 0 "$perdure" memory store --help
exits "a verb without a store fails" 1 "$perdure" memory list --data "$data"

# --- a fresh directory
exits "init makes a data directory" 0 "$perdure" init --data "$data"
equal "the directory is its owner's alone" 700 "$(stat -c %a "$data")"
equal "the agent's token is its owner's alone" 600 "$(stat -c %a "$data/token")"
equal "the operator's token is its owner's alone" 600 "$(stat -c %a "$data/operator.token")"
before=$(cat "$data/token")
exits "init again changes nothing" 0 "$perdure" init --data "$data"
equal "the token is the same after init again" "$before" "$(cat "$data/token")"
equal "PERDURE_DATA says where, too" false \
  "$(field "$(PERDURE_DATA=$data p init --json)" created)"
token=$(p token issue --data "$data" --role auditor --label probe)
equal "token issue prints the token alone" 1 "$(printf '%s\n' "$token" | wc -l)"
has "a token says what it is" "$token" perdure_
has "token list names it" "$(p token list --data "$data")" probe

# --- memories
text='Größe: 42 😀
last line without an end'
printf '%s' "$text" >"$work/text"
stored=$(p memory store --data "$data" --file "$work/text" --title Sizes --tag numbers --json)
id=$(field "$stored" id)
p memory get --data "$data" "$id" --text >"$work/back"
check "a text comes back byte for byte" cmp "$work/text" "$work/back"
again=$(p memory store --data "$data" --file "$work/text" --title Sizes --tag numbers --json)
equal "the same text again is the same memory" "$id" "$(field "$again" id)"
piped=$(printf 'The kettle stands in the left cupboard.' |
  p memory store --data "$data" --title Kettle --json)
kettle=$(field "$piped" id)
equal "memory add - reads standard input, too" "$kettle" "$(field "$(
  printf 'The kettle stands in the left cupboard.' |
    p memory add --data "$data" - --title Kettle --json)" id)"
found=$(p search --data "$data" "kettle cupboard" --json)
equal "a search finds it" "$kettle" "$(field "$found" results.0.id)"
equal "an edit makes a version" 2 "$(field "$(p memory edit --data "$data" "$kettle" \
  --old left --new right --reason moved --json)" version)"
exits "an edit of an old version is a conflict" 1 "$perdure" memory edit --data "$data" "$kettle" \
  --append more --expected-version 1
has "the conflict names the current version" "$(cat "$work/err")" "current_version: 2"
has "diff shows what changed" "$(p memory diff --data "$data" "$kettle" 1 2)" "+The kettle stands in the right"
equal "a dry run says what would be" true \
  "$(field "$(p memory forget --data "$data" "$kettle" --dry-run --json)" dry_run)"
equal "revert makes a version" 3 \
  "$(field "$(p memory revert --data "$data" "$kettle" --version 1 --json)" version)"
equal "the text is the old one again" "The kettle stands in the left cupboard." \
  "$(p memory get --data "$data" "$kettle" --text)"
equal "a past version can be read" "The kettle stands in the right cupboard." \
  "$(p memory get --data "$data" "$kettle" --version 2 --text)"
has "history tells why" "$(p memory history --data "$data" "$kettle")" moved
printf 'broken \377' >"$work/broken"
exits "what is not UTF-8 is refused" 1 "$perdure" memory store --data "$data" --file "$work/broken"
has "with its offset" "$(cat "$work/err")" "offset 7"
first=$(p memory store --data "$data" "with a key" --key k1 --json)
equal "the same key again gives the first answer" "$first" \
  "$(p memory store --data "$data" "with a key" --key k1 --json)"
exits "the same key with another text is refused" 1 "$perdure" memory store --data "$data" \
  "another text" --key k1
p memory archive --data "$data" "$id" >"$work/out"
has "an archived memory leaves the list" "$(p memory list --data "$data" --json)" '"total": 2'
p memory restore --data "$data" "$id" >"$work/out"
exits "a snapshot is named" 0 "$perdure" snapshot --data "$data" before-clean-up
p memory describe --data "$data" "$id" --title Dimensions >"$work/out"
equal "a snapshot can be read" Sizes \
  "$(field "$(p memory get --data "$data" "$id" --as-of before-clean-up --json)" memories.0.title)"
exits "a scope is rolled back" 0 "$perdure" rollback --data "$data" --scope / --to before-clean-up
equal "the title is the old one again" Sizes \
  "$(field "$(p memory get --data "$data" "$id" --json)" memories.0.title)"

# --- settings
has "a setting says that it is the default" \
  "$(p config show --data "$data" | grep store.sync)" default
printf '[server]\nerase = "never"\n' >"$data/perdure.toml"
has "config show names the line of the file" "$(p config show --data "$data")" "perdure.toml:2"
exits "what erase forbids is not done" 1 "$perdure" memory erase --data "$data" "$kettle" --yes
has "and is said" "$(cat "$work/err")" "erase = never"
printf '[server]\nprot = 1\n' >"$data/perdure.toml"
exits "a wrong key stops the program" 1 "$perdure" memory list --data "$data"
has "and names its line" "$(cat "$work/err")" "perdure.toml:2: there is no setting server.prot"
rm "$data/perdure.toml"

# --- a folder of memory files
mkdir -p "$work/project/docs"
printf '# House rules\n\nTabs, never spaces.\n' >"$work/project/CLAUDE.md"
exits "a folder becomes a source" 0 "$perdure" source add --data "$data" project "$work/project" \
  --tag rules
exits "a bad pattern is refused" 1 "$perdure" source add --data "$data" other "$work/project" \
  --pattern ../x
equal "a scan stores what is there" store "$(field "$(p source scan --data "$data" --json)" \
  sources.0.changes.0.action)"
rules=$(field "$(p memory list --data "$data" --store project --json)" memories.0.id)
exits "a file's memory is not edited" 1 "$perdure" memory edit --data "$data" "$rules" --append x
has "the file to change is named" "$(cat "$work/err")" "$work/project/CLAUDE.md"
mv "$work/project/CLAUDE.md" "$work/project/docs/AGENTS.md"
equal "a rename keeps the memory" "$rules" "$(field "$(p source scan --data "$data" --json)" \
  sources.0.changes.0.id)"
printf 'caf\351\n' >"$work/project/CLAUDE.md"
exits "a bad file is a finding of the scan" 1 "$perdure" source scan --data "$data"
has "the bad file is named" "$(cat "$work/out")" "CLAUDE.md is not UTF-8"
exits "a source is removed" 0 "$perdure" source remove --data "$data" project
exits "its memories can be edited then" 0 "$perdure" memory edit --data "$data" "$rules" --append x

# --- the log
check "the log verifies" p log verify --data "$data"
equal "the replay is byte-identical" true "$(field "$(p replay --data "$data" --json)" ok)"
has "the log can be queried" "$(p log query --data "$data" --memory "$kettle")" MemoryReverted
has "refused writes are in it" "$(p log query --data "$data" --event WriteRefused)" WriteRefused
equal "an entry can be shown" 2 "$(field "$(p log show --data "$data" 2 --json)" entry.seq)"
has "a proof has a signed head" "$(p log prove --data "$data" 2)" perdure/main
p log checkpoint --data "$data" --size 3 --out "$work/head" --key-out "$work/key"
equal "a checkpoint has the size that was asked for" 3 "$(sed -n 2p "$work/head")"
equal "the same head is printed" "$(cat "$work/head")" "$(p log checkpoint --data "$data" --size 3)"
has "the verifier key is that of the space" "$(cat "$work/key")" "perdure/main+"
exits "a size beyond the log is refused" 1 "$perdure" log checkpoint --data "$data" --size 999
has "a proof extends an older head" \
  "$(p log prove --data "$data" --seq 2 --old-size 3 --json)" '"consistency"'
equal "an export says what it holds" main "$(field "$(p export --data "$data" "$work/e" --json)" space)"
equal "an export can be checked without a store" true \
  "$(field "$(p import --data "$work/none" "$work/e" --adopt --dry-run --key "$work/key" --json)" dry_run)"
equal "a dry import of what is there already stores nothing" 0 \
  "$(field "$(p import --data "$data" "$work/e" --dry-run --json)" failed)"
p export --data "$data" "$work/state" --state --json >"$work/out"
has "a state is lines of JSON" "$(head -n 1 "$work/state")" '"perdure_state":1'
"$perdure" init --data "$work/other" >/dev/null
printf -- '- one thing\n- another\n- \n' >"$work/list"
list=$(p import --data "$work/other" "$work/list" --format list --json) || true
equal "a list of another program is imported" 2 "$(field "$list" stored)"
equal "what is no memory is told by its line" 3 "$(field "$list" left.0.line)"
equal "the same again stores nothing twice" 2 \
  "$(p memory list --data "$work/other" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["total"])')"
backup=$(p backup --data "$work/other" "$work/backups" --keys "$work/keys" --json)
equal "a backup has a number" 1 "$(field "$backup" number)"
other=$(field "$(p memory list --data "$work/other" --json)" memories.0.id)
since=$(field "$backup" spaces.1.seq)
p memory erase --data "$work/other" "$other" --yes >/dev/null
p export --data "$work/other" "$work/stones" --tombstones "$since" >/dev/null
restored=$(p restore "$work/backups" --to "$work/brought" --keys "$work/keys" --tombstones "$work/stones" --json)
equal "a restore takes the tombstones over" 1 "$(field "$restored" carried.0.erased)"
equal "what was erased since is not back" 1 \
  "$(p memory list --data "$work/brought" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["total"])')"
check "a restored log verifies" "$perdure" log verify --data "$work/brought"
check "a restored store replays" "$perdure" replay --data "$work/brought"
p export --data "$work/brought" "$work/brought.export" --json >"$work/out"
python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["verifier_key"])' "$work/out" >"$work/brought.key"
has "an auditor sees that a log was restored" \
  "$(python3 "$(dirname "$0")/../../tools/audit/verify.py" "$work/brought.export" "$work/brought.key")" \
  "the log was restored from a backup"
exits "nothing is restored over a store" 1 "$perdure" restore "$work/backups" --to "$work/brought" --keys "$work/keys"
exits "a file that is no export is refused" 1 "$perdure" import --data "$data" "$work/text" --adopt
has "compact says what is lost" \
  "$(p compact --data "$data" --before before-clean-up --dry-run)" "lost"

# --- --json parses, whatever the verb
for call in "version" "init" "token list" "memory list" "memory history $kettle" "memory diff $kettle 1 2" \
  "snapshot --list" "log query" "log show 1" "log prove" "log checkpoint" "log verify" "replay" "index status" \
  "search kettle" "memory get $kettle" "memory get 00000000" "doctor" "fact about Alice" \
  "review list" "review rejected --all" "policy get"; do
  # shellcheck disable=SC2086  # the call is meant to split
  "$perdure" $call --data "$data" --json >"$work/json" 2>"$work/err" || true
  check "$call --json parses" python3 -m json.tool "$work/json"
done

# --- through a running server
local_list=$(p memory list --data "$data" --json)
local_get=$(p memory get --data "$data" "$kettle" "$id" --json)
local_log=$(p log query --data "$data" --limit 5 --json)
local_found=$(p search --data "$data" "where is the kettle" --json)
local_error=$(p memory get --data "$data" 12345678 --json || true)
start_server
has "the lock file names the server" "$(cat "$data/lock")" "\"pid\":$server"
exits "a second server on the directory is refused" 1 "$perdure" serve --data "$data" --port 0
has "by the first one's process id" "$(cat "$work/err")" "$server"
has "and its address" "$(cat "$work/err")" "$address"
tries=0
until curl -s "$address/readyz" | grep -q '"loaded":true' || [ "$tries" -gt 300 ]; do
  tries=$((tries + 1))
  sleep 0.1
done
equal "list is the same through the server" "$local_list" "$(p memory list --data "$data" --json)"
equal "get is the same through the server" "$local_get" \
  "$(p memory get --data "$data" "$kettle" "$id" --json)"
equal "log query is the same through the server" "$local_log" \
  "$(p log query --data "$data" --limit 5 --json)"
equal "an error is the same through the server" "$local_error" \
  "$(p memory get --data "$data" 12345678 --json || true)"
equal "search is the same through the server" "$local_found" \
  "$(p search --data "$data" "where is the kettle" --json)"
equal "the key of a call in-process gives the first answer through the server" "$first" \
  "$(p memory store --data "$data" "with a key" --key k1 --json)"
remote=$(p memory store --data "$data" "Written through the server" --json)
remote_id=$(field "$remote" id)
exits "a token of the directory opens the API" 0 curl -sf "$address/api/v1/memories/$remote_id" \
  -H "Authorization: Bearer $(cat "$data/token")"
exits "no token, no API" 22 curl -sf "$address/api/v1/memories/$remote_id"
has "metrics are counted" "$(curl -s "$address/metrics")" perdure_log_entries
has "readiness speaks of the semantic arm" "$(curl -s "$address/readyz")" stand_in
printf 'a\000b' >"$work/nul"
nul=$(field "$(p memory store --data "$data" --file "$work/nul" --json)" id)
p memory get --data "$data" "$nul" --text >"$work/back"
check "a NUL comes back through the server" cmp "$work/nul" "$work/back"
exits "nothing is adopted beside a running server" 1 "$perdure" import --data "$data" "$work/e" --adopt
has "which is named" "$(cat "$work/err")" "$server"
check "the log verifies beside the server" p log verify --data "$data"
check "the replay runs beside the server" p replay --data "$data"
has "a proxy answers MCP on standard output" "$(printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | p mcp --data "$data")" memory_store
has "a proxy keeps the session of its client" "$(printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}' \
  '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"perdure://index"}}' |
  p mcp --data "$data")" '"id":2,"jsonrpc":"2.0","result":{}'
check "doctor finds nothing wrong beside the server" sh -c \
  "\"$perdure\" doctor --data \"$data\" --json | python3 -c '
import json, sys
bad = [f for f in json.load(sys.stdin)[\"findings\"] if not f[\"ok\"] and f[\"check\"] not in (\"model\", \"disk\")]
print(bad)
sys.exit(len(bad))'"
if grep -q "Written through the server" "$work/serve.err"; then
  fail "the server's log holds no text of memories"
else pass "the server's log holds no text of memories"; fi
check "the server logs each request" grep -q '"route":"/api/v1/memories"' "$work/serve.err"
kill -TERM "$server"
code=0
wait "$server" || code=$?
server=
equal "SIGTERM ends the server cleanly" 0 "$code"
equal "the lock is free afterwards" "Written through the server" \
  "$(p memory get --data "$data" "$remote_id" --text)"
start_server --scrub-days 1
exits "nothing is repaired under a running server" 1 "$perdure" replay --data "$data" \
  --in-place --yes
has "which it names" "$(cat "$work/err")" "perdure serve"
tries=0
until curl -s "$(field "$(cat "$work/serve.out")" address)/metrics" |
  grep -q "^perdure_scrub_last_pass_seconds [1-9]"; do
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || break
  sleep 0.1
done
has "doctor shows what the scrub did" "$(p doctor --data "$data" || true)" "entries checked, last pass 20"
has "readiness knows of no finding" \
  "$(curl -s "$(field "$(cat "$work/serve.out")" address)/readyz")" '"findings":0'
stop_server
start_server --writes never
exits "with --writes never an agent cannot write" 22 curl -sf "$address/api/v1/memories" \
  -H "Authorization: Bearer $(cat "$data/token")" -d '{"text":"no"}'
stop_server
start_server --writes stdio
exits "with --writes stdio an agent cannot write over HTTP" 22 curl -sf "$address/api/v1/memories" \
  -H "Authorization: Bearer $(cat "$data/token")" -d '{"text":"no"}'
store='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store",
  "arguments":{"text":"over stdio"}}}'
store=$(echo "$store" | tr -d '\n')
has "nor over MCP, whatever it calls itself" "$(curl -s "$address/mcp" -d "$store" \
  -H "Authorization: Bearer $(cat "$data/token")" -H "Perdure-Stdio: $(cat "$data/token")")" \
  forbidden
has "but it can over stdio, through the running server" \
  "$(echo "$store" | p mcp --data "$data")" '"created":true'
stop_server

# --- facts and review
claim() { p fact assert --data "$data" Alice drinks "$@"; }
milk=$(field "$(claim milk --quote "milk, please" --source monday \
  --reference-time 2024-01-01 --json)" id)
has "a correction names what it faded" "$(claim "oat milk" --quote "oat milk" --source tuesday \
  --reference-time 2024-01-02)" "faded: $milk"
exits "a claim on evidence that has counted is refused" 1 "$perdure" fact assert --data "$data" \
  Alice drinks milk --quote "milk, please" --source monday --reference-time 2024-01-01
has "by a gate and a rule, which are named" "$(cat "$work/out")" "(conflict: stale_evidence)"
about=$(p fact about --data "$data" alice drinks --history --json)
equal "what stands is the correction" "oat milk" "$(field "$about" facts.0.object)"
equal "the chain begins with what it corrected" "$milk" "$(field "$about" chain.0.id)"
printf '%s\n' '{"subject":"Bob","predicate":"drinks","object":"tea"}' \
  '{"subject":"Alice","predicate":"drinks","object":"oat milk"}' >"$work/facts"
exits "one refused fact refuses the file" 1 "$perdure" fact assert-many --data "$data" "$work/facts"
equal "nothing of it is there" "[]" "$(field "$(p fact about --data "$data" bob --json)" facts)"
exits "with --partial the exit code still tells" 1 "$perdure" fact assert-many --data "$data" \
  "$work/facts" --partial
equal "and the others are let in" tea \
  "$(field "$(p fact about --data "$data" bob --json)" facts.0.object)"
tea=$(field "$(p fact propose --data "$data" Alice drinks tea --quote "tea, too" --json)" id)
has "a candidate waits" "$(p review list --data "$data")" "$tea"
has "beside the value in its place" "$(p review show --data "$data" "$tea" | grep ^object)" "oat milk"
equal "with its evidence" "tea, too" \
  "$(field "$(p review show --data "$data" "$tea" --json)" memory.evidence.quote)"
rejected=$(p review decide --data "$data" "$tea" reject --reason "she hates it" --json)
has "a rejected value is listed with its reason" "$(p review rejected --data "$data")" "she hates it"
exits "it is refused from now on" 1 "$perdure" fact assert --data "$data" alice drinks TEA
has "by its suppression" "$(cat "$work/out")" "suppression $(field "$rejected" suppression)"
exits "the decision is taken back" 0 "$perdure" review undo --data "$data" \
  "$(field "$rejected" decision)"
exits "and taken the other way" 0 "$perdure" review decide --data "$data" "$tea" approve
equal "which stands" tea "$(field "$(p fact about --data "$data" alice drinks --json)" facts.0.object)"
exits "verifying wants a reviewer's token" 1 "$perdure" memory verify --data "$data" "$tea" --quote tea
reviewer=$(p token issue --data "$data" --role reviewer)
has "a reviewer verifies" "$(PERDURE_TOKEN=$reviewer p memory verify --data "$data" "$tea" \
  --quote tea)" verified
exits "what is verified is not scored" 1 "$perdure" memory score --data "$data" "$tea" \
  --importance 0.6 --pass one --reason tried
has "a challenge of it waits" "$(claim water)" "candidate"
exits "a note is scored" 0 "$perdure" memory score --data "$data" "$id" --importance 0.6 \
  --pass one --reason tried
note=$(field "$(p memory store --data "$data" "Alice drinks rum." --json)" id)
exits "a memory is forgotten, and its value refused" 0 "$perdure" memory forget --data "$data" \
  "$note" --refuse
exits "the same note is refused" 1 "$perdure" memory store --data "$data" "alice drinks RUM."
number=$(field "$(p review rejected --data "$data" --json)" suppressions.0.suppression)
exits "lifting wants a reason" 1 "$perdure" review lift --data "$data" "$number"
exits "a rejection is lifted" 0 "$perdure" review lift --data "$data" "$number" --reason mistaken
exits "the note is let in again" 0 "$perdure" memory store --data "$data" "alice drinks RUM."
exits "a value is rejected that nobody has" 0 "$perdure" review reject --data "$data" Alice drinks gin
exits "a predicate is declared" 0 "$perdure" predicate --data "$data" speaks --multi-valued
for language in French German; do
  p fact assert --data "$data" Alice speaks "$language" >"$work/out"
done
equal "its values stand side by side" 2 \
  "$(p fact about --data "$data" alice speaks --json | grep -c '"object"')"
exits "a policy is set" 0 "$perdure" policy set --data "$data" --fade 0.5
has "and in force" "$(p policy get --data "$data" | grep ^fade)" 0.5
exits "a genre is changed" 0 "$perdure" memory genre --data "$data" "$nul" personal
equal "what is not factual is found by its genre" "$nul" \
  "$(field "$(p memory list --data "$data" --genre personal --json)" memories.0.id)"
one=$(field "$(p memory store --data "$data" "part one" --json)" id)
two=$(field "$(p memory store --data "$data" "part two" --json)" id)
merged=$(field "$(echo both | p memory merge --data "$data" "$one" "$two" --file - --json)" id)
equal "a merge names its parts" "[\"$one\", \"$two\"]" \
  "$(field "$(p memory get --data "$data" "$merged" --json)" memories.0.derived_from)"
exits "a merge is undone" 0 "$perdure" memory unmerge --data "$data" "$merged"
equal "its parts are as they were" live \
  "$(field "$(p memory get --data "$data" "$one" --json)" memories.0.state)"
proposed=$(p memory propose --data "$data" "Perhaps." --json)
equal "a note is proposed, too" candidate "$(field "$proposed" outcome)"
equal "the replay is byte-identical after all that" true \
  "$(field "$(p replay --data "$data" --json)" ok)"

# --- for good
exits "erase without --yes is a usage error" 2 "$perdure" memory erase --data "$data" "$kettle"
exits "erase with --yes" 0 "$perdure" memory erase --data "$data" "$kettle" --yes
exits "what was erased cannot be read" 1 "$perdure" memory get --data "$data" "$kettle"
has "it says that it was erased" "$(cat "$work/err")" erased
check "the log verifies after an erasure" p log verify --data "$data"
exits "history is compacted" 0 "$perdure" compact --data "$data" --before before-clean-up
exits "and texts that only it needed" 0 "$perdure" compact --data "$data" \
  --before before-clean-up --payloads
exits "a read below the horizon fails" 1 "$perdure" memory list --data "$data" --as-of 3
has "naming the horizon" "$(cat "$work/err")" horizon
equal "the replay is byte-identical after both" true \
  "$(field "$(p replay --data "$data" --json)" ok)"

# --- repair
exits "a dry run is kept" 0 "$perdure" memory store --data "$data" "would be" --dry-run --keep
has "in the log" "$(p log query --data "$data" --event DryRunKept)" DryRunKept
exits "a whole log is not cut" 1 "$perdure" log truncate --data "$data" --to 3 --yes
has "and it says so" "$(cat "$work/err")" "nothing to cut"
exits "replaying in place without --yes is a usage error" 2 "$perdure" replay --data "$data" \
  --in-place
listed=$(p memory list --data "$data")
exits "the store is replayed in place" 0 "$perdure" replay --data "$data" --in-place --yes
equal "and answers as before" "$listed" "$(p memory list --data "$data")"
check "the log verifies afterwards" p log verify --data "$data"
check "the old store is kept" test -f "$data/store.damaged.1/CURRENT"
python3 - "$data/keys/main.secret" <<'EOF'
import sys
with open(sys.argv[1], "r+b") as key:
    first = key.read(1)
    key.seek(0)
    key.write(bytes([first[0] ^ 1]))
EOF
has "doctor names a damaged key" "$(p doctor --data "$data" || true)" main.secret

# --- MCP on standard input and output, without a server
has "mcp answers in-process" "$(printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_list","arguments":{}}}' |
  p mcp --data "$work/mcp" 2>/dev/null)" '"total":0'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

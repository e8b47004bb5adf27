#!/usr/bin/env bash
# Build, test and run a checkout, one verb each: `./mk help` lists them.
# Works from any folder, as root or not, on Debian 12, Debian 13 and Ubuntu 24.04. It changes the machine in one way
# only: verbs install the packages that they need and that are missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scripts=$root/scripts
export PATH=$PATH:$root/build/tools  # promtool
# Programs are built to be fast; where the tests are built anyway, MK_PROGRAMS=dev saves a build.
programs=$root/build/${MK_PROGRAMS:-release}

say() { printf 'mk: %s\n' "$*"; }
die() {
  printf 'mk: %s\n' "$1" >&2
  exit "${2:-1}"
}

# needs SET...: installs these sets of packages.
needs() { "$scripts/packages.sh" "$@"; }

# deps [--path] [SET...]
verb_deps() {
  local path=()
  [[ ${1:-} != --path ]] || { path=(--path) && shift; }
  needs "${path[@]}" build "$@"
  [[ ${#path[@]} -gt 0 ]] || say "all packages are there"
}

# --- building ---------------------------------------------------------------

# The number of compilers: one for each processor, but no more than there are GiB of memory (the largest takes 1 GiB).
jobs() {
  local cores available
  cores=$(nproc)
  available=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  [[ ${available:-1} -ge 1 ]] || available=1
  printf '%s\n' "${MK_JOBS:-$((cores < available ? cores : available))}"
}

# build PRESET [TARGET...]: builds all targets by default. Without a terminal ninja shows no progress.
build() {
  local preset=$1 start=$SECONDS log=$root/build/$1.configure.log quiet=()
  mkdir -p "$root/build"
  (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 || {
    cat "$log" >&2
    die "configuring '$preset' failed"
  }
  say "building $*"
  [[ -t 1 ]] || quiet=(--quiet)
  ninja -C "$root/build/$preset" -j "$(jobs)" "${quiet[@]}" "${@:2}" || die "the build of '$preset' failed"
  say "built $preset in $((SECONDS - start)) s"
}

# start "NAME TARGET..." [WORD...]: builds these, and becomes the program NAME.
start() {
  local targets
  read -ra targets <<<"$1"
  needs build
  build "${programs##*/}" "${targets[@]}"
  exec "$programs/bin/${targets[0]}" "${@:2}"
}

verb_build() {
  needs build
  build "${1:-release}"
}

# --- running ----------------------------------------------------------------

verb_serve() {
  local option options=() conf=$root/conf
  for option in "config=$conf/fastjournal.xml" "tables=$conf/tables.d" "data=$root/data" "plugins=$programs/plugins"; do
    [[ " $* " == *" --${option%%=*}"[\ =]* ]] || options+=("--$option")
  done
  [[ " ${options[*]} " != *" --data="* ]] || mkdir -p "$root/data"
  start "fastjournald programs" "${options[@]}" "$@"
}

verb_run() {
  [[ ${1:-} == --pipeline ]] || start main_job "$@"
  needs build
  build "${programs##*/}" fastjournald fastjournal pipeline
  exec "$scripts/run_pipeline.sh" "$programs/bin" "${@:2}"
}

verb_bench() {
  [[ ${1:-} == all ]] || start fastjournal_bench "$@"
  needs build bench
  build "${programs##*/}" fastjournal_bench fj_measure programs
  exec "$scripts/measure.sh" "$programs/bin" "$root/build/performance"
}

verb_sim() { start fj_sim_run "$@"; }
verb_crash() { start fj_crash "$@"; }
verb_hostile() { start fj_hostile "$@"; }
verb_cluster() {
  needs cluster
  start etcd_cluster --log_level=message "$@"
}

verb_count() {
  needs build count
  build release hot_path
  exec "$scripts/count_instructions.sh" "$root/build/release/bin/hot_path" "$root/tests/bench/instructions.tsv" "$@"
}

# mutants [BUILD] ...: with the programs of that build (default: dev, which compiles least).
verb_mutants() {
  local preset=dev built
  if [[ ${1:-} =~ ^(dev|release)$ ]]; then preset=$1 && shift; fi
  needs build
  read -ra built < <("$scripts/mutants.py" "$root/build/$preset" --programs "$@")
  build "$preset" "${built[@]}"
  exec "$scripts/mutants.py" "$root/build/$preset" --jobs "$(jobs)" "$@"
}

# --- checking ---------------------------------------------------------------

verb_test() {
  local presets=() preset label="" counts status passed=0 failed=0
  while [[ $# -gt 0 ]]; do
    case $1 in
      --quick) label=quick ;;
      --only)
        label=${2:?--only: expected a label}
        shift
        ;;
      all) presets+=(dev release asan tsan) ;;
      *) presets+=("$1") ;;
    esac
    shift
  done
  needs build test docs
  [[ $label =~ ^(quick|sanitized)$ ]] || needs page promtool
  for preset in "${presets[@]:-release}"; do
    build "$preset" ${label:+"tests_$label"}
    status=0
    ctest --test-dir "$root/build/$preset" ${label:+-L "^$label\$"} --output-on-failure --no-tests=error \
      -j "${MK_TEST_JOBS:-$((2 * $(nproc)))}" || status=1
    counts=$(awk -f "$scripts/count_tests.awk" "$root/build/$preset/Testing/Temporary/LastTest.log")
    # ctest itself may fail, which the counts do not show.
    [[ $status -eq 0 || ${counts#* } -gt 0 ]] || counts="${counts% *} 1"
    say "$preset: ${counts% *} passed, ${counts#* } failed"
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
  done
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [[ $failed -eq 0 && $passed -gt 0 ]]
}

verb_fuzz() {
  needs build fuzz
  build fuzz fuzzers
  exec "$scripts/fuzz.sh" "$root/build/fuzz" "$(jobs)" "$@"
}

verb_nightly() { exec "$scripts/nightly.sh" "$@"; }

# format [--check] [FILE...]: all files of the tree by default. Other versions break some lines differently.
verb_format() {
  local mode=(-i) files version=14
  [[ ${1:-} != --check ]] || { mode=(--dry-run --Werror) && shift; }
  needs format
  if [[ ${mode[0]} != -i ]] && ! clang-format --version | grep -q "version $version\."; then
    say "the files are formatted by clang-format $version; this is another one, so nothing is checked"
    return 0
  fi
  mapfile -t files < <(cd "$root" && git ls-files --cached --others --exclude-standard '*.cpp' '*.h' '*.js' '*.mjs' |
    sed "s|^|$root/|")
  [[ $# -eq 0 ]] || files=("$@")
  clang-format --style=file "${mode[@]}" "${files[@]}" || die "not formatted as .clang-format says: ./mk format"
  say "${#files[@]} files formatted"
}

verb_lint() {
  needs build lint
  build lint etcd_rpc/etcd/rpc.pb.h  # which some sources include
  exec "$scripts/lint.sh" "$root/build/lint" "$(jobs)" "$@"
}

# --- packages, documents ----------------------------------------------------

# fresh SUITE [COMMAND...]: README.md's commands in a bare system.
verb_fresh() {
  needs chroot
  exec "$scripts/fresh_machine.sh" "$@"
}

verb_package() {
  local job=package
  case "$* " in
    try\ * | boot\ *)
      job=$1_packages
      needs chroot boot
      shift
      ;;
    *--chroot\ *) needs chroot ;;
    *) needs build docs package ;;
  esac
  exec "$scripts/$job.sh" "$@"
}

verb_image() {
  if [[ ${1:-} == try ]]; then
    needs image_try
    exec "$scripts/try_image.sh" "${@:2}"
  fi
  needs image
  exec "$scripts/image.sh" "$@"
}

# generate: what follows from the declarations of table types; a test compares it.
verb_generate() {
  needs build
  # The program of before serves where a source names a parameter that is to be made.
  (build "${programs##*/}" fastjournal) || [[ -x $programs/bin/fastjournal ]] || exit 1
  exec "$scripts/generate.py" "$programs/bin/fastjournal"
}

# drawings: makes the pictures of doc/ from the files beside them; tests compare the two.
verb_drawings() {
  local drawing
  needs drawings
  for drawing in "$root"/doc/*.dot; do
    dot -Tsvg "$drawing" -o "${drawing%.dot}.svg" || die "dot could not draw $drawing"
  done
  start fastjournal_bench --draw "$root/doc/performance.json" --svg "$root/doc/performance.svg"
}

# docs: any warning, such as a link to nothing, ends it.
verb_docs() {
  needs build docs
  build release site
  rm -rf "$root/build/site"
  cp -r "$root/build/release/site" "$root/build/site"
  say "the site is in build/site: open build/site/index.html"
}

verb_clean() {
  local preset
  [[ $# -gt 0 ]] || rm -rf "$root/build"
  for preset in "$@"; do
    [[ $preset =~ ^[a-z-]+$ ]] || die "clean: no preset '$preset'" 2
    rm -rf "$root/build/$preset"
  done
}

verb_help() {
  cat <<'HELP'
usage: ./mk VERB [...]

  run [FOLDER]          the main job, end to end, on the documents of FOLDER (default: this machine's texts)
  run --pipeline [N]    N documents of this machine (200) of each of two sources through a pipeline to an index and a
                        folder, while worker and daemon are killed
  test [PRESET... | all]  build and run the tests (default: release); all = dev release asan tsan
  test --quick          only tests that together take less than a minute; --only LABEL: those with a label
                        (cmake/layers.cmake)
  serve [OPTIONS]       start the daemon from this checkout: conf/, data in ./data; OPTIONS go to fastjournald
  build [PRESET]        build into build/PRESET (default: release)
  deps [--path] [SET...]  install missing packages, also those of these jobs (scripts/packages.sh); --path prints a PATH
                        of only their programs
  bench [OPTIONS]       measure, beside beanstalkd, Redis and PostgreSQL (doc/performance.md); bench all: everything that
                        is measured there, some 20 minutes, into build/performance
  count [--write]       count the instructions for one message of each kind, and compare them with the baseline;
                        more than 5 % above it fails. --write records a new baseline
  sim [KIND] [--seed N] [--seconds S]  random lives in the simulator, from N on, for this time: of the whole daemon, or
                        of a KIND (--help): --model, which compares every answer, --spool, --keyvalue, --queue, ...
  crash [--seed N]      test the log store with millions of simulated power cuts, damaged sectors and failing calls,
                        and files of bytes likewise; --only-bytes: only these
  hostile [--full]      attack the daemon as hostile clients and careless hands would, beside an honest client
  hostile --idle N      measure what N idle connections of each kind cost an honest client; --scrape N: what scrapes of
                        /metrics with N tables cost the loop
  cluster               three daemons on three real members of etcd, killed, stopped, without power; doc/cluster.md
                        (as root)
  mutants [SUBJECT | SUBJECT/NAME]...  plant the known faults of tests/mutants, one at a time: the tests must see each;
                        --draw N: some by chance; mutants release: with that build
  fuzz [NAME] [SECONDS]  run the fuzzers of the parsers (default: all, 60 s each)
  nightly [PART...]     all that takes too long for .ci/run: tests with sanitizers, long lives, campaigns; hours
  format [--check] [FILE...]  clang-format
  lint [all | --recent N | FILE...]  clang-tidy (default: files changed since the last commit; --recent:
                        N of those that the last 30 commits changed)
  package [--chroot SUITE] [--twice]  build the Debian packages, for this system or in a bare one, and check them with
                        lintian; --twice: two builds must have equal bytes
  package try SUITE [FOLDER]  install, use, upgrade and purge these packages in a bare system
  package boot SUITE [FOLDER] boot a bare system with them: what systemd does with the units
  image [SUITE]         make a container image of the packages, into build/image
  image try [IMAGE]     run it with podman (as root): a row must outlast a restart, kill -9 and the container
  fresh SUITE [COMMAND...]  ./mk run and ./mk test (or COMMANDs) in a fresh clone in a bare system: what a newcomer gets
  generate              make what follows from plugins/*/TYPE.xml and clients/calls: clients, tables of documents
  drawings              make the pictures of doc/ anew
  docs                  build the documents as a site, with search, into build/site
  clean [PRESET...]     remove build/
  help                  this text

presets: dev (debug, each source compiled by itself), release, asan (address and undefined behaviour), tsan (threads), fuzz
(clang, the sanitizers of asan), without-PART (release without etcd, sql, http or a table type)
MK_JOBS=N sets the number of compilers, MK_TEST_JOBS=N that of test programs (default: two a processor, as they wait
much). MK_PROGRAMS=dev runs the programs of that build in place of release.
HELP
}

verb=${1:-help}
[[ $verb != -h && $verb != --help ]] || verb=help
declare -F "verb_$verb" >/dev/null || {
  verb_help >&2
  die "unknown verb '$verb'" 2
}
[[ $# -eq 0 ]] || shift
"verb_$verb" "$@"

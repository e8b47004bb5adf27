#!/usr/bin/env bash
# Build, test and run a checkout, one verb each: `./mk help` lists them.
# Works from any folder, as root or not, on Debian 12, Debian 13 and Ubuntu 24.04. It changes the machine in one way
# only: verbs install the packages that they need and that are missing.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
conf=$root/conf

# The packages that each job needs; their names are the same on all three systems.
packages_build=(
  g++ binutils cmake ninja-build pkg-config git python3
  libevent-dev libssl-dev libmsgpack-cxx-dev libtinyxml2-dev libxxhash-dev
  libfmt-dev libspdlog-dev libcli11-dev libabsl-dev libre2-dev nlohmann-json3-dev
  libpq-dev libsqlite3-dev zlib1g-dev libboost-dev libboost-test-dev libxml2-utils
  libnghttp2-dev libprotobuf-dev protobuf-compiler mold
)
# What tests use as their users would: clients of HTTP, TLS and SQL, an SQL server, systemd-analyze, readers of the manual, shells that
# complete. promtool: fetch_promtool.
packages_test=(
  curl libnet-stomp-perl nodejs openssl python3-jsonschema python3-msgpack python3-pytest python3-stomp systemd
  make man-db mandoc bsdextrautils bash zsh fish postgresql postgresql-client sqlite3
)
packages_fuzz=(clang)
packages_format=(clang-format)
format_version=14  # other versions break some lines differently
packages_lint=(clang-tidy cppcheck)
packages_bench=(activemq beanstalkd memcached nginx rabbitmq-server redis-server postgresql postgresql-client python3-redis python3-rq)
packages_count=(valgrind)
packages_cluster=(etcd-server etcd-client iproute2 openssl python3 e2fsprogs mount)
packages_drawings=(graphviz)
packages_package=(debhelper dh-python dpkg-dev fakeroot lintian pybuild-plugin-pyproject python3-all python3-msgpack python3-setuptools)
packages_chroot=(debootstrap iproute2)
packages_image=(dpkg-dev mmdebstrap python3 umoci)
packages_image_try=(podman runc)
packages_docs=(python3-sphinx python3-myst-parser)
packages_page=(chromium fonts-dejavu-core)  # for the tests of the page

say() { printf 'mk: %s\n' "$*"; }
die() {
  printf 'mk: %s\n' "$1" >&2
  exit "${2:-1}"
}

# --- packages ---------------------------------------------------------------

# Prints those of the given packages that are not installed.
missing_packages() {
  local package installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p' || true)
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

# install_packages PACKAGE...: installs missing ones; silent if there are none.
install_packages() {
  local missing log
  command -v dpkg-query >/dev/null ||
    die "this system has no dpkg: install by hand the contents of these Debian packages: $*"
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "missing: ${missing[*]}"
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    die "not root, and there is no sudo. As root: apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "apt-get update"
  as_root apt-get -qq update || say "apt-get update failed; trying with the lists that are here"
  say "apt-get install"
  log=$(mktemp)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}" \
    </dev/null >"$log" 2>&1 || {
    cat "$log" >&2
    die "apt-get could not install them (on Ubuntu they need the component 'universe')"
  }
  rm -f "$log"
  say "installed: ${missing[*]}"
}

# Ubuntu has Chromium only as a snap, which tests cannot drive: there those of the page are left out, and say so.
browser_packages() {
  ! grep -qx 'ID=debian' /etc/os-release || printf '%s\n' "${packages_page[@]}"
}

# The folder of units is told by a package that Debian 12 does not have.
units_package() {
  if grep -qx 'VERSION_ID="12"' /etc/os-release; then printf 'systemd\n'; else printf 'systemd-dev\n'; fi
}

# promtool alone: where it has no package of its own, that of its server, prometheus, would start one.
fetch_promtool() {
  local tools=$root/build/tools from=promtool
  ! command -v promtool >/dev/null || return 0
  if [[ ! -x $tools/promtool ]]; then
    apt-cache show promtool >/dev/null 2>&1 || from=prometheus
    say "promtool, from the package $from"
    mkdir -p "$tools/package"
    (
      cd "$tools/package"
      apt-get -qq download "$from" || { as_root apt-get -qq update && apt-get -qq download "$from"; }
      dpkg-deb --extract "${from}"_*.deb .
    ) >&2 || die "promtool could not be fetched: install the package $from, or put promtool into the PATH"
    mv "$tools/package/usr/bin/promtool" "$tools/promtool"
    rm -r "$tools/package"
  fi
  export PATH=$tools:$PATH
}

# packages_of SET...: the packages of the build and of these verbs, in the array `packages`.
packages_of() {
  local set
  packages=("${packages_build[@]}")
  for set in "$@"; do
    case $set in
      test) packages+=("${packages_test[@]}" "${packages_docs[@]}") ;;
      fuzz) packages+=("${packages_fuzz[@]}") ;;
      format) packages+=("${packages_format[@]}") ;;
      lint) packages+=("${packages_lint[@]}") ;;
      bench) packages+=("${packages_bench[@]}") ;;
      count) packages+=("${packages_count[@]}") ;;
      docs) packages+=("${packages_docs[@]}") ;;
      page) mapfile -t -O "${#packages[@]}" packages < <(browser_packages) ;;
      *) die "deps: unknown set '$set'; expected test, fuzz, format, lint, bench, count, docs or page" 2 ;;
    esac
  done
}

# deps [--path] [SET...]. --path: prints a PATH that has no other programs than those of the packages.
verb_deps() {
  local packages path=0
  [[ ${1:-} != --path ]] || { path=1 && shift; }
  packages_of "$@"
  install_packages "${packages[@]}" >&2
  if [[ $path -eq 1 ]]; then
    "$root/scripts/package_path.sh" "$root/build/path" "${packages[@]}" >&2
    printf '%s\n' "$root/build/path"
  else
    say "all packages are there (${#packages[@]})"
  fi
}

# fresh SUITE [COMMAND...]: README.md's commands in a bare system.
verb_fresh() {
  install_packages git "${packages_chroot[@]}"
  exec "$root/scripts/fresh_machine.sh" "$@"
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

check_preset() {
  case $1 in
    dev | release | asan | tsan | fuzz) ;;
    *) die "unknown preset '$1'; expected dev, release, asan, tsan or fuzz" 2 ;;
  esac
}

# Without a terminal: a line for each tenth of the build, and all lines that are not progress.
short_progress() {
  local line tenth shown=0
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      [[ $tenth -eq $shown ]] || printf '  %s of %s\n' "${BASH_REMATCH[@]:1}"
      shown=$tenth
    else
      printf '%s\n' "$line"
    fi
  done
}

configure() {
  local log=$root/build/$1.configure.log
  mkdir -p "$root/build"
  (cd "$root" && cmake --preset "$1") >"$log" 2>&1 || {
    cat "$log" >&2
    die "configuring '$1' failed"
  }
}

# build_preset PRESET [TARGET...]: builds all targets by default.
build_preset() {
  local preset=$1 start=$SECONDS build=(cmake --build "$root/build/$1" -j "$(jobs)")
  shift
  [[ $# -eq 0 ]] || build+=(--target "$@")
  configure "$preset"
  say "building $preset${*:+ ($*)}"
  if [[ -t 1 ]]; then
    "${build[@]}" || die "the build of '$preset' failed"
  else
    "${build[@]}" | short_progress || die "the build of '$preset' failed"
  fi
  say "built $preset in $((SECONDS - start)) s"
}

# Programs are built to be fast; where the tests are built anyway, MK_PROGRAMS=dev saves a build.
programs=${MK_PROGRAMS:-release}

# tool NAME [TARGET...]: builds build/$programs/bin/NAME and these. program NAME: with every program and plugin.
tool() {
  check_preset "$programs"
  install_packages "${packages_build[@]}"
  configure "$programs"
  ninja -C "$root/build/$programs" -t query "$1" >/dev/null 2>&1 || die "$1: not in this tree" 2
  build_preset "$programs" "$@"
}
program() { tool "$1" programs; }

verb_build() {
  local preset=${1:-release}
  check_preset "$preset"
  install_packages "${packages_build[@]}"
  build_preset "$preset"
}

# --- running ----------------------------------------------------------------

given() {
  local wanted=$1 option
  shift
  for option in "$@"; do
    [[ $option == "$wanted" || $option == "$wanted="* ]] && return 0
  done
  return 1
}

verb_serve() {
  local options=()
  program fastjournald
  given --config "$@" || options+=(--config "$conf/fastjournal.xml")
  given --tables "$@" || options+=(--tables "$conf/tables.d")
  given --data "$@" || options+=(--data "$root/data")
  given --plugins "$@" || options+=(--plugins "$root/build/$programs/plugins")
  given --data "$@" || mkdir -p "$root/data"
  exec "$root/build/$programs/bin/fastjournald" "${options[@]}" "$@"
}

verb_run() {
  if [[ ${1:-} == --pipeline ]]; then
    shift
    tool fastjournald fastjournal pipeline
    exec "$root/scripts/run_pipeline.sh" "$root/build/$programs/bin" "$@"
  fi
  tool main_job  # with what it starts
  exec "$root/build/$programs/bin/main_job" "$@"
}

verb_bench() {
  if [[ ${1:-} == all ]]; then
    install_packages "${packages_build[@]}" "${packages_bench[@]}"
    tool fastjournal_bench fj_measure programs
    exec "$root/scripts/measure.sh" "$root/build/$programs/bin" "$root/build/performance"
  fi
  program fastjournal_bench
  exec "$root/build/$programs/bin/fastjournal_bench" "$@"
}

verb_sim() {
  tool fj_sim_run
  exec "$root/build/$programs/bin/fj_sim_run" "$@"
}

verb_crash() {
  program fj_crash
  exec "$root/build/$programs/bin/fj_crash" "$@"
}

# Three members of etcd on this computer: some are killed, stopped, and full.
verb_cluster() {
  install_packages "${packages_build[@]}" "${packages_cluster[@]}"
  program etcd_cluster
  exec "$root/build/$programs/bin/etcd_cluster" --log_level=message "$@"
}

verb_hostile() {
  program fj_hostile
  exec "$root/build/$programs/bin/fj_hostile" "$@"
}

# count [--write]: compares with the baseline, or writes a new one.
verb_count() {
  install_packages "${packages_build[@]}" "${packages_count[@]}"
  build_preset release hot_path
  "$root/scripts/count_instructions.sh" "$root/build/release/bin/hot_path" "$root/tests/bench/instructions.tsv" "$@"
}

# mutants [BUILD] [--draw N] [SUBJECT | SUBJECT/NAME]...: with the programs of that build (default: dev, which compiles least).
verb_mutants() {
  local preset=dev built
  if [[ ${1:-} =~ ^(dev|release)$ ]]; then preset=$1 && shift; fi
  install_packages "${packages_build[@]}"
  read -ra built < <("$root/scripts/mutants.py" "$root/build/$preset" --programs "$@")
  build_preset "$preset" "${built[@]}"
  exec "$root/scripts/mutants.py" "$root/build/$preset" --jobs "$(jobs)" "$@"
}

# --- checking ---------------------------------------------------------------

# test_preset PRESET [LABEL]: builds and runs its tests; adds to `passed` and `failed`, and to `broken` if ctest itself
# failed.
passed=0
failed=0
broken=0
test_preset() {
  local preset=$1 label=${2:-} counts ctest_status=0
  build_preset "$preset" ${label:+"tests_$label"}
  ctest --test-dir "$root/build/$preset" ${label:+-L "^$label\$"} --output-on-failure --no-tests=error \
    -j "${MK_TEST_JOBS:-2}" || ctest_status=$?
  counts=$(awk -f "$root/scripts/count_tests.awk" "$root/build/$preset/Testing/Temporary/LastTest.log")
  say "$preset: ${counts% *} passed, ${counts#* } failed"
  passed=$((passed + ${counts% *}))
  failed=$((failed + ${counts#* }))
  # A failure of ctest that the count does not show.
  [[ $ctest_status -eq 0 || ${counts#* } -gt 0 ]] || broken=$((broken + 1))
}

# test [--quick | --only LABEL] [PRESET... | all]
verb_test() {
  local presets=() preset label=""
  while [[ $# -gt 0 ]]; do
    case $1 in
      --quick) label=quick ;;
      --only)
        label=${2:-}
        [[ $label =~ ^(unit|world|lives|proof|process|page|threads|quick)$ ]] ||
          die "test: expected --only unit, world, lives, proof, process, page, threads or quick" 2
        shift
        ;;
      *) presets+=("$1") ;;
    esac
    shift
  done
  [[ ${#presets[@]} -gt 0 ]] || presets=(release)
  [[ ${presets[0]} != all ]] || presets=(dev release asan tsan)
  for preset in "${presets[@]}"; do check_preset "$preset"; done
  [[ " ${presets[*]} " != *" fuzz "* ]] || die "test: the preset fuzz has no tests; ./mk fuzz" 2
  local packages=("${packages_build[@]}" "${packages_test[@]}" "${packages_docs[@]}")
  [[ $label == quick ]] || mapfile -t -O "${#packages[@]}" packages < <(browser_packages)
  install_packages "${packages[@]}"
  [[ $label == quick ]] || fetch_promtool
  for preset in "${presets[@]}"; do test_preset "$preset" "$label"; done
  printf '%d passed, %d failed\n' "$passed" "$((failed + broken))"
  [[ $((failed + broken)) -eq 0 && $passed -gt 0 ]]
}

# fuzz [NAME] [SECONDS]: runs each fuzzer of tests/fuzz for SECONDS (default 60).
verb_fuzz() {
  local wanted="" seconds=60 argument fuzzer name found=0 seeds
  for argument in "$@"; do
    if [[ $argument =~ ^[0-9]+$ ]]; then seconds=$argument; else wanted=$argument; fi
  done
  install_packages "${packages_build[@]}" "${packages_fuzz[@]}"
  build_preset fuzz fuzzers
  for fuzzer in "$root"/build/fuzz/bin/fuzz_*; do
    [[ -x $fuzzer ]] || continue
    name=${fuzzer##*/fuzz_}
    [[ -z $wanted || $wanted == "$name" ]] || continue
    found=1
    mkdir -p "$root/build/fuzz/corpus/$name" "$root/build/fuzz/found"
    seeds=()
    [[ ! -d $root/tests/fuzz/corpus/$name ]] || seeds=("$root/tests/fuzz/corpus/$name")
    say "fuzzing $name for $seconds s"
    "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
      -seed="${FJ_SEED:-0}" -artifact_prefix="$root/build/fuzz/found/$name-" "$root/build/fuzz/corpus/$name" \
      "${seeds[@]}" >"$root/build/fuzz/$name.log" 2>&1 || {
      tail -n 60 "$root/build/fuzz/$name.log" >&2
      die "$name: found an input that makes it fail; it is in build/fuzz/found"
    }
    grep '^stat::' "$root/build/fuzz/$name.log" || true
  done
  [[ $found -eq 1 ]] || die "fuzz${wanted:+ $wanted}: not in this tree" 2
  say "fuzzed, nothing found"
}

# code_files GIT COMMAND...: the C++ files, and the scripts of the page, that this git command lists.
code_files() {
  (cd "$root" && "$@" -- '*.cpp' '*.h' '*.js' '*.mjs') | sort -u
}

# format [--check] [FILE...]: all files of the tree by default.
verb_format() {
  local mode=(-i) files=() version
  if [[ ${1:-} == --check ]]; then
    mode=(--dry-run --Werror)
    shift
  fi
  install_packages "${packages_format[@]}"
  if [[ $# -gt 0 ]]; then
    files=("$@")
  else
    mapfile -t files < <(code_files git ls-files --cached --others --exclude-standard | sed "s|^|$root/|")
  fi
  version=$(clang-format --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
  if [[ $version != "$format_version" && ${mode[0]} != -i ]]; then
    say "the files are formatted by clang-format $format_version; this is $version, so nothing is checked"
    return 0
  fi
  clang-format --style=file "${mode[@]}" "${files[@]}" || die "not formatted as .clang-format says: ./mk format"
  say "${#files[@]} files formatted"
}

# part COMMAND...: one part of nightly; prints its duration, and adds it to `parts_failed` if it fails.
parts_failed=()
part() {
  local start=$SECONDS
  say "nightly: $*"
  if "$root/mk" "$@"; then
    say "nightly: $* took $((SECONDS - start)) s"
  else
    say "nightly: $* FAILED after $((SECONDS - start)) s"
    parts_failed+=("$*")
  fi
}

# nightly: all that takes too long for .ci/run (its head has the figures). The last line is that of ./mk test.
verb_nightly() {
  local status=0
  install_packages "${packages_build[@]}" "${packages_fuzz[@]}"
  part sim --seconds 1800
  part sim --model --seconds 1800
  part sim --spool --seconds 1800
  part sim --keyvalue --seconds 1800
  part sim --queue --seconds 1800
  part sim --pipeline --seconds 1800
  part sim --bytes --seconds 1800
  part sim --transactions --seconds 1800
  part fuzz 600
  part crash
  part mutants
  part hostile --full
  part test --only threads tsan
  part package --twice
  part image
  part image try
  part fresh bookworm
  part fresh trixie
  [[ ${#parts_failed[@]} -eq 0 ]] || say "nightly: ${#parts_failed[@]} failed: $(printf '%s; ' "${parts_failed[@]}")"
  say "nightly: test dev asan"
  export FJ_SPOOL_SECONDS=120 FJ_LINES=1000000  # of the large file of a pipeline
  verb_test dev asan || status=$?
  [[ ${#parts_failed[@]} -eq 0 && $status -eq 0 ]]
}

# lint [FILE...]: by default the files changed since the last commit; `lint all` for the tree; `lint --recent N`: so many
# of those that the last 30 commits changed, drawn by the name of the last one.
verb_lint() {
  local files=()
  install_packages "${packages_build[@]}" "${packages_lint[@]}"
  # Without GCC's precompiled headers, which clang-tidy cannot read.
  cmake -S "$root" --preset dev -B "$root/build/lint" -DFJ_PRECOMPILED=OFF >"$root/build/lint.configure.log" 2>&1 ||
    die "configuring failed: build/lint.configure.log"
  if [[ ${1:-} == all ]]; then
    mapfile -t files < <(code_files git ls-files --cached --others --exclude-standard | sed -n "/\.cpp$/s|^|$root/|p")
  elif [[ ${1:-} == --recent ]]; then
    mapfile -t files < <(code_files git log -30 --format= --name-only --diff-filter=d |
      sed -n "/\.cpp$/s|^|$root/|p" | while read -r file; do [[ ! -f $file ]] || printf '%s\n' "$file"; done |
      shuf -n "${2:-16}" --random-source=<(git -C "$root" rev-list -50 HEAD))
  elif [[ $# -gt 0 ]]; then
    files=("$@")
  else
    mapfile -t files < <({
      code_files git diff --name-only --diff-filter=d HEAD
      code_files git ls-files --others --exclude-standard
    } | sed -n "/\.cpp$/s|^|$root/|p" | sort -u)
  fi
  [[ ${#files[@]} -gt 0 ]] || {
    say "nothing changed since the last commit; ./mk lint all, or name files"
    return 0
  }
  ninja -C "$root/build/lint" etcd_rpc/etcd/rpc.pb.h >/dev/null  # which some of them include
  say "clang-tidy: ${#files[@]} files"
  printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(jobs)" clang-tidy --quiet -p "$root/build/lint" || die "clang-tidy has findings"
  say "cppcheck: ${#files[@]} files"
  cppcheck --quiet --std=c++20 --language=c++ --inline-suppr --error-exitcode=1 -I "$root/src" -I "$root/src/include" \
    --enable=warning,performance,portability --suppress=missingInclude --suppress=unknownMacro \
    --suppress=internalAstError "${files[@]}" || die "cppcheck has findings"
  say "nothing found"
}

# package [--chroot SUITE] [--twice]: the Debian packages; `package try SUITE [FOLDER]` uses them in a bare system,
# `package boot SUITE [FOLDER]` boots one.
verb_package() {
  case ${1:-} in
    try)
      install_packages "${packages_chroot[@]}"
      exec "$root/scripts/try_packages.sh" "${@:2}"
      ;;
    boot)
      install_packages "${packages_chroot[@]}" systemd-container
      exec "$root/scripts/boot_packages.sh" "${@:2}"
      ;;
  esac
  if [[ " $* " == *" --chroot "* ]]; then
    install_packages git "${packages_chroot[@]}"
  else
    install_packages "${packages_build[@]}" "${packages_package[@]}" "${packages_docs[@]}" "$(units_package)"
  fi
  exec "$root/scripts/package.sh" "$@"
}

# image [SUITE [PACKAGES]]: the packages as a container image; `image try [IMAGE]` runs one.
verb_image() {
  if [[ ${1:-} == try ]]; then
    install_packages "${packages_image_try[@]}"
    exec "$root/scripts/try_image.sh" "${@:2}"
  fi
  install_packages "${packages_image[@]}"
  exec "$root/scripts/image.sh" "$@"
}

# drawings: makes the pictures of doc/ from the files beside them; tests compare the two.
verb_drawings() {
  local drawing
  install_packages "${packages_drawings[@]}"
  for drawing in "$root"/doc/*.dot; do
    dot -Tsvg "$drawing" -o "${drawing%.dot}.svg" || die "dot could not draw $drawing"
    say "drew ${drawing%.dot}.svg"
  done
  program fastjournal_bench
  "$root/build/release/bin/fastjournal_bench" --draw "$root/doc/performance.json" --svg "$root/doc/performance.svg"
  say "drew $root/doc/performance.svg"
}

# docs: any warning, such as a link to nothing, ends it.
verb_docs() {
  install_packages "${packages_build[@]}" "${packages_docs[@]}"
  build_preset release site
  rm -rf "$root/build/site"
  cp -r "$root/build/release/site" "$root/build/site"
  say "the site is in build/site: open build/site/index.html"
}

verb_clean() {
  local preset
  if [[ $# -eq 0 ]]; then
    rm -rf "$root/build"
    say "removed build/ (data/ stays)"
    return 0
  fi
  for preset in "$@"; do
    check_preset "$preset"
    rm -rf "$root/build/$preset"
    say "removed build/$preset"
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
                        (unit, world, lives, proof, process, page, threads, quick: cmake/layers.cmake)
  serve [OPTIONS]       start the daemon from this checkout: conf/, data in ./data; OPTIONS go to fastjournald
  build [PRESET]        build into build/PRESET (default: release)
  deps [--path] [test|fuzz|format|lint|bench|count|docs|page]  install missing packages, also those of the named verbs;
                        --path prints a PATH of only their programs
  bench [OPTIONS]       measure, beside beanstalkd, Redis and PostgreSQL (doc/performance.md); bench all: everything that
                        is measured there, hours, into build/performance
  count [--write]       count the instructions for one message of each kind, and compare them with the baseline;
                        more than 5 % above it fails. --write records a new baseline
  sim [--seed N]        random lives of the whole daemon in the simulator; --seconds S: from N on, for this time
  sim --model           the same, with every answer compared with the reference model
  sim --spool           random lives of producers, forwarder and daemon together
  sim --keyvalue        random lives of key/value tables, alone beside their reference and in a daemon
  sim --queue           random lives of queue tables: alone beside their reference, and in a daemon messages that go
                        around in transactions
  sim --pipeline        random lives of pipeline tables: alone beside their reference, and in a daemon with receivers that
                        count what arrives
  sim --bytes           random lives of a blob table and a journal that spills in a daemon, with maintenance; and of files that
                        are exchanged while values come
  sim --transactions    random lives of transactions, and the power cut at each call of their commits
  crash [--seed N]      test the log store with millions of simulated power cuts, damaged sectors and failing calls,
                        and files of bytes likewise; --only-bytes: only these
  hostile [--full]      attack the daemon as hostile clients and careless hands would, beside an honest client
  hostile --idle N      measure what N idle connections of each kind cost an honest client; --scrape N: what scrapes of
                        /metrics with N tables cost the loop
  cluster               three daemons on three real members of etcd (Debian's etcd-server), killed, stopped, without power; doc/cluster.md (as root)
  mutants [SUBJECT | SUBJECT/NAME]...  plant the known faults of tests/mutants, one at a time: the tests must see each;
                        --draw N: some by chance; mutants release: with that build
  fuzz [NAME] [SECONDS]  run the fuzzers of the parsers (default: all, 60 s each)
  nightly               all that takes too long for .ci/run: all tests with sanitizers, long lives, campaigns; hours
  format [--check] [FILE...]  clang-format
  lint [all | --recent N | FILE...]  clang-tidy and cppcheck (default: files changed since the last commit; --recent:
                        N of those that the last 30 commits changed)
  package [--chroot SUITE] [--twice]  build the Debian packages, for this system or in a bare one, and check them with
                        lintian; --twice: two builds must have equal bytes
  package try SUITE [FOLDER]  install, use, upgrade and purge these packages in a bare system
  package boot SUITE [FOLDER] boot a bare system with them: what systemd does with the units
  image [SUITE]         make a container image of the packages, into build/image
  image try [IMAGE]     run it with podman (as root): a row must outlast a restart, kill -9 and the container
  fresh SUITE [COMMAND...]  ./mk run and ./mk test (or COMMANDs) in a fresh clone in a bare system: what a newcomer gets
  drawings              make the pictures of doc/ anew
  docs                  build the documents as a site, with search, into build/site
  clean [PRESET...]     remove build/
  help                  this text

presets: dev (debug, each source compiled by itself), release, asan (address and undefined behaviour), tsan (threads), fuzz
MK_JOBS=N sets the number of compilers, MK_TEST_JOBS=N that of test programs (default 2). MK_PROGRAMS=dev runs the
programs of that build in place of release.
HELP
}

verb=${1:-help}
[[ $# -eq 0 ]] || shift
case $verb in
  deps | build | run | serve | test | bench | sim | count | crash | cluster | hostile | mutants | fuzz | nightly | format | lint | package | image | drawings | docs | clean | fresh | help) "verb_$verb" "$@" ;;
  -h | --help) verb_help ;;
  *)
    verb_help >&2
    die "unknown verb '$verb'" 2
    ;;
esac

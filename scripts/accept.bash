# shellcheck shell=bash
# Sourced by other scripts. `accept "WORD…" "$@"` prints the script's first comment for --help. An argument that is none of
# the words ends the script with exit code 2, before it does anything.
accept() {
  local argument
  for argument in "${@:2}"; do
    if [ "$argument" = --help ] || [ "$argument" = -h ]; then
      awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"
      exit 0
    fi
    [[ " $1 " == *" $argument "* ]] || {
      echo "$0: '$argument' is not accepted. Accepted are: ${1:+$1 }--help" >&2
      exit 2
    }
  done
}

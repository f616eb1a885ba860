#!/usr/bin/env python3
"""Makes the recorded sequences of windows that tests/libinterpose/timing replays, from traces of `mkmd run --trace`.

    mkmd run --devices pocl/2 --trace run.jsonl -- program …
    record.py run.jsonl > NAME.json

Times are seconds since the first window. Launches of a window that are alike are one entry.
"""

import json
import sys

MOST_WINDOWS = 60
# What a trace says of a launch that is not split, and what was decided then. All other reasons that depend on the
# launch are those of launches which might have been split.
DECIDED = {
    "too short to split": "too short",
    "planning and splitting such launches took more time than they saved": "lost before",
}
HOME = "this launch was to show how long home takes"


def rounded(seconds):
    return float(f"{seconds:.6g}")


def launches_of(window):
    """[kernel, seconds on the first device, seconds at home, decided, how many], without commands that are no kernels."""
    found = {}
    for command in window["commands"]:
        if command["kind"] != "kernel":
            continue
        why = command.get("whole_because")
        key = (command["kernel"], rounded(command["seconds"][0]), rounded(command["seconds"][-1]), DECIDED.get(why, "may be split"))
        found[key] = found.get(key, 0) + 1
    return [[*key, count] for key, count in found.items()]


def main():
    with open(sys.argv[1]) as file:
        events = [json.loads(line) for line in file]
    windows = [e["window"] for e in events if "window" in e][:MOST_WINDOWS]
    outcomes = {e["outcome"]["command"]: e["outcome"] for e in events if "outcome" in e}
    platform = next(e["platform"] for e in events if "platform" in e)
    zero = windows[0]["time"]

    def seconds(time):
        return round((time - zero) * 1e-9, 9)

    recorded = []
    for window in windows:
        outcome = outcomes[window["commands"][0]["id"]]
        recorded.append({
            "planned": [round(seconds(window["time"]) - window["planning_seconds"], 9), seconds(window["time"])],
            "measures_home": any(c.get("whole_because") == HOME for c in window["commands"]),
            "launches": launches_of(window),
            "commands": len(window["commands"]),
            "began": seconds(outcome["began"]),
            "ended": seconds(outcome["ended"]),
            "known": seconds(outcome["known"]),
            "at_home": rounded(outcome["at_home"]),
            "measured": rounded(outcome["measured"]),
        })
    separate = len({device["mem"] for device in platform["devices"]}) > 1
    head = {"devices": len(platform["devices"]), "home_is_sum": not separate, "parts_play_devices": separate,
            "fixed": platform["devices"][0].get("launch", 0)}
    print(json.dumps(head)[:-1] + ', "windows": [\n' + ",\n".join(json.dumps(w) for w in recorded) + "\n]}")


if __name__ == "__main__":
    main()

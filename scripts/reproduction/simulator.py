# SPDX-License-Identifier: Apache-2.0
"""`mkmd simulate` as a function of Python, and changes to graphs in its exchange format."""
import copy
import json
import os
import subprocess


class Simulator:
    def __init__(self, mkmd, folder):
        self.mkmd, self.folder = mkmd, folder
        os.makedirs(folder, exist_ok=True)

    def _call(self, *arguments):
        done = subprocess.run([self.mkmd, "simulate", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"mkmd simulate {' '.join(map(str, arguments))}: {done.stderr or done.stdout}")
        return json.loads(done.stdout)

    def generate(self, spec):
        return self._call("--generate", spec)

    def run(self, source, policies, bounds="none", **more):
        """`source`: a specification for --generate, or a problem. Returns (bounds by name, results by policy);
        each result as `mkmd simulate --json` prints it."""
        if isinstance(source, str):
            arguments = ["--generate", source]
        else:
            path = os.path.join(self.folder, "input.json")
            with open(path, "w") as file:
                json.dump(source, file)
            arguments = [path]
        for policy in policies:
            arguments += ["--policy", policy]
        for name, value in more.items():
            arguments += ["--" + name.replace("_", "-"), value]
        answer = self._call(*arguments, "--bounds", bounds, "--json")
        results = {}
        for result in answer["policies"]:  # asked for several times: the quickest planning counts
            known = results.setdefault(result["policy"], result)
            known["planning"] = min(known["planning"], result["planning"])
        return {b["name"]: b for b in answer["bounds"]}, results


def without_last_device(problem):
    problem = copy.deepcopy(problem)
    problem["platform"]["devices"].pop()
    for task in problem["graph"]["tasks"]:
        task["times"].pop()
    return problem


def together(problems):
    """Several graphs of one platform side by side."""
    sum_of = {"platform": problems[0]["platform"], "graph": {"tasks": [], "edges": []}}
    tasks, edges = sum_of["graph"]["tasks"], sum_of["graph"]["edges"]
    for number, problem in enumerate(problems):
        ids = {}
        for task in problem["graph"]["tasks"]:
            ids[task["id"]] = len(tasks)
            tasks.append({**task, "id": len(tasks)})
        for edge in problem["graph"]["edges"]:
            edges.append({**edge, "src": ids[edge["src"]], "dst": ids[edge["dst"]],
                          "buffer": f"{number}.{edge['buffer']}"})
    return sum_of

// SPDX-License-Identifier: Apache-2.0
// `mkmd simulate` as its users see it: arguments in, text and exit code out.
#include "tools/simulate/simulate.hpp"

#include "tests/scheduler/data.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace mkmd {
namespace {

struct Answer {
  int code = 0;
  std::string out, err;
};

Answer simulate(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  Answer answer;
  answer.code = run_simulate(args, out, err);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

std::string graph(const std::string& name) {
  return std::string(MKMD_TEST_DATA) + "/graphs/" + name + ".json";
}

std::string file(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "mkmd_simulate_" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Simulate, ReportsAndWritesASchedule) {
  const std::string output = file("schedule.json", "");
  const Answer answer = simulate({graph("mkmd_ABE"), "--policy", "mkmd-malleable", "--output", output});
  EXPECT_EQ(answer.code, 0) << answer.err;
  for (const char* what : {"makespan", "idle share", "scheduling time", "critical path", "area + transfers"})
    EXPECT_NE(answer.out.find(what), std::string::npos) << what;
  auto document = scheduler::parse_document(scheduler::read_text(output));
  ASSERT_TRUE(document.ok()) << document.status().message();
  ASSERT_TRUE(document->schedule.has_value());
  EXPECT_TRUE(scheduler::validate(document->problem, *document->schedule).ok());
}

TEST(Simulate, ComparesAllPolicies) {
  const Answer answer = simulate({graph("cholesky4"), "--policy", "all", "--bound-time", "2"});
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  for (const scheduler::PolicyInfo& p : scheduler::policies())
    EXPECT_NE(answer.out.find("\n" + std::string(p.name) + " "), std::string::npos) << p.name;
}

TEST(Simulate, ComparesSeveralPoliciesAsJson) {
  const Answer answer = simulate({"--generate", "lu:6,independent", "--policy", "heft:rank=area", "--policy",
                                  "heteroprio", "--bounds", "mixed", "--json"});
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out);
  ASSERT_EQ(json["policies"].size(), 2u);
  ASSERT_EQ(json["bounds"].size(), 1u);
  const double bound = json["bounds"][0]["seconds"];
  double work = 0, times = 0;
  for (const char* device_class : {"CPU", "GPU"})
    work += json["bounds"][0]["work"][device_class].get<double>();
  for (const auto& result : json["policies"]) {
    const double makespan = result["makespan"];
    EXPECT_GE(makespan, bound * (1 - 1e-9));
    times = 24 * makespan * (1 - result["idle_share"].get<double>());
    EXPECT_NEAR(24 * makespan - result["idle"]["CPU"].get<double>() - result["idle"]["GPU"].get<double>(),
                times, 1e-9);
  }
  EXPECT_GT(work, 0);
  EXPECT_EQ(simulate({"--generate", "lu:6", "--policy", "heft", "--bounds", "best"}).code, 2);
}

TEST(Simulate, SearchesTheExactOptimum) {
  const Answer answer = simulate({graph("emsoft_table2"), "--policy", "d-rank", "--exact", "20"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("exact optimum of undivided tasks  0.00602 s, makespan is 1.1161"),
            std::string::npos)
      << answer.out;
}

TEST(Simulate, SaysWhatIsLeftOfTheExactOptimum) {
  const Answer stopped =
      simulate({graph("cholesky4"), "--policy", "heteroprio", "--bounds", "none", "--exact", "0.1"});
  EXPECT_NE(stopped.out.find("exact optimum (lower bound: stopped "), std::string::npos) << stopped.out;
  const Answer large =
      simulate({graph("cholesky8"), "--policy", "heteroprio", "--bounds", "none", "--exact", "0.1"});
  EXPECT_EQ(large.code, 0);
  EXPECT_NE(large.out.find("exact optimum  not solved: too large: 120 tasks on 24 devices"),
            std::string::npos)
      << large.out;
}

TEST(Simulate, ListsPoliciesWithCitations) {
  const Answer answer = simulate({"--list"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("heteroprio-dep: "), std::string::npos);
  EXPECT_NE(answer.out.find("Beaumont"), std::string::npos);
}

TEST(Simulate, GeneratesWhatItReads) {
  for (const char* spec : {"cholesky:5", "lu:3", "qr:3", "mkmd:Jacobi", "mkmd:ABE,1024", "random:7", "app:cg",
                           "app:cholesky,large"}) {
    const Answer made = simulate({"--generate", spec});
    ASSERT_EQ(made.code, 0) << made.err;
    const Answer answer = simulate({file("generated.json", made.out), "--policy", "heft"});
    EXPECT_EQ(answer.code, 0) << spec << ": " << answer.err;
  }
}

TEST(Simulate, RatesMayBeWrong) {
  const auto without_times = [](std::string text) {
    const size_t at = text.find("scheduling time");
    return text.erase(at, text.find('\n', at) - at);
  };
  for (const char* policy : {"heteroprio", "heft", "mkmd-malleable"}) {
    const std::string predicted = without_times(simulate({graph("cholesky8"), "--policy", policy}).out);
    for (const char* option : {"--rate-error", "--jitter"}) {
      const std::vector<std::string> args = {graph("cholesky8"), "--policy", policy, option, "0.2",
                                             "--seed",           "3"};
      const Answer answer = simulate(args);
      EXPECT_EQ(answer.code, 0) << answer.err;
      EXPECT_EQ(without_times(answer.out), without_times(simulate(args).out));
      EXPECT_NE(without_times(answer.out), predicted);
    }
  }
}

TEST(Simulate, AnswersWhatIfIHadThatHardware) {
  const std::string twice = file("platform.json", R"({"devices":[{"name":"i7-3770","class":"CPU","mem":0},
      {"name":"GTX760","class":"GPU","mem":1},{"name":"GTX760","class":"GPU","mem":2}],"bw":7.88e9,"lat":1e-5})");
  EXPECT_EQ(simulate({graph("mkmd_ABE"), "--policy", "mkmd", "--platform", twice}).code, 0);
  const std::string unknown =
      file("unknown.json", R"({"devices":[{"name":"Other","class":"GPU","mem":0}],"bw":1e9})");
  EXPECT_EQ(simulate({graph("mkmd_ABE"), "--policy", "mkmd", "--platform", unknown}).code, 2);
}

TEST(Simulate, BrokenInputGetsOneLineWithItsPlace) {
  const std::string platform =
      R"("platform":{"devices":[{"name":"a","class":"CPU","mem":0},{"name":"b","class":"GPU","mem":1}],"bw":1e9,"lat":0})";
  const auto with = [&](const std::string& tasks, const std::string& edges) {
    return "{" + platform + R"(,"graph":{"tasks":[)" + tasks + R"(],"edges":[)" + edges + "]}}";
  };
  const std::string two = R"({"id":0,"name":"x","times":[1,2]},{"id":1,"name":"y","times":[1,2]})";
  const std::pair<std::string, std::string> cases[] = {
      {with(two, R"({"src":0,"dst":1,"bytes":1},{"src":1,"dst":0,"bytes":1})"), "cycle"},
      {with(two, R"({"src":0,"dst":7,"bytes":1})"), "graph.edges[0].dst: no task 7"},
      {with(two, R"({"src":0,"dst":0,"bytes":1})"), "graph.edges[0]: an edge from a task to itself"},
      {with(R"({"id":0,"times":[1,-2]})", ""), "graph.tasks[0].times[1]"},
      {with(R"({"id":0,"times":[1]})", ""), "graph.tasks[0].times"},
      {with(R"({"id":0,"times":[null,null]})", ""), "graph.tasks[0].times: no device"},
      {with(R"({"id":0,"times":[1,NaN]})", ""), "not JSON: line 1, column 151: "},
      {with("\n{\"id\":0,\"times\":[1,1e999]}", ""), "not JSON: line 2, column 20: number overflow"},
      {with("\"\xff\x1b[2J\"", ""), "not JSON: line 1, column 133"},
      {with(R"({"id":0,"times":[1,"2"]})", ""), "graph.tasks[0].times[1]: must be a number"},
      {with(R"({"id":0,"times":[1,2],"pinned":5})", ""), "graph.tasks[0].pinned: no device 5"},
      {with(two + "," + two, ""), "graph.tasks[2].id"},
      {with(two, R"({"src":0,"dst":1,"bytes":-1})"), "graph.edges[0].bytes"},
      {with(two, R"({"src":0,"dst":1,"bytes":1,"access":"column"})"), "graph.edges[0].access"},
      {R"({"graph":{"tasks":[]}})", "platform: is missing"},
      {"[1,2]", "must be an object"},
      {"", "broken.json: is empty; give a graph (docs/exchange-format.md) or a trace of mkmd run --trace"},
      {"\n", "broken.json: not JSON: it is empty"},
      {R"({"platform":{"devices":[]},"graph":{"tasks":[]}})", "platform.devices"},
  };
  for (const auto& [text, place] : cases) {
    const Answer answer = simulate({file("broken.json", text), "--policy", "mkmd"});
    EXPECT_EQ(answer.code, 2) << text;
    EXPECT_NE(answer.err.find(place), std::string::npos) << text << "\n" << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_TRUE(answer.out.empty());
  }
}

TEST(Simulate, HugeInputIsRefused) {
  const std::string path = file("huge.json", "{");
  std::filesystem::resize_file(path, 100'000'000);
  const Answer answer = simulate({path, "--policy", "mkmd"});
  EXPECT_EQ(answer.code, 2);
  EXPECT_NE(answer.err.find("100000000 bytes"), std::string::npos) << answer.err;
  std::filesystem::remove(path);
}

TEST(Simulate, WrongUseIsNamed) {
  const std::string input = graph("mkmd_ABE");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "needs an input"},
      {{input}, "needs --policy"},
      {{input, "--policy", "nope"}, "unknown policy \"nope\""},
      {{input, "--policy", "mkmd:steps=0"}, "steps=0 is not accepted"},
      {{input, "--policy", "single:Voodoo2"}, "no device Voodoo2"},
      {{input, "--policy", "area-list:x=/nonexistent"}, "cannot read /nonexistent"},
      {{input, "--policy", "area-list:x=/"}, "cannot read /"},
      {{input, "--policy", "mkmd", "--seed", "1.5"},
       "--seed 1.5: give 0 to 1000000000000000, a whole number"},
      {{input, "--polcy", "mkmd"}, "unknown option --polcy"},
      {{input, "--policy", "mkmd", "--rate-error", "2"}, "--rate-error 2"},
      {{input, "--policy", "mkmd", "--jitter", "-1"}, "--jitter -1"},
      {{input, "--policy"}, "--policy needs a value"},
      {{"/nonexistent.json", "--policy", "mkmd"}, "cannot open /nonexistent.json: No such file"},
      {{"/", "--policy", "mkmd"}, "/ is not a file"},
      {{"--generate", "hilbert:3"}, "no such generator"},
  };
  for (const auto& [args, what] : cases) {
    const Answer answer = simulate(args);
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.err.find(what), std::string::npos) << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  }
}

}  // namespace
}  // namespace mkmd

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "tools/arguments.h"
#include "tools/session.h"
#include "tools/table.h"
#include "tools/verbs/verbs.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds kFollowInterval{500};
constexpr std::int64_t kFollowEntries = 1000;

Json OldestFirst(const Json& answer) {
  Json entries = answer["entries"];
  std::reverse(entries.begin(), entries.end());
  return entries;
}

void PrintEntries(const Program& program, const Json& entries) {
  if (entries.empty()) return;
  if (!program.json) return PrintLogLines(entries);
  for (const Json& entry : entries) Print(entry.dump() + "\n");
  std::fflush(stdout);
}

// Entries that came since, as they come, until the program is stopped.
Result<int> Follow(const Program& program, Session& session, std::int64_t last) {
  while (true) {
    std::this_thread::sleep_for(kFollowInterval);
    ASSIGN_OR_RETURN(const Json answer, session.Call("log_query", {{"limit", kFollowEntries}}));
    Json news = OldestFirst(answer);
    while (!news.empty() && news.front()["seq"].get<std::int64_t>() <= last) news.erase(0);
    if (news.empty()) continue;
    last = news.back()["seq"].get<std::int64_t>();
    PrintEntries(program, news);
  }
}

void AddTail(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "tail",
                           "The last entries, oldest first; with --json one object a line");
  const Arguments arguments = NewArguments();
  const auto follow = std::make_shared<bool>(false);
  (*arguments)["limit"] = 10;
  IntegerOption(verb, arguments, "-n,--lines", "limit", "At most so many (default: 10)");
  verb.add_flag("-f,--follow", *follow, "Wait for more; needs a running server");
  OnRun(verb, program, [&program, arguments, follow]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "log tail"));
    ASSIGN_OR_RETURN(const Json answer, session->Call("log_query", *arguments));
    const Json entries = OldestFirst(answer);
    PrintEntries(program, entries);
    if (!*follow) return kExitOk;
    if (!session->IsRemote()) {
      return Fail(Code::kUnavailable,
                  "No server runs, so no entries can come: start `perdure serve` and try again.");
    }
    return Follow(program, *session,
                  entries.empty() ? 0 : entries.back()["seq"].get<std::int64_t>());
  });
}

void AddShow(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "show", "One entry: readable, its bytes and hashes");
  const Arguments arguments = NewArguments();
  IntegerOption(verb, arguments, "seq", "seq", "Number of the entry")->required();
  OnCall(verb, program, "log_entry", arguments, [](const Json& answer) {
    for (const auto& [name, value] : answer["entry"].items()) {
      Print(fmt::format("{:16}{}\n", name, OneLine(TextAt(answer["entry"], name.c_str()), 400)));
    }
    for (const char* name : {"hash", "prev_hash", "payload_digest", "bytes"}) {
      if (answer.contains(name)) Print(fmt::format("{:16}{}\n", name, TextAt(answer, name)));
    }
  });
}

void AddQuery(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "query", "Entries that match, newest first");
  const Arguments arguments = NewArguments();
  TextOption(verb, arguments, "--memory", "memory", "About this memory");
  TextOption(verb, arguments, "--actor", "actor", "By the token with this id");
  TextOption(verb, arguments, "--event", "event", "Of this kind, e.g. MemoryStored, WriteRefused");
  TextOption(verb, arguments, "--from", "from", "Record time, included");
  TextOption(verb, arguments, "--until", "until", "Record time, not included");
  TextOption(verb, arguments, "--as-of", "as_of", "As the log was then");
  IntegerOption(verb, arguments, "--limit", "limit", "At most so many (default: 100)");
  IntegerOption(verb, arguments, "--before", "before", "Only entries below this seq");
  OnCall(verb, program, "log_query", arguments, [](const Json& answer) {
    PrintLogLines(answer["entries"]);
    if (answer.contains("next_before")) {
      Print(fmt::format("older ones: --before {}\n", TextAt(answer, "next_before")));
    }
  });
}

Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return Fail(Code::kUnavailable, fmt::format("{} cannot be written.", path));
}

void AddCheckpoint(CLI::App& group, Program& program) {
  CLI::App& verb = AddVerb(group, program, "checkpoint",
                           "A signed tree head (C2SP tlog-checkpoint) to keep elsewhere");
  const Arguments arguments = NewArguments();
  const auto out = std::make_shared<std::string>();
  const auto key_out = std::make_shared<std::string>();
  IntegerOption(verb, arguments, "--size", "size", "Of the first so many entries (default: all)");
  verb.add_option("--out", *out, "Write it to this file");
  verb.add_option("--key-out", *key_out, "Write the verifier key to this file");
  OnRun(verb, program, [&program, arguments, out, key_out]() -> Result<int> {
    ASSIGN_OR_RETURN(const auto session, Session::Open(program, "log checkpoint"));
    ASSIGN_OR_RETURN(const Json answer, session->Call("log_proof", *arguments));
    const std::string note = TextAt(answer, "tree_head");
    if (!out->empty()) RETURN_IF_ERROR(WriteText(*out, note));
    if (!key_out->empty()) {
      RETURN_IF_ERROR(WriteText(*key_out, TextAt(answer, "verifier_key") + "\n"));
    }
    if (program.json) {
      PrintJson(answer);
    } else if (out->empty()) {
      Print(note);
    }
    return kExitOk;
  });
}

void AddProve(CLI::App& group, Program& program) {
  CLI::App& verb =
      AddVerb(group, program, "prove",
              "A signed tree head, and proofs that an entry is under it or that it extends an "
              "older head");
  const Arguments arguments = NewArguments();
  IntegerOption(verb, arguments, "seq,--seq", "seq", "Entry to prove");
  IntegerOption(verb, arguments, "--size", "size", "Of the head (default: the whole log)");
  IntegerOption(verb, arguments, "--old-size", "old_size", "Of an older head");
  OnCall(verb, program, "log_proof", arguments, [](const Json& answer) {
    Print(fmt::format("{}\nverifier key: {}\n", TextAt(answer, "tree_head"),
                      TextAt(answer, "verifier_key")));
    if (answer.contains("inclusion")) {
      const Json& proof = answer["inclusion"];
      Print(fmt::format("entry {} is leaf {}, hash {}, path:\n", TextAt(proof, "seq"),
                        TextAt(proof, "leaf_index"), TextAt(proof, "leaf_hash")));
      for (const Json& hash : proof["path"]) Print("  " + hash.get<std::string>() + "\n");
    }
    if (answer.contains("consistency")) {
      const Json& proof = answer["consistency"];
      Print(fmt::format("extends the head of size {}, root {}, path:\n", TextAt(proof, "old_size"),
                        TextAt(proof, "old_root")));
      for (const Json& hash : proof["path"]) Print("  " + hash.get<std::string>() + "\n");
    }
  });
}

}  // namespace

void AddLog(CLI::App& app, Program& program) {
  CLI::App& group = AddGroup(app, "log", "Read, verify and prove the log");
  AddTail(group, program);
  AddShow(group, program);
  AddQuery(group, program);
  AddLogVerify(group, program);
  AddCheckpoint(group, program);
  AddLogTruncate(group, program);
  AddProve(group, program);
}

}  // namespace perdure

#include "server/api/mirrors.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/front_limits.h"
#include "server/api/json.h"
#include "server/mcp/envelope.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

std::string Joined(const Json& texts) {
  std::string all;
  for (const Json& text : texts) all += (all.empty() ? "" : ", ") + text.get<std::string>();
  return all;
}

// The server's own words about a memory.
std::string Facts(const Json& memory) {
  std::string facts = fmt::format(
      "id: {}  version: {}  state: {}  trust: {}", memory["id"].get_ref<const std::string&>(),
      memory["version"].dump(), memory["state"].get_ref<const std::string&>(),
      memory["trust"].get_ref<const std::string&>());
  for (const char* name :
       {"score", "confidence", "standing", "updated_time", "reference_time", "valid", "expired"}) {
    const auto it = memory.find(name);
    if (name == std::string_view("confidence") && !memory.contains("subject")) continue;
    if (it == memory.end() || (name == std::string_view("valid") && *it == true)) continue;
    facts += fmt::format("  {}: {}", name, it->is_string() ? it->get<std::string>() : it->dump());
  }
  return facts;
}

// What callers wrote: title, labels, and of the text what `text` gives.
std::string Content(const Json& memory, std::string_view text) {
  std::string content;
  for (const char* name :
       {"title", "subject", "predicate", "object", "scope", "type", "theme", "speaker", "source"}) {
    const std::string value = memory.value(name, std::string());
    if (!value.empty()) content += fmt::format("{}: {}\n", name, value);
  }
  if (!memory["tags"].empty()) content += fmt::format("tags: {}\n", Joined(memory["tags"]));
  if (!text.empty()) content += fmt::format("{}{}", content.empty() ? "" : "\n", text);
  if (content.ends_with('\n') && text.empty()) content.pop_back();
  return content;
}

std::string Mirror(const Json& memories, const char* text_name,
                   std::size_t bytes_max = limits::kMirrorTextBytesMax) {
  std::vector<std::string> contents;
  std::vector<std::string> notes;
  for (const Json& memory : memories) {
    const std::string text = memory.value(text_name, std::string());
    const std::string_view shown = CutAtGrapheme(text, bytes_max);
    contents.push_back(Content(memory, shown));
    const std::size_t offset = memory.value("offset", std::size_t{0}) + shown.size();
    const bool is_cut = shown.size() < text.size() || memory.contains("next_offset");
    notes.push_back(is_cut ? fmt::format("\nThe text goes on: memory_get with offset {}.", offset)
                           : std::string());
  }
  const std::vector<std::string_view> views(contents.begin(), contents.end());
  const DataEnvelope envelope(views);
  std::string mirror;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    mirror += fmt::format("\n\n{}\n{}{}", Facts(memories[i]), envelope.Wrap(contents[i]), notes[i]);
  }
  return mirror;
}

std::string AsOfLine(const Json& answer) {
  return fmt::format("as of {}", answer["as_of"].get_ref<const std::string&>());
}

}  // namespace

std::string MirrorOfMemory(const Json& memory, std::size_t bytes_max) {
  return Mirror(Json::array({memory}), "text", bytes_max).substr(2);
}

std::string MirrorOfMemories(const Json& answer) {
  std::string mirror = fmt::format("{} memories {}.", answer["memories"].size(), AsOfLine(answer));
  mirror += Mirror(answer["memories"], "text");
  for (const Json& error : answer.value("errors", Json::array())) {
    mirror += "\n\nNot read: " + WrapAsData(DumpJson(error));
  }
  if (answer["truncated"] == true) {
    mirror += "\n\nTruncated: call memory_get again with ids " + answer["next_ids"].dump();
  }
  return mirror;
}

std::string MirrorOfList(const Json& answer) {
  std::string mirror = fmt::format("{} of {} memories {}.", answer["memories"].size(),
                                   answer["total"].dump(), AsOfLine(answer));
  mirror += Mirror(answer["memories"], "text");
  if (answer.contains("cursor")) {
    mirror += "\n\nMore: call memory_list again with cursor " + answer["cursor"].dump();
  }
  return mirror;
}

std::string MirrorOfSearch(const Json& answer) {
  std::string mirror =
      answer["nothing_relevant"] == true
          ? std::string("Nothing relevant was found.")
          : fmt::format("{} memories found, best first.", answer["results"].size());
  for (const Json& arm : answer["arms"]) {
    if (arm["status"] == "ok") continue;
    mirror += fmt::format("\nThe {} arm: {}. {}", arm["name"].get<std::string>(),
                          arm["status"].get<std::string>(), arm.value("note", std::string()));
  }
  mirror += Mirror(answer["results"], "preview");
  if (!answer["results"].empty()) mirror += "\n\nmemory_get reads the whole texts.";
  return mirror;
}

std::string MirrorOfFacts(const Json& answer) {
  std::string mirror = fmt::format("{} facts stand {}.", answer["facts"].size(), AsOfLine(answer));
  mirror += Mirror(answer["facts"], "text");
  if (answer.contains("chain")) {
    mirror += "\n\nAll that ever stood, oldest first:" + Mirror(answer["chain"], "text");
  }
  if (answer.contains("truncated")) mirror += "\n\nTruncated: name a predicate.";
  return mirror;
}

std::string MirrorOfVerdict(const Json& answer) {
  return answer.contains("reason") ? MirrorAsData(answer) : DumpJson(answer);
}

std::string MirrorAsData(const Json& answer) { return WrapAsData(DumpJson(answer)); }

}  // namespace perdure

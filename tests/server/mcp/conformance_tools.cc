#include "server/mcp/conformance_tools.h"

#include <chrono>
#include <string>
#include <thread>

namespace perdure::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kShortWav =
    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

Operation Tool(const char* name) {
  Operation operation;
  operation.name = name;
  operation.title = name;
  operation.description = "For the conformance suite.";
  operation.hints.read_only = true;
  operation.roles = Caller::kAnyone;
  return operation;
}

// Answers with fixed content blocks.
Operation Showing(const char* name, Json content) {
  Operation operation = Tool(name);
  operation.run = [](const Caller&, const Json&) -> Result<Json> { return Json::object(); };
  operation.mirror = [content = std::move(content)](const Json&) { return content; };
  return operation;
}

Json Text(const char* text) { return {{"type", "text"}, {"text", text}}; }
Json Picture() { return {{"type", "image"}, {"data", kRedPixelPng}, {"mimeType", "image/png"}}; }
Json Embedded(const char* uri, const char* mime_type, const char* text) {
  return {{"type", "resource"},
          {"resource", {{"uri", uri}, {"mimeType", mime_type}, {"text", text}}}};
}

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

Operation Failing() {
  Operation operation = Tool("test_error_handling");
  operation.run = [](const Caller&, const Json&) -> Result<Json> {
    return Fail(Code::kConflict, "This tool intentionally returns an error for testing");
  };
  return operation;
}

Operation Logging(const char* name) {
  Operation operation = Tool(name);
  operation.converse = [](const Caller&, const Json&, Dialogue& talk) -> Result<Json> {
    talk.Log(LogLevel::kInfo, "Tool execution started");
    Pause();
    talk.Log(LogLevel::kInfo, "Tool processing data");
    Pause();
    talk.Log(LogLevel::kInfo, "Tool execution completed");
    return Json{{"logged", 3}};
  };
  return operation;
}

Operation Progressing() {
  Operation operation = Tool("test_tool_with_progress");
  operation.converse = [](const Caller&, const Json&, Dialogue& talk) -> Result<Json> {
    talk.Progress(0, 100, "begun");
    Pause();
    talk.Progress(50, 100, "half way");
    Pause();
    talk.Progress(100, 100, "done");
    return Json{{"done", true}};
  };
  return operation;
}

}  // namespace

void AddConformanceTools(Catalogue& catalogue, bool is_flawed) {
  const Json simple =
      is_flawed ? Json{{"type", "text"}} : Text("This is a simple text response for testing.");
  catalogue.Add(Showing("test_simple_text", Json::array({simple})));
  catalogue.Add(Showing("test_image_content", Json::array({Picture()})));
  catalogue.Add(
      Showing("test_audio_content",
              Json::array({{{"type", "audio"}, {"data", kShortWav}, {"mimeType", "audio/wav"}}})));
  catalogue.Add(Showing("test_embedded_resource",
                        Json::array({Embedded("test://embedded-resource", "text/plain",
                                              "This is an embedded resource content.")})));
  catalogue.Add(Showing("test_multiple_content_types",
                        Json::array({Text("Multiple content types test:"), Picture(),
                                     Embedded("test://mixed-content-resource", "application/json",
                                              R"({"test":"data","value":123})")})));
  catalogue.Add(Failing());
  catalogue.Add(Logging("test_tool_with_logging"));
  catalogue.Add(Logging("test_logging_tool"));
  catalogue.Add(Progressing());
}

// Resources

std::vector<Resource> ConformanceResources::List() const {
  return {
      {"test://static-text", "static-text", "Text", "A fixed text", "text/plain"},
      {"test://static-binary", "static-binary", "Picture", "A fixed picture", "image/png"},
      {"test://watched-resource", "watched-resource", "Watched", "Never changes", "text/plain"}};
}

std::vector<ResourceTemplate> ConformanceResources::Templates() const {
  return {{"test://template/{id}/data", "template", "Template", "Says its id", "application/json"}};
}

Result<ResourceContent> ConformanceResources::Read(const Caller&, const std::string& uri) const {
  if (uri == "test://static-text" || uri == "test://watched-resource") {
    return ResourceContent{uri, "text/plain", "This is the content of the static text resource."};
  }
  if (uri == "test://static-binary") return ResourceContent{uri, "image/png", "\x89PNG\xff", false};
  constexpr std::string_view kHead = "test://template/";
  constexpr std::string_view kTail = "/data";
  if (!uri.starts_with(kHead) || !uri.ends_with(kTail)) {
    return Fail(Code::kNotFound, "no such resource");
  }
  const std::string id = uri.substr(kHead.size(), uri.size() - kHead.size() - kTail.size());
  const Json data = {{"id", id}, {"templateTest", true}, {"data", "Data for ID: " + id}};
  return ResourceContent{uri, "application/json", data.dump()};
}

// Prompts

std::vector<Prompt> ConformancePrompts::List() const {
  return {{"test_simple_prompt", "Simple", "Says one thing", {}},
          {"test_prompt_with_arguments",
           "Arguments",
           "Repeats its arguments",
           {{"arg1", "First", true}, {"arg2", "Second", true}}},
          {"test_prompt_with_embedded_resource",
           "Resource",
           "Shows a resource",
           {{"resourceUri", "Which", true}}},
          {"test_prompt_with_image", "Picture", "Shows a picture", {}},
          {"test_input_required_result_prompt", "Question", "Asks before it answers", {}}};
}

Result<Json> ConformancePrompts::Render(const Caller&, const std::string& name,
                                        const Json& arguments, Dialogue& talk) const {
  const auto user = [](Json content) { return Json{{"role", "user"}, {"content", content}}; };
  if (name == "test_prompt_with_arguments") {
    return "Prompt with arguments: arg1='" + arguments["arg1"].get<std::string>() + "', arg2='" +
           arguments["arg2"].get<std::string>() + "'";
  }
  if (name == "test_prompt_with_embedded_resource") {
    const auto uri = arguments["resourceUri"].get<std::string>();
    return Json::array(
        {user(Embedded(uri.c_str(), "text/plain", "Embedded resource content for testing.")),
         user(Text("Please process the embedded resource above."))});
  }
  if (name == "test_prompt_with_image") {
    return Json::array({user(Picture()), user(Text("Please analyze the image above."))});
  }
  if (name == "test_input_required_result_prompt") {
    ASSIGN_OR_RETURN(
        const auto answer,
        talk.Ask("user_context", Form("What context should the prompt use?", "context", "string")));
    return answer ? Json("Context: " + answer->dump()) : Json();
  }
  return "This is a simple prompt for testing.";
}

Result<std::vector<std::string>> ConformanceCompletions::Complete(
    const Caller&, const CompletionTarget& target) const {
  return std::vector<std::string>{target.typed + "ing", target.typed + "ed"};
}

}  // namespace perdure::testing

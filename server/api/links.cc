// Typed links between memories.
#include "engine/read/links.h"

#include "server/api/answers.h"
#include "server/api/mirrors.h"
#include "server/api/operations.h"
#include "server/api/requests.h"
#include "server/api/schemas.h"
#include "server/api/serve.h"

namespace perdure::operations {
namespace {

using Json = nlohmann::json;
namespace s = schemas;

template <typename Link>
Result<Link> LinkOf(const Engine& engine, const Principal& principal, const Json& arguments) {
  Link link;
  ASSIGN_OR_RETURN(link.from, IdOf(engine, principal, TextOf(arguments, "from"), "from"));
  ASSIGN_OR_RETURN(link.to, IdOf(engine, principal, TextOf(arguments, "to"), "to"));
  link.type = TextOf(arguments, "type");
  return link;
}

Result<Json> Add(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(AddLink command, LinkOf<AddLink>(engine, principal, arguments));
  ASSIGN_OR_RETURN(const WriteOutcome outcome, engine.Write(principal, std::move(command),
                                                            WriteOptionsOf("link_add", arguments)));
  Json answer = Json::object();
  if (!outcome.dry_run) answer["link"] = outcome.made;
  PutOutcome(answer, outcome, "link the memories");
  return answer;
}

Result<Json> Remove(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(RemoveLink command, LinkOf<RemoveLink>(engine, principal, arguments));
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, std::move(command), WriteOptionsOf("link_remove", arguments)));
  Json answer = {{"link", outcome.made}};
  PutOutcome(answer, outcome, "remove the link");
  return answer;
}

Result<Json> List(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(const ReadView view, ViewFor(engine, principal, arguments));
  ASSIGN_OR_RETURN(const Uuid id, view.Resolve(TextOf(arguments, "id"), "id"));
  ASSIGN_OR_RETURN(const auto links, ReadLinks(view, id));
  Json answer = {{"id", ToString(id)}, {"links", Json::array()}};
  for (const LinkInfo& link : links) {
    answer["links"].push_back({{"link", link.link},
                               {"from", ToString(link.from)},
                               {"to", ToString(link.to)},
                               {"type", link.type},
                               {"record_time", FormatTime(link.record_time)}});
  }
  PutView(answer, view, arguments);
  return answer;
}

Json Ends() {
  return s::Object({{"from", s::Id()},
                    {"to", s::Id()},
                    {"type", s::WithExample(s::Text("One word or some, like relates_to, replaces, "
                                                    "part_of, contradicts, supports, about"),
                                            "relates_to")}},
                   {"from", "to", "type"});
}

}  // namespace

Operation LinkAdd(Engine& engine) {
  Operation operation;
  operation.name = "link_add";
  operation.title = "Link two memories";
  operation.description =
      "Says how one memory relates to another. Between containers apart from each other, or "
      "between two users, agents or runs, only with cross_scope.";
  operation.input_schema =
      s::Write(s::With(Ends(), {{"cross_scope", s::Flag("The link is meant to cross scopes")}}));
  operation.output_schema = s::Written({{"link", s::Integer()}});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/links"}, engine, Add);
  return operation;
}

Operation LinkRemove(Engine& engine) {
  Operation operation;
  operation.name = "link_remove";
  operation.title = "Remove a link";
  operation.description = "Takes a link between two memories away. As of before, it is there.";
  operation.input_schema = s::Write(Ends());
  operation.output_schema = s::Written({{"link", s::Integer()}}, {"link"});
  operation.hints = kDestroys;
  operation.mcp_tool = false;
  Serve(operation, kWriters, {"POST", "/api/v1/links/remove"}, engine, Remove);
  return operation;
}

Operation LinkList(Engine& engine) {
  Operation operation;
  operation.name = "link_list";
  operation.title = "List a memory's links";
  operation.description =
      "The links from and to a memory, oldest first. Those whose other end the token may not see "
      "are left out.";
  operation.input_schema = s::Object({{"id", s::Id()}, {"as_of", s::AsOf()}}, {"id"});
  const Json link = s::Object({{"link", s::Integer()},
                               {"from", s::Text()},
                               {"to", s::Text()},
                               {"type", s::Text()},
                               {"record_time", s::Text()}},
                              {"link", "from", "to", "type", "record_time"});
  operation.output_schema =
      s::Read({{"id", s::Text()}, {"links", s::ListOf(link)}}, {"id", "links"});
  operation.hints = kReads;
  operation.mcp_tool = false;
  operation.mirror = MirrorAsData;
  Serve(operation, Caller::kAnyone, {"GET", "/api/v1/memories/{id}/links"}, engine, List);
  return operation;
}

}  // namespace perdure::operations

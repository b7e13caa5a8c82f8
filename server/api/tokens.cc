// Tokens and spaces: entries of the system space.
#include <fmt/format.h>

#include "engine/decide/rules.h"
#include "engine/log/entry.h"
#include "engine/model/tables.h"
#include "schema/records_generated.h"
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

Json RoleNameList() { return RoleNames(kAgent | kReviewer | kAuditor | kOperator); }

RoleMask RolesOf(const Json& names) {
  RoleMask roles = 0;
  for (const Json& name : names) {
    if (name == "agent") roles |= kAgent;
    if (name == "reviewer") roles |= kReviewer;
    if (name == "auditor") roles |= kAuditor;
    if (name == "operator") roles |= kOperator;
  }
  return roles;
}

// Whoever runs the whole house, rather than one tenant of it.
bool RunsTheHouse(const Principal& principal) {
  return principal.space == kMainSpace && principal.scope.empty();
}

Status RequireHouse(const Principal& principal, const char* what) {
  if (RunsTheHouse(principal)) return {};
  return Fail(Code::kForbidden,
              fmt::format("{} needs an operator's token of the space main without a scope.", what),
              "space");
}

struct KnownToken {
  Uuid id;
  fb::TokenRecordT record;
};

Result<std::vector<KnownToken>> Tokens(const StateReader& reader) {
  std::vector<KnownToken> tokens;
  const std::string prefix = tables::TokenPrefix();
  Status malformed;
  RETURN_IF_ERROR(reader.Scan(
      Family::kState, prefix, PrefixEnd(prefix), [&](std::string_view key, std::string_view value) {
        auto record = Unpack<fb::TokenRecordT>(value);
        if (!record) malformed = std::unexpected(record.error());
        if (record)
          tokens.push_back({*UuidFromBytes(key.substr(prefix.size())), std::move(*record)});
        return malformed.has_value();
      }));
  RETURN_IF_ERROR(malformed);
  return tokens;
}

struct TokenTexts {
  std::string label;
  ScopePath scope;
};

Result<TokenTexts> TextsOf(const StateReader& reader, const fb::TokenRecordT& record) {
  TokenTexts texts;
  ASSIGN_OR_RETURN(const auto payload, ReadPayload(reader, kSystemSpace, record.label_seq));
  if (!payload) return texts;
  if ((*payload)->name()) texts.label = (*payload)->name()->str();
  if ((*payload)->scope()) {
    ASSIGN_OR_RETURN(texts.scope, ParseScope((*payload)->scope()->string_view(), "scope"));
  }
  return texts;
}

// A narrowed operator knows and revokes the tokens of its own part only.
bool IsWithinReach(const Principal& principal, const fb::TokenRecordT& record,
                   const TokenTexts& texts) {
  if (RunsTheHouse(principal)) return true;
  return record.space == principal.space && IsWithin(texts.scope, principal.scope);
}

Result<bool> IsTokenWithinReach(const StateReader& reader, const Principal& principal,
                                const Uuid& id) {
  ASSIGN_OR_RETURN(const auto bytes, reader.Get(Family::kState, tables::Token(id)));
  if (!bytes) return false;
  ASSIGN_OR_RETURN(const auto record, Unpack<fb::TokenRecordT>(*bytes));
  ASSIGN_OR_RETURN(const TokenTexts texts, TextsOf(reader, record));
  return IsWithinReach(principal, record, texts);
}

Result<IssueToken> TokenOf(const Engine& engine, const Principal& principal,
                           const Json& arguments) {
  IssueToken command;
  command.roles = RolesOf(arguments["roles"]);
  command.space = principal.space;
  if (arguments.contains("space")) {
    ASSIGN_OR_RETURN(command.space, engine.SpaceByName(TextOf(arguments, "space")));
  }
  if (command.space != principal.space) {
    RETURN_IF_ERROR(RequireHouse(principal, "A token of another space"));
  }
  ScopePath scope = principal.scope;
  ASSIGN_OR_RETURN(const auto asked, ScopeOf(arguments));
  if (asked) scope = *asked;
  // By nodes: under a former name a path may lead out of the token's own scope.
  ASSIGN_OR_RETURN(const bool own,
                   PathLiesWithin(engine.Latest(), principal.space,
                                  engine.KeysOf(principal.space).secret, scope, principal.scope));
  if (!own || !IsWithin(scope, principal.scope)) {
    return Fail(Code::kForbidden,
                fmt::format("The scope '{}' lies outside this token's own scope '{}'.",
                            FormatScope(scope), FormatScope(principal.scope)),
                "scope");
  }
  command.scope = FormatScope(scope);
  command.label = TextOf(arguments, "label");
  ASSIGN_OR_RETURN(command.expires_at, TimeOf(arguments, "expires_at"));
  return command;
}

Result<Json> Issue(Engine& engine, const Principal& principal, const Json& arguments) {
  ASSIGN_OR_RETURN(IssueToken command, TokenOf(engine, principal, arguments));
  Json answer = {{"roles", RoleNames(command.roles)}, {"scope", command.scope}};
  ASSIGN_OR_RETURN(const auto issued, engine.Issue(principal, std::move(command),
                                                   WriteOptionsOf("token_issue", arguments)));
  const auto& [token, outcome] = issued;
  PutOutcome(answer, outcome, "issue a token");
  if (outcome.dry_run) return answer;
  // Its secret is not kept, so the answer to a repeated call cannot show it again.
  PutText(answer, "token", token);
  ASSIGN_OR_RETURN(const std::vector<KnownToken> tokens, Tokens(engine.Latest()));
  for (const KnownToken& known : tokens) {
    if (known.record.label_seq == outcome.seq) answer["id"] = ToString(known.id);
  }
  return answer;
}

Result<Json> Revoke(Engine& engine, const Principal& principal, const Json& arguments) {
  const std::optional<Uuid> id = ParseUuid(TextOf(arguments, "id"));
  if (!id) {
    return Fail(Code::kInvalidArgument,
                "\"id\" must be the whole id of a token; token_list shows them. Example: "
                "{\"id\":\"0190f3c2-7d1e-7000-8000-000000000000\"}",
                "id");
  }
  if (!RunsTheHouse(principal)) {
    // One that is out of reach answers as one that never was.
    ASSIGN_OR_RETURN(const bool is_known, IsTokenWithinReach(engine.Latest(), principal, *id));
    if (!is_known) {
      return Fail(Code::kNotFound, fmt::format("There is no token {}.", ToString(*id)), "id");
    }
  }
  ASSIGN_OR_RETURN(
      const WriteOutcome outcome,
      engine.Write(principal, RevokeToken{*id}, WriteOptionsOf("token_revoke", arguments)));
  Json answer = {{"id", ToString(*id)}};
  PutOutcome(answer, outcome, "revoke the token");
  return answer;
}

Result<Json> List(Engine& engine, const Principal& principal, const Json&) {
  ASSIGN_OR_RETURN(const std::vector<KnownToken> tokens, Tokens(engine.Latest()));
  Json answer = {{"tokens", Json::array()}};
  for (const KnownToken& token : tokens) {
    ASSIGN_OR_RETURN(const TokenTexts texts, TextsOf(engine.Latest(), token.record));
    if (!IsWithinReach(principal, token.record, texts)) continue;
    Json& listed = answer["tokens"].emplace_back(Json{{"id", ToString(token.id)},
                                                      {"roles", RoleNames(token.record.roles)},
                                                      {"scope", FormatScope(texts.scope)},
                                                      {"issued_seq", token.record.label_seq}});
    PutText(listed, "label", texts.label);
    for (const SpaceInfo& space : engine.Spaces()) {
      if (space.id == token.record.space) listed["space"] = space.name;
    }
    PutTime(listed, "expires_at", ToStd(token.record.expires_at));
    PutTime(listed, "revoked_at", ToStd(token.record.revoked_at));
  }
  return answer;
}

Result<Json> AddSpace(Engine& engine, const Principal& principal, const Json& arguments) {
  RETURN_IF_ERROR(RequireHouse(principal, "A new space"));
  const WriteOptions options = WriteOptionsOf("space_create", arguments);
  ASSIGN_OR_RETURN(const SpaceInfo space,
                   engine.AddSpace(principal, TextOf(arguments, "name"), options));
  Json answer = {{"name", space.name}};
  WriteOutcome outcome;
  outcome.dry_run = options.dry_run;
  if (!options.dry_run) {
    ASSIGN_OR_RETURN(const auto bytes,
                     engine.Latest().Get(Family::kState, tables::Space(space.id)));
    if (!bytes) return Fail(Code::kInternal, "The new space has no record. Report this as a bug.");
    ASSIGN_OR_RETURN(const auto record, Unpack<fb::SpaceRecordT>(*bytes));
    outcome.seq = record.label_seq;
    outcome.record_time = record.record_time;
  }
  PutOutcome(answer, outcome, fmt::format("create the space {}", space.name));
  return answer;
}

}  // namespace

Operation TokenIssue(Engine& engine) {
  Operation operation;
  operation.name = "token_issue";
  operation.title = "Issue a token";
  operation.description =
      "Makes a token with roles and, if asked, a scope that it cannot leave. Its text is shown "
      "this once.";
  Json roles = s::ListOf(s::OneOf(RoleNameList()), "One or more");
  roles["minItems"] = 1;
  roles["x-example"] = Json::array({"agent"});
  operation.input_schema =
      s::Write(s::Object({{"roles", std::move(roles)},
                          {"scope", s::Scope()},
                          {"space", s::Text("Default: that of the calling token")},
                          {"label", s::Text("Whose or what for")},
                          {"expires_at", s::Time("When it stops to work. Default: never")}},
                         {"roles"}));
  operation.output_schema = s::Written(
      {{"id", s::Text()}, {"token", s::Text()}, {"roles", s::Texts()}, {"scope", s::Text()}},
      {"roles", "scope"});
  operation.hints = kAdds;
  operation.mcp_tool = false;  // a secret has no place in a model's context
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/tokens"}, engine, Issue);
  return operation;
}

Operation TokenRevoke(Engine& engine) {
  Operation operation;
  operation.name = "token_revoke";
  operation.title = "Revoke a token";
  operation.description = "Makes a token useless from now on. What was written with it stays.";
  operation.input_schema =
      s::Write(s::Object({{"id", s::Text("Whole id, from token_list")}}, {"id"}));
  operation.output_schema = s::Written({{"id", s::Text()}}, {"id"});
  operation.hints = kDestroys;
  Serve(operation, Caller::kOperator, {"DELETE", "/api/v1/tokens/{id}"}, engine, Revoke);
  return operation;
}

Operation TokenList(Engine& engine) {
  Operation operation;
  operation.name = "token_list";
  operation.title = "List tokens";
  operation.description = "Lists the tokens with their roles and scopes, never their secrets.";
  Json token = s::Object({{"id", s::Text()},
                          {"label", s::Text()},
                          {"roles", s::Texts()},
                          {"space", s::Text()},
                          {"scope", s::Text()},
                          {"issued_seq", s::Integer("Of the system space's log")},
                          {"expires_at", s::Text()},
                          {"revoked_at", s::Text()}},
                         {"id", "roles", "scope"});
  operation.output_schema = s::Object({{"tokens", s::ListOf(std::move(token))}}, {"tokens"});
  operation.hints = kReads;
  operation.mirror = MirrorAsData;
  Serve(operation, Caller::kOperator, {"GET", "/api/v1/tokens"}, engine, List);
  return operation;
}

Operation SpaceCreate(Engine& engine) {
  Operation operation;
  operation.name = "space_create";
  operation.title = "Create a space";
  operation.description =
      "Makes a space: a log, keys and memories of its own, apart from all others. token_issue "
      "then makes tokens for it.";
  operation.input_schema = s::Write(s::Object(
      {{"name", s::WithExample(s::Text("Small letters, digits, hyphens"), "team-a")}}, {"name"}));
  operation.output_schema = s::Written({{"name", s::Text()}}, {"name"});
  operation.hints = kAdds;
  operation.mcp_tool = false;
  Serve(operation, Caller::kOperator, {"POST", "/api/v1/spaces"}, engine, AddSpace);
  return operation;
}

Operation ClockConfirm(Engine& engine) {
  Operation operation;
  operation.name = "clock_confirm";
  operation.title = "Confirm the clock";
  operation.description =
      "Says that this machine's wall clock is right as it stands, so that writes go on after it "
      "ran "
      "ahead by more than a day and stopped them. Check it first: entries are dated by it for "
      "good.";
  operation.output_schema =
      s::Object({{"takes_writes", s::Flag()}, {"now", s::Text()}}, {"takes_writes", "now"});
  operation.hints = kSettles;
  operation.roles = Caller::kOperator;
  operation.mcp_tool = false;
  operation.http_method = "POST";
  operation.http_path = "/api/v1/clock/confirm";
  operation.run = [&engine](const Caller& caller, const Json&) -> Result<Json> {
    ASSIGN_OR_RETURN(const Principal principal, PrincipalOf(engine, caller));
    RETURN_IF_ERROR(RequireHouse(principal, "Confirming the clock"));
    engine.ConfirmClock();
    return Json{{"takes_writes", engine.WriterState().has_value()},
                {"now", FormatTime(engine.clock().Now())}};
  };
  return operation;
}

}  // namespace perdure::operations

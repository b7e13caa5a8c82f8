// The block of memory that an agent gets before it works: as text, and as an answer.
#pragma once

#include <string>

#include "index/context/context_pack.h"
#include "server/api/operation.h"

namespace perdure {

inline constexpr std::size_t kContextTokensDefault = 2000;

//   block := what it is, in a line, LF
//            "<<<perdure-data " nonce ... LF        as in mcp/envelope.h
//            (nonce " " number " " head LF content LF)*
//            "perdure-data " nonce ">>>"
//
// The nonce occurs in no content, so that no stored text can begin an entry or end the block. Equal
// packs give equal bytes.
std::string ContextBlock(const ContextPack& pack);

namespace operations {

// The last of an agent's tools. `engine` and `search` outlive it.
Operation MemoryContext(Engine& engine, SearchService& search);

}  // namespace operations

}  // namespace perdure

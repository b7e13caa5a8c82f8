// Whether the key files of a space are the ones that the store knows. A wrong secret would find
// nothing by tag, content or name and say so of nothing; a wrong signing key would sign for nobody.
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/proof/keys.h"
#include "engine/storage/keys.h"
#include "engine/storage/store.h"

namespace perdure {

// digests := SHA-256("perdure secret 1" secret)(32) SHA-256(public key)(32)
Mutation KeyDigestsOf(SpaceId space, const SpaceKeys& keys);

// kCorrupt, naming the file, when one is another than it was. Where the store knows no digests yet,
// any keys are right.
Status CheckKeys(const Store& store, SpaceId space, std::string_view name, const SpaceKeys& keys);

}  // namespace perdure

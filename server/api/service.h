// Everything that Perdure can be asked, in the order in which it is listed.
#pragma once

#include "engine/engine.h"
#include "index/search/search_service.h"
#include "server/api/operation.h"
#include "server/api/operations.h"

namespace perdure {

// `engine`, `search` and what `scrubbed` reads outlive the catalogue.
void AddOperations(Catalogue& catalogue, Engine& engine, SearchService& search,
                   ScrubReader scrubbed);

}  // namespace perdure

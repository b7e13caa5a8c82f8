// A whole server of the bench's own, and a client that talks to it over loopback.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "engine/base/result.h"
#include "server/http/client.h"
#include "tools/house.h"
#include "tools/serving.h"

namespace perdure::bench {

class Served {
 public:
  struct Place {
    std::string directory;
    std::string model_dir;
    bool keep = false;  // the store stays, and one that is there is opened
  };
  static Result<std::unique_ptr<Served>> Make(const Place& place);
  ~Served();

  bool is_new() const { return is_new_; }  // holds nothing yet
  House& house() { return *house_; }
  // A client of its own for each thread.
  std::unique_ptr<HttpClient> Connect() const;
  // One call with the operator's token; an error for any status but 200.
  Result<nlohmann::json> Call(HttpClient& client, const std::string& method,
                              const std::string& path, const nlohmann::json& body) const;
  // Ends the server and closes everything, with its last checkpoints; the files stay.
  void Stop();
  // Blocks until every chunk has its vector.
  Status AwaitVectors();

 private:
  Place place_;
  bool is_new_ = true;
  std::string token_;
  int port_ = 0;
  std::ostringstream log_;
  std::unique_ptr<House> house_;
  std::unique_ptr<Serving> serving_;
};

}  // namespace perdure::bench

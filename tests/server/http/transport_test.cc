#include "server/http/transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/http/raw_client.h"
#include "support/status_matchers.h"

namespace perdure {
namespace {

using namespace std::chrono_literals;
using ::perdure::testing::FailsWith;
using ::perdure::testing::IsOk;
using ::perdure::testing::RawClient;
using ::perdure::testing::RawResponse;
using ::testing::HasSubstr;

constexpr const char* kGet = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";

std::string Post(std::string_view body) {
  return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

std::string PostChunked(const std::vector<std::string>& chunks) {
  std::string request = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& chunk : chunks) {
    char size[20];
    *std::to_chars(size, size + sizeof(size) - 1, chunk.size(), 16).ptr = '\0';
    request += std::string(size) + "\r\n" + chunk + "\r\n";
  }
  return request + "0\r\n\r\n";
}

// Answers "METHOD target body".
TransportHandlers Mirror() {
  return {.admit = [](HttpRequest&) { return std::nullopt; },
          .handle =
              [](HttpRequest& request) {
                HttpResponse response;
                response.content_type = "text/plain";
                response.body = request.method + " " + request.target + " " + request.body;
                return response;
              },
          .refused = [](const HttpRequest&, const HttpResponse&) {}};
}

std::unique_ptr<HttpTransport> Started(TransportOptions options,
                                       TransportHandlers handlers = Mirror()) {
  auto transport = std::make_unique<HttpTransport>(options, std::move(handlers));
  EXPECT_THAT(transport->Start(), IsOk());
  return transport;
}

TransportOptions Small() {
  TransportOptions options;
  options.body_bytes_max = 1000;
  return options;
}

TEST(HttpTransportTest, OneConnectionServesManyRequests) {
  const auto transport = Started({});
  RawClient client(transport->port());
  EXPECT_EQ(client.Exchange(kGet).body, "GET /a ");
  EXPECT_EQ(client.Exchange(Post("hello")).body, "POST /a hello");
  EXPECT_EQ(client.Exchange(PostChunked({"hel", "lo"})).body, "POST /a hello");
  EXPECT_EQ(client.Exchange("POST /a HTTP/1.1\r\nHost: x\r\n\r\n").body, "POST /a ");
  client.Send(std::string(kGet) + Post("two") + kGet);
  EXPECT_EQ(client.Read().body, "GET /a ");
  EXPECT_EQ(client.Read().body, "POST /a two");
  EXPECT_EQ(client.Read().body, "GET /a ");
}

TEST(HttpTransportTest, EveryMethodWithABodyIsTaken) {
  const auto transport = Started({});
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE"}) {
    RawClient client(transport->port());
    EXPECT_EQ(client.Exchange(method + " /a HTTP/1.1\r\nContent-Length: 1\r\n\r\nb").body,
              method + " /a b");
  }
}

TEST(HttpTransportTest, BodiesHoldAtTheirMaximumWhateverTheirFraming) {
  const auto transport = Started(Small());
  RawClient client(transport->port());
  for (const std::size_t size : {999, 1000}) {
    const std::string body(size, 'x');
    EXPECT_EQ(client.Exchange(Post(body)).status, 200);
    EXPECT_EQ(client.Exchange(PostChunked({body.substr(0, 500), body.substr(500)})).status, 200);
  }
  const std::string body(1001, 'x');
  const RawResponse whole = client.Exchange(Post(body));
  EXPECT_EQ(whole.status, 413);
  EXPECT_THAT(whole.body, HasSubstr("too_large"));
  EXPECT_EQ(client.Exchange(PostChunked({body.substr(0, 500), body.substr(500)})).status, 413);
  EXPECT_EQ(client.Exchange(Post("after")).body, "POST /a after");
}

TEST(HttpTransportTest, ABodyFarBeyondTheMaximumEndsTheConnectionAfterTheAnswer) {
  const auto transport = Started(Small());
  const std::string body(100'000, 'x');
  for (const std::string& request : {Post(body), PostChunked({body})}) {
    RawClient client(transport->port());
    const RawResponse response = client.Exchange(request);
    EXPECT_EQ(response.status, 413);
    EXPECT_THAT(response.head, HasSubstr("Connection: close"));
    EXPECT_TRUE(client.IsAtEnd());
  }
}

TEST(HttpTransportTest, AmbiguousOrBrokenFramingIsRefusedAndEndsTheConnection) {
  const auto transport = Started(Small());
  for (const std::string head :
       {"POST /a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        "POST /a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        "POST /a HTTP/1.1\r\nContent-Length: -1", "POST /a HTTP/1.1\r\nContent-Length: 0x1",
        "POST /a HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
        "GET /a HTTP/1.1\r\nContent-Length: 5", "GET /a HTTP/1.1\r\nHost : x",
        "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz", "GET /a b HTTP/1.1",
        "FETCH /a HTTP/1.1", "GET /%zz HTTP/1.1", "GET /%ff HTTP/1.1"}) {
    RawClient client(transport->port());
    const RawResponse response = client.Exchange(head + "\r\n\r\n" + kGet);
    EXPECT_EQ(response.status, 400) << head;
    EXPECT_THAT(response.body, HasSubstr("\"error\"")) << head;
    EXPECT_TRUE(client.IsAtEnd()) << head;
  }
  RawClient client(transport->port());
  EXPECT_EQ(client.Exchange(kGet).status, 200);
}

TEST(HttpTransportTest, MultipartIsRefused) {
  const auto transport = Started({});
  RawClient client(transport->port());
  EXPECT_EQ(client
                .Exchange("POST /a HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                          "Content-Length: 9\r\n\r\n--b\r\n\r\n--")
                .status,
            415);
}

TEST(HttpTransportTest, HeadsHoldAtTheirMaximum) {
  const auto transport = Started({});
  const auto exchange = [&](std::size_t size) {
    std::string head = "GET /a HTTP/1.1\r\n";
    while (head.size() + 2'000 < size) head += "X: " + std::string(1'000, 'x') + "\r\n";
    head += "X: " + std::string(size - head.size() - 7, 'x') + "\r\n\r\n";
    RawClient client(transport->port());
    return client.Exchange(head).status;
  };
  EXPECT_EQ(exchange(limits::kHttpHeadBytesMax - 1), 200);
  EXPECT_EQ(exchange(limits::kHttpHeadBytesMax), 200);
  EXPECT_EQ(exchange(limits::kHttpHeadBytesMax + 1), 400);
}

TEST(HttpTransportTest, PathsThatAreTooLongAreRefused) {
  const auto transport = Started({});
  RawClient client(transport->port());
  const auto get = [](std::size_t size) {
    return "POST /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
  };
  EXPECT_EQ(client.Exchange(get(limits::kHttpPathBytesMax - 1)).status, 200);
  EXPECT_EQ(client.Exchange(get(limits::kHttpPathBytesMax)).status, 200);
  EXPECT_EQ(client.Exchange(get(limits::kHttpPathBytesMax + 1)).status, 414);
}

TEST(HttpTransportTest, HeaderValuesArriveAsTheyWereSent) {
  TransportHandlers handlers = Mirror();
  handlers.handle = [](HttpRequest& request) {
    HttpResponse response;
    response.body = request.Header("mcp-name").value_or("(none)") + "|" +
                    request.Header("REMOTE_ADDR").value_or("(none)");
    return response;
  };
  const auto transport = Started({}, handlers);
  RawClient client(transport->port());
  EXPECT_EQ(client.Exchange("GET / HTTP/1.1\r\nMcp-Name:  a%20b+c \r\n\r\n").body,
            "a%20b+c|(none)");
  EXPECT_EQ(client.Exchange("GET / HTTP/1.1\r\nMcp-Name: a\r\nMCP-NAME: b\r\n\r\n").body,
            "(none)|(none)");
}

TEST(HttpTransportTest, ARefusalReachesTheClientThatIsStillSending) {
  TransportHandlers handlers = Mirror();
  handlers.admit = [](HttpRequest& request) -> std::optional<HttpResponse> {
    if (request.HasHeader("Token")) return std::nullopt;
    return ErrorResponse(Error{Code::kUnauthenticated, "no", "", {}});
  };
  const auto transport = Started({}, handlers);
  RawClient client(transport->port());
  const std::string body(3'000'000, 'x');
  EXPECT_EQ(client.Exchange(Post(body)).status, 401);
  EXPECT_EQ(client.Exchange("GET / HTTP/1.1\r\nToken: t\r\n\r\n").status, 200);
}

TEST(HttpTransportTest, ARequestThatNeverEndsIsGivenUp) {
  TransportOptions options;
  options.head_timeout = 50ms;
  options.body_timeout = 50ms;
  const auto transport = Started(options);
  RawClient half_head(transport->port());
  half_head.Send("GET /a HTTP/1.1\r\nHo");
  EXPECT_EQ(half_head.Read().status, 400);
  EXPECT_TRUE(half_head.IsAtEnd());
  RawClient half_body(transport->port());
  half_body.Send("POST /a HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf");
  EXPECT_EQ(half_body.Read().status, 400);
  EXPECT_TRUE(half_body.IsAtEnd());
}

TEST(HttpTransportTest, AnIdleConnectionEndsAfterItsTime) {
  TransportOptions options;
  options.keep_alive = 50ms;
  const auto transport = Started(options);
  RawClient client(transport->port());
  EXPECT_EQ(client.Exchange(kGet).status, 200);
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpTransportTest, HalfRequestsMakeRoomWhenOthersWaitAndOnlyThen) {
  TransportOptions options;
  options.threads_max = 2;
  options.head_timeout = 10min;
  options.body_timeout = 10min;
  options.pressed_timeout = 50ms;
  const auto transport = Started(options);
  RawClient half_head(transport->port());
  half_head.Send("GET /a HTTP/1.1\r\nHo");
  RawClient half_body(transport->port());
  half_body.Send("POST /a HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf");
  std::this_thread::sleep_for(500ms);
  half_body.Send("ways!");
  EXPECT_EQ(half_body.Read().status, 200);  // nobody waited
  half_body.Send("POST /a HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf");
  for (int i = 0; i < 4; ++i) {
    RawClient other(transport->port());
    EXPECT_EQ(other.Exchange(kGet).status, 200) << i;
  }
}

TEST(HttpTransportTest, AResponseThatNobodyReadsMakesRoomWhenOthersWait) {
  TransportOptions options;
  options.threads_max = 1;
  options.write_timeout = 10min;
  options.pressed_timeout = 50ms;
  TransportHandlers handlers = Mirror();
  handlers.handle = [](HttpRequest& request) {
    HttpResponse response;
    response.body = std::string(request.target == "/large" ? 64 << 20 : 1, 'x');
    return response;
  };
  const auto transport = Started(options, handlers);
  RawClient dawdler(transport->port());
  dawdler.Send("GET /large HTTP/1.1\r\n\r\n");
  std::this_thread::sleep_for(100ms);
  RawClient other(transport->port());
  EXPECT_EQ(other.Exchange(kGet).status, 200);
}

TEST(HttpTransportTest, ABodyIsCutOffWhateverItsChunksCost) {
  TransportOptions options;
  options.body_bytes_max = 1000;
  const auto transport = Started(options);
  const std::string head = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string small = "1\r\na\r\n";
  const auto chunks = [&](std::size_t count) {
    std::string body;
    for (std::size_t i = 0; i < count; ++i) body += small;
    return body + "0\r\n\r\n";
  };
  RawClient client(transport->port());
  EXPECT_EQ(client.Exchange(head + chunks(100)).status, 200);
  EXPECT_EQ(client.Exchange(head + chunks(700)).status, 200);  // within 1000 bytes, 5000 as sent
  const std::string endless(1'000'000, '0');
  for (const std::string& body : {endless, "1;" + endless, "1\r\na\r\n0\r\nX: " + endless}) {
    RawClient flood(transport->port());
    flood.Send(head + body);
    EXPECT_EQ(flood.Read().status, 400) << body.substr(0, 20);
    EXPECT_TRUE(flood.IsAtEnd());
  }
}

TEST(HttpTransportTest, AChunkedBodyThatIsRefusedIsNotKept) {
  TransportHandlers handlers = Mirror();
  handlers.admit = [](HttpRequest&) -> std::optional<HttpResponse> {
    return ErrorResponse(Error{Code::kUnauthenticated, "no", "", {}});
  };
  const auto transport = Started({}, handlers);
  RawClient client(transport->port());
  client.Send("POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.Send(std::string(3'000'000, '0'));
  EXPECT_EQ(client.Read().status, 401);
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpTransportTest, IdleConnectionsMakeRoomWhenOthersWait) {
  TransportOptions options;
  options.threads_max = 2;
  options.keep_alive = 10min;
  const auto transport = Started(options);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 10; ++i) {
    idle.push_back(std::make_unique<RawClient>(transport->port()));
    EXPECT_EQ(idle.back()->Exchange(kGet).status, 200) << i;
  }
  EXPECT_LE(transport->Threads(), 2U);
}

TEST(HttpTransportTest, RequestsRunSideBySideUpToTheMaximumOfThreads) {
  constexpr int kClients = 8;
  std::latch all_inside(kClients);
  TransportHandlers handlers = Mirror();
  handlers.handle = [&](HttpRequest&) {
    all_inside.arrive_and_wait();  // only returns when all run at once
    return HttpResponse{};
  };
  TransportOptions options;
  options.threads_max = kClients;
  const auto transport = Started(options, handlers);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(transport->port()));
    clients.back()->Send(kGet);
  }
  for (const auto& client : clients) EXPECT_EQ(client->Read().status, 200);
}

TEST(HttpTransportTest, ABurstOfConnectionsWaitsInTheBacklog) {
  TransportOptions options;
  options.threads_max = 4;
  const auto transport = Started(options);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<RawClient>(transport->port()));
    ASSERT_TRUE(clients.back()->is_connected());
    clients.back()->Send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n");
  }
  for (const auto& client : clients) EXPECT_EQ(client->Read().status, 200);
}

TEST(HttpTransportTest, AnExceptionIsAnErrorAndNotTheEnd) {
  TransportHandlers handlers = Mirror();
  std::atomic<int> calls = 0;
  handlers.handle = [&](HttpRequest&) -> HttpResponse {
    if (calls++ == 0) throw std::runtime_error("planted");
    return {};
  };
  const auto transport = Started({}, handlers);
  RawClient first(transport->port());
  EXPECT_EQ(first.Exchange(kGet).status, 500);
  RawClient second(transport->port());
  EXPECT_EQ(second.Exchange(kGet).status, 200);
}

TEST(HttpTransportTest, TwoServersCannotShareAPort) {
  const auto first = Started({});
  TransportOptions options;
  options.port = first->port();
  HttpTransport second(options, Mirror());
  EXPECT_THAT(second.Start(), FailsWith(Code::kUnavailable, HasSubstr("another server")));
  EXPECT_EQ(RawClient(first->port()).Exchange(kGet).status, 200);
}

TEST(HttpTransportTest, StoppingEndsIdleConnectionsAndLetsRunningRequestsFinish) {
  std::latch inside(1);
  std::latch may_end(1);
  TransportHandlers handlers = Mirror();
  handlers.handle = [&](HttpRequest& request) {
    if (request.target == "/slow") {
      inside.count_down();
      may_end.wait();
    }
    return HttpResponse{};
  };
  TransportOptions options;
  options.keep_alive = 10min;
  const auto transport = Started(options, handlers);
  RawClient idle(transport->port());
  EXPECT_EQ(idle.Exchange(kGet).status, 200);
  RawClient busy(transport->port());
  busy.Send("GET /slow HTTP/1.1\r\n\r\n");
  inside.wait();
  std::jthread stopping([&] { transport->Stop(); });
  EXPECT_TRUE(idle.IsAtEnd());
  may_end.count_down();
  EXPECT_EQ(busy.Read().status, 200);
  stopping.join();
  EXPECT_FALSE(RawClient(transport->port()).is_connected());
}

HttpResponse Stream(std::function<void(HttpStream&)> run) {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.stream = std::move(run);
  return response;
}

TEST(HttpTransportTest, AStreamDeliversAtOnceAndSaysGoodByeWhenTheServerStops) {
  TransportHandlers handlers = Mirror();
  handlers.handle = [](HttpRequest&) {
    return Stream([](HttpStream& stream) {
      stream.Write("first\n");
      while (stream.Wait(10min)) {
      }
      if (stream.IsStopping()) stream.Write("good-bye\n");
    });
  };
  const auto transport = Started({}, handlers);
  RawClient client(transport->port());
  client.Send(kGet);
  EXPECT_THAT(client.ReadUntil("first\n"), HasSubstr("Transfer-Encoding: chunked"));
  transport->Stop();
  EXPECT_THAT(client.ReadUntil("0\r\n\r\n"), HasSubstr("good-bye\n"));
  EXPECT_TRUE(client.IsAtEnd());
}

TEST(HttpTransportTest, AStreamEndsWhenItsClientLeaves) {
  std::latch ended(1);
  TransportHandlers handlers = Mirror();
  handlers.handle = [&](HttpRequest&) {
    return Stream([&](HttpStream& stream) {
      stream.Write("first\n");
      EXPECT_FALSE(stream.Wait(10min));
      EXPECT_FALSE(stream.IsStopping());
      ended.count_down();
    });
  };
  const auto transport = Started({}, handlers);
  {
    RawClient client(transport->port());
    client.Send(kGet);
    client.ReadUntil("first\n");
  }
  ended.wait();
}

}  // namespace
}  // namespace perdure

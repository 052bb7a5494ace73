// gSOAP as its guide shows it: the proxy made from the WSDL, with keep-alive on. What it is told and answers: see harness.ts.
// Each of several calls at once has a proxy and a thread of its own.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "soapv1SoapProxy.h"
#include "v1Soap.nsmap"

using Clock = std::chrono::steady_clock;

const LONG64 FIRST_ID = 4611686018427387905;
const char ITEM_END = '\x1e';
const char FIELD_END = '\x1f';

// The texts that data.ts has for SendArray.
std::string text_at(int index) {
  std::string number = std::to_string(index);
  switch (index % 20) {
    case 7:
    case 11:
      return "پیام " + number;
    case 13:
      return "کد ورود شما " + number + "\nاین کد را به کسی ندهید";
    case 17:
      return "<b>تخفیف</b> & ارسال رایگان برای سفارش " + number;
    default:
      return "مشترک گرامی، بسته شماره " + number + " به نشانی شما ارسال شد. سپاس از خرید شما";
  }
}

std::string receptor_at(int index) {
  char text[16];
  std::snprintf(text, sizeof text, "0912%07d", index);
  return text;
}

long cpu() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1000000L * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

// In KiB.
long peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    long value;
    if (name == "VmHWM:" && status >> value) return value;
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Caller {
  virtual ~Caller() = default;
  virtual void call() = 0;
  virtual void dump(std::ostream &out) = 0;
};

// One operation, called again and again over one connection.
template <class Request, class Response>
struct Operation : Caller {
  using Method = int (v1SoapProxy::*)(Request *, Response &);
  // Without the flag, gSOAP takes a std::string for Latin-1.
  v1SoapProxy proxy{SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE};
  Method method;
  Request request;
  Response response;
  std::string apikey = "bench-key", statusmessage;

  Operation(const char *url, Method method, int items) : method(method) {
    proxy.soap_endpoint = url;
    soap_set_namespaces(proxy.soap, namespaces);
    request.apikey = &apikey;
    request.status = items;
    request.statusmessage = &statusmessage;
  }

  void call() override {
    // What the call before gave goes first.
    soap_destroy(proxy.soap);
    soap_end(proxy.soap);
    response = Response();
    if ((proxy.*method)(&request, response) != SOAP_OK) {
      proxy.soap_stream_fault(std::cerr);
      std::exit(1);
    }
  }
};

struct SendSimple : Operation<_messaging__SendSimpleByApikey, _messaging__SendSimpleByApikeyResponse> {
  std::string sender = "3000", message = "سلام دنیا";
  messaging__ArrayOfString receptor;

  explicit SendSimple(const char *url) : Operation(url, &v1SoapProxy::SendSimpleByApikey, 1) {
    receptor.string = {receptor_at(0)};
    request.sender = &sender;
    request.message = &message;
    request.receptor = &receptor;
    request.unixdate = 0;
    request.msgmode = 1;
  }

  void dump(std::ostream &out) override {
    for (LONG64 id : response.SendSimpleByApikeyResult->long_) out << id << ITEM_END;
  }
};

struct SendArray : Operation<_messaging__SendArrayByApikey, _messaging__SendArrayByApikeyResponse> {
  messaging__ArrayOfString sender, message, receptor;
  messaging__ArrayOfInt msgmode;

  SendArray(const char *url, int items) : Operation(url, &v1SoapProxy::SendArrayByApikey, items) {
    for (int index = 0; index < items; index++) {
      sender.string.push_back("3000");
      message.string.push_back(text_at(index));
      receptor.string.push_back(receptor_at(index));
      msgmode.int_.push_back(1);
    }
    request.sender = &sender;
    request.message = &message;
    request.receptor = &receptor;
    request.unixdate = 0;
    request.msgmode = &msgmode;
  }

  void dump(std::ostream &out) override {
    for (LONG64 id : response.SendArrayByApikeyResult->long_) out << id << ITEM_END;
  }
};

struct GetStatus : Operation<_messaging__GetStatusByApikey, _messaging__GetStatusByApikeyResponse> {
  messaging__ArrayOfLong messageid;

  GetStatus(const char *url, int items) : Operation(url, &v1SoapProxy::GetStatusByApikey, items) {
    for (int index = 0; index < items; index++) messageid.long_.push_back(FIRST_ID + index);
    request.messageid = &messageid;
  }

  void dump(std::ostream &out) override {
    for (int status : response.GetStatusByApikeyResult->int_) out << status << ITEM_END;
  }
};

struct Latest : Operation<_messaging__SelectlatestByApikey, _messaging__SelectlatestByApikeyResponse> {
  Latest(const char *url, int items) : Operation(url, &v1SoapProxy::SelectlatestByApikey, items) {
    request.pagesize = items;
  }

  void dump(std::ostream &out) override {
    for (const messaging__ApiSelect *record : response.SelectlatestByApikeyResult->ApiSelect) {
      out << record->messageid << FIELD_END << text(record->message) << FIELD_END << record->status << FIELD_END
          << text(record->statustext) << FIELD_END << text(record->sender) << FIELD_END << text(record->receptor)
          << FIELD_END << record->date << FIELD_END << record->cost << ITEM_END;
    }
  }

  static std::string text(const std::string *value) { return value ? *value : ""; }
};

std::unique_ptr<Caller> prepare(const char *url, const std::string &workload, int items) {
  if (workload == "sendSimple") return std::make_unique<SendSimple>(url);
  if (workload == "sendArray") return std::make_unique<SendArray>(url, items);
  if (workload == "latest") return std::make_unique<Latest>(url, items);
  return std::make_unique<GetStatus>(url, items);
}

int main(int, char **arguments) {
  const char *url = arguments[1];
  // The proxy is made with the namespaces of 1.2 and accepts those of 1.1; the order decides what is written.
  for (int row : {0, 1}) std::swap(namespaces[row].ns, namespaces[row].in);
  std::vector<std::unique_ptr<Caller>> callers;
  std::string prepared;
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "run") {
      std::string workload;
      int items, concurrency, calls, milliseconds;
      words >> workload >> items >> concurrency >> calls >> milliseconds;
      // Connections stay open between rounds, as those of the other candidates do.
      std::string wanted = workload + ' ' + std::to_string(items) + ' ' + std::to_string(concurrency);
      if (wanted != prepared) {
        callers.clear();
        for (int index = 0; index < concurrency; index++) callers.push_back(prepare(url, workload, items));
        prepared = wanted;
      }
      auto start = Clock::now();
      auto end = start + std::chrono::milliseconds(milliseconds);
      long before = cpu();
      std::vector<long> done(concurrency);
      auto loop = [&](int index) {
        while (done[index] * concurrency < calls || Clock::now() < end) {
          callers[index]->call();
          done[index]++;
        }
      };
      std::vector<std::thread> threads;
      for (int index = 1; index < concurrency; index++) threads.emplace_back(loop, index);
      loop(0);
      for (std::thread &thread : threads) thread.join();
      long used = cpu() - before;
      long total = 0;
      for (long each : done) total += each;
      auto wall = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
      std::cout << total << ' ' << used << ' ' << wall << ' ' << peak_memory() << std::endl;
    } else if (command == "dump") {
      std::string path;
      words >> path;
      std::ofstream file(path, std::ios::binary);
      callers[0]->dump(file);
      file.close();
      std::cout << "ok" << std::endl;
    }
  }
}

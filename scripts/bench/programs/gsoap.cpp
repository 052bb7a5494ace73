// gSOAP as its guide shows it: the proxy that is generated from the WSDL, with keep-alive on. harness.ts describes the commands.
// Each of several concurrent calls has a proxy and a thread of its own.
#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "soapv1SoapProxy.h"
#include "v1Soap.nsmap"

const char ITEM_END = '\x1e';
const char FIELD_END = '\x1f';

// What sendArray sends.
std::vector<std::string> messages, receptors;

// The CPU time of this process in microseconds.
long cpu() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1000000L * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

// The peak memory in KiB.
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

std::string text(const std::string *value) { return value ? *value : ""; }

struct Caller {
  std::function<void()> call;
  std::function<void(std::ostream &)> dump;
};

// A caller that calls one operation again and again over one connection.
template <class Request, class Response, class Write>
Caller caller(const char *url, int (v1SoapProxy::*method)(Request *, Response &), int items, Request request, Write write) {
  // Without this flag, gSOAP reads a std::string as Latin-1.
  auto proxy = std::make_shared<v1SoapProxy>(SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE);
  proxy->soap_endpoint = url;
  soap_set_namespaces(proxy->soap, namespaces);
  request.apikey = new std::string("bench-key");
  request.status = items;
  request.statusmessage = new std::string();
  auto response = std::make_shared<Response>();
  auto call = [=]() mutable {
    // Free the result of the previous call.
    soap_destroy(proxy->soap);
    soap_end(proxy->soap);
    *response = Response();
    if ((*proxy.*method)(&request, *response) == SOAP_OK) return;
    proxy->soap_stream_fault(std::cerr);
    std::exit(1);
  };
  return {call, [=](std::ostream &out) { write(*response, out); }};
}

Caller prepare(const char *url, const std::string &workload, int items) {
  if (workload == "sendSimple") {
    _messaging__SendSimpleByApikey request;
    request.sender = new std::string("3000");
    request.message = new std::string("سلام دنیا");
    request.receptor = new messaging__ArrayOfString;
    request.receptor->string = {receptors[0]};
    request.unixdate = 0;
    request.msgmode = 1;
    auto write = [](const _messaging__SendSimpleByApikeyResponse &response, std::ostream &out) {
      for (LONG64 id : response.SendSimpleByApikeyResult->long_) out << id << ITEM_END;
    };
    return caller(url, &v1SoapProxy::SendSimpleByApikey, items, request, write);
  }
  if (workload == "sendArray") {
    _messaging__SendArrayByApikey request;
    request.sender = new messaging__ArrayOfString;
    request.message = new messaging__ArrayOfString;
    request.receptor = new messaging__ArrayOfString;
    request.msgmode = new messaging__ArrayOfInt;
    request.sender->string.assign(items, "3000");
    request.message->string.assign(messages.begin(), messages.begin() + items);
    request.receptor->string.assign(receptors.begin(), receptors.begin() + items);
    request.msgmode->int_.assign(items, 1);
    request.unixdate = 0;
    auto write = [](const _messaging__SendArrayByApikeyResponse &response, std::ostream &out) {
      for (LONG64 id : response.SendArrayByApikeyResult->long_) out << id << ITEM_END;
    };
    return caller(url, &v1SoapProxy::SendArrayByApikey, items, request, write);
  }
  _messaging__SelectlatestByApikey request;
  request.pagesize = items;
  auto write = [](const _messaging__SelectlatestByApikeyResponse &response, std::ostream &out) {
    for (const messaging__ApiSelect *record : response.SelectlatestByApikeyResult->ApiSelect) {
      out << record->messageid << FIELD_END << text(record->message) << FIELD_END << record->status << FIELD_END
          << text(record->statustext) << FIELD_END << text(record->sender) << FIELD_END << text(record->receptor)
          << FIELD_END << record->date << FIELD_END << record->cost << ITEM_END;
    }
  };
  return caller(url, &v1SoapProxy::SelectlatestByApikey, items, request, write);
}

int main(int, char **arguments) {
  const char *url = arguments[1];
  std::ifstream texts(arguments[2], std::ios::binary);
  for (std::string message, receptor; std::getline(texts, message, ITEM_END) && std::getline(texts, receptor, ITEM_END);) {
    messages.push_back(message);
    receptors.push_back(receptor);
  }
  // The generated table puts SOAP 1.2 first. The first namespace is the one that gSOAP writes.
  for (int row : {0, 1}) std::swap(namespaces[row].ns, namespaces[row].in);
  std::vector<Caller> callers;
  std::string prepared;
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, workload;
    int items, concurrency, calls, milliseconds;
    words >> command >> workload;
    if (command == "dump") {
      std::ofstream file(workload, std::ios::binary);
      callers[0].dump(file);
      file.close();
      std::cout << "ok" << std::endl;
      continue;
    }
    words >> items >> concurrency >> calls >> milliseconds;
    // Connections stay open between rounds, as they do in the other clients.
    std::string wanted = workload + ' ' + std::to_string(items) + ' ' + std::to_string(concurrency);
    if (wanted != prepared) {
      callers.clear();
      for (int index = 0; index < concurrency; index++) callers.push_back(prepare(url, workload, items));
      prepared = wanted;
    }
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    long before = cpu();
    std::vector<long> done(concurrency);
    auto loop = [&](int index) {
      while (done[index] * concurrency < calls || std::chrono::steady_clock::now() < end) {
        callers[index].call();
        done[index]++;
      }
    };
    std::vector<std::thread> threads;
    for (int index = 1; index < concurrency; index++) threads.emplace_back(loop, index);
    loop(0);
    for (std::thread &thread : threads) thread.join();
    long used = cpu() - before, total = 0;
    for (long each : done) total += each;
    std::cout << total << ' ' << used << ' ' << peak_memory() << std::endl;
  }
}

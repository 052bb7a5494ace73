// Calls the service with gSOAP. Each line of stdin is a call in JSON, and each line of stdout is a response in JSON. The WSDL from
// which the proxies were generated contains the address.
//
// Usage: gsoap_client <1.1|1.2>
#include <functional>
#include <iostream>

#include "gsoap_messages.hpp"
#include "soapv1Soap12Proxy.h"
#include "soapv1SoapProxy.h"
#include "v1Soap.nsmap"

template <class Request, class Response>
Json call(const Json &fields, struct soap *soap, const std::function<int(Request *, Response &)> &method) {
    Request request;
    Response response;
    from_json(fields, request);
    if (method(&request, response) == SOAP_OK) return to_json(response);
    // gSOAP sets no text for a failure on the client's side until it is told to.
    if (!*soap_faultstring(soap)) soap_set_fault(soap);
    Json fault(Json::object);
    fault.fields["fault"] = Json(Json::text, *soap_faultstring(soap));
    return fault;
}

template <class Proxy>
void run() {
    // Without this flag, gSOAP reads a std::string as Latin-1.
    Proxy proxy(SOAP_C_UTFSTRING);
    soap_set_namespaces(proxy.soap, namespaces);
    for (std::string line; std::getline(std::cin, line);) {
        Json task = JsonReader(line).read();
        Json response;
#define CALL(operation) \
    if (task.fields["operation"].value == #operation) { \
        response = call<_messaging__##operation, _messaging__##operation##Response>( \
            task.fields["request"], proxy.soap, \
            [&](auto *request, auto &response) { return proxy.operation(request, response); }); \
    }
        OPERATIONS(CALL)
        std::cout << write(response) << std::endl;
    }
}

int main(int, char **arguments) {
    if (arguments[1] == std::string("1.2")) {
        run<v1Soap12Proxy>();
    } else {
        // The generated table puts SOAP 1.2 first. The first namespace is the one that gSOAP writes.
        for (int row : {0, 1}) std::swap(namespaces[row].ns, namespaces[row].in);
        run<v1SoapProxy>();
    }
}

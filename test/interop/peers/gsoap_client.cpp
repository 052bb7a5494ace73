// Calls the service with gSOAP: a JSON call per line on stdin, a JSON answer per line on stdout. The address is that of
// the WSDL from which the proxies were made.
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
    // Trouble on this side has no words yet.
    if (!*soap_faultstring(soap)) soap_set_fault(soap);
    Json answer(Json::object);
    answer.fields["fault"] = Json(Json::text, *soap_faultstring(soap));
    return answer;
}

template <class Proxy>
void run() {
    // Without the flag, gSOAP takes a std::string for Latin-1.
    Proxy proxy(SOAP_C_UTFSTRING);
    soap_set_namespaces(proxy.soap, namespaces);
    for (std::string line; std::getline(std::cin, line);) {
        Json task = JsonReader(line).read();
        Json answer;
#define CALL(operation) \
    if (task.fields["operation"].value == #operation) { \
        answer = call<_messaging__##operation, _messaging__##operation##Response>( \
            task.fields["request"], proxy.soap, \
            [&](auto *request, auto &response) { return proxy.operation(request, response); }); \
    }
        OPERATIONS(CALL)
        std::cout << write(answer) << std::endl;
    }
}

int main(int, char **arguments) {
    if (arguments[1] == std::string("1.2")) {
        run<v1Soap12Proxy>();
    } else {
        // Both proxies are made with the namespaces of 1.2 and accept those of 1.1; the order decides what is written.
        for (int row : {0, 1}) std::swap(namespaces[row].ns, namespaces[row].in);
        run<v1SoapProxy>();
    }
}

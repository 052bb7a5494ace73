// Serves the WSDL with gSOAP, which accepts both SOAP versions in one service. It prints each call as a line of JSON, and responds with
// what the file of responses contains at that moment.
//
// Usage: gsoap_server <path of the responses>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "gsoap_messages.hpp"
#include "soapv1SoapService.h"
#include "v1Soap.nsmap"

static Json headers;
static int (*parse_header)(struct soap *, const char *, const char *);

static int keep_header(struct soap *soap, const char *name, const char *value) {
    if (!strcasecmp(name, "Content-Type")) headers.fields["contentType"] = Json(Json::text, value);
    if (!strcasecmp(name, "SOAPAction")) headers.fields["soapAction"] = Json(Json::text, value);
    return parse_header(soap, name, value);
}

class Server : public v1SoapService {
public:
    // Without the first flag, gSOAP reads a std::string as Latin-1. With the second flag it responds in chunks.
    explicit Server(const char *responses) : v1SoapService(SOAP_C_UTFSTRING | SOAP_IO_CHUNK), responses(responses) {
        parse_header = soap->fparsehdr;
        soap->fparsehdr = keep_header;
    }

#define METHOD(operation) \
    int operation(_messaging__##operation *request, _messaging__##operation##Response &response) override { \
        return respond(#operation, *request, response); \
    }
    OPERATIONS(METHOD)

private:
    const char *responses;

    template <class Request, class Response>
    int respond(const char *operation, Request &request, Response &response) {
        Json call = headers;
        call.fields["operation"] = Json(Json::text, operation);
        call.fields["request"] = to_json(request);
        std::cout << write(call) << std::endl;
        std::stringstream text;
        text << std::ifstream(responses).rdbuf();
        Json found = JsonReader(text.str()).read();
        if (found.fields.count("fault")) return soap_receiverfault(found.fields["fault"].value.c_str(), nullptr);
        from_json(found.fields[operation], response);
        return SOAP_OK;
    }
};

int main(int, char **arguments) {
    Server server(arguments[1]);
    // With port 0, the system picks a free port.
    if (!soap_valid_socket(server.bind("127.0.0.1", 0, 100))) {
        server.soap_print_fault(stderr);
        return 1;
    }
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    getsockname(server.soap->master, reinterpret_cast<struct sockaddr *>(&address), &length);
    std::cout << "ready on port " << ntohs(address.sin_port) << std::endl;
    while (soap_valid_socket(server.accept())) {
        headers = Json(Json::object);
        if (server.serve() != SOAP_OK) server.soap_print_fault(stderr);
        server.destroy();
    }
}

// Converts between JSON and the classes that wsdl2h and soapcpp2 generate from the WSDL.
#pragma once

#include <type_traits>

#include "json.hpp"
#include "soapH.h"

#define OPERATIONS(X) \
    X(SelectoutboxByApikey) X(SelectByApikey) X(SelectlatestByApikey) X(ReceiveByApikey) X(SendArrayByApikey) \
    X(SendSimpleByApikey) X(SendAdvance) X(GetStatusByApikey) X(CancelByApikey) X(RemainCreditByApiKey)

// C++ cannot list the members of a class, so this file lists them. fields(message, visit) visits each member with its name.
#define FIELDS(type) \
    template <class Visit> \
    void fields(type &message, Visit visit)
#define FIELD(name) visit(#name, message.name);
#define ITEMS(list, name, member) FIELDS(messaging__ArrayOf##list) { visit(name, message.member); }
#define REQUEST(operation, ...) \
    FIELDS(_messaging__##operation) { FIELD(apikey) __VA_ARGS__ FIELD(status) FIELD(statusmessage) }
#define RESPONSE(operation) \
    FIELDS(_messaging__##operation##Response) { FIELD(operation##Result) FIELD(status) FIELD(statusmessage) }

FIELDS(messaging__ApiSelect) {
    FIELD(messageid) FIELD(message) FIELD(status) FIELD(statustext) FIELD(sender) FIELD(receptor) FIELD(date)
    FIELD(cost)
}
FIELDS(messaging__ApiReceive) { FIELD(messageid) FIELD(message) FIELD(sender) FIELD(receptor) FIELD(date) }

ITEMS(Long, "long", long_)
ITEMS(Int, "int", int_)
ITEMS(String, "string", string)
ITEMS(ApiSelect, "ApiSelect", ApiSelect)
ITEMS(ApiReceive, "ApiReceive", ApiReceive)

REQUEST(SelectoutboxByApikey, FIELD(startUnixdate) FIELD(endUnixdate))
REQUEST(SelectByApikey, FIELD(messageid))
REQUEST(SelectlatestByApikey, FIELD(pagesize))
REQUEST(ReceiveByApikey, FIELD(lineNumber) FIELD(isread))
REQUEST(SendArrayByApikey, FIELD(sender) FIELD(message) FIELD(receptor) FIELD(unixdate) FIELD(msgmode))
REQUEST(SendSimpleByApikey, FIELD(sender) FIELD(message) FIELD(receptor) FIELD(unixdate) FIELD(msgmode))
REQUEST(SendAdvance, FIELD(sender) FIELD(message) FIELD(encoding) FIELD(receptor) FIELD(unixdate) FIELD(messagemode)
            FIELD(fallbackurl) FIELD(clientmessageid))
REQUEST(GetStatusByApikey, FIELD(messageid))
REQUEST(CancelByApikey, FIELD(messageid))
REQUEST(RemainCreditByApiKey)
OPERATIONS(RESPONSE)

template <class T>
struct is_vector : std::false_type {};
template <class T>
struct is_vector<std::vector<T>> : std::true_type {};

template <class T>
Json to_json(T &value) {
    if constexpr (std::is_integral_v<T>) {
        return Json(Json::text, std::to_string(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
        return Json(Json::text, value);
    } else if constexpr (std::is_pointer_v<T>) {
        return value ? to_json(*value) : Json();
    } else if constexpr (is_vector<T>::value) {
        Json json(Json::list);
        for (auto &item : value) json.items.push_back(to_json(item));
        return json;
    } else {
        Json json(Json::object);
        fields(value, [&](const char *name, auto &field) { json.fields[name] = to_json(field); });
        return json;
    }
}

template <class T>
void from_json(const Json &json, T &value) {
    if constexpr (std::is_integral_v<T>) {
        value = static_cast<T>(std::stoll(json.value));
    } else if constexpr (std::is_same_v<T, std::string>) {
        value = json.value;
    } else if constexpr (std::is_pointer_v<T>) {
        if (json.kind == Json::null) return;
        // This memory is never freed, because a peer exchanges only a few dozen messages.
        value = new std::remove_pointer_t<T>();
        from_json(json, *value);
    } else if constexpr (is_vector<T>::value) {
        value.resize(json.items.size());
        for (size_t i = 0; i < value.size(); ++i) from_json(json.items[i], value[i]);
    } else {
        fields(value, [&](const char *name, auto &field) {
            const auto found = json.fields.find(name);
            if (found != json.fields.end()) from_json(found->second, field);
        });
    }
}

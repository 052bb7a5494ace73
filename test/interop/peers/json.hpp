// Reads and writes the JSON that tests and peers exchange. Numbers keep their digits and are written as text.
#pragma once

#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Json {
    enum Kind { null, text, list, object } kind = null;
    std::string value;
    std::vector<Json> items;
    std::map<std::string, Json> fields;

    Json(Kind kind = null, const std::string &value = "") : kind(kind), value(value) {}
};

inline std::string write(const Json &json) {
    std::string out;
    switch (json.kind) {
        case Json::null:
            return "null";
        case Json::text:
            for (const char c : json.value) {
                char escape[] = {'\\', c, 0, 0, 0, 0, 0};
                const bool control = static_cast<unsigned char>(c) < 0x20;
                if (control) std::snprintf(escape, sizeof escape, "\\u%04x", c);
                out += control || c == '"' || c == '\\' ? escape : std::string(1, c);
            }
            return '"' + out + '"';
        case Json::list:
            for (const Json &item : json.items) out += (out.empty() ? "" : ",") + write(item);
            return '[' + out + ']';
        case Json::object:
            for (const auto &[name, field] : json.fields) {
                out += (out.empty() ? "" : ",") + write(Json(Json::text, name)) + ':' + write(field);
            }
            return '{' + out + '}';
    }
    return out;
}

// Reads what JSON.stringify writes: no blanks between tokens, and escapes for control characters only.
class JsonReader {
public:
    explicit JsonReader(const std::string &source) : at(source.c_str()) {}

    Json read() {
        if (take("null")) return Json();
        if (take("\"")) return Json(Json::text, read_text());
        if (take("[")) {
            Json json(Json::list);
            for (; !take("]"); take(",")) json.items.push_back(read());
            return json;
        }
        if (take("{")) {
            Json json(Json::object);
            while (take("\"")) {
                const std::string name = read_text();
                expect(":");
                json.fields[name] = read();
                take(",");
            }
            expect("}");
            return json;
        }
        const size_t length = std::strspn(at, "-0123456789");
        if (length == 0) throw std::runtime_error(std::string("not JSON: ") + at);
        at += length;
        return Json(Json::text, std::string(at - length, length));
    }

private:
    const char *at;

    bool take(const char *token) {
        const bool found = std::strncmp(at, token, std::strlen(token)) == 0;
        if (found) at += std::strlen(token);
        return found;
    }

    void expect(const char *token) {
        if (!take(token)) throw std::runtime_error(std::string(token) + " expected: " + at);
    }

    std::string read_text() {
        static const std::map<char, char> escapes = {{'b', '\b'}, {'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}};
        std::string out;
        while (!take("\"")) {
            if (take("\\u")) {
                out += static_cast<char>(std::stoi(std::string(at, 4), nullptr, 16));
                at += 4;
            } else if (take("\\")) {
                const auto escape = escapes.find(*at);
                out += escape == escapes.end() ? *at : escape->second;
                ++at;
            } else {
                if (*at == 0) throw std::runtime_error("JSON text without an end");
                out += *at++;
            }
        }
        return out;
    }
};

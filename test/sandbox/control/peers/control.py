"""What a test in another language does with the sandbox, in Python's standard library alone."""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

base = sys.argv[1]


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {} if method == "GET" else {"Content-Type": "application/json"}
    request = urllib.request.Request(base + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def send(text):
    envelope = (
        '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>'
        '<SendAdvance xmlns="http://messaging.example/"><apikey>sandbox-key</apikey><sender>3000</sender>'
        f"<message>{text}</message><receptor>0912</receptor></SendAdvance></soap:Body></soap:Envelope>"
    )
    headers = {
        "Content-Type": "text/xml; charset=utf-8",
        "SOAPAction": '"http://messaging.example/SendAdvance"',
    }
    request = urllib.request.Request(base + "/soap/v1.asmx", envelope.encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} is not {expected!r}")


expect(ask("DELETE", "/sandbox")[0], 204)
# A stream of events, read line by line.
events = urllib.request.urlopen(base + "/sandbox/events")

expect(send("سلام"), 200)
status, page = ask("GET", "/sandbox/messages?" + urllib.parse.urlencode({"search": "سلا", "limit": 1}))
expect((status, len(page["messages"]), page["next"]), (200, 1, None))
message = page["messages"][0]
expect((message["messageid"], message["message"]), ("9007199254740993", "سلام"))

path = f"/sandbox/messages/{message['messageid']}/status"
expect(ask("PUT", path, {"status": 10, "statustext": "delivered"})[1]["statustext"], "delivered")
expect(ask("PUT", "/sandbox/messages/1/status", {"status": 10})[0], 404)

status, body = ask("POST", "/sandbox/received", {"sender": "0912", "receptor": "3000", "message": "پاسخ"})
expect((status, body["received"][0]["isread"]), (201, 0))
expect(ask("GET", "/sandbox/received?line=3000")[1]["received"][0]["message"], "پاسخ")
expect(ask("POST", "/sandbox/received", {"sender": 1})[0], 400)

fault = {"code": "Server", "reason": "out of order"}
status, armed = ask("POST", "/sandbox/replies", {"operation": "SendAdvance", "reply": {"fault": fault}})
expect((status, armed), (201, {"id": "1"}))
expect(send("refused"), 500)
ask("POST", "/sandbox/replies", {"operation": "*", "times": None, "reply": {"http": {"status": 503}}})
expect(send("refused"), 503)
expect(len(ask("GET", "/sandbox/replies")[1]["replies"]), 1)
expect(ask("DELETE", "/sandbox/replies/2")[0], 204)
expect(ask("DELETE", "/sandbox/replies")[0], 204)
expect(send("taken"), 200)

status, body = ask("GET", "/sandbox/requests?limit=2")
expect([request["summary"] for request in body["requests"]], ["status 200", "HTTP 503"])
expect("sandbox-key" in json.dumps(body), False)

changed = set()
wanted = {"sent", "status", "received", "replies", "request"}
while not changed >= wanted:
    line = events.readline().decode()
    if line == "":
        sys.exit("the events ended")
    if line.startswith("data: "):
        changed.update(json.loads(line[6:])["changed"])
expect(changed, wanted)

expect(ask("DELETE", "/sandbox")[0], 204)
overview = ask("GET", "/sandbox")[1]
expect((overview["messages"], overview["received"], overview["credit"]), (0, 0, "9007199254740995"))
print("done")

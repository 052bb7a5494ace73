"""Calls the service with zeep: a JSON call per line on stdin, a JSON answer per line on stdout.

Usage: zeep_client.py <WSDL address> <1.1|1.2>
"""

import json
import sys

from zeep import Client
from zeep.exceptions import Fault
from zeep.helpers import serialize_object


def as_text(value):
    """Numbers as text: a reader of JSON may take them for doubles."""
    if isinstance(value, dict):
        return {name: as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    return None if value is None else str(value)


wsdl, version = sys.argv[1:]
service = Client(wsdl).bind('v1', 'v1Soap12' if version == '1.2' else 'v1Soap')

for line in sys.stdin:
    call = json.loads(line)
    try:
        answer = as_text(serialize_object(service[call['operation']](**call['request']), dict))
    except Fault as fault:
        answer = {'fault': fault.message}
    print(json.dumps(answer), flush=True)

"""Calls the service with zeep. Each line of stdin is a call in JSON, and each line of stdout is a response in JSON.

Usage: zeep_client.py <WSDL address> <1.1|1.2>
"""

import json
import sys

from zeep import Client
from zeep.exceptions import Fault
from zeep.helpers import serialize_object


def as_text(value):
    """Turns numbers into text, because a reader of JSON may turn them into doubles."""
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
        response = as_text(serialize_object(service[call['operation']](**call['request']), dict))
    except Fault as fault:
        response = {'fault': fault.message}
    print(json.dumps(response), flush=True)

"""Serves the WSDL with spyne. It prints each call as a line of JSON, and responds with what the file of responses contains
at that moment.

Usage: spyne_server.py <WSDL path> <path of the responses>
"""

import json
import logging
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

from lxml import etree
from spyne import Application, Service, rpc
from spyne.interface.xml_schema.parser import XmlSchemaParser
from spyne.model.complex import ComplexModelBase
from spyne.model.fault import Fault
from spyne.model.primitive import Integer16, Integer32, Integer64, Unicode
from spyne.protocol.soap import Soap11, Soap12
from spyne.server.wsgi import WsgiApplication

XSD = '{http://www.w3.org/2001/XMLSchema}'

wsdl_path, responses_path = sys.argv[1:]
wsdl = etree.parse(wsdl_path)
schema = wsdl.find(f'.//{XSD}schema')
namespace = schema.get('targetNamespace')
# spyne reads the named types of a schema, but not the anonymous ones of requests and responses.
named = XmlSchemaParser({}).parse_schema(schema)[namespace].types
# spyne's own lengths have no room for the sign of the least int and short.
primitives = {
    'string': Unicode,
    'long': Integer64,
    'int': Integer32(max_str_len=11),
    'short': Integer16(max_str_len=6),
}


def fields_of(element):
    """Returns the names and types of the children of a request or response."""
    children = schema.findall(f"{XSD}element[@name='{element}']//{XSD}element")
    types = [child.get('type').split(':')[1] for child in children]
    return [child.get('name') for child in children], [primitives.get(name) or named[name] for name in types]


def as_text(value):
    """Turns numbers into text, because a reader of JSON may turn them into doubles."""
    if isinstance(value, ComplexModelBase):
        return {name: as_text(getattr(value, name)) for name in value._type_info}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    return None if value is None else str(value)


def as_type(kind, value):
    if isinstance(value, list):
        return [as_type(kind, item) for item in value]
    if isinstance(value, dict):
        return kind(**{name: as_type(kind._type_info[name], item) for name, item in value.items()})
    return value


def method_of(operation):
    names, types = fields_of(operation)
    result_names, result_types = fields_of(f'{operation}Response')

    def method(context, *values):
        environment = context.transport.req_env
        call = {
            'operation': operation,
            'contentType': environment.get('CONTENT_TYPE'),
            'soapAction': environment.get('HTTP_SOAPACTION'),
            'request': dict(zip(names, map(as_text, values))),
        }
        print(json.dumps(call), flush=True)
        with open(responses_path, encoding='utf-8') as file:
            responses = json.load(file)
        if 'fault' in responses:
            raise Fault('Server', responses['fault'])
        return [as_type(kind, responses[operation].get(name)) for name, kind in zip(result_names, result_types)]

    method.__name__ = operation
    return rpc(*types, _args=names, _returns=result_types, _out_variable_names=result_names)(method)


names = [operation.get('name') for operation in wsdl.iterfind('{*}portType/{*}operation')]
service = type('v1', (Service,), {name: method_of(name) for name in names})



def application_of(protocol):
    # The validator refuses elements out of order. spyne itself accepts them, as PHP and gSOAP do.
    incoming = protocol(validator='lxml')
    return WsgiApplication(Application([service], namespace, in_protocol=incoming, out_protocol=protocol()))


# An application of spyne speaks one SOAP version, so two applications share the address.
applications = {protocol: application_of(protocol) for protocol in (Soap11, Soap12)}


def serve(environment, start_response):
    is_soap12 = environment['CONTENT_TYPE'].startswith('application/soap+xml')
    return applications[Soap12 if is_soap12 else Soap11](environment, start_response)


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        """Prints nothing, because the tests keep their own record of the calls."""


logging.basicConfig(level=logging.WARNING)
with make_server('127.0.0.1', 0, serve, handler_class=Handler) as server:
    print(f'ready on port {server.server_port}', flush=True)
    server.serve_forever()

<?php
/**
 * Serves the WSDL with PHP's SoapServer, which accepts both SOAP versions, as the router script of `php -S`. It prints each call as a
 * line of JSON, and responds with what the file of responses contains at that moment.
 *
 * Environment: PEER_WSDL and PEER_RESPONSES, two paths.
 */

declare(strict_types=1);

require __DIR__ . '/as_text.php';

final class Service
{
    public function __call(string $operation, array $arguments): array
    {
        $call = [
            'operation' => $operation,
            'contentType' => $_SERVER['CONTENT_TYPE'] ?? null,
            'soapAction' => $_SERVER['HTTP_SOAPACTION'] ?? null,
            'request' => as_text($arguments[0]),
        ];
        file_put_contents('php://stdout', json_encode($call, JSON_THROW_ON_ERROR) . "\n");
        $responses = json_decode(file_get_contents(getenv('PEER_RESPONSES')), true, flags: JSON_THROW_ON_ERROR);
        if (isset($responses['fault'])) {
            throw new SoapFault('Server', $responses['fault']);
        }
        return $responses[$operation];
    }
}

$server = new SoapServer(getenv('PEER_WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without this feature, a list of one item becomes the item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);
$server->setObject(new Service());
$server->handle();

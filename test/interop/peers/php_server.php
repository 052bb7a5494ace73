<?php
/**
 * Serves the WSDL with PHP's SoapServer, which takes both versions, as the router script of `php -S`. Each call is
 * written to stdout as a line of JSON and answered with what the file of answers holds at that moment.
 *
 * Environment: PEER_WSDL and PEER_ANSWERS, two paths.
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
        $answers = json_decode(file_get_contents(getenv('PEER_ANSWERS')), true, flags: JSON_THROW_ON_ERROR);
        if (isset($answers['fault'])) {
            throw new SoapFault('Server', $answers['fault']);
        }
        return $answers[$operation];
    }
}

$server = new SoapServer(getenv('PEER_WSDL'), [
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without it, a list of one item is that item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);
$server->setObject(new Service());
$server->handle();

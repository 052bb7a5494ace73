<?php
/**
 * Calls the service with PHP's SoapClient: a JSON call per line on stdin, a JSON answer per line on stdout.
 *
 * Usage: php_client.php <WSDL address> <1.1|1.2>
 */

declare(strict_types=1);

require __DIR__ . '/as_text.php';

[, $wsdl, $version] = $argv;
$client = new SoapClient($wsdl, [
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    // The address is another one in each run, but its port may come back.
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without it, a list of one item is that item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);

while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    try {
        $answer = as_text($client->__soapCall($call['operation'], [$call['request']]));
    } catch (SoapFault $fault) {
        $answer = ['fault' => $fault->getMessage()];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}

<?php
/**
 * Calls the service with PHP's SoapClient. Each line of stdin is a call in JSON, and each line of stdout is a response in JSON.
 *
 * Usage: php_client.php <WSDL address> <1.1|1.2>
 */

declare(strict_types=1);

require __DIR__ . '/as_text.php';

[, $wsdl, $version] = $argv;
$client = new SoapClient($wsdl, [
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    // The address changes with each run, but a port may be used again.
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without this feature, a list of one item becomes the item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);

while (($line = fgets(STDIN)) !== false) {
    $call = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    try {
        $response = as_text($client->__soapCall($call['operation'], [$call['request']]));
    } catch (SoapFault $fault) {
        $response = ['fault' => $fault->getMessage()];
    }
    echo json_encode($response, JSON_THROW_ON_ERROR), "\n";
}

<?php
/** PHP's SoapClient as its manual shows it. harness.ts describes the commands. */

declare(strict_types=1);

[, $url, $wsdl, $texts] = $argv;
$client = new SoapClient($wsdl, [
    'location' => $url,
    // The address in the WSDL changes with each run.
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without this feature, a list of one item becomes the item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);

const ITEM_END = "\x1e";
const FIELD_END = "\x1f";
const FIELDS = ['messageid', 'message', 'status', 'statustext', 'sender', 'receptor', 'date', 'cost'];

$messages = $receptors = [];
foreach (array_chunk(explode(ITEM_END, file_get_contents($texts), -1), 2) as [$messages[], $receptors[]]);

/** @return array{string, array<string, mixed>} The operation of a workload and its request. */
function prepare(string $workload, int $items): array
{
    global $messages, $receptors;
    $around = ['apikey' => 'bench-key', 'status' => $items, 'statusmessage' => ''];
    return match ($workload) {
        'sendSimple' => ['SendSimpleByApikey', $around + [
            'sender' => '3000',
            'message' => 'سلام دنیا',
            'receptor' => ['string' => [$receptors[0]]],
            'unixdate' => 0,
            'msgmode' => 1,
        ]],
        'sendArray' => ['SendArrayByApikey', $around + [
            'sender' => ['string' => array_fill(0, $items, '3000')],
            'message' => ['string' => array_slice($messages, 0, $items)],
            'receptor' => ['string' => array_slice($receptors, 0, $items)],
            'unixdate' => 0,
            'msgmode' => ['int' => array_fill(0, $items, 1)],
        ]],
        'selectLatest' => ['SelectlatestByApikey', $around + ['pagesize' => $items]],
    };
}

/** The CPU time of this process in microseconds. */
function cpu(): int
{
    $usage = getrusage();
    return 1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

/** The peak memory in KiB. */
function peakMemory(): int
{
    preg_match('/VmHWM:\s*(\d+)/', (string) @file_get_contents('/proc/self/status'), $found);
    return (int) ($found[1] ?? getrusage()['ru_maxrss']);
}

function comparable(mixed $item): string
{
    if (!is_object($item)) {
        return (string) $item;
    }
    return implode(FIELD_END, array_map(fn (string $name): string => (string) ($item->$name ?? ''), FIELDS));
}

$response = null;
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words[0] === 'run') {
        [, $workload, $items, , $calls, $milliseconds] = $words;
        [$operation, $request] = prepare($workload, (int) $items);
        $response = null;
        $done = 0;
        $end = hrtime(true) + 1_000_000 * (int) $milliseconds;
        $before = cpu();
        while ($done < (int) $calls || hrtime(true) < $end) {
            $response = null;
            $response = $client->__soapCall($operation, [$request]);
            $done++;
        }
        echo $done, ' ', cpu() - $before, ' ', peakMemory(), "\n";
    } elseif ($words[0] === 'dump') {
        $values = get_object_vars($response);
        $result = array_values(array_filter($values, fn (string $name): bool => str_ends_with($name, 'Result'), ARRAY_FILTER_USE_KEY))[0];
        [$list] = array_values(get_object_vars($result));
        file_put_contents($words[1], implode('', array_map(fn (mixed $item): string => comparable($item) . ITEM_END, $list)));
        echo "ok\n";
    }
}

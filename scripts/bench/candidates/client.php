<?php
/** PHP's SoapClient as its manual shows it. What it is told and answers: see harness.ts. */

declare(strict_types=1);

[, $url, $wsdl, $version] = $argv;
$client = new SoapClient($wsdl, [
    'location' => $url,
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    // The address in the WSDL is another one in each run.
    'cache_wsdl' => WSDL_CACHE_NONE,
    // Without it, a list of one item is that item.
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);

const FIRST_ID = 4611686018427387905;
const ITEM_END = "\x1e";
const FIELD_END = "\x1f";
const FIELDS = ['messageid', 'message', 'status', 'statustext', 'sender', 'receptor', 'date', 'cost'];

/** @return list<string> The texts that data.ts has for SendArray. */
function texts(int $items): array
{
    $text = fn (int $index): string => match ($index % 20) {
        7, 11 => "پیام $index",
        13 => "کد ورود شما $index\nاین کد را به کسی ندهید",
        17 => "<b>تخفیف</b> & ارسال رایگان برای سفارش $index",
        default => "مشترک گرامی، بسته شماره $index به نشانی شما ارسال شد. سپاس از خرید شما",
    };
    return array_map($text, range(0, $items - 1));
}

/** @return array{string, array<string, mixed>} The operation of a workload and its request. */
function prepare(string $workload, int $items): array
{
    $around = ['apikey' => 'bench-key', 'status' => $items, 'statusmessage' => ''];
    $receptors = fn (): array => array_map(fn (int $index): string => sprintf('0912%07d', $index), range(0, $items - 1));
    return match ($workload) {
        'sendSimple' => ['SendSimpleByApikey', $around + [
            'sender' => '3000',
            'message' => 'سلام دنیا',
            'receptor' => ['string' => ['09120000000']],
            'unixdate' => 0,
            'msgmode' => 1,
        ]],
        'sendArray' => ['SendArrayByApikey', $around + [
            'sender' => ['string' => array_fill(0, $items, '3000')],
            'message' => ['string' => texts($items)],
            'receptor' => ['string' => $receptors()],
            'unixdate' => 0,
            'msgmode' => ['int' => array_fill(0, $items, 1)],
        ]],
        'latest' => ['SelectlatestByApikey', $around + ['pagesize' => $items]],
        'getStatus' => ['GetStatusByApikey', $around + [
            'messageid' => ['long' => array_map(fn (int $index): int => FIRST_ID + $index, range(0, $items - 1))],
        ]],
    };
}

/** In microseconds. */
function cpu(): int
{
    $usage = getrusage();
    return 1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

/** In KiB. */
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

$answer = null;
echo "ready\n";
while (($line = fgets(STDIN)) !== false) {
    $words = explode(' ', trim($line));
    if ($words[0] === 'run') {
        [, $workload, $items, , $calls, $milliseconds] = $words;
        [$operation, $request] = prepare($workload, (int) $items);
        $answer = null;
        $done = 0;
        $start = hrtime(true);
        $end = $start + 1_000_000 * (int) $milliseconds;
        $before = cpu();
        while ($done < (int) $calls || hrtime(true) < $end) {
            $answer = null;
            $answer = $client->__soapCall($operation, [$request]);
            $done++;
        }
        echo $done, ' ', cpu() - $before, ' ', intdiv(hrtime(true) - $start, 1000), ' ', peakMemory(), "\n";
    } elseif ($words[0] === 'dump') {
        $values = get_object_vars($answer);
        $result = array_values(array_filter($values, fn (string $name): bool => str_ends_with($name, 'Result'), ARRAY_FILTER_USE_KEY))[0];
        [$list] = array_values(get_object_vars($result));
        file_put_contents($words[1], implode('', array_map(fn (mixed $item): string => comparable($item) . ITEM_END, $list)));
        echo "ok\n";
    }
}

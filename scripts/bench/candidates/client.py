"""zeep as its documentation shows it. What it is told and answers: see harness.ts."""

import re
import resource
import sys
import time

from zeep import Client

FIRST_ID = 4611686018427387905
ITEM_END = '\x1e'
FIELD_END = '\x1f'
FIELDS = ['messageid', 'message', 'status', 'statustext', 'sender', 'receptor', 'date', 'cost']


def text_at(index):
    """The text that data.ts has for SendArray."""
    return {
        7: f'پیام {index}',
        11: f'پیام {index}',
        13: f'کد ورود شما {index}\nاین کد را به کسی ندهید',
        17: f'<b>تخفیف</b> & ارسال رایگان برای سفارش {index}',
    }.get(index % 20, f'مشترک گرامی، بسته شماره {index} به نشانی شما ارسال شد. سپاس از خرید شما')


def prepare(workload, items):
    """The operation of a workload and its request."""
    around = {'apikey': 'bench-key', 'status': items, 'statusmessage': ''}
    if workload == 'sendSimple':
        receptor = {'string': ['09120000000']}
        fields = {'sender': '3000', 'message': 'سلام دنیا', 'receptor': receptor, 'unixdate': 0, 'msgmode': 1}
        return 'SendSimpleByApikey', {**around, **fields}
    if workload == 'sendArray':
        fields = {
            'sender': {'string': ['3000'] * items},
            'message': {'string': [text_at(index) for index in range(items)]},
            'receptor': {'string': [f'0912{index:07d}' for index in range(items)]},
            'unixdate': 0,
            'msgmode': {'int': [1] * items},
        }
        return 'SendArrayByApikey', {**around, **fields}
    if workload == 'latest':
        return 'SelectlatestByApikey', {**around, 'pagesize': items}
    messageid = {'long': [FIRST_ID + index for index in range(items)]}
    return 'GetStatusByApikey', {**around, 'messageid': messageid}


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(1e6 * (usage.ru_utime + usage.ru_stime))


def peak_memory():
    """In KiB."""
    try:
        with open('/proc/self/status', encoding='ascii') as status:
            return int(re.search(r'VmHWM:\s*(\d+)', status.read()).group(1))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def comparable(item):
    if isinstance(item, int):
        return str(item)
    values = [item[name] for name in FIELDS]
    return FIELD_END.join('' if value is None else str(value) for value in values)


def items_of(answer):
    """Of the response's three elements the result comes first, and it holds one list."""
    result = next(answer[name] for name in answer if name.endswith('Result'))
    return next(result[name] for name in result)


url, wsdl, version = sys.argv[1:4]
service = Client(wsdl).bind('v1', 'v1Soap12' if version == '1.2' else 'v1Soap')
service._binding_options['address'] = url
answer = None
print('ready', flush=True)
for line in sys.stdin:
    command, *words = line.split()
    if command == 'run':
        workload, items, _, calls, milliseconds = words
        operation, request = prepare(workload, int(items))
        answer = None
        done = 0
        start = time.monotonic()
        end = start + int(milliseconds) / 1000
        before = cpu()
        while done < int(calls) or time.monotonic() < end:
            answer = None
            answer = service[operation](**request)
            done += 1
        print(done, cpu() - before, round(1e6 * (time.monotonic() - start)), peak_memory(), flush=True)
    elif command == 'dump':
        with open(words[0], 'w', encoding='utf-8', newline='') as file:
            file.writelines(comparable(item) + ITEM_END for item in items_of(answer))
        print('ok', flush=True)

import type { OperationName } from '../../../../generated/operations';

/** Command lines for the help of an operation. They work as they are, without the program's name. */
export const examples: { readonly [O in OperationName]?: readonly string[] } = {
  SendSimpleByApikey: [
    "send-simple --sender 3000 --message 'سلام' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1",
  ],
  SendArrayByApikey: [
    "send-array --sender 3000 3000 --message 'first text' 'second text' --receptor 09120000001 09120000002 --unixdate 0 --msgmode 1 1",
  ],
  SendAdvance: [
    "send-advance --sender 3000 --message 'سلام' --encoding 0 --receptor 09120000001 --unixdate 0 --messagemode 1 --fallbackurl https://example.com/status --clientmessageid order-17",
    'send-advance --sender 3000 --message hello --encoding 0 --receptor 09120000001 --unixdate 0 --messagemode 1 --omit fallbackurl clientmessageid',
  ],
  SelectoutboxByApikey: [
    'select-outbox --start-unixdate 1760000000 --end-unixdate 1760086400',
    'select-outbox --start-unixdate 0 --end-unixdate 4102444800 --output csv > outbox.csv',
  ],
  SelectByApikey: ['select 9007199254740993 9007199254740994', 'select 9007199254740993 --output json'],
  SelectlatestByApikey: ['select-latest --pagesize 10', 'select-latest --pagesize 100 --output ndjson'],
  ReceiveByApikey: [
    'receive --line-number 3000 --isread 0',
    'receive --line-number 3000 --isread 0 --follow --every 10s --output ndjson',
  ],
  GetStatusByApikey: ['get-status 9007199254740993 9007199254740994'],
  CancelByApikey: ['cancel 9007199254740993 9007199254740994'],
  RemainCreditByApiKey: ['remain-credit', 'remain-credit --output json'],
};

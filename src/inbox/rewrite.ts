import type { Journal } from '../journal/journal';
import { readJournal } from '../journal/read-journal';
import { type InboxRecord, InboxState, inboxKind, lineKey } from './inbox-journal';

export type InboxJournal = Journal<InboxRecord, InboxState>;

/** The number of ids in a record. */
const IDS_IN_RECORD = 1000;

/** The records of messages that need no handler. */
function knownRecords(line: string, known: readonly (readonly [bigint, number])[]): InboxRecord[] {
  return Array.from({ length: Math.ceil(known.length / IDS_IN_RECORD) }, (_, index) => {
    const part = known.slice(index * IDS_IN_RECORD, (index + 1) * IDS_IN_RECORD);
    return { t: 'known', line, ids: part.map(([id]) => String(id)), marks: part.map(([, mark]) => mark) };
  });
}

/**
 * Rewrites the journal without the texts of messages that were handled before a time. It keeps all ids, and the
 * messages that are not handled. The texts go from file to file, because they may need more memory than the process
 * has.
 */
export async function leaveOutTexts(journal: InboxJournal, before: number): Promise<void> {
  const { path } = journal;
  await journal.rewrite(async (put) => {
    // The state of the open journal has records that are not in the file yet.
    const state = await readRecords(path);
    const kept = await keptMessages(path, state, before);
    if (state.service) put(state.service);
    for (const record of [...state.looked.values(), ...state.baselines.values()]) put(record);
    for (const [line, ids] of state.ids) {
      const others = [...ids].filter(([id]) => !kept.get(line)?.has(id));
      for (const record of knownRecords(line, others)) put(record);
    }
    /** The messages of first looks whose text is in the new file. */
    const written = new Set<string>();
    await readRecords(path, (record) => {
      const id = String('message' in record ? record.message.messageid : record.id);
      if (record.t === 'reused') put(record);
      else if (kept.get(record.line)?.has(BigInt(id))) {
        const key = lineKey(record.line, id);
        if (record.t === 'listed' && written.has(key)) return;
        if (record.t === 'listed') written.add(key);
        put(record.t === 'listed' ? (state.listed.get(key) ?? { ...record, t: 'message' }) : record);
      }
    });
  });
  await journal.commit({ t: 'rewritten', before });
}

/** The ids of the messages that are not handled, or were handled later, by line. */
async function keptMessages(path: string, state: InboxState, before: number): Promise<Map<string, Set<bigint>>> {
  const kept = new Map([...state.ids.keys()].map((line) => [line, new Set<bigint>()]));
  for (const { lineNumber, message } of state.unhandled.values()) kept.get(lineNumber)?.add(message.messageid);
  for (const { line, message } of state.listed.values()) kept.get(line)?.add(BigInt(message.messageid as string));
  await readRecords(path, (record) => {
    if (record.t === 'handled' && record.at >= before) kept.get(record.line)?.add(BigInt(record.id));
  });
  return kept;
}

/** A record about one message. */
type MessageRecord = Extract<InboxRecord, { readonly message: unknown } | { readonly id: unknown }>;

/** Reads the file again, and returns what its records add up to. */
async function readRecords(path: string, onRecord?: (record: MessageRecord) => void): Promise<InboxState> {
  const state = new InboxState();
  const apply = (record: InboxRecord): boolean => {
    if (!onRecord) return state.apply(record);
    if ('message' in record || 'id' in record) onRecord(record);
    return true;
  };
  const found = await readJournal(path, { ...inboxKind, createState: () => ({ apply }) });
  if (found === undefined) throw new Error(`the journal ${path} is missing`);
  return state;
}

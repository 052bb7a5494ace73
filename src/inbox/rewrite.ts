import type { Journal } from '../journal/journal';
import { readJournal } from '../journal/read-journal';
import { type InboxRecord, type InboxState, inboxKind } from './inbox-journal';

export type InboxJournal = Journal<InboxRecord, InboxState>;

/** The number of ids in a record. */
const IDS_IN_RECORD = 1000;

/** The records of messages that need no handler. */
export function knownRecords(line: string, ids: readonly bigint[]): InboxRecord[] {
  const texts = ids.map(String);
  return Array.from({ length: Math.ceil(texts.length / IDS_IN_RECORD) }, (_, index) => {
    const start = index * IDS_IN_RECORD;
    return { t: 'known', line, ids: texts.slice(start, start + IDS_IN_RECORD) };
  });
}

/**
 * Rewrites the journal without the texts of messages that were handled before a time. It keeps all ids, and the
 * messages that are not handled. The texts go from file to file, because they may need more memory than the process
 * has.
 */
export async function leaveOutTexts(journal: InboxJournal, before: number): Promise<void> {
  const { path, state } = journal;
  const kept = await keptMessages(journal, before);
  await journal.rewrite(async (put) => {
    for (const baseline of state.baselines.values()) put(baseline);
    for (const [line, ids] of state.ids) {
      const others = [...ids].filter((id) => !kept.get(line)?.has(id));
      for (const record of knownRecords(line, others)) put(record);
    }
    await readRecords(path, (record) => {
      const id = record.t === 'message' ? record.message.messageid : record.id;
      if (kept.get(record.line)?.has(BigInt(id as string))) put(record);
    });
  });
  await journal.commit({ t: 'rewritten', before });
}

/** The ids of the messages that are not handled, or were handled later, by line. */
async function keptMessages({ path, state }: InboxJournal, before: number): Promise<Map<string, Set<bigint>>> {
  const kept = new Map([...state.ids.keys()].map((line) => [line, new Set<bigint>()]));
  for (const { lineNumber, message } of state.unhandled.values()) kept.get(lineNumber)?.add(message.messageid);
  await readRecords(path, (record) => {
    if (record.t === 'handled' && record.at >= before) kept.get(record.line)?.add(BigInt(record.id));
  });
  return kept;
}

/** A record about one message. */
type MessageRecord = Exclude<InboxRecord, { readonly t: 'known' | 'baseline' | 'rewritten' }>;

async function readRecords(path: string, onRecord: (record: MessageRecord) => void): Promise<void> {
  const apply = (record: InboxRecord): boolean => {
    if (record.t !== 'known' && record.t !== 'baseline' && record.t !== 'rewritten') onRecord(record);
    return true;
  };
  const found = await readJournal(path, { ...inboxKind, createState: () => ({ apply }) });
  if (found === undefined) throw new Error(`the journal ${path} is missing`);
}

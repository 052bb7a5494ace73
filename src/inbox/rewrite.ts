import type { Journal } from '../journal/journal';
import { readJournal } from '../journal/read-journal';
import { type InboxRecord, InboxState, inboxKind, type MessageName, messageKey, nameOfMessage } from './inbox-journal';

export type InboxJournal = Journal<InboxRecord, InboxState>;

/** The number of ids in a record. */
const IDS_IN_RECORD = 1000;

/**
 * Rewrites the journal without the texts of messages that were handled before a time. It keeps all ids, the messages
 * that are not handled, and the order of what it keeps. The texts go from file to file, because they may need more
 * memory than the process has.
 */
export async function leaveOutTexts(journal: InboxJournal, before: number): Promise<void> {
  const { path } = journal;
  await journal.rewrite(async (put) => {
    // The state of the open journal has records that are not in the file yet.
    const state = new InboxState();
    /** The messages that were handled later. */
    const later = new Set<string>();
    await readRecords(path, (record) => {
      if (record.t === 'handled' && record.at >= before) later.add(messageKey(record));
      return state.apply(record);
    });
    const isKept = (name: MessageName): boolean => {
      const key = messageKey(name);
      return later.has(key) || state.unhandled.has(key) || state.line(name.line).isListed(BigInt(name.id), name.mark);
    };
    for (const record of knownRecords(state, isKept)) put(record);
    await readRecords(path, (record) => {
      const isAboutMessage = 'message' in record || 'id' in record;
      if (isAboutMessage ? isKept(nameOfMessage(record)) : record.t !== 'known' && record.t !== 'rewritten')
        put(record);
      return true;
    });
  });
  await journal.commit({ t: 'rewritten', before });
}

/** Makes the records of the messages whose texts are left out. */
function* knownRecords(state: InboxState, isKept: (name: MessageName) => boolean): Generator<InboxRecord> {
  for (const [line, { known }] of state.lines) {
    let [ids, marks]: [string[], number[]] = [[], []];
    for (const [id, mark] of known) {
      if (isKept({ line, id, mark })) continue;
      ids.push(String(id));
      marks.push(mark);
      if (ids.length < IDS_IN_RECORD) continue;
      yield { t: 'known', line, ids, marks };
      [ids, marks] = [[], []];
    }
    if (ids.length > 0) yield { t: 'known', line, ids, marks };
  }
}

/** Reads the records of the file again. @param apply returns false for a record that cannot follow those before it */
async function readRecords(path: string, apply: (record: InboxRecord) => boolean): Promise<void> {
  const found = await readJournal(path, { ...inboxKind, createState: () => ({ apply }) });
  if (found === undefined) throw new Error(`the journal ${path} is missing`);
}

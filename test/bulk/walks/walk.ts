import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ApiSelect } from '../../../generated/v1/definitions/ApiSelect';
import { ConfigurationError, ConnectionError, HttpError, StatusError } from '../../../src';
import { type BeginReply, type BulkClient, openBulk, readBulk } from '../../../src/bulk';
import { MessageDigests } from '../../../src/bulk/rows/message-digests';
import { JournalWriteError } from '../../../src/journal/errors';
import type { Random } from '../../support/random';
import { currentProcess, Killed, WalkProcess } from './processes';

/** A row of a file. */
interface Row {
  readonly receptor: string;
  readonly text: string;
}

const keyOf = ({ receptor, text }: Row) => `${receptor} ${text}`;

/** A message that the service has. */
interface Sent extends Row {
  readonly id: bigint;
  readonly account: string;
}

const RECEPTORS = ['09120000001', '09120000002', '09120000003', '09350000004'];
const TEXTS = ['Hi', 'Yo'];
export const ACCOUNTS = ['first', 'first', 'first', 'second'];
const COLUMNS = 'receptor,text';

/** A row of a journal. */
interface JournalRow {
  readonly journal: string;
  readonly row: number;
  readonly state: string;
  readonly reason: string;
  readonly message: string | undefined;
}

/** What a walk has found. */
export interface Walked {
  /** Messages that were sent more often than a file ever had rows with them, and nobody asked for it. */
  readonly twice: string[];
  /** Rows that are called sent or left out, and are not. */
  readonly untrue: string[];
  /** Messages of files that nobody has at the end. */
  readonly forgotten: string[];
  readonly log: string[];
}

/**
 * Walks at random through what an operator does to a folder of lists, and what happens to commands meanwhile. The record
 * of the service judges.
 */
export class Walk {
  protected readonly random: Random;
  protected readonly folder: string;
  readonly #sent: Sent[] = [];
  /** The most rows that a file ever had with each message, and those that somebody wanted to send again. */
  readonly #most = new Map<string, number>();
  readonly #wanted = new Map<string, number>();
  readonly found: Walked = { twice: [], untrue: [], forgotten: [], log: [] };
  /** True when the service does everything well, and lists everything. */
  protected isCalm = false;
  #names = 0;
  /** What each journal was read as, until it changes. */
  readonly #journals = new Map<string, { readonly text: string; readonly rows: readonly JournalRow[] }>();

  constructor(random: Random, folder: string) {
    this.random = random;
    this.folder = folder;
  }

  async walk(steps: number): Promise<Walked> {
    this.#write(this.#newFile(), this.#newRows());
    for (let step = 0; step < steps; step++) await this.step();
    await this.putRight();
    return this.found;
  }

  protected async step(): Promise<void> {
    const random = this.random;
    const file = random.pick(this.files());
    const act = random.below(20);
    if (act < 8) await this.run(file);
    else if (act < 9) await this.#runTogether();
    else if (act < 13) this.#edit(file);
    else if (act < 15) this.#copy(file);
    else if (act < 16) this.#rename(file);
    else if (act < 17) await this.#retry(file);
    else if (act < 19) await this.resolve(file);
    else this.#write(this.#newFile(), this.#newRows());
    await this.judge();
  }

  protected files(): string[] {
    return readdirSync(this.folder).filter((name) => name.endsWith('.csv'));
  }

  #newFile(): string {
    this.#names += 1;
    return `${this.#names}.csv`;
  }

  #newRows(): Row[] {
    return Array.from({ length: 1 + this.random.below(4) }, () => this.#newRow());
  }

  #newRow(): Row {
    return { receptor: this.random.pick(RECEPTORS), text: this.random.pick(TEXTS) };
  }

  #rows(file: string): Row[] {
    const [, ...lines] = readFileSync(join(this.folder, file), 'utf8').trim().split('\n');
    return lines.map((line) => {
      const [receptor = '', text = ''] = line.split(',');
      return { receptor, text };
    });
  }

  #write(file: string, rows: readonly Row[]): string {
    if (rows.length === 0) return file;
    this.log(`${file}: ${rows.map(keyOf).join(', ')}`);
    writeFileSync(
      join(this.folder, file),
      [COLUMNS, ...rows.map(({ receptor, text }) => `${receptor},${text}`), ''].join('\n'),
    );
    this.#countRows(rows);
    return file;
  }

  #countRows(rows: readonly Row[]): void {
    for (const [key, count] of countsOf(rows)) this.#most.set(key, Math.max(this.#most.get(key) ?? 0, count));
  }

  #edit(file: string): void {
    const random = this.random;
    const rows = this.#rows(file);
    const at = random.below(rows.length);
    const row = rows[at] as Row;
    const edits: (() => Row[])[] = [
      () => rows.with(at, { ...row, receptor: random.pick(RECEPTORS) }),
      () => rows.with(at, { ...row, text: random.pick(TEXTS) }),
      () => [...rows, this.#newRow()],
      () => rows.toSpliced(at, 1),
      () => rows.toReversed(),
      () => rows.map((each) => ({ ...each, text: random.pick(TEXTS) })),
    ];
    this.#write(file, random.pick(edits)());
  }

  #copy(file: string): string {
    const copy = this.#newFile();
    this.log(`cp ${file} ${copy}`);
    copyFileSync(join(this.folder, file), join(this.folder, copy));
    this.#edit(copy);
    return copy;
  }

  /** Two commands begin at the same moment, with a list and its copy. */
  async #runTogether(): Promise<void> {
    const isNew = this.random.below(2) === 0;
    const file = isNew ? this.#write(this.#newFile(), this.#newRows()) : this.random.pick(this.files());
    await Promise.all([this.run(file), this.run(this.#copy(file))]);
  }

  #rename(file: string): void {
    const name = this.#newFile();
    const [from, to] = [join(this.folder, file), join(this.folder, name)];
    const withJournal = this.random.below(2) === 0 && existsSync(`${from}.journal`);
    this.log(`mv ${file} ${name}${withJournal ? ', with its journal' : ''}`);
    renameSync(from, to);
    if (withJournal) renameSync(`${from}.journal`, `${to}.journal`);
  }

  protected async run(file: string): Promise<void> {
    const random = this.random;
    const isKilled = !this.isCalm && random.below(3) === 0;
    const process = new WalkProcess(isKilled ? 1 + random.below(40) : undefined);
    const account = this.isCalm ? 'first' : random.pick(ACCOUNTS);
    const stop = new AbortController();
    const stopAt = !this.isCalm && random.below(8) === 0 ? 1 + random.below(3) : Number.POSITIVE_INFINITY;
    const how = this.isCalm ? 'others' : random.pick(['others', 'others', 'others', 'none', 'all'] as const);
    this.log(`run ${file} (${how}, ${account}${isKilled ? ', killed' : ''})`);
    let requests = 0;
    const client = this.client(account, () => {
      requests += 1;
      if (requests >= stopAt) stop.abort();
    });
    await this.command(process, async () => {
      const options = {
        client,
        account,
        input: join(this.folder, file),
        fields: { sender: '3000', message: '{{text}}', unixdate: 0n, msgmode: 1 },
      };
      const bulk = await openBulk({ ...options, others: 'folder', again: 'refuse' });
      try {
        const result = await bulk.run({
          baselinePagesize: random.pick([0, 100]),
          stopAfterFailures: this.isCalm ? 0 : random.pick([0, 1]),
          concurrency: random.pick([1, 4]),
          settleMs: 5001,
          signal: stop.signal,
          onBegin: async () => {
            // Other commands may work while somebody thinks.
            for (let turn = random.below(20); turn > 0; turn--) await new Promise(setImmediate);
            return this.reply(how, file);
          },
        });
        this.log(`  ${JSON.stringify(result)}`);
      } finally {
        await bulk.close();
      }
    });
  }

  protected reply(how: 'others' | 'none' | 'all', file: string): BeginReply {
    if (how === 'none') throw new ConfigurationError({ message: 'nothing was sent' });
    if (how === 'all') {
      for (const row of this.#rows(file)) this.#wanted.set(keyOf(row), (this.#wanted.get(keyOf(row)) ?? 0) + 1);
      return { again: 'send', corrected: 'send' };
    }
    return { again: 'leave out', corrected: this.isCalm || this.random.below(2) === 0 ? 'send' : 'leave out' };
  }

  async #retry(file: string): Promise<void> {
    this.log(`retry ${file}`);
    await this.#onJournal(file, async (bulk) => {
      const leftOut = [...bulk.rows('left-out')];
      if (leftOut[0] && this.random.below(2) === 0) await bulk.retry({ ranges: [[leftOut[0].row, leftOut[0].row]] });
      else await bulk.retry({ all: true });
    });
  }

  /** An operator looks up unknown rows in the records of the service, and counts equal ones. */
  protected async resolve(file: string): Promise<void> {
    this.log(`resolve ${file}`);
    await this.#onJournal(file, async (bulk, process) => {
      const rows = (await this.rowsOfJournals()).map((each) => ({ ...each }));
      for (const { row } of [...bulk.rows('unknown')]) {
        const own = rows.find((each) => each.journal === `${file}.journal` && each.row === row);
        if (own?.message === undefined) continue;
        const known = rows.filter((each) => each.message === own.message && each.state === 'sent').length;
        const isSent = this.countOf(own.message) > known;
        await bulk.resolve({ ranges: [[row, row]], as: isSent ? 'sent' : 'not-sent' });
        if (process.isDead) return;
        own.state = isSent ? 'sent' : 'pending';
      }
    });
  }

  async #onJournal(
    file: string,
    work: (bulk: Awaited<ReturnType<typeof openBulk>>, process: WalkProcess) => Promise<void>,
  ): Promise<void> {
    const journal = `${join(this.folder, file)}.journal`;
    if (!existsSync(journal)) return;
    const process = new WalkProcess(this.isCalm || this.random.below(4) > 0 ? undefined : 1 + this.random.below(6));
    await this.command(process, async () => {
      const bulk = await openBulk({ journal });
      try {
        await work(bulk, process);
      } finally {
        await bulk.close();
      }
    });
  }

  /** Runs a command, which may be refused. */
  protected async command(process: WalkProcess, work: () => Promise<void>): Promise<void> {
    try {
      await process.run(work);
    } catch (error) {
      const isRefused = error instanceof ConfigurationError || (error instanceof JournalWriteError && error.isMissing);
      if (!isRefused && !(error as Error).message.includes('another process has written')) throw error;
      this.log(`  refused: ${(error as Error).message}`);
    }
  }

  /** A service with two accounts, which loses responses, refuses, and pushes back. */
  protected client(account: string, onRequest: () => void): BulkClient {
    const random = this.random;
    const lost = () =>
      new ConnectionError({ operation: 'SendSimpleByApikey', outcome: 'unknown', code: 'ECONNRESET', message: 'lost' });
    const own = () => this.#sent.filter((message) => message.account === account);
    return {
      sendSimple: async ({ receptor, message }: { receptor: readonly string[]; message: string }) => {
        onRequest();
        const process = currentProcess();
        process?.step();
        await new Promise(setImmediate);
        const fate = this.isCalm ? 9 : random.below(12);
        // A request that has left may arrive, although its sender was killed.
        if (process?.isDead && random.below(2) === 0) throw new Killed();
        if (fate === 0)
          throw new StatusError({ operation: 'SendSimpleByApikey', status: 412, statusmessage: 'no', result: [] });
        if (fate === 1) throw lost();
        if (fate === 2) throw busy();
        const ids = receptor.map((each) => this.#arrive({ receptor: each, text: message, account }));
        await new Promise(setImmediate);
        if (fate === 3) throw lost();
        process?.step();
        return ids;
      },
      select: async ({ messageid }: { messageid: readonly bigint[] }) =>
        own()
          .filter(({ id }) => messageid.includes(id))
          .map(listed),
      selectLatestStream: async function* ({ pagesize }: { pagesize: number }) {
        yield* own().toReversed().slice(0, pagesize).map(listed);
      },
    } as unknown as BulkClient;
  }

  #arrive({ receptor, text, account }: Omit<Sent, 'id'>): bigint {
    const id = BigInt(1000 + this.#sent.length);
    this.#sent.push({ id, receptor, text, account });
    const key = keyOf({ receptor, text });
    const allowed = (this.#most.get(key) ?? 0) + (this.#wanted.get(key) ?? 0);
    if (this.countOf(key) > allowed) this.found.twice.push(key);
    this.log(`  sent ${key}`);
    return id;
  }

  protected countOf(key: string): number {
    return this.#sent.filter((message) => keyOf(message) === key).length;
  }

  /** Each row that is called sent, or left out because of a message, must have been sent. */
  protected async judge(): Promise<void> {
    const rows = await this.rowsOfJournals();
    for (const key of new Set(rows.flatMap(({ message }) => message ?? []))) {
      const of = rows.filter(({ message }) => message === key);
      const sent = of.filter(({ state }) => state === 'sent').length;
      if (sent > this.countOf(key)) this.found.untrue.push(`${key} is called sent ${sent} times`);
      const isLeft = of.some(({ state, reason }) => state === 'left-out' && reason.startsWith('has this message'));
      if (isLeft && this.countOf(key) === 0) this.found.untrue.push(`${key} is left out`);
    }
  }

  /** The rows of all journals, with their messages, which each list had when it began. */
  protected async rowsOfJournals(): Promise<JournalRow[]> {
    const rows: JournalRow[] = [];
    const seen = new Set<number>();
    for (const journal of readdirSync(this.folder).filter((name) => name.endsWith('.journal'))) {
      const path = join(this.folder, journal);
      // A journal that is being replaced has two names.
      const { ino } = statSync(path);
      if (seen.has(ino)) continue;
      seen.add(ino);
      const text = readFileSync(path, 'utf8');
      let read = this.#journals.get(journal);
      if (read?.text !== text) {
        const messages = messagesOf(text);
        const status = await readBulk(path).catch(() => undefined);
        const found = Array.from(status?.rows() ?? [], ({ row, state, error }) => {
          return { journal, row, state, reason: error, message: messages[row - 1] };
        });
        read = { text, rows: found };
        this.#journals.set(journal, read);
      }
      rows.push(...read.rows);
    }
    return rows;
  }

  /** Everything is put right: nothing fails any more, and an operator brings each list to its end. */
  protected async putRight(): Promise<void> {
    this.isCalm = true;
    this.log('calm');
    let before = '';
    // Four rounds at most, because a broken program may send the same row in each. The first two look at the journals of
    // removed files too.
    for (let round = 0; round < 4; round++) {
      for (const name of readdirSync(this.folder).filter((each) => each.endsWith('.journal')))
        if (existsSync(join(this.folder, name.replace(/\.journal$/, ''))) || round < 2)
          await this.resolve(name.replace(/\.journal$/, ''));
      for (const file of this.files()) {
        await this.#onJournal(file, async (bulk) => void (await bulk.retry({ all: true })));
        await this.run(file);
        await this.judge();
      }
      const after = await this.#seen();
      // The next round would change nothing either.
      if (after === before) break;
      before = after;
    }
    for (const file of this.files()) {
      for (const [key, count] of countsOf(this.#rows(file))) {
        const status = await readBulk(`${join(this.folder, file)}.journal`);
        const left = [...status.rows('left-out')].some(({ error }) => error.startsWith('has another text'));
        if (this.countOf(key) < count && !left) this.found.forgotten.push(`${file}: ${key}`);
      }
    }
  }

  /** The states of all rows, and what the service has. */
  async #seen(): Promise<string> {
    const rows = await this.rowsOfJournals();
    return [this.#sent.length, ...rows.map(({ journal, row, state }) => `${journal} ${row} ${state}`)].join();
  }

  protected log(line: string): void {
    this.found.log.push(line);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

const busy = () => {
  const error = new HttpError({ operation: 'SendSimpleByApikey', httpStatus: 429, headers: {}, body: '' } as never);
  return error;
};

function listed({ id, receptor, text }: Sent): Partial<ApiSelect> {
  return { messageid: id, sender: '3000', receptor, message: text, date: id, status: 1 };
}

function countsOf(rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return counts;
}

/** The messages of the rows of a journal. They are known by their digests only, so all of them are tried. */
function messagesOf(journal: string): (string | undefined)[] {
  const known = new Map<string, string>();
  for (const receptor of RECEPTORS)
    for (const text of TEXTS) known.set(digestOf({ receptor, text }), keyOf({ receptor, text }));
  let messages: (string | undefined)[] = [];
  for (const line of journal.split('\n')) {
    if (line.startsWith('{"t":"list"')) messages = [];
    if (!line.startsWith('{"t":"digests"') || !line.endsWith('}')) continue;
    const bytes = Buffer.from(JSON.parse(line).data, 'base64');
    for (let at = 0; at < bytes.length; at += 16) messages.push(known.get(bytes.toString('hex', at, at + 16)));
  }
  return messages;
}

const digests = new Map<string, string>();
function digestOf(row: Row): string {
  const key = keyOf(row);
  const found = digests.get(key) ?? digestRow(row);
  digests.set(key, found);
  return found;
}

function digestRow({ receptor, text }: Row): string {
  const rows = new MessageDigests();
  rows.add({ receptor, message: text });
  const [[data] = ['']] = rows.records();
  return Buffer.from(data, 'base64').toString('hex');
}

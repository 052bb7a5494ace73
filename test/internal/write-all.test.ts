import fs, { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { TextWriter, writeAll } from '../../src/internal/write-all';
import { cleanUp } from '../support/clean-up';
import { makeFolder } from '../support/folder';

async function openFile() {
  const path = join(makeFolder(), 'file');
  const handle = await open(path, 'a');
  cleanUp(() => handle.close());
  return { handle, text: () => readFileSync(path, 'utf8') };
}

test('all bytes are written when the system takes a few of them at a time', async () => {
  const { handle, text } = await openFile();
  const write = handle.write.bind(handle);
  handle.write = ((bytes: Uint8Array, offset: number) => {
    return write(bytes, offset, Math.min(3, bytes.length - offset));
  }) as FileHandle['write'];
  await writeAll(handle, Buffer.from('0123456789'));
  expect(text()).toBe('0123456789');
});

test('texts are written together, and all of them when the system takes a few bytes at a time', async () => {
  const { handle, text } = await openFile();
  const { writeSync } = fs;
  const lengths: number[] = [];
  const partly = jest.spyOn(fs, 'writeSync').mockImplementation(((
    descriptor: number,
    bytes: Buffer,
    offset: number,
  ) => {
    lengths.push(bytes.length - offset);
    return writeSync(descriptor, bytes, offset, Math.min(4, bytes.length - offset));
  }) as never);
  cleanUp(() => partly.mockRestore());
  const writer = new TextWriter(handle.fd);
  for (const part of ['سلا', 'م', '!']) writer.put(part);
  expect(lengths).toEqual([]);
  writer.flush();
  expect(text()).toBe('سلام!');
  expect(writer.size).toBe(9);
  expect(lengths).toEqual([9, 5, 1]);
});

import { ConfigurationError } from '../errors';
import { wrongOption } from '../options/table';
import type { IsreadValues } from './line-state';

/**
 * Messages that were listed as read are listed as unread. @param what what the line does, as a sentence without its
 * subject
 */
export function swappedValues(line: string, { read, unread }: IsreadValues, what: string): ConfigurationError {
  return new ConfigurationError({
    problems: [
      { option: 'unread', message: `give ${read}: line ${line} ${what}, so they were unread` },
      { option: 'read', message: `give ${unread}` },
    ],
  });
}

/** Messages that were listed as read are listed neither as read nor as unread a moment later. */
export function goneAtOnce(line: string, { read }: IsreadValues): ConfigurationError {
  const what = `line ${line} does not list the same messages with isread ${read} a second time`;
  const message = `${what}: either they were unread, then give ${read} as the value of unread messages, or the service has removed them, then start again`;
  return wrongOption('read', message);
}

/** Messages that were listed as unread are listed again. */
export function listedAgain(line: string, { read, unread }: IsreadValues, count: number): ConfigurationError {
  const messages = count === 1 ? 'the same message' : `the same ${count} messages`;
  const again = `line ${line} lists ${messages} with isread ${unread} a second time`;
  const other =
    read === undefined ? 'then give the other value' : `then give ${read}, and ${unread} as the other value`;
  const unmarked =
    'or this service does not mark what it has listed: then handle all that it lists with this option, and without a value for read messages';
  return new ConfigurationError({
    problems: [
      { option: 'unread', message: `${again}: either these messages are read, ${other}` },
      { option: 'includeRead', message: unmarked },
    ],
  });
}

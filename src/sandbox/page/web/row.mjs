// @ts-check
/** @import { Item, ReceivedJson, SentJson } from './records' */
import { make } from './dom.mjs';
import { describeRequest } from './exchange.mjs';
import { outcomePill, ownText, shortTime, statusPill } from './parts.mjs';

/** An item of the list and its element. */
export class Row {
  /**
   * @param {Item} item
   * @param {(row: Row) => void} onClick
   */
  constructor(item, onClick) {
    this.item = item;
    this.button = make('button', { type: 'button', className: 'row' });
    this.element = make('li', {}, this.button);
    this.button.addEventListener('click', () => onClick(this));
    this.show(item);
    this.mark(false);
  }

  /** @param {Item} item */
  show(item) {
    this.item = item;
    this.button.replaceChildren(...cellsOf(item));
  }

  /** @param {boolean} isSelected */
  mark(isSelected) {
    this.button.setAttribute('aria-current', String(isSelected));
  }
}

/** @param {Item} item */
function cellsOf(item) {
  if ('method' in item) {
    const title = [
      ownText(item.operation ?? `${item.method} ${item.url}`),
      make('span', { className: 'line version', textContent: item.soapVersion ? `SOAP ${item.soapVersion}` : '' }),
    ];
    const texts = describeRequest(item).flatMap((text) => [' · ', ownText(text)]);
    return lines(title, outcomePill(item), make('span', { className: 'preview' }, ...texts.slice(1)), item.date);
  }
  const pill = 'status' in item ? statusPill(item) : readPill(item.isread === 1);
  // A row shows one line, however long the text is.
  const preview = (item.message ?? '').slice(0, 200) || '\u00a0';
  return lines(
    partners(item),
    pill,
    make('span', { className: 'preview', dir: 'auto', textContent: preview }),
    item.date,
  );
}

/**
 * The two lines of a row.
 *
 * @param {Node[]} title
 * @param {Node} pill
 * @param {Node} preview
 * @param {number | string} date
 */
function lines(title, pill, preview, date) {
  return [
    make('span', { className: 'pair' }, make('span', { className: 'title' }, ...title), pill),
    make('span', { className: 'pair' }, preview, shortTime(date)),
  ];
}

/**
 * The phone first, which distinguishes a message from others, then the line of the service.
 *
 * @param {SentJson | ReceivedJson} message
 */
function partners(message) {
  const sender = ownText(message.sender ?? 'nobody');
  const receptor = ownText(message.receptor ?? 'nobody');
  const isReceived = 'isread' in message;
  const line = make('span', { className: 'line' }, isReceived ? 'to ' : 'from ', isReceived ? receptor : sender);
  return [isReceived ? sender : receptor, line];
}

/** @param {boolean} isRead */
function readPill(isRead) {
  return make('span', { className: isRead ? 'pill other' : 'pill sent', textContent: isRead ? 'read' : 'unread' });
}

// @ts-check
/** @import { Item } from './records' */
import { make } from './dom.mjs';
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
    return [
      make('span', { className: 'preview', textContent: item.operation ?? `${item.method} ${item.url}` }),
      shortTime(item.date),
      make('span', { className: 'end' }, outcomePill(item)),
    ];
  }
  const pill = 'status' in item ? statusPill(item) : readPill(item.isread === 1);
  return [
    // A row shows one line, however long the text is.
    make('span', { className: 'preview', dir: 'auto', textContent: (item.message ?? '').slice(0, 200) || '\u00a0' }),
    make('span', { className: 'who' }, ownText(item.sender ?? 'nobody'), ' → ', ownText(item.receptor ?? 'nobody')),
    make('span', { className: 'end' }, shortTime(item.date), pill),
  ];
}

/** @param {boolean} isRead */
function readPill(isRead) {
  return make('span', { className: isRead ? 'pill' : 'pill good', textContent: isRead ? 'read' : 'unread' });
}

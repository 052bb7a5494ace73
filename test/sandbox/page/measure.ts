import type { Page } from 'playwright-core';

// What can be measured on the page: whether everything is in sight or in reach, of the right size and dark enough.

/** The problems of what is shown. The browser runs this code. */
const MEASURE = `(() => {
  const problems = [];
  const report = (what, element, detail) =>
    problems.push(what + ': ' + (element.id || element.className || element.tagName) + ' "' + (element.textContent || '').trim().slice(0, 30) + '" ' + detail);
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).clipPath === 'none' && element.getClientRects().length > 0;
  const modal = document.querySelector('dialog[open]');
  const all = [...(modal ?? document.body).querySelectorAll('*')].filter(isShown);

  // Nothing scrolls sideways but the row of chips.
  const wide = [document.documentElement, ...all].filter((element) => {
    const { overflowX } = getComputedStyle(element);
    const scrolls = element === document.documentElement || ['auto', 'scroll'].includes(overflowX) || element.matches('.row, #detail, #detail *');
    return scrolls && overflowX !== 'hidden' && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
  });
  for (const element of wide) if (!element.matches('.chips, select, input, bdi, .pill *')) report('wider than its box', element, element.scrollWidth + ' > ' + element.clientWidth);
  const pane = document.getElementById('detail');
  if (pane && pane.scrollWidth > pane.clientWidth) report('scrolls sideways', pane, '');

  // One scroll box in a pane.
  const boxes = all.filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY) && element.matches('#detail *, #list *, #welcome *'));
  for (const element of boxes) report('a scroll box within a pane', element, '');

  // A text that is cut keeps its beginning.
  const textIn = (element) => [...element.childNodes].find((node) => node.nodeType === 3 && node.data.trim() !== '');
  for (const element of all.filter((one) => one.closest('.who, .pill, .preview'))) {
    const text = textIn(element);
    if (!text) continue;
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(text, 1);
    const [first, box] = [range, element.closest('.who, .pill, .preview')].map((one) => one.getBoundingClientRect());
    if (first.left < box.left - 1 || first.right > box.right + 1) report('its beginning is cut', element, first.left + ' to ' + first.right);
  }

  // A row has no more than two lines of text.
  for (const row of all.filter((one) => one.matches('#list .row'))) {
    const { height } = row.getBoundingClientRect();
    if (height > 44) report('a row of more than 44 pixels', row, height);
  }

  // Every text is in reach.
  const ownText = (element) => textIn(element) !== undefined;
  const scrollerOf = (element) => {
    for (let one = element.parentElement; one; one = one.parentElement) if (/auto|scroll/.test(getComputedStyle(one).overflowY)) return one;
    return document.documentElement;
  };
  for (const element of all) {
    if (!ownText(element) && !element.matches('button, select, input')) continue;
    const box = element.getBoundingClientRect();
    if (box.top > innerHeight || element.closest('.chips')) continue;
    const isClipped = element.closest('.who, .when, .preview, .pill, .armed span, bdi, option');
    if (!isClipped && (box.left < -0.5 || box.right > innerWidth + 0.5)) report('beyond the side', element, box.left + ' to ' + box.right);
    const scroller = scrollerOf(element);
    const limit = Math.max(0, scroller.getBoundingClientRect().top);
    if (box.top >= limit - 0.5) continue;
    const before = scroller.scrollTop;
    scroller.scrollTop = -1e6;
    if (element.getBoundingClientRect().top < limit - 0.5 && getComputedStyle(element).position !== 'sticky') report('above its box', element, box.top + ' < ' + limit);
    scroller.scrollTop = before;
  }

  // The state that most messages have is in sight.
  const chips = document.querySelector('.chips');
  if (chips?.checkVisibility() && !modal) {
    const numberOf = (chip) => Number(chip.querySelector('b').textContent.replaceAll(',', ''));
    const [, ...states] = chips.querySelectorAll('.chip');
    const most = states.sort((one, other) => numberOf(other) - numberOf(one))[0];
    // The row fades at its end.
    if (most && most.getBoundingClientRect().right > chips.getBoundingClientRect().right - 32) report('the most common state is out of sight', most, '');
  }

  // Targets have at least 24 by 24 pixels.
  for (const element of all.filter((one) => one.matches('a[href], button, select, input, summary, textarea'))) {
    const { width, height } = element.getBoundingClientRect();
    if (width < 23.5 || height < 23.5) report('a small target', element, width + ' by ' + height);
  }
  return problems;
})()`;

/** Waits until the page has drawn what its last event has changed. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null))))',
  );
}

/** What is too small, cut, beyond its box or out of reach on the page, in words. */
export function measure(page: Page): Promise<string[]> {
  return page.evaluate(MEASURE) as Promise<string[]>;
}

/** The texts on the page whose contrast with their background is below 4.5, by WCAG 2. The browser runs this code. */
const FAINT = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colours = new Map();
  const colour = (text) => {
    if (!colours.has(text)) {
      context.fillStyle = text;
      context.clearRect(0, 0, 1, 1);
      context.fillRect(0, 0, 1, 1);
      colours.set(text, context.getImageData(0, 0, 1, 1).data);
    }
    return colours.get(text);
  };
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (one) => {
    const [r, g, b, alpha] = colour(getComputedStyle(one).backgroundColor);
    return alpha > 0 ? [r, g, b] : backgroundOf(one.parentElement);
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const ownText = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    const text = ownText || element.placeholder || (element.matches('select, input') ? element.value : '');
    if (text === '' || element.getClientRects().length === 0) return [];
    const { color } = getComputedStyle(element, element.placeholder && !element.value ? '::placeholder' : null);
    const [dark, light] = [luminance(colour(color)), luminance(backgroundOf(element))].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < 4.5 ? [text + ': ' + ratio.toFixed(2)] : [];
  });
})()`;

export const COLOR_SCHEMES = ['light', 'dark'] as const;

/** The texts that are too faint in a light or a dark page, with its colour scheme. */
export async function faintTexts(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of COLOR_SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const text of (await page.evaluate(FAINT)) as string[]) found.push(`${colorScheme} ${text}`);
  }
  return found;
}

/** The ordinary texts that do not fit into their places. The browser runs this code. */
const SHORTENED = `[...document.querySelectorAll('#list .who, #list .pill, #list time, header nav a, #detail h2, #detail .pill, #detail select')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent)`;

export function shortenedTexts(page: Page): Promise<string[]> {
  return page.evaluate(SHORTENED) as Promise<string[]>;
}

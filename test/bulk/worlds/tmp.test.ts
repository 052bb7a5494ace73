import { allRules } from '../../../src/bulk/reconcile/conclude';
import { reconcile } from '../../../src/bulk/reconcile/reconcile';
import { type Play, playWorld } from './world';

const rules = (list: never, client: never, settings: object) =>
  reconcile(list, client, { ...settings, settleMs: 0, rules: allRules } as never);
test('measure', async () => {
  const kinds: [string, Partial<Play>][] = [
    ['honest', { isHonest: true }],
    ['honest second', { isHonest: true, hasSecondList: true }],
    ['nasty', {}],
    ['nasty second', { hasSecondList: true }],
    ['cut', { page: 'cut at the newest end' }],
    ['any', { page: 'of any size' }],
    ['one', { page: 'of one is the oldest' }],
  ];
  const from = Number(process.env.FROM);
  const count = Number(process.env.COUNT);
  for (const [name, play] of kinds) {
    const sum = { twice: 0, untrue: 0, decided: 0, asked: 0, bad: [] as number[] };
    for (let seed = from; seed < from + count; seed++) {
      const r = await playWorld(seed, { rules: rules as never, ...play });
      sum.twice += r.twice;
      sum.untrue += r.untrue;
      sum.decided += r.decided;
      sum.asked += r.asked;
      if (r.twice + r.untrue) sum.bad.push(seed);
    }
    console.log(name, JSON.stringify({ ...sum, share: sum.decided / sum.asked }));
  }
}, 3_000_000);

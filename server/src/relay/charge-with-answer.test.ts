import { expect, test } from 'bun:test';
import type { Billing } from '../billing/billing.ts';
import type { Hold, Settlement } from '../billing/types.ts';
import { AbandonedWork } from '../lib/abandoned-work.ts';
import { chargeWithAnswer } from './charge-with-answer.ts';

const hold: Hold = {
  ...{ requestId: 'r', userId: 1, keyId: 0, keyUnlimited: true, amount: 9, modelId: 'm' },
  ...{ stored: true, durable: false, levels: null },
};
const paid = { settled: true, charged: 0, shortfall: 0 };

const unnamed = 'a whole answer of which nothing is kept';

/** How a call ends, why its signal is aborted, and what then becomes of the money that was put aside. */
const ends: [string, status: Settlement['status'], throws: boolean, reason: Error | null, became: string][] = [
  ['a whole answer', 'ok', false, null, 'charged with its answer'],
  ['a whole answer when the process stops', 'ok', false, new AbandonedWork('stopping'), 'charged with its answer'],
  [unnamed, 'ok', false, null, 'charged unless others have it'],
  ['a part, cancelled', 'aborted', true, new AbandonedWork('cancelled', false), 'charged'],
  ['a part, timed out', 'aborted', false, new Error('too late'), 'charged'],
  ['a part, cut off by its provider', 'error', true, null, 'charged'],
  ['a part that was sent, taken over by another process', 'aborted', false, new AbandonedWork('lost'), 'given back'],
  [
    'a part that was discarded, taken over by another process',
    'aborted',
    true,
    new AbandonedWork('lost'),
    'given back',
  ],
  [
    'a whole answer not yet rendered, taken over by another process',
    'ok',
    true,
    new AbandonedWork('lost'),
    'given back',
  ],
];

test.each(ends)('%s', async (what, status, throws, reason, became) => {
  const seen: string[] = [];
  const billing: Pick<Billing, 'settle' | 'release'> = {
    settle: async (_, { keep, resumable }) => {
      seen.push(keep ? `charged with its ${keep.body}` : resumable ? 'charged unless others have it' : 'charged');
      return paid;
    },
    release: async () => {
      seen.push('given back');
      return paid;
    },
  };
  const usage = { promptTokens: 1, completionTokens: 1 };
  const left = new AbortController();
  const asked = chargeWithAnswer(
    billing,
    what === unnamed ? undefined : { work: 'w', call: 'c' },
    left.signal,
    async (chargeLater) => {
      if (reason) left.abort(reason);
      chargeLater(hold, { cost: 5, usage, endpoint: '/v1', status });
      if (throws) throw new Error('no answer');
      return 'answer';
    },
    String,
  );
  if (throws) await expect(asked).rejects.toThrow('no answer');
  else expect(await asked).toBe('answer');
  expect(seen).toEqual([became]);
});

import { writeSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { requestId } from '../lib/ids.ts';
import { openDb } from '../platform/db/open.ts';
import { openBilling } from './billing.ts';
import { silent, type Where } from './engines.fixture.ts';

/** A process to be killed: 16 clients that hold, settle and only then print that they were answered. */
const [where, user] = JSON.parse(process.argv[2]!) as [Where, number];
const billing = await openBilling({ database: await openDb(where), clock: systemClock, log: silent });
const usage = { promptTokens: 1, completionTokens: 1 };

/** At once: a buffered line would be lost with the process, and the witness with it. */
const say = (word: string): void => {
  writeSync(1, `${word}\n`);
};

async function client(): Promise<void> {
  for (;;) {
    const hold = await billing.hold({
      requestId: requestId(),
      userId: user,
      keyId: null,
      keyUnlimited: true,
      amount: 20,
      modelId: 'm',
    });
    say('served');
    await Bun.sleep(1);
    await billing.settle(hold, { cost: 7, usage, endpoint: '/v1' });
    say('answered');
  }
}

/** A stream that never ends, and whose progress is on disk. */
const endless = await billing.hold({
  requestId: 'endless',
  userId: user,
  keyId: null,
  keyUnlimited: true,
  amount: 1000,
  modelId: 'm',
});
billing.progress(endless, 333, usage, '/v1');
await Promise.all(Array.from({ length: 16 }, client));

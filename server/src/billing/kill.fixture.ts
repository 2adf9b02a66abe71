import { openSync, writeSync } from 'node:fs';
import { requestId } from '../lib/ids.ts';
import { openDb } from '../platform/db/open.ts';
import { openTestBilling, type Where } from './engines.fixture.ts';

/** A process for tests to kill: 16 clients that hold, settle and only then write down that they were answered. */
const [where, user, witness, streamId] = JSON.parse(process.argv[2]!) as [Where, number, string, string];
const billing = await openTestBilling(await openDb(where));
const usage = { promptTokens: 1, completionTokens: 1 };

/**
 * Unbuffered, since a buffered line would be lost with the process. A file, since a pipe blocks when its reader is
 * slow.
 */
const file = openSync(witness, 'a');
const say = (word: string): void => {
  writeSync(file, `${word}\n`);
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

/** A stream that never ends and whose progress is on disk. */
const endless = await billing.hold({
  requestId: streamId,
  userId: user,
  keyId: null,
  keyUnlimited: true,
  amount: 1000,
  modelId: 'm',
});
billing.progress(endless, 333, usage, '/v1');
await Promise.all(Array.from({ length: 16 }, client));

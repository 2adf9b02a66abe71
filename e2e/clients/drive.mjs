/** Run by Node, a process for each client: does all that its file in sdk/ offers, on each model, and prints what came of it. */
import { asks } from './client-tasks.mjs';

const [file, url, key, ...models] = process.argv.slice(2);
const longestMs = 60_000;

const within = (work) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within a minute')), longestMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const seen = [];
const { default: client } = await import(`./sdk/${file}`);
for (const model of models) {
  for (const [ask, does] of Object.entries(client({ url, key, model }))) {
    try {
      const answer = await within(does());
      if (answer !== asks[ask].expected) throw new Error(`answered ${JSON.stringify(answer)}`);
      seen.push({ ask, model });
    } catch (error) {
      seen.push({ ask, model, fault: `${error?.message ?? error}`.slice(0, 400) });
    }
  }
}
// After whatever the client itself writes, and on a line of its own.
process.stdout.write(`\n${JSON.stringify(seen)}\n`);
process.exit(0);

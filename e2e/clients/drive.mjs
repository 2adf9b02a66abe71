/** Run by Node, one process per client: performs every task that its file in sdk/ supports, on each model, and prints the results. */
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
// On its own line, after any output of the client itself.
process.stdout.write(`\n${JSON.stringify(seen)}\n`);
process.exit(0);

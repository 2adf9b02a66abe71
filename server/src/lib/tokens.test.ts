import { expect, test } from 'bun:test';
import { Worker } from 'node:worker_threads';
import { sampleOf } from './token-sample.ts';
import { loadTokens, openTokens } from './tokens.ts';
import { until } from './until.fixture.ts';

test('counts many texts at once with the same results as one by one', async () => {
  const { count, countEach } = await loadTokens();
  const texts = ['', 'hello world', '漢字 and 🎉', '', '<|endoftext|>'];
  expect(await countEach(texts)).toEqual(await Promise.all(texts.map(count)));
  expect(await countEach([])).toEqual([]);
});

test('cuts at a token boundary without splitting a character', async () => {
  const { count, cut } = await loadTokens();
  expect(await cut('one two three', 100)).toEqual({ text: 'one two three', cut: false, tokens: 3 });
  expect(await cut('one two three', 2)).toEqual({ text: 'one two', cut: true, tokens: 2 });
  const family = '👨‍👩‍👧‍👦'.repeat(50);
  for (let limit = 1; limit < 20; limit += 1) expect((await cut(family, limit)).text.isWellFormed()).toBe(true);
  expect(await count(family)).toBeGreaterThan(50);
});

test('text without breaks is counted in time proportional to its length', async () => {
  const { count } = await loadTokens();
  for (const letter of ['a', ' ', '\n', '漢', '🎉', '-'])
    expect(await count(letter.repeat(400_000))).toBeGreaterThanOrEqual(400_000 / 64);
});

test('the event loop runs while the vocabulary is loaded and a long text is counted', async () => {
  const { count } = await loadTokens();
  let turns = 0;
  const counting = count('The loop turns. '.repeat(60_000)).then(() => -1);
  while ((await Promise.race([counting, new Promise((next) => setImmediate(next, 0))])) !== -1) turns += 1;
  expect(turns).toBeGreaterThan(10);
});

test('a very long text is counted by samples, wherever its dense part is', async () => {
  const { countEach, count } = await loadTokens();
  const easy = 'word '.repeat(400_000);
  const dense = '漢!字?'.repeat(200_000);
  const exact = 400_000 + (await count('漢!字?'.repeat(1_000))) * 200;
  for (const texts of [
    [easy + dense],
    [dense + easy],
    [easy, dense],
    Array(400).fill(easy.slice(0, 5_000)).concat(dense),
  ]) {
    const all = (await countEach(texts)).reduce((total, one) => total + one, 0);
    expect(Math.abs(all - exact) / exact).toBeLessThan(0.02);
  }
  // Not even a single short text without a sample is taken for empty.
  expect((await countEach([dense, 'word word word']))[1]).toBeGreaterThan(0);
  const { pieces } = sampleOf([easy.repeat(8)]);
  expect(pieces.join('').length).toBeLessThan(1_100_000);
});

test('many short texts beside a dense one are not taken for as dense', () => {
  const easy = 'e'.repeat(5_000);
  const texts = [...Array<string>(400).fill(easy), 'D'.repeat(800_000)];
  const tokensOf = (text: string) => text.length * (text.startsWith('D') ? 1.25 : 0.2);
  const exact = texts.reduce((total, text) => total + tokensOf(text), 0);
  for (let times = 0; times < 100; times += 1) {
    const { pieces, counts } = sampleOf(texts);
    const total = counts(pieces.map(tokensOf)).reduce((sum, count) => sum + count, 0);
    expect(Math.abs(total - exact) / exact).toBeLessThan(0.02);
  }
});

test('the sampled parts of a long text cannot be predicted', async () => {
  const { count, countEach } = await loadTokens();
  const piece = 2_048;
  const dense = '漢!字?'.repeat(piece / 4);
  const easy = 'word '.repeat(piece).slice(0, piece);
  const [denseTokens, easyTokens] = [await count(dense), await count(easy)];
  // Words stand where the counted parts would be, if they were evenly spread.
  for (const every of [2, 4]) {
    const text = Array.from({ length: 512 * every }, (_, i) => ((i + 1) % every === 0 ? easy : dense)).join('');
    const real = 512 * (easyTokens + (every - 1) * denseTokens);
    const [counted] = await countEach([text]);
    expect(counted! / real).toBeGreaterThan(0.8);
    expect(counted! / real).toBeLessThan(1.25);
  }
});

const program = (code: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`);
const answering = program(
  "parentPort.on('message', ({ id, lengths }) => parentPort.postMessage({ id, counts: lengths.map(() => 7) }));",
);

test('if the worker dies, counts are estimated and the worker is restarted', async () => {
  const broken = new URL('data:text/javascript,throw new Error("cannot start")');
  let started = 0;
  const { count, cut } = openTokens(() => new Worker(++started === 1 ? broken : answering));
  expect(await Promise.all([count('12345678'), cut('12345678', 1)])).toEqual([
    2,
    { text: '1234', cut: true, tokens: 1 },
  ]);
  expect(await count('hello world')).toBe(7);
  expect(started).toBe(2);
});

test.concurrent.each([
  ['computes for ever', "parentPort.on('message', () => { for (;;); });"],
  ['never answers', "parentPort.on('message', () => {});"],
  ['is stuck at its start', 'for (;;);'],
])('if the worker %s, counts are estimated and the worker is replaced', async (_, code) => {
  const workers: Worker[] = [];
  const start = () => {
    const worker = new Worker(workers.length === 0 ? program(code) : answering);
    workers.push(worker);
    return worker;
  };
  const { count, cut } = openTokens(start, 400);
  expect(await Promise.all([count('12345678'), cut('12345678', 1)])).toEqual([
    2,
    { text: '1234', cut: true, tokens: 1 },
  ]);
  // On a slow machine the new one may take too long for its start as well.
  await until('a new worker counts', async () => (await count('hello world')) === 7);
  await workers[0]!.terminate();
});

test('counts are estimated if no worker can be started', async () => {
  const { count, cut } = openTokens(() => {
    throw new Error('no threads left');
  });
  expect(await count('four and four')).toBe(4);
  expect(await cut('four and four', 1)).toEqual({ text: 'four', cut: true, tokens: 1 });
});

import { expect, test } from 'bun:test';
import { Glob } from 'bun';

/** Acts that may be under way twice say so by a scope: then one waits for the other, and the last one wins. */
test('mutations use useAct or have a scope', async () => {
  const bare: string[] = [];
  for await (const path of new Glob('**/*.{ts,tsx}').scan(import.meta.dir)) {
    if (path === 'use-act.ts' || path.includes('.test.')) continue;
    const text = await Bun.file(`${import.meta.dir}/${path}`).text();
    if (text.includes('useMutation(') && !text.includes('scope: {')) bare.push(path);
  }
  expect(bare).toEqual([]);
});

/** An effect runs again when its page is mounted again. What a visit itself does is a query, which is asked once. */
test('no effect starts a mutation', async () => {
  const found: string[] = [];
  for await (const path of new Glob('**/*.tsx').scan(import.meta.dir)) {
    const text = await Bun.file(`${import.meta.dir}/${path}`).text();
    if (/useEffect\(\s*\(\) =>\s*(\{\s*)?(void )?(\w+\.)?mutate(Async)?\(/.test(text)) found.push(path);
  }
  expect(found).toEqual([]);
});

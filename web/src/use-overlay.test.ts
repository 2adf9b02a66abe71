import { expect, test } from 'bun:test';
import { Glob } from 'bun';

/** Those two take care of focus and of the back button; the library's own would lose both where a dialog is unmounted. */
const careful = ['components/dialog.tsx', 'components/navigation-drawer.tsx'];

test('modals and drawers come from components/dialog.tsx', async () => {
  const bare: string[] = [];
  for await (const path of new Glob('**/*.tsx').scan(import.meta.dir)) {
    const text = await Bun.file(`${import.meta.dir}/${path}`).text();
    if (/<(Modal|Drawer)\b/.test(text) && !careful.includes(path)) bare.push(path);
  }
  expect(bare).toEqual([]);
});

import { afterEach, describe, expect, test } from 'bun:test';
import { until } from '../../lib/until.fixture.ts';
import { pdfOf } from '../import/pdf.fixture.ts';
import { type Stage, stage } from '../scripted.fixture.ts';
import { engines } from '../store/db.fixture.ts';
import { openRouter } from './router.fixture.ts';

const guide =
  '# Harbour\n\n## Berths\n\nThe harbour has twelve berths for boats.\n\n## Lights\n\nA lighthouse in the north.\n';

describe.each(await engines())('importing knowledge, on %s', (_, open) => {
  let s: Stage;
  let router: ReturnType<typeof openRouter>;
  const begin = async () => {
    s = await stage(() => 'noted', {}, open);
    router = openRouter(s.deps);
  };
  afterEach(async () => {
    await router.close();
    await s.close();
  });

  const send = (files: [name: string, content: string | Uint8Array][], fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, content] of files) form.append('file', new Blob([content as BlobPart]), name);
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return router.call('POST', '/knowledge/import', form);
  };
  const sources = async () => (await router.call('GET', '/knowledge/sources')).body.data.sources;
  const find = async (q: string) => (await router.call('GET', `/knowledge?q=${encodeURIComponent(q)}`)).body.data;
  const rows = async (table: 'ms_source_parts' | 'ms_knowledge' | 'ms_documents' | 'ms_unembedded') =>
    Number(
      (
        await s.deps.db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    );

  test.each([
    ['', 'untitled'],
    ['/', 'untitled'],
    ['C:\\notes\\a.md', 'a.md'],
    ['../../etc/a.md', 'a.md'],
  ])('a file named %p is stored as %s', async (given, name) => {
    await begin();
    const { status, body } = await send([[given, guide]]);
    expect([status, body.data.files[0]]).toMatchObject([202, { name, status: 'accepted' }]);
  });

  test('a file that could not be stored completely is removed and can be sent again at once', async () => {
    await begin();
    const { startImport } = s.deps;
    s.deps.startImport = async () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    expect((await send([['guide.md', guide]])).status).toBe(503);
    s.deps.startImport = startImport;
    await until('nothing is left of it', async () => (await sources()).length + (await rows('ms_source_parts')) === 0);
    expect((await send([['guide.md', guide]])).body.data.files[0].status).toBe('accepted');
  });

  test('entries are imported individually without duplicates, and invalid ones do not affect others', async () => {
    await begin();
    const entry = (i: number) => ({ category: 'c', title: `Berth ${i}`, content: `Berth ${i} is free.`, keywords: [] });
    const many = Array.from({ length: 40 }, (_, i) => entry(i));
    const bad: unknown[] = [{ ...entry(1), content: '' }, 'nonsense', { ...entry(2), project_id: 'p' }, entry(3)];
    bad.push({ ...entry(4), title: 'a\0b' }, { ...entry(4), keywords: [['deep']] });
    const sent = [...many, ...bad];
    const [answer, again] = await Promise.all([
      router.call('POST', '/knowledge/import', { entries: sent }),
      router.call('POST', '/knowledge/import', { entries: sent }),
    ]);
    expect([answer.status, again.status]).toEqual([200, 200]);
    for (const { body } of [answer, again]) {
      expect(body.data.entries.map(({ index }: { index: number }) => index)).toEqual(sent.map((_, i) => i));
      expect(body.data.entries[40]).toEqual({
        index: 40,
        status: 'refused',
        error: expect.stringContaining('content'),
      });
      for (const i of [41, 44, 45]) expect(body.data.entries[i].status).toBe('refused');
      expect(body.data.entries[44].error).toContain('NUL');
      // The same as the fourth.
      expect(body.data.entries[43]).toEqual({ index: 43, status: 'unchanged', id: body.data.entries[3].id });
    }
    expect(await rows('ms_knowledge')).toBe(41);
    await s.settled();
    expect(await rows('ms_unembedded')).toBe(0);
    // One that was changed by hand is another one.
    const { id } = answer.body.data.entries[0];
    await router.call('PUT', `/knowledge/${id}`, { content: 'Berth 0 is taken.' });
    const third = await router.call('POST', '/knowledge/import', { entries: [entry(0), entry(5)] });
    expect(third.body.data.entries.map(({ status }: { status: string }) => status)).toEqual(['added', 'unchanged']);
    const hand = { ...entry(0), content: 'Berth 0 is taken.' };
    expect((await router.call('POST', '/knowledge/import', { entries: [hand] })).body.data.entries[0].id).toBe(id);
  });

  test('invalid bodies are rejected', async () => {
    await begin();
    const refused = async (body: unknown, param: string) => {
      const answer = await router.call('POST', '/knowledge/import', body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([400, expect.stringContaining(param)]);
    };
    await refused({ entries: [] }, 'entries');
    await refused({ entries: Array.from({ length: 1001 }, () => ({})) }, 'entries');
    await refused({ entries: [{}], extra: 1 }, 'extra');
    await refused([], 'The body');
    await refused(new FormData(), 'file');
    const form = (name: string, value: string | Blob) => {
      const made = new FormData();
      made.append('file', new Blob(['text']), 'a.txt');
      made.append(name, value);
      return made;
    };
    await refused(form('colour', 'red'), 'colour');
    await refused(form('category', 'c'.repeat(65)), 'category');
    await refused(form('replace', 'perhaps'), 'replace');
    await refused(form('file', 'not a file'), 'file');
    await refused(form('category', new Blob(['x'])), 'category');
    expect((await send(Array.from({ length: 21 }, (_, i) => [`${i}.txt`, `${i}`]))).status).toBe(400);
    expect(await sources()).toEqual([]);
  });

  test('files become passages with their source, are found by words, and are deleted together', async () => {
    await begin();
    const pdf = pdfOf([{ paragraphs: [['Winter begins early.']] }, { paragraphs: [['Ships of walnut wood.']] }]);
    const files: [string, string | Uint8Array][] = [
      ['guide.txt', guide],
      ['C:\\papers\\rules.md', pdf],
      ['office.pdf', Uint8Array.from([0x50, 0x4b, 3, 4])],
    ];
    const answer = await send(files, { category: 'handbook', keywords: 'port, sea' });
    expect(answer.status).toBe(202);
    expect(answer.body.data.files).toMatchObject([
      { name: 'guide.txt', status: 'accepted', source: { kind: 'text', state: 'waiting', category: 'handbook' } },
      { name: 'rules.md', status: 'accepted', source: { kind: 'pdf' } },
      { name: 'office.pdf', status: 'refused', error: expect.stringContaining('ZIP') },
    ]);
    await s.settled();
    const size = (text: string | Uint8Array) => Buffer.from(text).byteLength;
    expect(await sources()).toMatchObject([
      { name: 'rules.md', state: 'ready', entries: 2, total_entries: 2, size: size(pdf), error: null },
      { name: 'guide.txt', state: 'ready', entries: 2, total_entries: 2, size: size(guide), error: null },
    ]);
    expect([await rows('ms_source_parts'), await rows('ms_unembedded')]).toEqual([0, 0]);
    const { id } = answer.body.data.files[0].source;
    expect((await find('twelve berths'))[0]).toMatchObject({
      title: 'Harbour › Berths',
      content: 'The harbour has twelve berths for boats.',
      category: 'handbook',
      keywords: ['port', 'sea'],
      source: { id, name: 'guide.txt', heading: 'Harbour › Berths', position: 1 },
    });
    expect((await find('walnut'))[0]).toMatchObject({
      title: 'rules.md, page 2',
      source: { name: 'rules.md', page: 2, position: 2 },
    });

    await router.call('DELETE', `/knowledge/${(await find('lighthouse'))[0].id}`);
    expect((await router.call('GET', `/knowledge/sources/${id}`)).body.data.entries).toBe(1);
    expect((await router.call('DELETE', `/knowledge/sources/${id}`, undefined, 2)).status).toBe(404);
    expect((await router.call('DELETE', `/knowledge/sources/${id}`)).status).toBe(200);
    expect((await router.call('DELETE', `/knowledge/sources/${id}`)).status).toBe(404);
    expect(JSON.stringify(await find('twelve berths'))).not.toContain('twelve berths');
    expect((await sources()).map(({ name }: { name: string }) => name)).toEqual(['rules.md']);
    expect([await rows('ms_knowledge'), await rows('ms_documents')]).toEqual([2, 2]);
  });

  test('identical content changes nothing; other content of the same name is added or replaces the first', async () => {
    await begin();
    const first = await send([['guide.md', guide]]);
    await s.settled();
    const again = await send([
      ['copy.md', guide],
      ['guide.md', `${guide}\nMore.`],
    ]);
    expect(again.body.data.files).toMatchObject([
      { name: 'copy.md', status: 'unchanged', source: { id: first.body.data.files[0].source.id, name: 'guide.md' } },
      { name: 'guide.md', status: 'accepted' },
    ]);
    await s.settled();
    expect((await sources()).length).toBe(2);
    const replacing = await send([['guide.md', '# Harbour\n\nClosed for ever.']], { replace: 'true' });
    await s.settled();
    expect(await sources()).toMatchObject([{ id: replacing.body.data.files[0].source.id, entries: 1 }]);
    expect(JSON.stringify(await find('twelve berths'))).not.toContain('twelve berths');
    // What cannot be read takes nobody's place, and can be sent again.
    const broken = pdfOf([]).slice(0, 60);
    for (let i = 0; i < 2; i += 1) {
      expect((await send([['guide.md', broken]], { replace: 'true' })).body.data.files[0].status).toBe('accepted');
      await s.settled();
    }
    expect(await sources()).toMatchObject([
      { state: 'failed', entries: 0, error: expect.stringContaining('damaged') },
      { state: 'ready', entries: 1 },
    ]);
  });

  const versions = ['# One\n\nTwelve berths.', '# Two\n\nThirteen berths.'] as const;
  const bothVersions = async () => {
    for (const text of versions) await send([['guide.md', text]]);
  };
  const shown = async () => (await sources()).map(({ name, state }: Record<string, string>) => `${name} ${state}`);

  test('a file that is there already replaces the others of its name', async () => {
    await begin();
    await bothVersions();
    await s.settled();
    const back = await send([['guide.md', versions[0]]], { replace: 'true' });
    expect(back.body.data.files[0].status).toBe('unchanged');
    expect(await shown()).toEqual(['guide.md ready']);
    expect([(await find('twelve')).length, (await find('thirteen')).length]).toEqual([1, 0]);

    // Under another name, too: the text is there, and what it replaces is not.
    await send([['plan.md', versions[1]]]);
    await s.settled();
    await send([['plan.md', versions[0]]], { replace: 'true' });
    expect(await shown()).toEqual(['guide.md ready']);
  });

  test('so does one that is still being read', async () => {
    await begin();
    await bothVersions();
    await send([['guide.md', versions[0]]], { replace: 'true' });
    await s.settled();
    expect(await shown()).toEqual(['guide.md ready']);
    expect([(await find('twelve')).length, (await find('thirteen')).length]).toEqual([1, 0]);
    // The same again is no reason to read it again.
    expect((await send([['guide.md', versions[0]]], { replace: 'true' })).body.data.files[0].status).toBe('unchanged');
  });

  test('the file is named to the model, so that it can be cited', async () => {
    await begin();
    await send([['guide.md', guide]]);
    await s.settled();
    await s.ask('How many berths does the harbour have for boats?', { use_vector_search: true, rerank_threshold: 0 });
    const told = JSON.stringify(s.calls.at(-1)!.messages);
    expect(told).toContain('knowledge base: guide.md, Harbour › Berths');
    expect(told).toContain('The harbour has twelve berths for boats.');
    expect(told).toContain('cite');
  });
});

import { describe, expect, test } from 'bun:test';
import { openRouter } from '../routes/router.fixture.ts';
import { type Stage, stage } from '../scripted.fixture.ts';
import { engines } from '../store/db.fixture.ts';

describe.each(await engines())('on %s', (_name, open) => {
  test('a learned fact is shown with its quote and its message', async () => {
    const factOf = (content: string, quote: string) => ({
      category: 'harbour',
      title: 'Harbour master',
      content,
      keywords: ['harbour'],
      quote,
    });
    const s = await stage(
      ({ messages }, purpose) => {
        if (purpose !== 'extraction') return 'noted';
        const first = JSON.stringify(messages).includes('Ingrid');
        const fact = first
          ? factOf('The harbour master is Ingrid.', 'harbour master  is ingrid')
          : factOf('The harbour master is Olav.', 'harbour master is Olav');
        return JSON.stringify({ facts: [fact] });
      },
      {},
      open,
    );
    const router = openRouter(s.deps);
    const shown = async () => (await router.call('GET', '/knowledge')).body.data;
    const idOf = async (session: string, text: string) =>
      (await router.call('GET', `/sessions/${session}/history`)).body.data.messages.find(
        ({ content }: { content: string }) => content === text,
      ).id;

    const said = 'Remember that the harbour master is Ingrid';
    await s.ask(said, { session_id: 'first', extract_knowledge: true });
    await s.settled();
    expect(await shown()).toMatchObject([
      { quote: 'harbour master is Ingrid', source_session: 'first', source_message: await idOf('first', said) },
    ]);

    // The fact anew: with the words, message and session that prove it now.
    const corrected = 'No, the harbour master is Olav by now';
    await s.ask(corrected, { session_id: 'second', extract_knowledge: true });
    await s.settled();
    expect(await shown()).toMatchObject([
      {
        content: 'The harbour master is Olav.',
        quote: 'harbour master is Olav',
        source_session: 'second',
        source_message: await idOf('second', corrected),
      },
    ]);

    const byHand = { category: 'c', title: 't', content: 'by hand', keywords: [] };
    const made = (await router.call('POST', '/knowledge', byHand)).body.data;
    expect([made.quote, made.source_message]).toEqual([null, null]);
    await router.close();
    await s.close();
  });

  test('a fact does not change files, pages or other projects', async () => {
    const content = 'The harbour has thirteen berths for boats.';
    const fact = { category: 'harbour', title: 'Berths', content, keywords: [], quote: 'harbour has thirteen berths' };
    // Whatever is embedded means the same.
    const embed: Stage['deps']['embed'] = async ({ texts }) => ({
      vectors: texts.map(() => [1, 0]),
      usage: { promptTokens: 1, completionTokens: 0 },
    });
    const s = await stage(
      (_, purpose) => (purpose === 'extraction' ? JSON.stringify({ facts: [fact] }) : 'noted'),
      { embed },
      open,
    );
    const router = openRouter(s.deps);
    const twelve = 'The harbour has twelve berths for boats.';
    const form = new FormData();
    form.append('file', new File([twelve], 'berths.txt'));
    await router.call('POST', '/knowledge/import', form);
    await s.settled();
    const page = `${twelve} ${Array.from({ length: 40 }, (_, i) => `Rule${i} of pier${i}.`).join(' ')}`;
    await router.call('POST', '/knowledge', { category: 'harbour', title: 'Berths', content: page, keywords: [] });
    await s.ask('It is the harbour has thirteen berths', { extract_knowledge: true, project_id: 'other' });
    await s.settled();
    await s.ask('Well, the harbour has thirteen berths', { extract_knowledge: true });
    await s.settled();
    await s.ask('Again: the harbour has thirteen berths', { extract_knowledge: true });
    await s.settled();
    const shown = (await router.call('GET', '/knowledge')).body.data.map((entry: { content: string }) => entry.content);
    expect(shown.toSorted()).toEqual([content, content, twelve, page].toSorted());
    await router.close();
    await s.close();
  });

  test('a fact does not change what the user wrote, and repeats none of it', async () => {
    const written = {
      category: 'harbour',
      title: 'Berths',
      content: 'The harbour has twelve berths for boats.',
      keywords: [],
    };
    let content = written.content;
    const quote = 'the harbour has so many berths';
    const s = await stage(
      (_, purpose) =>
        purpose === 'extraction' ? JSON.stringify({ facts: [{ ...written, content, quote }] }) : 'noted',
      {},
      open,
    );
    const router = openRouter(s.deps);
    const shown = async () => (await router.call('GET', '/knowledge?limit=100')).body.data;
    const tell = async (next: string) => {
      content = next;
      await s.ask(`Well, the harbour has so many berths: ${next}`, { extract_knowledge: true });
      await s.settled();
    };
    // Words of the fact in many entries by hand do not hide the fact that was learned before.
    const others = Array.from({ length: 40 }, (_, i) => ({ ...written, title: `Berths ${i}` }));
    await router.call('POST', '/knowledge/import', { entries: [written, ...others] });
    const byHand = await shown();

    await tell(written.content);
    expect(await shown()).toEqual(byHand);
    await tell('The harbour has thirteen berths for boats.');
    await tell('The harbour has fourteen berths for boats.');
    const [learned, ...rest] = await shown();
    expect(rest).toEqual(byHand);
    expect(learned).toMatchObject({ content: 'The harbour has fourteen berths for boats.', quote });
    await router.close();
    await s.close();
  });
});

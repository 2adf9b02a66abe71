import { describe, expect, test } from 'bun:test';
import { keepAnswer } from '../billing/store/kept-answers.ts';
import { type ChatMessage, textOf } from './messages.ts';
import type { Complete } from './ports.ts';
import { stage } from './scripted.fixture.ts';
import { engines } from './store/db.fixture.ts';
import { newestEntries } from './store/knowledge.ts';
import { deleteSession, findSession } from './store/sessions.ts';
import { latestSummary } from './store/summaries.ts';

/** A life with the engine, the same on both databases. */
describe.each(await engines())('%s', (_, open) => {
  test('summaries, recall, knowledge, tools and deletion', async () => {
    const call = { id: 'c', type: 'function' as const, function: { name: 'clock', arguments: '{}' } };
    const s = await stage(
      ({ messages, tools }, purpose) => {
        if (purpose === 'summary') return 'They spoke of the harbour.';
        if (purpose === 'extraction') {
          const facts = [
            {
              category: 'place',
              title: 'Harbour',
              content: 'The harbour master is Ingrid',
              quote: 'harbour master is Ingrid',
            },
          ];
          return JSON.stringify({ facts });
        }
        if (tools && messages.at(-1)!.role !== 'tool')
          return { message: { role: 'assistant', content: null, tool_calls: [call] } };
        return `Noted: ${textOf(messages.at(-1)!).slice(0, 60)}`;
      },
      {},
      open,
    );
    for (let i = 0; i < 11; i++)
      await s.ask(`Note ${i}: the harbour master is Ingrid, berth ${i} is free.`, { session_id: 'a' });
    await s.settled();
    const twelfth = await s.ask('Which berths are free?', { session_id: 'a', extract_knowledge: true });
    expect(s.calls.some(({ purpose }) => purpose === 'summary')).toBe(true);
    expect(twelfth.meta.memory_tokens_saved).toBeGreaterThan(0);
    expect(
      s.calls
        .findLast(({ purpose }) => purpose === 'direct')!
        .messages.map(textOf)
        .join(),
    ).toContain('They spoke of');
    await s.ask('Remember that the harbour master is Ingrid', { session_id: 'b', extract_knowledge: true });
    await s.settled();
    expect(await newestEntries(s.deps.db, { userId: 1, limit: 5 })).toMatchObject([
      { title: 'Harbour', sourceSession: 'b' },
    ]);
    const found = await s.ask('Who is the harbour master of berth 7?', { session_id: 'c', use_vector_search: true });
    expect(found.meta.vector_search_results).toBeGreaterThan(0);
    const user: ChatMessage = { role: 'user', content: 'What time is it?' };
    const waiting = await s.ask(
      [user],
      { session_id: 'd' },
      { tools: [{ type: 'function', function: { name: 'clock' } }] },
    );
    const id = waiting.message.tool_calls![0]!.id;
    const told = await s.ask([user, waiting.message, { role: 'tool', tool_call_id: id, content: 'noon' }]);
    expect(told.message.content).toBe('Noted: noon');
    expect(told.meta.session_id).toBe('d');
    expect(await deleteSession(s.deps.db, 1, 'a')).toBe(true);
    expect(await findSession(s.deps.db, 1, 'd', 0)).toMatchObject({ totalMessages: 4 });
    expect(s.warnings).toEqual([]);
    await s.close();
  });

  test.each([
    ['They spoke of the harbour.', 1],
    // Of no use, and so not gone on with for ever.
    ['', 2],
  ])('a summary that was paid but never written is not requested again: %p', async (text, asked) => {
    const said = 'They spoke of the lighthouse.';
    const s = await stage((_, purpose) => (purpose === 'summary' ? said : 'Noted.'), {}, open);
    const { complete } = s.deps;
    let summaries = 0;
    // The first comes, is charged and kept with its charge, and its process dies over it.
    const dying: Complete = async (request) => {
      const answer = await complete(request);
      if (s.calls.at(-1)!.purpose !== 'summary' || ++summaries > 1) return answer;
      const body = JSON.stringify({ ...answer, message: { ...answer.message, content: text } });
      await keepAnswer(s.deps.db, { ...request.keepAs!, request_id: 'r', user_id: 1, created_at: 0, body });
      throw new Error('died');
    };
    s.deps.complete = dying;
    const kept = () => s.deps.db.selectFrom('kept_answers').select('call').execute();
    for (let i = 0; i < 14; i++) await s.ask(`Note ${i}: berth ${i} is free.`, { session_id: 'a' });
    await s.settled();
    expect(summaries).toBe(asked);
    const session = await findSession(s.deps.db, 1, 'a', 0);
    expect((await latestSummary(s.deps.db, session!.ref))?.text).toBe(text || said);
    expect(await kept()).toEqual([]);
    await s.close();
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { textOf } from './messages.ts';
import { respond } from './respond.ts';
import { bigRequest, planOf, recorder, request, type Script, type Stage, stage } from './scripted.fixture.ts';

/** What a caller sees of one turn, whole or streamed. */
interface Seen {
  content: string;
  reasoning: boolean;
  progress: boolean;
  /** Whether the model that wrote the answer was told to be brief. */
  brief: boolean;
}

let s: Stage;
const script: Script = (_, purpose) =>
  purpose === 'plan' ? planOf({ id: 'a' }, { id: 'b', needs: ['a'] }) : `${purpose} done`;
const severalEnds: Script = (_, purpose) => (purpose === 'plan' ? planOf({ id: 'a' }, { id: 'b' }) : `${purpose} done`);
beforeEach(async () => {
  s = await stage(script);
});
afterEach(() => s.close());

const brief = () => s.calls.at(-1)!.messages.map(textOf).join('\n').includes('as briefly as the request allows');

const ways: [string, (svcMs: object, text?: string) => Promise<Seen>][] = [
  [
    'whole',
    async (svcMs, text = bigRequest) => {
      const { message } = await s.ask(text, { ...svcMs });
      const reasoning = (message.reasoning_content ?? '') !== '';
      return { content: `${message.content}`, reasoning, progress: false, brief: brief() };
    },
  ],
  [
    'streamed',
    async (svcMs, text = bigRequest) => {
      const out = recorder();
      await respond(s.deps, request(text, { ...svcMs }), out);
      const of = (kind: string) => out.events.filter(([one]) => one === kind).map(([, value]) => value);
      const [content, reasoning, progress] = ['content', 'reasoning', 'meta'].map(of);
      return {
        content: content!.join(''),
        reasoning: reasoning!.length > 0,
        progress: progress!.length > 0,
        brief: brief(),
      };
    },
  ],
];
const sections = '## Title a\n\ntask done\n\n## Title b\n\ntask done';

describe.each(ways)('%s', (way, ask) => {
  const progress = way === 'streamed';
  test.each([
    ['minimal', 'task done', false, true],
    ['normal', 'task done', progress, false],
    ['verbose', sections, progress, false],
  ])('%s', async (verbosity, content, told, isBrief) => {
    expect(await ask({ verbosity })).toEqual({ content, reasoning: false, progress: told, brief: isBrief });
    expect(await ask({ verbosity, include_reasoning: true })).toMatchObject({ content, reasoning: true });
  });

  test.each(['minimal', 'normal', 'verbose'])('%s, only the final result', async (verbosity) => {
    const seen = await ask({ verbosity, final_only: true, include_reasoning: true });
    expect(seen).toEqual({ content: 'task done', reasoning: false, progress: false, brief: verbosity === 'minimal' });
  });

  test('one task and a synthesis are as brief as the last of several tasks', async () => {
    for (const [isBrief, verbosity] of [[true, 'minimal'] as const, [false, 'normal'] as const])
      expect(await ask({ verbosity }, 'What is this?')).toMatchObject({ content: 'direct done', brief: isBrief });
    await s.close();
    s = await stage(severalEnds);
    expect(await ask({ verbosity: 'minimal' })).toMatchObject({ content: 'synthesis done', brief: true });
  });
});

test('text beside a tool call is not part of the final result', async () => {
  const tools = [{ type: 'function', function: { name: 'clock', parameters: {} } }];
  const tool_calls = [{ id: 'c', type: 'function' as const, function: { name: 'clock', arguments: '{}' } }];
  await s.close();
  s = await stage(() => ({ message: { role: 'assistant', content: 'Let me look at the clock.', tool_calls } }));
  for (const [final_only, content] of [[false, 'Let me look at the clock.'] as const, [true, null] as const]) {
    expect((await s.ask('What time is it?', { final_only }, { tools })).message.content).toBe(content);
    const out = recorder();
    const { message } = await respond(s.deps, request('What time is it?', { final_only }, { tools }), out);
    expect(message.content).toBe(content);
    expect(out.events.some(([kind]) => kind === 'content')).toBe(!final_only);
  }
});

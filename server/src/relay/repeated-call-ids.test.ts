import { expect, test } from 'bun:test';
import { askedKinds } from './every-field.fixture.ts';
import { parseChatRequest } from './wire/chat/request.ts';
import type { Conversation } from './wire/conversation.ts';
import { parseMessagesRequest } from './wire/messages/request.ts';
import { parseResponsesRequest } from './wire/responses/request.ts';

const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{}' } });
const result = (tool_call_id: string, content: string) => ({ role: 'tool', tool_call_id, content });
const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const gives = (tool_use_id: string, content: string) => ({ type: 'tool_result', tool_use_id, content });
const calls = (call_id: string, name: string) => ({ type: 'function_call', call_id, name, arguments: '{}' });
const output = (call_id: string, text: string) => ({ type: 'function_call_output', call_id, output: text });
const user = { role: 'user', content: 'Hi' };

/** Servers that count the calls of each answer from zero: `find` and `look`, then `look` and `find`. */
const sessions: Record<string, Conversation> = {
  chat: parseChatRequest({
    model: 'm',
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call('c0', 'find'), call('c1', 'look')] },
      ...[result('c0', 'found 1'), result('c1', 'looked 1')],
      { role: 'assistant', content: null, tool_calls: [call('c0', 'look'), call('c1', 'find')] },
      ...[result('c1', 'found 2'), result('c0', 'looked 2')],
    ],
  }),
  messages: parseMessagesRequest({
    model: 'm',
    max_tokens: 100,
    messages: [
      user,
      { role: 'assistant', content: [use('c0', 'find'), use('c1', 'look')] },
      { role: 'user', content: [gives('c0', 'found 1'), gives('c1', 'looked 1')] },
      { role: 'assistant', content: [use('c0', 'look'), use('c1', 'find')] },
      { role: 'user', content: [gives('c1', 'found 2'), gives('c0', 'looked 2')] },
    ],
  }),
  responses: parseResponsesRequest({
    model: 'm',
    input: [
      user,
      ...[calls('c0', 'find'), calls('c1', 'look'), output('c0', 'found 1'), output('c1', 'looked 1')],
      ...[calls('c0', 'look'), calls('c1', 'find'), output('c1', 'found 2'), output('c0', 'looked 2')],
    ],
  }),
};

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as upstreams read them, field by field
type Loose = any;

function sentTo(name: string, conversation: Conversation): Loose {
  const { kind, target } = askedKinds[name]!;
  return JSON.parse(kind.toUpstream(conversation, target).body as string);
}

/** Each result as the name of the call that it belongs to, and its text. */
const read: Record<string, (body: Loose) => { ids: string[]; results: string[] }> = {
  claude: ({ messages }) => paired(messages.flatMap(({ content }: Loose) => content).map(ofClaude)),
  converse: ({ messages }) => paired(messages.flatMap(({ content }: Loose) => content).map(ofConverse)),
  responses: ({ input }) => paired(input.map(ofResponses)),
};

type Step = { id: string; name?: string; text?: string } | undefined;
const ofClaude = ({ type, id, name, tool_use_id, content }: Loose): Step =>
  type === 'tool_use'
    ? { id, name }
    : type === 'tool_result'
      ? { id: tool_use_id, text: content[0].text ?? content }
      : undefined;
const ofConverse = ({ toolUse, toolResult }: Loose): Step =>
  toolUse
    ? { id: toolUse.toolUseId, name: toolUse.name }
    : toolResult && { id: toolResult.toolUseId, text: toolResult.content[0].text };
const ofResponses = ({ type, call_id: id, name, output: text }: Loose): Step =>
  type === 'function_call' ? { id, name } : type === 'function_call_output' ? { id, text } : undefined;

function paired(steps: Step[]) {
  const names = steps.flatMap((step) => (step?.name === undefined ? [] : [[step.id, step.name] as const]));
  const nameOf = new Map(names);
  return {
    ids: names.map(([id]) => id),
    results: steps.flatMap((step) => (step?.text === undefined ? [] : [`${nameOf.get(step.id)}: ${step.text}`])).sort(),
  };
}

/** Who is sent a body of its own format as it came. */
const own: Record<string, string> = { responses: 'responses' };

const expected = ['find: found 1', 'find: found 2', 'look: looked 1', 'look: looked 2'];

test.each(
  Object.keys(read).flatMap((asked) =>
    Object.keys(sessions).flatMap((front) => (own[front] === asked ? [] : [[front, asked] as const])),
  ),
)('call ids of %s that repeat in a later turn are distinct for %s, with the results at their calls', (front, asked) => {
  const { ids, results } = read[asked]!(sentTo(asked, sessions[front]!));
  expect(results).toEqual(expected);
  expect(new Set(ids).size).toBe(4);
});

test.each(Object.keys(sessions))('results for repeated call ids of %s reach Gemini under their names', (front) => {
  const { contents } = sentTo('gemini', sessions[front]!);
  const results = contents
    .flatMap(({ parts }: Loose) => parts)
    .flatMap(({ functionResponse: given }: Loose) => (given ? [`${given.name}: ${given.response.result}`] : []));
  expect(results).toEqual(['find: found 1', 'look: looked 1', 'look: looked 2', 'find: found 2']);
});

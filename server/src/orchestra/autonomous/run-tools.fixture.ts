import type { ConnectedTool, ConnectedTools, ToolOutcome } from '../../lib/connected-tools.ts';
import type { CompleteAnswer } from '../ports.ts';
import { type Asked, goodScript, type Place, type Script, taskOf } from './autonomous.fixture.ts';

export const toolOf = (name: string) => ({
  type: 'function',
  function: { name, description: `does ${name}`, parameters: { type: 'object', properties: {} } },
});

/** An answer that calls tools. */
export const calling = (...calls: [name: string, args: string][]): Partial<CompleteAnswer> => ({
  message: {
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([name, args], i) => ({
      id: `call_${i}`,
      type: 'function',
      function: { name, arguments: args },
    })),
  },
  finishReason: 'tool_calls',
});

/** What the tools have said to a task so far. */
export const heard = ({ messages }: Pick<Asked, 'messages'>): string[] =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [`${content}`] : []));

/** All goes well; a task named here first calls tools, then tells what it heard. */
export const callingScript =
  (calls: Record<string, [name: string, args: string][]>): Script =>
  (asked) => {
    const wanted = calls[taskOf(asked)];
    if (!wanted) return goodScript(asked);
    const said = heard(asked);
    return said.length === 0 ? calling(...wanted) : `heard: ${said.join(' | ')}`;
  };

/** Brings what came of calls of the run in `s1`. */
export const bring = (place: Place, results: Record<string, string>, more = {}) =>
  place.call('POST', '/s1/tool-results', {
    results: Object.entries(results).map(([tool_call_id, content]) => ({ tool_call_id, content })),
    ...{ stream_events: false, ...more },
  });

/** Says whether a call of the run in `s1` is made. */
export const decide = (place: Place, tool_call_id: string, approved: boolean, more = {}) =>
  place.call('POST', '/s1/approve', { tool_call_id, approved, stream_events: false, ...more });

export interface ScriptedTools extends ConnectedTools {
  calls: { userId: number; name: string; args: Record<string, unknown>; approved: boolean }[];
  tools: ConnectedTool[];
}

export function scriptedTools(
  names: Record<string, { askFirst?: boolean }>,
  answer: (name: string, signal: AbortSignal) => Promise<ToolOutcome> | ToolOutcome = (name) => ({
    text: `${name} did it`,
    isError: false,
    cut: false,
  }),
): ScriptedTools {
  const self: ScriptedTools = {
    calls: [],
    tools: Object.entries(names).map(([name, { askFirst = false }]) => ({
      ...{ name, description: `does ${name}`, parameters: { type: 'object' }, askFirst },
    })),
    list: async () => self.tools,
    call: async ({ userId }, name, args, { signal, tooLong, approved }) => {
      self.calls.push({ userId, name, args, approved });
      return answer(name, AbortSignal.any([signal, tooLong!]));
    },
    follow: async () => null,
  };
  return self;
}

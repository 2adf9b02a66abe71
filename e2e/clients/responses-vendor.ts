/** OpenAI's Responses endpoint, for channels that use this format: it refuses what OpenAI refuses, and streams. */
import { eventStream, frameOf, refusalOf, wholeResponse } from '../../server/src/relay/responses-upstream.fixture.ts';
import type { Json } from '../../server/src/relay/wire/conversation.ts';
import type { Reply } from '../relay-replies.ts';
import type { Asked } from '../upstream.ts';
import { list, type ScriptedModel } from './scripted-model.ts';

export const asksForResponse = ({ path }: Asked): boolean => path.endsWith('/responses');

export function respond(asked: Asked, mind: ScriptedModel): Response {
  const refusal = refusalOf(asked);
  if (refusal) return refusal;
  const { body } = asked;
  const named = toolsIn(body);
  const reply = mind({
    tools: [...named.keys()],
    results: list(body.input).filter(({ type }) => `${type}`.endsWith('_call_output')).length,
    text: JSON.stringify(body),
  });
  const response = wholeResponse({ output: itemsOf(reply, named), tools: body.tools });
  return new Response(eventsOf(response).map(frameOf).join(''), { headers: eventStream });
}

interface Named {
  name: string;
  namespace?: string;
  custom: boolean;
}

/** The tools of a request and of its items, by the names that other vendors use. */
function toolsIn(body: Json): Map<string, Named> {
  const lists = [body, ...list(body.input)].flatMap(({ tools }) => list(tools));
  return new Map(
    lists.flatMap((tool): [string, Named][] =>
      tool.type === 'namespace'
        ? list(tool.tools).map((inner) => [
            `${tool.name}__${inner.name}`,
            { ...namedBy(inner), namespace: `${tool.name}` },
          ])
        : tool.name
          ? [[`${tool.name}`, namedBy(tool)]]
          : [],
    ),
  );
}

const namedBy = ({ name, type }: Json): Named => ({ name: `${name}`, custom: type === 'custom' });

const itemsOf = ({ text, calls = [] }: Reply, tools: Map<string, Named>): Json[] => [
  ...(text ? [{ ...message, content: [{ type: 'output_text', text, annotations: [] }] }] : []),
  ...calls.map(({ id, name, args }) => {
    const { custom, ...named } = tools.get(name) ?? { name, custom: false };
    const called = { status: 'completed', call_id: id, ...named };
    return custom
      ? { id: `ctc_${id}`, type: 'custom_tool_call', ...called, input: args.input }
      : { id: `fc_${id}`, type: 'function_call', ...called, arguments: JSON.stringify(args) };
  }),
];

const message = { id: 'msg_up', type: 'message', status: 'completed', role: 'assistant' };

function eventsOf(response: Json): Json[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events = [
    { type: 'response.created', response: begun },
    ...list(response.output).flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', ...emptied(item) } },
      ...written(item).map((event) => ({ ...event, item_id: item.id, output_index })),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** An item at its start. */
const emptied = ({ type }: Json): Json =>
  type === 'message' ? { content: [] } : type === 'custom_tool_call' ? { input: '' } : { arguments: '' };

/** The content of an item, complete. */
function written({ type, content, input, arguments: args }: Json): Json[] {
  if (type === 'custom_tool_call')
    return [
      { type: 'response.custom_tool_call_input.delta', delta: input },
      { type: 'response.custom_tool_call_input.done', input },
    ];
  if (type === 'function_call')
    return [
      { type: 'response.function_call_arguments.delta', delta: args },
      { type: 'response.function_call_arguments.done', arguments: args },
    ];
  const part = list(content)[0]!;
  return [
    { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', content_index: 0, delta: part.text },
    { type: 'response.output_text.done', content_index: 0, text: part.text },
    { type: 'response.content_part.done', content_index: 0, part },
  ];
}

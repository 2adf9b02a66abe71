import { objectsIn } from '../../../lib/is-object.ts';
import { sseEvent } from '../../../lib/sse.ts';
import { table } from '../../../lib/table.ts';
import type { Json } from '../conversation.ts';

type Event = Json & { type: string };

/** A whole response as the events of a stream. */
export function responsesWholeEvents(response: Json): string {
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const events: Event[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...objectsIn(response.output).flatMap(itemEvents),
    { type: `response.${response.status}`, response },
  ];
  return events
    .map((event, sequence_number) => sseEvent(event.type, JSON.stringify({ ...event, sequence_number })))
    .join('');
}

function itemEvents(item: Json, output_index: number): Event[] {
  const at = { item_id: item.id, output_index };
  const { begun = {}, events = [] } = pieces[`${item.type}`]?.(item, at) ?? {};
  const open = { ...item, ...('status' in item && { status: 'in_progress' }), ...begun };
  return [
    { type: 'response.output_item.added', output_index, item: open },
    ...events,
    { type: 'response.output_item.done', output_index, item },
  ];
}

type Pieces = (item: Json, at: Json) => { begun: Json; events: Event[] };

/** How an item begins, and what follows; items of other types come whole. */
const pieces = table<Pieces>({
  message: (item, at) => ({
    begun: { content: [] },
    events: objectsIn(item.content).flatMap((part, content_index) => partEvents(part, { ...at, content_index })),
  }),
  reasoning: (item, at) => ({
    begun: { summary: [], ...(Array.isArray(item.content) && { content: [] }) },
    events: [
      ...objectsIn(item.summary).flatMap((part, summary_index) => summaryEvents(part, { ...at, summary_index })),
      ...objectsIn(item.content).flatMap((part, content_index) => partEvents(part, { ...at, content_index })),
    ],
  }),
  function_call: ({ arguments: args, name }, at) => ({
    begun: { arguments: '' },
    events: [
      { type: 'response.function_call_arguments.delta', ...at, delta: args },
      { type: 'response.function_call_arguments.done', ...at, arguments: args, name },
    ],
  }),
  custom_tool_call: ({ input }, at) => ({
    begun: { input: '' },
    events: [
      { type: 'response.custom_tool_call_input.delta', ...at, delta: input },
      { type: 'response.custom_tool_call_input.done', ...at, input },
    ],
  }),
});

const summaryEvents = (part: Json, at: Json): Event[] => [
  { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
  { type: 'response.reasoning_summary_text.delta', ...at, delta: part.text },
  { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
  { type: 'response.reasoning_summary_part.done', ...at, part },
];

function partEvents(part: Json, at: Json): Event[] {
  const { annotations } = part;
  const hidden =
    part.type === 'refusal' ? { refusal: '' } : { text: '', ...(annotations != null && { annotations: [] }) };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, ...hidden } },
    ...said(part, at),
    { type: 'response.content_part.done', ...at, part },
  ];
}

function said({ type, text, logprobs = [], annotations, refusal }: Json, at: Json): Event[] {
  switch (type) {
    case 'output_text':
      return [
        { type: 'response.output_text.delta', ...at, delta: text, logprobs },
        ...objectsIn(annotations).map((annotation, annotation_index) => ({
          ...{ type: 'response.output_text.annotation.added', ...at, annotation_index, annotation },
        })),
        { type: 'response.output_text.done', ...at, text, logprobs },
      ];
    case 'refusal':
      return [
        { type: 'response.refusal.delta', ...at, delta: refusal },
        { type: 'response.refusal.done', ...at, refusal },
      ];
    case 'reasoning_text':
      return [
        { type: 'response.reasoning_text.delta', ...at, delta: text },
        { type: 'response.reasoning_text.done', ...at, text },
      ];
    default:
      return [];
  }
}

import type { Answer, Delta, Json, Part } from '../conversation.ts';
import { isReasoningDetail } from '../raw-part.ts';
import { itemIds } from './item-ids.ts';
import { Output } from './output.ts';
import { type ResponseOptions, reasonOf, responseObject } from './response.ts';
import { OwnIds, rewriteResponse } from './rewrite-response.ts';

/** Renders an answer as a response. */
export function renderResponsesAnswer(answer: Answer, options: ResponseOptions): Json {
  const { source } = answer;
  if (source?.format === 'responses')
    return rewriteResponse(source.body, options, new OwnIds(options.id), answer.usage);
  const output = new Output(options.echo, () => {}, itemIds(options.id));
  answer.parts.forEach((part, i) => {
    for (const delta of deltasOf(part, i)) output.push(delta);
  });
  const reason = reasonOf(answer.finish);
  const status = reason ? 'incomplete' : 'completed';
  output.close(status);
  const { usage, extra } = answer;
  return responseObject(options, { status, output: output.items, usage, reason, extra });
}

/** The deltas a stream would have sent. */
export function deltasOf(part: Part, index: number): Delta[] {
  switch (part.type) {
    case 'text': {
      const { text, refusal, logprobs, cited = [] } = part;
      return [{ type: 'text', text, ...(refusal && { refusal }), ...(logprobs && { logprobs }) }, ...cited];
    }
    case 'thinking': {
      const { text, signature } = part;
      return [
        { type: 'thinking', text },
        ...(signature === undefined ? [] : [{ type: 'signature' as const, signature }]),
      ];
    }
    case 'image':
    case 'search':
    case 'redacted_thinking':
      return [part];
    case 'tool_call': {
      const { id, name, arguments: args, signature } = part;
      return [
        { type: 'tool_start', index, id, name, ...(signature !== undefined && { signature }) },
        { type: 'tool_args', index, args },
      ];
    }
    case 'raw':
      return isReasoningDetail(part) ? [{ type: 'detail', detail: part.value }] : [];
    default:
      return [];
  }
}

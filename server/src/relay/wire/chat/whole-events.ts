import { sseData } from '../../../lib/sse.ts';
import { textObject } from '../completions/answer.ts';
import { isObject, type Json } from '../conversation.ts';
import { chatDone } from './stream.ts';

/** A whole answer as the chunks of a stream; for text completions, too, whose chunks look like the whole. */
export function chatWholeEvents({ choices, usage, ...head }: Json): string {
  const given = Array.isArray(choices) ? choices.filter(isObject) : [];
  const object = given.some(({ message }) => isObject(message)) ? 'chat.completion.chunk' : textObject;
  const chunk = (some: Json[], more?: Json): string =>
    sseData(JSON.stringify({ ...head, object, choices: some, ...more }));
  return (
    chunk(given.map(headOf)) +
    chunk(given.map(pieceOf)) +
    chunk(given.map(endOf)) +
    (isObject(usage) ? chunk([], { usage }) : '') +
    chatDone
  );
}

const placeOf = ({ index }: Json, place: number): unknown => (typeof index === 'number' ? index : place);

/** Sent first and alone: libraries would read log probabilities of a first chunk twice. */
function headOf(choice: Json, place: number): Json {
  const said = isObject(choice.message) ? { delta: { role: choice.message.role, content: '' } } : { text: '' };
  return { index: placeOf(choice, place), ...said, logprobs: null, finish_reason: null };
}

function pieceOf({ message, ...choice }: Json, place: number): Json {
  const said = isObject(message) ? { delta: deltaOf(message) } : {};
  return { ...choice, index: placeOf(choice, place), ...said, finish_reason: null };
}

/** Calls are told apart by their index, which a whole answer does not have. */
const deltaOf = ({ role: _, tool_calls: calls, ...message }: Json): Json => ({
  ...message,
  ...(Array.isArray(calls) && { tool_calls: calls.map((call, index) => (isObject(call) ? { index, ...call } : call)) }),
});

/** An answer that came whole has ended, even if the server names no reason. */
function endOf(choice: Json, place: number): Json {
  const reason = choice.finish_reason ?? 'stop';
  const said = isObject(choice.message) ? { delta: {} } : { text: '' };
  return { index: placeOf(choice, place), ...said, logprobs: null, finish_reason: reason };
}

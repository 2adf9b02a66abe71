import { readChatFinish } from '../relay/wire/chat/answer.ts';
import { readAnswerParts } from '../relay/wire/chat/request.ts';
import type { Answer, Delta, Json } from '../relay/wire/conversation.ts';
import { requireEngineAccess } from './model-access.ts';
import { orchestraModel } from './models.ts';
import type { Deps } from './ports.ts';
import { respond } from './respond.ts';
import { respondOnce } from './respond-once.ts';
import { checkTurn, type TurnRequest } from './turn/begin.ts';
import type { Meta } from './turn/meta.ts';
import type { TurnAnswer } from './turn/turn-answer.ts';
import { silent, type TurnOutput } from './turn/writer.ts';

/** Throws what `chat` would throw before it asks a model. */
export async function checkChat(deps: Deps, request: Omit<TurnRequest, 'signal'>): Promise<void> {
  requireEngineAccess(request.caller);
  await checkTurn(deps, request);
}

/** Answers a request to `svc/svc-ms`. Returns the whole answer, and streams deltas if the caller passes `onDelta`. */
export async function chat(deps: Deps, request: TurnRequest, onDelta?: (delta: Delta) => unknown): Promise<Answer> {
  requireEngineAccess(request.caller);
  const out = onDelta ? teller(onDelta) : silent;
  const answer = toAnswer(await (request.calls ? respondOnce : respond)(deps, request, out));
  if (onDelta) for (const delta of ending(answer)) onDelta(delta);
  return answer;
}

const extraOf = (meta: Meta): Json => ({ svc_ms_meta: meta });

const teller = (tell: (delta: Delta) => unknown): TurnOutput => ({
  streaming: true,
  opened: () => void tell({ type: 'start', sure: true }),
  meta: (meta) => void tell({ type: 'extra', extra: extraOf(meta) }),
  reasoning: (text) => void tell({ type: 'thinking', text }),
  content: (text) => tell({ type: 'text', text }),
});

function toAnswer({ message, finishReason, usage, meta }: TurnAnswer): Answer {
  const { reasoning_content: thoughts, ...said } = message;
  return {
    id: '',
    model: orchestraModel,
    parts: [...(thoughts ? [{ type: 'thinking', text: thoughts } as const] : []), ...readAnswerParts({ ...said }, '')],
    finish: readChatFinish(finishReason),
    usage,
    extra: extraOf(meta),
  };
}

/** The deltas that are known only when the turn is over. */
function* ending({ parts, finish, usage, extra }: Answer): Generator<Delta> {
  const calls = parts.filter((part) => part.type === 'tool_call');
  for (const [index, { id, name, arguments: args, signature }] of calls.entries()) {
    yield { type: 'tool_start', index, id, name, ...(signature !== undefined && { signature }) };
    yield { type: 'tool_args', index, args };
  }
  yield { type: 'finish', finish, extra };
  if (usage) yield { type: 'usage', usage };
  yield { type: 'end' };
}

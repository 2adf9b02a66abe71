import { sseData } from '../../../lib/sse.ts';
import type { FrameEditor } from '../chat/passthrough.ts';
import { isObject, type Json } from '../conversation.ts';
import { ModelRewriter } from '../rewrite-model.ts';

const member = '"modelVersion":';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Gemini to Gemini: events are forwarded with only the model name replaced. The format has no end marker: an event with
 * a finish reason may be the last, and is held until there is another, or the upstream has closed and the answer is
 * charged.
 */
export function geminiPassthrough({ model }: { model: string }): FrameEditor {
  const name = new ModelRewriter(model, member);
  let held: Uint8Array | undefined;
  const renamed = (frame: Uint8Array, json: Json): Uint8Array => {
    if (typeof json.modelVersion !== 'string') return frame;
    // Arguments of a call may contain a member of that name.
    if (occursOnce(frame)) return name.apply(frame);
    return encoder.encode(sseData(JSON.stringify({ ...json, modelVersion: model })));
  };
  return {
    edit(frame, json) {
      const before = held;
      const own = renamed(frame, json);
      // Copied, because the connection reuses its buffer.
      held = mayBeLast(json) ? new Uint8Array(own) : undefined;
      if (!before) return held ? null : own;
      return held ? before : Buffer.concat([before, own]);
    },
    beforeEnd: () => (held ? decoder.decode(held) : ''),
  };
}

function occursOnce(frame: Uint8Array): boolean {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  const at = bytes.indexOf(member);
  return at >= 0 && bytes.indexOf(member, at + member.length) < 0;
}

const mayBeLast = ({ candidates, promptFeedback }: Json): boolean =>
  Array.isArray(candidates)
    ? candidates.some((candidate) => isObject(candidate) && candidate.finishReason != null)
    : isObject(promptFeedback);

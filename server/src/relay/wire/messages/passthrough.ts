import type { FrameEditor } from '../chat/passthrough.ts';
import { ModelRewriter } from '../rewrite-model.ts';

/** Messages to messages: only `message_start` carries a model name, all else passes byte for byte, signatures included. */
export function messagesPassthrough(options: { model: string }): FrameEditor {
  const model = new ModelRewriter(options.model);
  return {
    edit: (frame, json) => (json.type === 'message_start' ? model.apply(frame) : frame),
    beforeEnd: () => '',
  };
}

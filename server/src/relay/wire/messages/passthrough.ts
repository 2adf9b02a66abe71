import type { FrameEditor } from '../chat/passthrough.ts';
import { ModelRewriter } from '../rewrite-model.ts';

/**
 * Messages to messages: only `message_start` contains a model name; everything else is forwarded byte for byte,
 * including signatures.
 */
export function messagesPassthrough(options: { model: string }): FrameEditor {
  const model = new ModelRewriter(options.model);
  return {
    edit: (frame, json) => (json.type === 'message_start' ? model.apply(frame) : frame),
    beforeEnd: () => '',
  };
}

import { table } from '../../../lib/table.ts';
import type { Finish } from '../conversation.ts';

const finishes = table<Finish>({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  // A continuation exists only in Google's own format.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  LANGUAGE: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  // Stopped by Google for a reason it does not give, before the model was done.
  OTHER: 'content_filter',
  IMAGE_OTHER: 'content_filter',
  NO_IMAGE: 'content_filter',
});

export const readGeminiFinish = (reason: string): Finish => finishes[reason] ?? 'stop';

/** Tool calls are no finish reason here. */
const reasons: Record<Finish, string> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

export const renderGeminiFinish = (finish: Finish): string => reasons[finish];

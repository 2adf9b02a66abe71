import type { ResponseFormat } from '../../wire/conversation.ts';

/** An instruction for models without structured output. */
export const jsonInWords = (format: ResponseFormat): string =>
  format.type === 'json_object'
    ? 'Answer with one JSON object and nothing else.'
    : `Answer with JSON that fits this JSON Schema, and nothing else:\n${JSON.stringify(format.schema)}`;

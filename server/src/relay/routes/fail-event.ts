import { openaiError } from '../../lib/error-shapes.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { mediaEvent } from '../endpoints/event-answer.ts';

/** The event that ends a broken media stream; OpenAI's clients throw its error. */
export const failEvent = (thrown: unknown): string =>
  mediaEvent({ type: 'error', error: openaiError(toAppError(thrown)) });

import { openaiError } from '../../lib/error-shapes.ts';
import { toAppError } from '../../platform/http/to-app-error.ts';
import { mediaEvent } from '../endpoints/event-answer.ts';

/** The event that breaks a stream of media off; OpenAI's clients throw what is in it. */
export const failEvent = (thrown: unknown): string =>
  mediaEvent({ type: 'error', error: openaiError(toAppError(thrown)) });

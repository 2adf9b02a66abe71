import type { ChatMessage } from '../messages.ts';
import type { Verbosity } from '../params.ts';

/** How to write the answer, for the model that writes it; placed after the client's own instructions. */
export const styleMessages = (verbosity: Verbosity): ChatMessage[] =>
  verbosity === 'minimal'
    ? [
        {
          role: 'system',
          content:
            'Answer as briefly as the request allows: the result alone, without introduction, repetition of the question, explanations or offers that were not asked for.',
        },
      ]
    : [];

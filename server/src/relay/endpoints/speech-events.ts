import type { EventSource } from '../../platform/http/event-stream.ts';
import { mediaEvent } from './event-answer.ts';
import type { Speech } from './speech.ts';

/** Audio as events: one per chunk, and usage at the end. */
export const speechEvents = ({ body, usage }: Speech, fail: (thrown: unknown) => string): EventSource => ({
  pump: async (write) => {
    try {
      for await (const chunk of body)
        await write(mediaEvent({ type: 'speech.audio.delta', audio: Buffer.from(chunk).toString('base64') }));
    } catch (error) {
      await write(fail(error));
      return;
    }
    const { promptTokens: input_tokens, completionTokens: output_tokens } = await usage();
    const counted = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
    await write(mediaEvent({ type: 'speech.audio.done', usage: counted }));
  },
});

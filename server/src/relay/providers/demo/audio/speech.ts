import { z } from 'zod';
import { AppError } from '../../../../lib/errors.ts';
import { table } from '../../../../lib/table.ts';
import { mp3 } from './mp3.ts';
import { type Note, notesOf } from './notes.ts';
import { pcm, wav } from './pcm.ts';

export const speechRequest = z.looseObject({
  model: z.string(),
  input: z.string().min(1).max(4096),
  voice: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
});

const encoders = table<{ type: string; encode: (notes: Note[]) => Generator<Uint8Array> }>({
  mp3: { type: 'audio/mpeg', encode: mp3 },
  wav: { type: 'audio/wav', encode: wav },
  pcm: { type: 'audio/pcm', encode: pcm },
});

/** Tones in the rhythm of the words: obviously no voice, but a real, playable file. */
export function answerSpeech(request: z.infer<typeof speechRequest>): Response {
  const format = request.response_format ?? 'mp3';
  const encoder = encoders[format];
  if (!encoder) {
    throw new AppError(
      'unsupported_parameter',
      `The built-in simulation cannot encode ${format}. Use one of ${Object.keys(encoders).join(', ')}.`,
      { param: 'response_format' },
    );
  }
  const voice = typeof request.voice === 'string' ? request.voice : (request.voice?.id ?? 'default');
  const pieces = encoder.encode(notesOf(request.input, voice, request.speed ?? 1));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      // Several frames at a time, as 96-byte chunks would cost more to deliver than to make.
      for (let count = 0; count < 16; count += 1) {
        const next = pieces.next();
        if (next.done) return controller.close();
        controller.enqueue(next.value);
      }
    },
  });
  return new Response(body, { headers: { 'content-type': encoder.type } });
}

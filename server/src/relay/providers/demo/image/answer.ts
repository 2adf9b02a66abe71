import { z } from 'zod';
import { AppError } from '../../../../lib/errors.ts';
import type { Tokens } from '../../../../lib/tokens.ts';
import { drawImage } from './draw.ts';
import { encodePng } from './png.ts';

export const imageRequest = z.looseObject({
  model: z.string(),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  seed: z.int().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
});

const maxSide = 2048;

function sizeOf(text: string | null | undefined): [number, number] {
  if (!text || text === 'auto') return [1024, 1024];
  const found = text.match(/^(\d{1,5})x(\d{1,5})$/);
  const [width, height] = [Number(found?.[1]), Number(found?.[2])];
  if (!found || width < 16 || height < 16 || width > maxSide || height > maxSide) {
    throw new AppError('invalid_value', `size must be WIDTHxHEIGHT between 16x16 and ${maxSide}x${maxSide}, or auto.`, {
      param: 'size',
    });
  }
  return [width, height];
}

/** Always inline: the relay makes image URLs. */
export async function answerImages(
  request: z.infer<typeof imageRequest>,
  counter: Tokens,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const [width, height] = sizeOf(request.size);
  const data: unknown[] = [];
  for (let index = 0; index < (request.n ?? 1); index += 1) {
    const pixels = drawImage(request.prompt, width, height, (request.seed ?? 0) + index);
    data.push({
      b64_json: encodePng(pixels, width, height).toString('base64'),
      revised_prompt: `Simulation of: ${request.prompt}`,
    });
    // Drawing is synchronous: yield between images.
    await new Promise((next) => setImmediate(next));
    signal.throwIfAborted();
  }
  const tokens = await counter.count(request.prompt);
  return {
    created: Math.floor(Date.now() / 1000),
    data,
    usage: { input_tokens: tokens, output_tokens: 0, total_tokens: tokens },
  };
}

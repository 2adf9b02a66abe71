import { z } from 'zod';
import { durationOf } from '../../../../lib/audio/duration.ts';
import { AppError } from '../../../../lib/errors.ts';
import { trimEndOf } from '../../../../lib/trim-end.ts';
import { sentences } from '../text.ts';

const fields = z.looseObject({
  language: z.string().nullish(),
  prompt: z.string().nullish(),
  response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']).nullish(),
});

interface Segment {
  start: number;
  end: number;
  text: string;
}

/** Distributes text over a duration in proportion to its letters. */
function spread(pieces: string[], duration: number): Segment[] {
  const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let passed = 0;
  return pieces.map((text) => {
    const start = (passed / total) * duration;
    passed += text.length;
    return { start: round(start), end: round((passed / total) * duration), text };
  });
}

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const pad = (value: number, length = 2): string => String(Math.floor(value)).padStart(length, '0');
  return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${point}${pad(ms % 1000, 3)}`;
}

const srt = (segments: Segment[]): string =>
  segments
    .map((one, index) => `${index + 1}\n${clock(one.start, ',')} --> ${clock(one.end, ',')}\n${one.text}\n`)
    .join('\n');

const vtt = (segments: Segment[]): string =>
  `WEBVTT\n\n${segments.map((one) => `${clock(one.start, '.')} --> ${clock(one.end, '.')}\n${one.text}\n`).join('\n')}`;

const verboseSegment = (one: Segment, id: number): Record<string, unknown> => ({
  id,
  seek: 0,
  start: one.start,
  end: one.end,
  text: one.text,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
});

/** Describes the file instead of its words: the simulation does not listen. */
export async function answerTranscription(form: FormData, task: 'transcribe' | 'translate'): Promise<Response> {
  const file = form.get('file') as unknown;
  if (!(file instanceof Blob)) throw new AppError('missing_required_parameter', 'file is required.', { param: 'file' });
  const parsed = fields.safeParse(
    Object.fromEntries([...form.entries()].filter(([, value]) => typeof value === 'string')),
  );
  if (!parsed.success) {
    const fault = parsed.error.issues[0]!;
    throw new AppError('invalid_value', fault.message, { param: fault.path.join('.') });
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) throw new AppError('invalid_value', 'The file is empty.', { param: 'file' });
  const duration = await durationOf(bytes);
  const text = wording(file, bytes.length, duration, task, parsed.data.prompt);
  const segments = spread(sentences(text), duration);
  const usage = { type: 'duration', seconds: Math.ceil(duration) };
  const plain = (body: string, type: string): Response =>
    new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } });
  switch (parsed.data.response_format ?? 'json') {
    case 'text':
      return plain(`${text}\n`, 'text/plain');
    case 'srt':
      return plain(srt(segments), 'application/x-subrip');
    case 'vtt':
      return plain(vtt(segments), 'text/vtt');
    case 'verbose_json': {
      const wanted = [...form.getAll('timestamp_granularities[]'), ...form.getAll('timestamp_granularities')];
      const spoken = spread(text.split(/\s+/), duration).map(({ text: word, start, end }) => ({ word, start, end }));
      const language = parsed.data.language ?? 'english';
      const parts = wanted.includes('word') ? { words: spoken } : {};
      const inSegments =
        wanted.length === 0 || wanted.includes('segment') ? { segments: segments.map(verboseSegment) } : {};
      return Response.json({ task, language, duration, text, ...inSegments, ...parts, usage });
    }
    default:
      return Response.json({ text, usage });
  }
}

function wording(file: Blob, size: number, duration: number, task: string, prompt: string | null | undefined): string {
  const name = 'name' in file && typeof file.name === 'string' ? file.name : 'audio';
  const act = task === 'translate' ? 'translation' : 'transcription';
  const opening = `This is a simulated ${act} of ${name}, ${duration.toFixed(1)} seconds in ${size} bytes.`;
  const closing = 'The built-in provider cannot transcribe audio; add a real provider to get a transcript.';
  return prompt
    ? `${opening} The prompt given was: ${trimEndOf(prompt.trim(), '.!?')}. ${closing}`
    : `${opening} ${closing}`;
}

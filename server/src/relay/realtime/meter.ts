import type { Usage } from '../../lib/money.ts';
import { charsPerToken } from '../prompt.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { usageOf } from '../wire/usage.ts';
import { Hearing } from './hearing.ts';

/** OpenAI's audio tokens: one per tenth of a second of input, two of output. */
const heardTokensPerSecond = 10;
const spokenTokensPerSecond = 20;
/** 16 bits per sample. */
const bytesPerSample = 2;
const leastSamplesPerSecond = 8_000;
const mostSamplesPerSecond = 24_000;
const pcmBytesPerSecond = mostSamplesPerSecond * bytesPerSample;
/** Telephony codecs. No known format has fewer, so names that we do not know count the same. */
const leastBytesPerSecond = 8_000;
const appends = 'input_audio_buffer.append';
const bytesOfBase64 = (letters: number): number => (letters * 3) / 4;

/**
 * Finds audio by the member name that all events use for it. The event type is not trusted: text that claims to be
 * audio would count as next to nothing.
 */
const soundName = /"audio"\s*:\s*"/g;

/** No genuine event has more parts. */
const mostSounds = 100;
/** What an event has beside its sound: names, its type and its id. */
const mostBeside = 200;

/** Characters of an event that are audio: base64 contains no quotes. */
function soundLetters(text: string): number {
  let letters = 0;
  soundName.lastIndex = 0;
  for (let count = 0; count < mostSounds && soundName.test(text); count += 1) {
    const end = text.indexOf('"', soundName.lastIndex);
    if (end === -1) return letters;
    letters += end - soundName.lastIndex;
    soundName.lastIndex = end;
  }
  return letters;
}

type Sounds = 'input' | 'output';

/** Bytes per second by the session's audio format, current or former; undefined if it has none. */
function bytesPerSecond(session: Json, side: Sounds): number | undefined {
  const audio = isObject(session.audio) ? session.audio[side] : undefined;
  const formats = [isObject(audio) ? audio.format : undefined, session[`${side}_audio_format`]];
  const known = formats.map(bytesPerSecondIn).filter((rate) => rate !== undefined);
  // With both, the upstream decides which one it reads.
  return known.length === 0 ? undefined : Math.min(...known);
}

function bytesPerSecondIn(format: unknown): number | undefined {
  const { type: name, rate } = isObject(format) ? format : { type: format };
  if (typeof name !== 'string') return undefined;
  if (!/pcm(?![ua]$)/.test(name)) return leastBytesPerSecond;
  if (typeof rate !== 'number') return pcmBytesPerSecond;
  // An upstream may ignore the rate, and has 24 kHz then.
  return Math.min(Math.max(rate, leastSamplesPerSecond), mostSamplesPerSecond) * bytesPerSample;
}

/**
 * Whether the upstream may find sound that we do not: after an escaped or repeated name, or a quote that it skips. Letters
 * of a name can only be escaped as `\\u`, so other events are not heard at all.
 */
function mayHideSound(text: string, beside: number): boolean {
  if (beside <= mostBeside && !text.includes('\\')) return false;
  return text.includes(appends) || text.includes('\\u');
}

/** What a response has produced so far. Only sizes: nothing that was said is kept. */
export class Produced {
  #letters = 0;
  #seconds = 0;

  get isNothing(): boolean {
    return this.#letters === 0 && this.#seconds === 0;
  }

  addText(text: string): void {
    this.#letters += text.length;
  }

  addSound(base64: string, bytesPerSecond: number): void {
    this.#seconds += bytesOfBase64(base64.length) / bytesPerSecond;
  }

  usage(promptTokens: number): Usage {
    const audioOut = Math.ceil(this.#seconds * spokenTokensPerSecond);
    const words = Math.ceil(this.#letters / charsPerToken);
    return { ...usageOf(promptTokens, words + audioOut, { audioOut }), estimated: true };
  }
}

/** Tracks the length of a conversation, for holds and for responses without usage. */
export class ConversationMeter {
  #counted = 0;
  #since = 0;
  readonly hearing = new Hearing();
  /**
   * Of the slowest format that either side has named: the upstream may refuse what the client asks for, or confirm an
   * earlier request while a later one is on its way, and sound is sent meanwhile.
   */
  #inputBytesPerSecond = pcmBytesPerSecond;
  #outputBytesPerSecond = pcmBytesPerSecond;

  get outputBytesPerSecond(): number {
    return this.#outputBytesPerSecond;
  }

  /** Prompt tokens of the next response. */
  get tokens(): number {
    return Math.ceil(this.#counted + this.#since);
  }

  /** `type` if the event was parsed: audio, which comes many times a second, is only measured. */
  sent(text: string, type?: unknown): void {
    const found = soundLetters(text);
    const beside = text.length - found;
    const heard = mayHideSound(text, beside) ? text.length : found;
    this.hearing.sent(this.#seconds(heard));
    if (type === appends) this.#since += this.#seconds(heard) * heardTokensPerSecond;
    else this.#since += this.#seconds(found) * heardTokensPerSecond + beside / charsPerToken;
  }

  #seconds(letters: number): number {
    return bytesOfBase64(letters) / this.#inputBytesPerSecond;
  }

  /** A response reported usage: its prompt and output are the next one's input. */
  counted({ promptTokens, completionTokens }: Usage): void {
    this.#counted = promptTokens + completionTokens;
    this.#since = 0;
  }

  /** `session.created`, `session.updated`, and what the client asks for: its sound may follow at once. */
  described(session: unknown): void {
    if (!isObject(session)) return;
    const input = bytesPerSecond(session, 'input') ?? this.#inputBytesPerSecond;
    this.#inputBytesPerSecond = Math.min(this.#inputBytesPerSecond, input);
    this.#outputBytesPerSecond = bytesPerSecond(session, 'output') ?? this.#outputBytesPerSecond;
  }
}

import type { Usage } from '../../lib/money.ts';
import { charsPerToken } from '../prompt.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { usageOf } from '../wire/usage.ts';
import { Hearing } from './hearing.ts';

/** OpenAI's audio tokens: one per tenth of a second of input, two of output. */
const heardTokensPerSecond = 10;
const spokenTokensPerSecond = 20;
/** For 24 kHz at 16 bits, and for telephony codecs. */
const pcmBytesPerSecond = 48_000;
const g711BytesPerSecond = 8_000;
const bytesOfBase64 = (letters: number): number => (letters * 3) / 4;

/**
 * Finds audio by the member name that all events use for it. The event type is not trusted: text that claims to be
 * audio would count as next to nothing.
 */
const soundName = /"audio" ?: ?"/g;

/** No genuine event has more parts; others are counted as text. */
const mostSounds = 100;

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

/** Bytes per second by the session's audio format; undefined if it has none. */
function bytesPerSecond(session: Json, side: Sounds): number | undefined {
  const audio = isObject(session.audio) ? session.audio[side] : undefined;
  const format = isObject(audio) ? audio.format : undefined;
  const name = isObject(format) ? format.type : session[`${side}_audio_format`];
  if (typeof name !== 'string') return undefined;
  return /pcm[ua]$|g711/.test(name) ? g711BytesPerSecond : pcmBytesPerSecond;
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
  readonly #rates = { input: pcmBytesPerSecond, output: pcmBytesPerSecond };

  get outputBytesPerSecond(): number {
    return this.#rates.output;
  }

  /** Prompt tokens of the next response. */
  get tokens(): number {
    return Math.ceil(this.#counted + this.#since);
  }

  /** `type` if the event was parsed: audio, which comes many times a second, is only measured. */
  sent(text: string, type?: unknown): void {
    const sound = soundLetters(text);
    const seconds = bytesOfBase64(sound) / this.#rates.input;
    this.hearing.sent(seconds);
    this.#since += seconds * heardTokensPerSecond;
    if (type !== 'input_audio_buffer.append') this.#since += (text.length - sound) / charsPerToken;
  }

  /** A response reported usage: its prompt and output are the next one's input. */
  counted({ promptTokens, completionTokens }: Usage): void {
    this.#counted = promptTokens + completionTokens;
    this.#since = 0;
  }

  /** `session.created`, `session.updated`, and what the client asks for: its sound may follow at once. */
  described(session: unknown): void {
    if (!isObject(session)) return;
    for (const side of ['input', 'output'] as const)
      this.#rates[side] = bytesPerSecond(session, side) ?? this.#rates[side];
  }
}

import type { Usage } from '../../lib/money.ts';
import { charsPerToken } from '../prompt.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { usageOf } from '../wire/usage.ts';

/** As OpenAI counts sound: a token for a tenth of a second that is heard, two for one that is spoken. */
const heardTokensPerSecond = 10;
const spokenTokensPerSecond = 20;
/** Of 24 kHz in 16 bits, and of what telephones use. */
const pcmBytesPerSecond = 48_000;
const g711BytesPerSecond = 8_000;
const bytesOfBase64 = (letters: number): number => (letters * 3) / 4;

/**
 * Where sound begins, by the one name that events have for it. What an event calls itself is no matter: a text would be
 * counted as next to nothing that says it is sound.
 */
const soundName = /"audio" ?: ?"/g;

/** No event has more parts; what is made of a million of them is counted as text. */
const mostSounds = 100;

/** How many letters of an event are sound: within it there is no quote, and it holds nothing else. */
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

/** How many bytes of sound a second takes, by what the session says of itself; undefined where it says nothing. */
function bytesPerSecond(session: Json, side: Sounds): number | undefined {
  const audio = isObject(session.audio) ? session.audio[side] : undefined;
  const format = isObject(audio) ? audio.format : undefined;
  const name = isObject(format) ? format.type : session[`${side}_audio_format`];
  if (typeof name !== 'string') return undefined;
  return /pcm[ua]$|g711/.test(name) ? g711BytesPerSecond : pcmBytesPerSecond;
}

/** What a response has brought so far. Sizes alone: nothing that was said is kept. */
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

/** Follows how long a conversation is, for holds and for what nobody counts. */
export class ConversationMeter {
  #counted = 0;
  #since = 0;
  readonly #rates = { input: pcmBytesPerSecond, output: pcmBytesPerSecond };

  get outputBytesPerSecond(): number {
    return this.#rates.output;
  }

  /** Of the prompt that a response would have now. */
  get tokens(): number {
    return Math.ceil(this.#counted + this.#since);
  }

  /** The type where the event was read: of more sound nothing but the sound is taken, which comes many times a second. */
  sent(text: string, type?: unknown): void {
    const sound = soundLetters(text);
    this.#since += (bytesOfBase64(sound) / this.#rates.input) * heardTokensPerSecond;
    if (type !== 'input_audio_buffer.append') this.#since += (text.length - sound) / charsPerToken;
  }

  /** A response was counted: its prompt and itself are what the next one reads. */
  counted({ promptTokens, completionTokens }: Usage): void {
    this.#counted = promptTokens + completionTokens;
    this.#since = 0;
  }

  /** `session.created`, `session.updated`. */
  described(session: unknown): void {
    if (!isObject(session)) return;
    for (const side of ['input', 'output'] as const)
      this.#rates[side] = bytesPerSecond(session, side) ?? this.#rates[side];
  }
}

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
const bytesOfBase64 = (text: string): number => (text.length * 3) / 4;

const soundEvent = '"input_audio_buffer.append"';
/** The type of an event stands at its front or at its back; between them may lie megabytes of sound. */
const edge = 200;
const isSound = (text: string): boolean =>
  text.slice(0, edge).includes(soundEvent) || text.slice(-edge).includes(soundEvent);

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
    this.#seconds += bytesOfBase64(base64) / bytesPerSecond;
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

  sent(text: string): void {
    this.#since += isSound(text)
      ? (bytesOfBase64(text) / this.#rates.input) * heardTokensPerSecond
      : text.length / charsPerToken;
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

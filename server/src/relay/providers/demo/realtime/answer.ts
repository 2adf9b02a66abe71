import { randomString } from '../../../../lib/ids.ts';
import { objectsIn } from '../../../../lib/is-object.ts';
import { loadTokens } from '../../../../lib/tokens.ts';
import type { Json } from '../../../wire/conversation.ts';
import { notesOf } from '../audio/notes.ts';
import { pcm } from '../audio/pcm.ts';
import { complete } from '../chat/complete.ts';
import { type ChatRequest, chatRequest } from '../chat/request.ts';

const spokenTokensPerSecond = 20;
const bytesPerSecond = 48_000;
/** Events queued for a client that does not read. */
const mostWaiting = 50;
const waitMs = 20;

/** The session a response belongs to. */
export interface Speaker {
  readonly model: string;
  /** Delay between two words. */
  readonly paceMs: number;
  readonly items: Json[];
  /** Events not yet taken. */
  readonly waiting: number;
  tell(event: Json): void;
  add(item: Json): Json;
}

/** A message's text; audio counts by its transcript. */
function messageOf({ role, content }: Json): Json {
  const parts = objectsIn(content);
  const texts = parts.map(({ text, transcript }) => text ?? transcript).filter((text) => typeof text === 'string');
  return { role: role ?? 'user', content: texts.join('\n') };
}

/** One response, event by event. */
export class DemoAnswer {
  readonly #id = `resp_${randomString(21)}`;
  readonly #itemId = `item_${randomString(21)}`;
  readonly #spoken: boolean;
  #cancelled = false;

  constructor(
    readonly session: Speaker,
    readonly settings: Json,
  ) {
    const { output_modalities: modalities } = settings;
    this.#spoken = !(Array.isArray(modalities) && modalities.length === 1 && modalities[0] === 'text');
  }

  cancel(): void {
    this.#cancelled = true;
  }

  async give(): Promise<void> {
    const { session } = this;
    const { choices, usage } = await complete(this.#request(), await loadTokens());
    const text = choices[0]?.content ?? '';
    session.tell({ type: 'response.created', response: this.#response('in_progress', []) });
    const place = { response_id: this.#id, output_index: 0 };
    const item = { id: this.#itemId, object: 'realtime.item', type: 'message', role: 'assistant' };
    session.tell({
      type: 'response.output_item.added',
      ...place,
      item: { ...item, status: 'in_progress', content: [] },
    });
    const part = { ...place, item_id: this.#itemId, content_index: 0 };
    session.tell({ type: 'response.content_part.added', ...part, part: this.#part('') });
    const said = await this.#say(text, part);
    session.tell({ type: 'response.content_part.done', ...part, part: this.#part(said.text) });
    const status = this.#cancelled ? 'incomplete' : 'completed';
    const whole = session.add({ ...item, status, content: [this.#part(said.text, 'output_')] });
    session.tell({ type: 'response.output_item.done', ...place, item: whole });
    session.tell({ type: 'conversation.item.done', previous_item_id: null, item: whole });
    const words = Math.ceil((Number(usage.completion_tokens) * said.text.length) / Math.max(1, text.length));
    session.tell({
      type: 'response.done',
      response: {
        ...this.#response(this.#cancelled ? 'cancelled' : 'completed', [whole]),
        usage: usageOf(Number(usage.prompt_tokens), words, Math.ceil(said.seconds * spokenTokensPerSecond)),
      },
    });
  }

  /** Words at reading pace, with tones if audio is wanted. */
  async #say(text: string, part: Json): Promise<{ text: string; seconds: number }> {
    const { session } = this;
    const kind = this.#spoken ? 'response.output_audio_transcript' : 'response.output_text';
    let said = '';
    let bytes = 0;
    for (const [i, plain] of text.split(' ').entries()) {
      const word = i === 0 ? plain : ` ${plain}`;
      while (session.waiting > mostWaiting && !this.#cancelled) await Bun.sleep(waitMs);
      if (this.#cancelled) break;
      session.tell({ type: `${kind}.delta`, ...part, delta: word });
      said += word;
      for (const tone of this.#spoken ? pcm(notesOf(word, 'alloy', 2)) : []) {
        bytes += tone.length;
        session.tell({ type: 'response.output_audio.delta', ...part, delta: Buffer.from(tone).toString('base64') });
      }
      if (session.paceMs > 0) await Bun.sleep(session.paceMs);
    }
    if (this.#spoken) session.tell({ type: 'response.output_audio.done', ...part });
    session.tell({ type: `${kind}.done`, ...part, [this.#spoken ? 'transcript' : 'text']: said });
    return { text: said, seconds: bytes / bytesPerSecond };
  }

  #request(): ChatRequest {
    const { instructions } = this.settings;
    const told =
      typeof instructions === 'string' && instructions !== '' ? [{ role: 'system', content: instructions }] : [];
    const said = this.session.items.filter(({ type }) => type === 'message').map(messageOf);
    const messages = [...told, ...said];
    return chatRequest.parse({
      model: this.session.model,
      messages: messages.length > 0 ? messages : [{ role: 'user', content: 'Hello' }],
    });
  }

  #part(text: string, start = ''): Json {
    return this.#spoken ? { type: `${start}audio`, transcript: text } : { type: `${start}text`, text };
  }

  #response(status: string, output: Json[]): Json {
    return {
      ...{ object: 'realtime.response', id: this.#id, status, status_details: null, output, usage: null },
      ...{ output_modalities: [this.#spoken ? 'audio' : 'text'], metadata: this.settings.metadata ?? null },
    };
  }
}

const usageOf = (prompt: number, words: number, sound: number): Json => ({
  ...{ total_tokens: prompt + words + sound, input_tokens: prompt, output_tokens: words + sound },
  input_token_details: { text_tokens: prompt, audio_tokens: 0, cached_tokens: 0 },
  output_token_details: { text_tokens: words, audio_tokens: sound },
});

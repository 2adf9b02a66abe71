import type { Settings } from '../settings.ts';
import type { Meta } from './meta.ts';

/** Where a turn's output goes while it runs; a caller that does not stream leaves it silent. */
export interface Out {
  streaming: boolean;
  /** The request is sound and the session held: from here faults are told in the stream. */
  opened(meta: () => Meta): void;
  meta(meta: Meta): void;
  reasoning(text: string): void;
  /** Gives a promise when the client has to be waited for before there is more. */
  content(text: string): unknown;
}

export const silent: Out = { streaming: false, opened() {}, meta() {}, reasoning() {}, content() {} };

/** Gathers what the turn says and passes on what the client wants to see of it. */
export interface Writer {
  streaming: boolean;
  content: string;
  reasoning: string;
  /** As `Out.content`. */
  say(text: string): unknown;
  think(text: string): void;
  /** Tells how far the turn is, unless the client wants only the end. */
  progress(meta: () => Meta): void;
}

type Wishes = Pick<Settings, 'verbosity' | 'final_only' | 'include_reasoning'>;

export function newWriter(out: Out, wishes: Wishes): Writer {
  const quiet = wishes.verbosity === 'minimal' || wishes.final_only;
  const writer: Writer = {
    streaming: out.streaming,
    content: '',
    reasoning: '',
    say(text) {
      if (text === '') return undefined;
      writer.content += text;
      return out.content(text);
    },
    think(text) {
      if (!wishes.include_reasoning || wishes.final_only) return;
      writer.reasoning += `${text}\n`;
      out.reasoning(`${text}\n`);
    },
    progress(meta) {
      if (!quiet && out.streaming) out.meta(meta());
    },
  };
  return writer;
}

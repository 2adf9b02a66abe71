import type { Settings } from '../settings.ts';
import type { Meta } from './meta.ts';

/** Receives a turn's output while it runs; `silent` if the caller does not stream. */
export interface TurnOutput {
  streaming: boolean;
  /** Called when the request is valid and the session is locked: later errors are reported in the stream. */
  opened(meta: () => Meta): void;
  meta(meta: Meta): void;
  reasoning(text: string): void;
  /** Returns a promise if the client must catch up before more is sent. */
  content(text: string): unknown;
}

export const silent: TurnOutput = { streaming: false, opened() {}, meta() {}, reasoning() {}, content() {} };

/** Collects the turn's output and forwards the parts that the client wants. */
export interface Writer {
  streaming: boolean;
  content: string;
  reasoning: string;
  /** See `Out.content`. */
  say(text: string): unknown;
  think(text: string): void;
  /** Reports the turn's progress, unless the client wants only the final answer. */
  progress(meta: () => Meta): void;
}

type Wishes = Pick<Settings, 'verbosity' | 'final_only' | 'include_reasoning'>;

export function newWriter(out: TurnOutput, wishes: Wishes): Writer {
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

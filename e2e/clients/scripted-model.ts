import type { Json } from '../../server/src/relay/wire/conversation.ts';
import type { Reply } from '../relay-replies.ts';

/** A request to a model, independent of its format: the names of its tools, the number of results so far, and the whole text. */
export interface Question {
  tools: string[];
  results: number;
  text: string;
}

export type ScriptedModel = (question: Question) => Reply;

export const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

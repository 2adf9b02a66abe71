import type { Json } from '../../server/src/relay/wire/conversation.ts';
import type { Reply } from '../relay-replies.ts';

/** What a model is asked, whichever the format: the names of its tools, how many results it has seen, and all of it as text. */
export interface Question {
  tools: string[];
  results: number;
  text: string;
}

export type ScriptedModel = (question: Question) => Reply;

export const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

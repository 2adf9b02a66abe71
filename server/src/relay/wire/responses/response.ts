import type { Usage } from '../../../lib/money.ts';
import type { Echo, Finish, Json } from '../conversation.ts';
import { renderResponsesUsage } from '../usage.ts';

export interface ResponseOptions {
  model: string;
  id: string;
  /** Unix seconds. */
  created: number;
  /** Unix seconds at its end. */
  now?: (() => number) | undefined;
  echo?: Echo | undefined;
}

type Reason = 'max_output_tokens' | 'content_filter';

const reasons: Partial<Record<Finish, Reason>> = { length: 'max_output_tokens', content_filter: 'content_filter' };

/** Why an answer is incomplete; undefined if it is complete. */
export const reasonOf = (finish: Finish): Reason | undefined => reasons[finish];

export interface Ended {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: Json[];
  usage?: Usage | undefined;
  error?: Json;
  reason?: Reason | undefined;
  extra?: Json | undefined;
}

/** The response in its current state. */
export const responseObject = (options: ResponseOptions, ended: Ended): Json => ({
  id: options.id,
  object: 'response',
  created_at: options.created,
  status: ended.status,
  completed_at: ended.status === 'completed' ? (options.now?.() ?? options.created) : null,
  error: ended.error ?? null,
  incomplete_details: ended.reason === undefined ? null : { reason: ended.reason },
  model: options.model,
  output: ended.output,
  ...options.echo?.members,
  usage: ended.usage ? renderResponsesUsage(ended.usage) : null,
  ...ended.extra,
});

import { resealingAll, resealingWithin } from '../../../platform/db/reseal.ts';
import './tables.ts';

/** All places with items, whose `encrypted_content` may be sealed. */
export const resealResponses = resealingAll(
  resealingWithin('kept_items', ['ref'], 'body'),
  resealingWithin('kept_responses', ['id'], 'contents'),
  resealingWithin('kept_responses', ['id'], 'request'),
  resealingWithin('kept_events', ['response_id', 'seq'], 'data'),
);

import { resealingWithin } from '../../../platform/db/reseal.ts';

/** Where items of responses stand, whose `encrypted_content` may be sealed. */
const places = [
  resealingWithin('kept_items', ['ref'], 'body'),
  resealingWithin('kept_responses', ['id'], 'contents'),
  resealingWithin('kept_responses', ['id'], 'request'),
  resealingWithin('kept_events', ['response_id', 'seq'], 'data'),
];

export const resealResponses: (typeof places)[number] = async (db, reseal) => {
  let changed = 0;
  for (const place of places) changed += await place(db, reseal);
  return changed;
};

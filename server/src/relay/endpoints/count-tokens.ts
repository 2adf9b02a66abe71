import { AppError } from '../../lib/errors.ts';
import type { Candidate } from '../../routing/candidate.ts';
import { allowModel, countPrompt } from '../bill.ts';
import type { Errand, RelayDeps } from '../deps.ts';
import { DispatchFault, dispatch, kindOf, targetOf } from '../dispatch.ts';
import { ClientLeft } from '../try-candidates.ts';
import { type Conversation, UpstreamFault } from '../wire/conversation.ts';
import { appErrorOf } from '../wire/errors.ts';
import { readFault, readJson, refuseFailure } from './call-endpoint.ts';

/** What a picture takes at most with the vendors that have this endpoint. */
const tokensPerImage = 1_600;
/** Counting is a help, not the work itself: past this our own count is better than waiting. */
const patienceMs = 10_000;

/**
 * Tokens of a messages request. The vendor counts where it can, for nothing; else the tokenizer does. No part of it is
 * charged, nor told to the breaker: a server without this endpoint may be fine at answering.
 */
export async function countTokens(deps: RelayDeps, errand: Errand, conversation: Conversation): Promise<number> {
  const { group } = errand.caller;
  const modelId = deps.catalog.resolve(conversation.model, group) ?? conversation.model;
  allowModel(errand, conversation.model, modelId);
  const candidates = deps.catalog.candidatesFor(modelId, 'chat', group);
  const all = candidates.length > 0 ? candidates : deps.catalog.legacyCandidatesFor(modelId, 'chat', group);
  if (all.length === 0)
    throw new AppError('model_not_found', `The model '${conversation.model}' does not exist or cannot be used here.`, {
      param: 'model',
    });
  const able = all.find((candidate) => kindOf(candidate).countTokens !== undefined);
  return (able && (await askVendor(deps, errand, conversation, able))) ?? (await countHere(conversation));
}

/** Null when the vendor cannot say. */
async function askVendor(
  deps: RelayDeps,
  errand: Errand,
  conversation: Conversation,
  candidate: Candidate,
): Promise<number | null> {
  const kind = kindOf(candidate);
  const request = kind.countTokens!.toUpstream(conversation, targetOf(candidate, errand));
  const channel = { ...candidate.channel, timeoutMs: Math.min(candidate.channel.timeoutMs, patienceMs) };
  try {
    const sent = await dispatch(
      deps,
      { candidate: { ...candidate, channel }, report: () => {} },
      request,
      errand,
      false,
    );
    try {
      await refuseFailure(kind, sent.response);
      return kind.countTokens!.fromUpstream(await readJson(sent.response));
    } catch (error) {
      throw readFault(error, sent);
    } finally {
      sent.done();
    }
  } catch (error) {
    if (errand.signal.aborted) throw new ClientLeft();
    if (error instanceof UpstreamFault && error.error.kind === 'caller') throw appErrorOf(error.error);
    if (error instanceof UpstreamFault || error instanceof DispatchFault) return null;
    throw error;
  }
}

async function countHere(conversation: Conversation): Promise<number> {
  let images = 0;
  for (const { parts } of conversation.turns) images += parts.filter((part) => part.type === 'image').length;
  return (await countPrompt(conversation)) + images * tokensPerImage;
}

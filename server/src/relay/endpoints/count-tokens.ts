import type { Candidate } from '../../routing/candidate.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { DispatchFault, dispatch, kindOf, targetOf } from '../dispatch.ts';
import { promptOf, refuseHeavyCalls } from '../prompt.ts';
import { refuseStored } from '../stored-content.ts';
import { withFittingNames } from '../tool-names.ts';
import { ClientLeft } from '../try-candidates.ts';
import { usableCandidates } from '../usable-candidates.ts';
import { forCandidate } from '../web-search.ts';
import { type Conversation, UpstreamFault } from '../wire/conversation.ts';
import { appErrorOf } from '../wire/errors.ts';
import { readFault, readJson, refuseFailure } from './call-endpoint.ts';

/** Counting is auxiliary: after this our own count is better than waiting. */
const patienceMs = 10_000;

/**
 * Tokens of a messages request. The vendor counts if it can, free of charge; otherwise our tokenizer does. Nothing is
 * charged or reported to the breaker: a server without this endpoint may answer well.
 */
export async function countTokens(
  deps: RelayDeps,
  context: RequestContext,
  conversation: Conversation,
): Promise<number> {
  refuseHeavyCalls(conversation);
  // Counting shows the prompt to a vendor, so it must be one that may answer it, too.
  const usable = await usableCandidates(deps, context, conversation.model, 'chat');
  const able = usable.find((candidate) => kindOf(candidate).countTokens !== undefined);
  return (able && (await askVendor(deps, context, conversation, able))) ?? (await promptOf(conversation).count());
}

/** Null if the vendor cannot tell. */
async function askVendor(
  deps: RelayDeps,
  context: RequestContext,
  conversation: Conversation,
  candidate: Candidate,
): Promise<number | null> {
  refuseStored(candidate, conversation);
  const kind = kindOf(candidate);
  const asked = withFittingNames(kind, forCandidate(candidate, conversation, kind)).conversation;
  const request = kind.countTokens!.toUpstream(asked, targetOf(candidate, context));
  const channel = { ...candidate.channel, timeoutMs: Math.min(candidate.channel.timeoutMs, patienceMs) };
  try {
    const sent = await dispatch(
      deps,
      { candidate: { ...candidate, channel }, report: () => {} },
      request,
      context,
      false,
    );
    try {
      await refuseFailure(kind, sent.response);
      return kind.countTokens!.fromUpstream(await readJson(sent.response));
    } catch (error) {
      sent.abort();
      throw readFault(error, sent);
    } finally {
      sent.done();
    }
  } catch (error) {
    if (context.signal.aborted) throw new ClientLeft();
    if (error instanceof UpstreamFault && error.error.kind === 'caller') throw appErrorOf(error.error);
    if (error instanceof UpstreamFault || error instanceof DispatchFault) return null;
    throw error;
  }
}

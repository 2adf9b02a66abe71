import type { Candidate } from '../../routing/candidate.ts';
import { requireAllowedModel } from '../charge.ts';
import type { RelayDeps, RequestContext } from '../deps.ts';
import { resolveModel } from '../model-names.ts';
import { isObject, type Json } from '../wire/conversation.ts';
import { invalid } from '../wire/read.ts';

/** The rights a session's events are checked against. */
export interface SessionRights {
  context: RequestContext;
  candidate: Candidate;
  modelId: string;
  /** What transcribes, by upstream name: a transcription model, or the session's own if there is none of that name. */
  transcribers: Map<string, Candidate>;
}

/**
 * The session description as it may be forwarded: models must be allowed for the key, and get their upstream names.
 * Throws for what the caller may not do.
 */
export async function permitted(deps: RelayDeps, rights: SessionRights, given: Json): Promise<Json> {
  const session = { ...given };
  if (session.type !== undefined && session.type !== rights.candidate.type)
    throw invalid('session.type', 'The type of a session cannot be changed. Open another session for it.');
  if (typeof session.model === 'string') session.model = sameModel(deps, rights, session.model);
  for (const holder of transcriptionsIn(session))
    if (typeof holder.model === 'string') holder.model = await transcriberFor(deps, rights, holder.model);
  return session;
}

/** A session keeps its model: another was neither held for nor permitted. */
function sameModel({ catalog }: RelayDeps, { context, candidate, modelId }: SessionRights, name: string): string {
  const meant = resolveModel(catalog, name, context.caller.group);
  if (name === candidate.modelName || meant.modelId === modelId) return candidate.modelName;
  throw invalid('session.model', 'The model of a session cannot be changed. Open another session for it.');
}

/** Where a session names its transcriber, in the current and former format; copies, as they may be changed. */
export function transcriptionsIn(session: Json): Json[] {
  const found: Json[] = [];
  if (isObject(session.input_audio_transcription)) {
    const old = { ...session.input_audio_transcription };
    session.input_audio_transcription = old;
    found.push(old);
  }
  if (isObject(session.audio) && isObject(session.audio.input) && isObject(session.audio.input.transcription)) {
    const transcription = { ...session.audio.input.transcription };
    session.audio = { ...session.audio, input: { ...session.audio.input, transcription } };
    found.push(transcription);
  }
  return found;
}

/** The transcriber's upstream name: at its own price if it is offered separately, else the session model's. */
async function transcriberFor(deps: RelayDeps, rights: SessionRights, given: string): Promise<string> {
  const { context, candidate, transcribers } = rights;
  const { group, keyId } = context.caller;
  const { name, modelId } = resolveModel(deps.catalog, given, group);
  requireAllowedModel(deps, context, name, modelId);
  if (keyId !== null) await deps.admit?.(keyId, [modelId, name], true);
  const { id, provider } = candidate.channel;
  const offered = deps.catalog.candidatesFor(modelId, 'transcription', group);
  const found =
    offered.find(({ channel }) => channel.id === id) ?? offered.find(({ channel }) => channel.provider === provider);
  // Otherwise its transcripts are charged at the price of the session's model.
  const transcriber = found ?? candidate;
  const upstreamName = found?.modelName ?? given;
  transcribers.set(upstreamName, transcriber);
  return upstreamName;
}

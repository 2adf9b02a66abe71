import type { KeyPrincipal } from '../identity/principals.ts';
import { AppError } from '../lib/errors.ts';
import { timedHex } from '../lib/ids.ts';
import type { Candidate } from '../routing/candidate.ts';
import { type Override, parseOverride } from '../routing/override.ts';
import { candidatesLeft } from '../routing/rank.ts';
import { makersOf, priceOf, secondsOf, whyNot } from './candidates.ts';
import { jobQueue, type VideoDeps } from './deps.ts';
import { checkCallback, invalid, modelOf, parseRequest, refuse, refuseUnknown, type VideoRequest } from './request.ts';
import { acceptJob, deleteUnheld, insertJob, type VideoJob } from './store.ts';

/** A job may end late if all processes were down; its hold must still exist to be settled. */
const holdGraceMs = 24 * 3_600_000;

/** Blob keys are lower case, and so are the ids they contain. */
const newId = ({ clock }: Pick<VideoDeps, 'clock'>): string => timedHex(clock.nowMs(), 24);

/**
 * Validates the request, places the hold and leaves the rest to the workers. The row is written first and counts only
 * with its hold: a crash in between leaves a row that the sweep deletes together with the hold.
 */
export async function createJob(
  deps: VideoDeps,
  caller: KeyPrincipal,
  body: unknown,
  idStart = 'job-',
): Promise<VideoJob> {
  const { request, modelId, override, makers: able } = check(deps, caller, body);
  const allowed = await admitted(deps, caller, modelId, able);
  // By the user's preferences and the request's `provider`: others would not be asked later either.
  const standing = await deps.routing.standing(caller.user.id, override);
  const makers = candidatesLeft(modelId, standing(allowed));
  const id = `${idStart}${newId(deps)}`;
  const seconds = Math.max(...makers.map((maker) => secondsOf(request, maker)));
  const amount = Math.max(...makers.map((maker) => priceOf(maker.price, secondsOf(request, maker))));
  const row = rowOf(deps, { id, caller, modelId, request, seconds });
  await insertJob(deps.db, row);
  try {
    await deps.billing.hold({
      requestId: id,
      userId: caller.user.id,
      keyId: caller.keyId,
      keyUnlimited: caller.unlimited,
      amount,
      modelId,
      estimateDetail: { seconds },
      durableUntilMs: deps.clock.nowMs() + deps.config.videoJobTtlSeconds * 1000 + holdGraceMs,
    });
  } catch (error) {
    await deleteUnheld(deps.db, id);
    throw isShort(error)
      ? new AppError('insufficient_credits', `Insufficient credits. Add more using ${deps.config.webUrl}/credits`)
      : error;
  }
  await acceptJob(deps.db, id);
  await enqueueJob(deps, id);
  return { ...row, held: 1 };
}

/** A job with a queue entry gets no second one. */
export async function enqueueJob({ jobs }: Pick<VideoDeps, 'jobs'>, id: string): Promise<void> {
  await jobs.enqueue(jobQueue, { id }, { key: id, maxAttempts: 50, backoffMs: 1_000, promised: true });
}

const isShort = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'insufficient_user_quota' || error.code === 'insufficient_key_quota');

/** The organisation's limits other than money. */
async function admitted(
  { admit }: VideoDeps,
  { keyId }: KeyPrincipal,
  modelId: string,
  makers: [Candidate, ...Candidate[]],
): Promise<[Candidate, ...Candidate[]]> {
  const admission = keyId === null ? null : await admit?.(keyId, [modelId]);
  if (!admission) return makers;
  const [first, ...others] = makers.filter(({ channel }) => admission.mayUse(channel.provider));
  if (!first)
    throw new AppError('no_eligible_provider', 'Your organisation allows none of the providers of this model.');
  return [first, ...others];
}

/** In this order, as only the first error is reported: model, key, request, request with this model. */
function check(deps: VideoDeps, caller: KeyPrincipal, body: unknown) {
  const model = modelOf(body);
  const { group } = caller.user;
  const modelId = deps.catalog.resolve(model, group) ?? model;
  const makers = makersOf(deps, modelId, group);
  if (makers.length === 0) throw new AppError('model_not_found', 'Resource not found', { param: 'model' });
  if (caller.models.length > 0 && !caller.models.includes(modelId) && !caller.models.includes(model)) {
    throw new AppError('model_not_allowed', `This token is not authorized to use model: ${model}`);
  }
  const request = parseRequest(body);
  const able = makers.filter((maker) => whyNot(maker, request, model) === null);
  if (able.length === 0) throw refuse(whyNot(makers[0]!, request, model)!);
  refuseUnknown(body, model);
  checkCallback(request.callback_url, deps.config.allowPrivateAddresses);
  return { request, modelId, override: overrideIn(request), makers: able as [Candidate, ...Candidate[]] };
}

function overrideIn({ provider }: VideoRequest): Override | null {
  try {
    return parseOverride(provider);
  } catch (error) {
    throw error instanceof AppError ? invalid(error.message, error.extras.param) : error;
  }
}

interface NewJob {
  id: string;
  caller: KeyPrincipal;
  modelId: string;
  request: VideoRequest;
  seconds: number;
}

function rowOf({ clock, config }: VideoDeps, { id, caller, modelId, request, seconds }: NewJob): VideoJob {
  const { frame_images, input_references, callback_url, provider, ...rest } = request;
  const now = clock.nowMs();
  return {
    id,
    generation_id: `gen-${newId({ clock })}`,
    user_id: caller.user.id,
    key_id: caller.keyId ?? 0,
    group_name: caller.user.group,
    model_id: modelId,
    status: 'pending',
    held: 0,
    closed: 0,
    request: JSON.stringify(rest),
    inputs: JSON.stringify({ frame_images, input_references }),
    override: provider ? JSON.stringify(provider) : '',
    seconds,
    ...{ cost: 0, provider: '', channel_id: 0, model_name: '', upstream_id: '', poll_url: '', submitted_at_ms: 0 },
    asked_channel_id: 0,
    ...{ rounds: 0, polls: 0, misses: 0, progress: 0, error: '', results: '[]' },
    callback_url: callback_url ?? '',
    callback_tries: 0,
    called_back_at_ms: 0,
    created_at_ms: now,
    touched_at_ms: now,
    finished_at_ms: 0,
    expires_at_ms: now + config.videoJobTtlSeconds * 1000,
  };
}

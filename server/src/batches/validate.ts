import { nowSeconds } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { isObject } from '../lib/is-object.ts';
import { refuseHeavy } from '../lib/json-shape.ts';
import { inBatches } from '../platform/db/pages.ts';
import type { BatchesDeps } from './deps.ts';
import { type Line, linesOf } from './jsonl.ts';
import { limits } from './limits.ts';
import { advance, withinAttempt } from './store/batches.ts';
import { deleteRequests, insertRequests, type NewRequest } from './store/requests.ts';
import type { BatchRow } from './store/tables.ts';

/** In OpenAI's form. */
interface Fault {
  code: string;
  message: string;
  param: string | null;
  line: number | null;
}

type Json = Record<string, unknown>;
const rowsAtOnce = 200;
/** A smaller line is parsed within milliseconds, whatever its content. */
const largeBytes = 64 * 1024;

/** Validates all lines before any is asked. Returns the batch as it is then; null if it failed or is gone. */
export async function validateBatch(
  deps: Pick<BatchesDeps, 'db' | 'blobs' | 'clock' | 'knows' | 'permit'>,
  batch: BatchRow,
  signal: AbortSignal,
): Promise<BatchRow | null> {
  const { db } = deps;
  const clear = () => inBatches((most) => withinAttempt(db, batch, (tx) => deleteRequests(tx, batch.ref, most)));
  // A crashed process may have got half way.
  await clear();
  const content = await deps.blobs.read(batch.input_blob);
  const check = new Check(batch, await knownTo(deps, batch));
  let rows: NewRequest[] = [];
  const write = async () => {
    if (check.faults.length === 0) await withinAttempt(db, batch, (tx) => insertRequests(tx, batch.ref, rows));
    rows = [];
  };
  if (content)
    for await (const line of linesOf(content, limits.lineBytes)) {
      signal.throwIfAborted();
      const row = await check.line(line);
      if (row) rows.push(row);
      if (rows.length === rowsAtOnce) await write();
      if (check.faults.length >= limits.errors || check.count > limits.requests) break;
    }
  await write();
  const faults = check.end(content !== null);
  const now = nowSeconds(deps.clock);
  if (faults.length === 0)
    return advance(db, batch, 'validating', {
      ...{ status: 'in_progress', total: check.count, in_progress_at: now, touched_at: now },
      ...(batch.wire === 'openai' && { model: check.model }),
    });
  await clear();
  const errors = JSON.stringify({ object: 'list', data: faults });
  await advance(db, batch, 'validating', { status: 'failed', errors, ended_at: now, touched_at: now });
  return null;
}

/** Which models the owner finds; all if that cannot be told, as each line then says why. */
async function knownTo(
  { permit, knows }: Pick<BatchesDeps, 'knows' | 'permit'>,
  { user_id: userId, key_id: keyId }: BatchRow,
): Promise<(model: string) => boolean> {
  try {
    const { group } = await permit({ userId, keyId });
    return (model) => knows(model, group);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => true;
  }
}

class Check {
  readonly faults: Fault[] = [];
  readonly #seen = new Set<string>();
  count = 0;
  model: string | null = null;

  constructor(
    readonly batch: BatchRow,
    readonly isKnown: (model: string) => boolean,
  ) {}

  async line(line: Line): Promise<NewRequest | null> {
    this.count += 1;
    const fault = (code: string, message: string, param: string | null = null) => {
      this.faults.push({ code, message, param, line: line.number });
      return null;
    };
    if (!line.bytes) return fault('invalid_json_line', `This line is longer than ${limits.lineBytes} bytes.`);
    const request = await parsed(line.bytes);
    if (!request) return fault('invalid_json_line', 'This line is not parseable as a JSON object.');
    const id = request.custom_id;
    if (typeof id !== 'string' || id === '' || id.length > limits.customIdLength || id.includes('\0'))
      return fault(
        'missing_required_parameter',
        `custom_id must be a string of 1 to ${limits.customIdLength} characters.`,
        'custom_id',
      );
    if (this.#seen.has(id))
      return fault('duplicate_custom_id', 'The custom_id of this line is already used by another line.', 'custom_id');
    this.#seen.add(id);
    if (this.batch.wire === 'openai' && !this.#fits(request, fault)) return null;
    return { position: this.count, custom_id: id, first_byte: line.first, last_byte: line.last };
  }

  #fits(request: Json, fault: (code: string, message: string, param: string) => null): boolean {
    const { method, url, body } = request;
    const refuse = (...what: Parameters<typeof fault>): boolean => fault(...what) !== null;
    if (method !== 'POST') return refuse('invalid_method', 'method must be POST.', 'method');
    if (url !== this.batch.endpoint)
      return refuse('invalid_url', `url must be the endpoint of the batch, ${this.batch.endpoint}.`, 'url');
    if (!isObject(body)) return refuse('missing_required_parameter', 'body must be an object.', 'body');
    if (typeof body.model !== 'string' || body.model === '')
      return refuse('missing_required_parameter', 'body.model is required.', 'body.model');
    if (body.stream === true)
      return refuse('unsupported_parameter', 'Batch responses cannot be streamed. Remove stream.', 'body.stream');
    if (body.background === true)
      return refuse(
        'unsupported_parameter',
        'A batch always runs in the background. Remove background.',
        'body.background',
      );
    // Others may be named beside it. The model is the same in all lines, so the first tells for all.
    if (this.model === null && body.models === undefined && !this.isKnown(body.model)) {
      this.model = body.model.slice(0, 200);
      return refuse('model_not_found', `The model '${this.model}' does not exist.`, 'body.model');
    }
    this.model ??= body.model.slice(0, 200);
    if (body.model.slice(0, 200) !== this.model)
      return refuse(
        'mismatched_model',
        `All lines must use the same model as the first line, ${this.model}.`,
        'body.model',
      );
    return true;
  }

  end(found: boolean): Fault[] {
    const whole = (code: string, message: string): Fault[] => [{ code, message, param: 'input_file_id', line: null }];
    if (!found) return whole('invalid_file', 'The input file no longer exists.');
    if (this.count === 0) return whole('empty_file', 'The input file is empty.');
    if (this.count > limits.requests)
      return whole('too_many_tasks', `A batch may have at most ${limits.requests} requests.`);
    return this.faults;
  }
}

async function parsed(bytes: Buffer): Promise<Json | null> {
  try {
    if (bytes.byteLength >= largeBytes) await refuseHeavy(bytes);
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

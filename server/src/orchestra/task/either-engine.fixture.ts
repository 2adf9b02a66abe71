import { AppError } from '../../lib/errors.ts';
import { openPlace, openSqlite, type Place } from '../autonomous/autonomous.fixture.ts';
import { textOf } from '../messages.ts';
import type { ModelInfo, OperatorModels } from '../models.ts';
import type { CompleteRequest } from '../ports.ts';
import type { StoredPreferences } from '../preferences.ts';
import { type Scripted, scriptedModels, stage } from '../scripted.fixture.ts';
import { loadPatterns, type Outcome, recordOutcomes } from '../store/patterns.ts';
import { savePreferences } from '../store/preferences.ts';

/** One call to a model: what for, and for which task of a plan. */
export interface Asked extends CompleteRequest {
  purpose: string;
  task: string;
  text: string;
}
type Script = (asked: Asked) => Scripted | Promise<Scripted>;

export interface Scene {
  request: string;
  script: Script;
  preferences?: StoredPreferences;
  operator?: Partial<OperatorModels>;
  models?: ModelInfo[];
  /** What was learned before. */
  outcomes?: Outcome[];
}

export interface Seen {
  /** Calls that do work: tasks, planning and synthesis, not those that judge it. */
  asked: Asked[];
  answer: string | null;
  /** Why there is no answer: an error's code or a pause's reason. */
  ended: string | null;
  patterns: Awaited<ReturnType<typeof loadPatterns>>;
}

/** The same work as a chat turn and as an autonomous run. */
export const eitherEngine: [string, (scene: Scene) => Promise<Seen>][] = [
  ['turn', asTurn],
  ['run', asRun],
];

const overrides = ({ models = scriptedModels, operator = {} }: Scene) => ({
  models: () => models,
  operator: () => ({ plan: '', easy: '', medium: '', hard: '', embedding: '', rerank: '', ...operator }),
});

const read = (call: CompleteRequest, purpose: string): Asked => {
  const text = call.messages.map(textOf).join('\n');
  return { ...call, purpose, text, task: /Your task: Title (\w+)/.exec(text)?.[1] ?? '' };
};

async function asTurn(scene: Scene): Promise<Seen> {
  const asked: Asked[] = [];
  const s = await stage((call, purpose) => {
    asked.push(read(call, purpose));
    return scene.script(asked.at(-1)!);
  }, overrides(scene));
  const { db } = s.deps;
  await savePreferences(db, 1, scene.preferences ?? {}, 0);
  await recordOutcomes(db, 1, scene.outcomes ?? [], Math.floor(s.clock.nowMs() / 1000));
  const told = await s.ask(scene.request).then(
    ({ message }) => ({ answer: `${message.content}`, ended: null }),
    (error) => ({ answer: null, ended: error instanceof AppError ? error.code : 'internal_error' }),
  );
  await s.settled();
  const patterns = await loadPatterns(db, 1);
  await s.close();
  return { asked, ...told, patterns };
}

const judging: Record<string, string> = {
  evaluate: '{"score": 0.9, "feedback": ""}',
  judge: '{"confidence": 0.95, "missing": []}',
};

async function asRun(scene: Scene): Promise<Seen> {
  const asked: Asked[] = [];
  const database = await openSqlite();
  await savePreferences(database.db, 1, scene.preferences ?? {}, 0);
  await recordOutcomes(database.db, 1, scene.outcomes ?? [], Math.floor(Date.now() / 1000));
  const place: Place = await openPlace(
    database,
    (call) => {
      const judged = judging[call.purpose];
      if (judged) return judged;
      asked.push(read(call, call.purpose));
      return scene.script(asked.at(-1)!);
    },
    { deps: overrides(scene) },
  );
  const config = { max_iterations: 1 };
  const run = { message: scene.request, session_id: 's', stream_events: false, config };
  const { body } = await place.call('POST', '/execute', run);
  const { status, reason } = (await place.call('GET', '/s/status')).body;
  await place.close();
  const patterns = await loadPatterns(database.db, 1);
  await database.close();
  const ended = status === 'completed' ? null : (reason ?? 'internal_error');
  return { asked, answer: body.result, ended, patterns };
}

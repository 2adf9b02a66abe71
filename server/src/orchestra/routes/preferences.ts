import { nowSeconds } from '../../lib/clock.ts';
import { inTurn } from '../../platform/db/with-lock.ts';
import { answered } from '../../platform/http/answers.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import { minSamples } from '../patterns.ts';
import type { Deps } from '../ports.ts';
import { changePreferences, preferencesChangeSchema, withDefaults } from '../preferences.ts';
import { loadPatterns } from '../store/patterns.ts';
import { loadPreferences, savePreferences } from '../store/preferences.ts';
import { callerOf } from './caller.ts';
import { base, patternsSchema, preferencesAnswer } from './schemas.ts';

const path = '/api/svc-ms/user/preferences';

export function preferenceRoutes(deps: Deps): Route[] {
  const { db } = deps;
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'Get your preferences, with defaults filled in',
      answers: { 200: preferencesAnswer },
      handle: async (call) => ok(call, withDefaults(await loadPreferences(db, call.principal.user.id))),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path,
      summary: 'Update preferences; omitted fields stay unchanged, null resets to the default',
      body: preferencesChangeSchema,
      answers: { 200: preferencesAnswer },
      handle: async (call) => {
        const caller = callerOf(call.principal);
        const models = await deps.models(caller);
        const isModel = (id: string, type: string) => models.some((model) => model.id === id && model.type === type);
        const next = await inTurn(db, 'preferences', caller.userId, async (tx) => {
          const changed = changePreferences(await loadPreferences(tx, caller.userId), call.body, isModel);
          await savePreferences(tx, caller.userId, changed, nowSeconds(deps.clock));
          return changed;
        });
        return ok(call, withDefaults(next));
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: '/api/svc-ms/patterns',
      summary: 'Get what the engine has learned about models and task types',
      answers: { 200: answered(patternsSchema) },
      handle: async (call) => {
        const patterns = await loadPatterns(db, call.principal.user.id);
        return ok(call, {
          patterns: patterns.map(({ updatedAt, ...pattern }) => {
            const samples = pattern.successes + pattern.failures;
            const success_rate = samples > 0 ? pattern.successes / samples : 0;
            return { ...pattern, success_rate, in_use: samples >= minSamples, updated_at: updatedAt };
          }),
        });
      },
    }),
  ];
}

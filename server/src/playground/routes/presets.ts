import { z } from 'zod';
import { answered, done } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import type { PlaygroundDeps } from '../deps.ts';
import { limits } from '../limits.ts';
import { changePreset, createPreset, noPreset } from '../presets.ts';
import { deletePreset, listPresets } from '../store/presets.ts';
import type { PresetRow } from '../store/tables.ts';
import { base, int, root } from './shared.ts';

const path = `${root}/presets`;
const params = z.object({ id: idText });
const name = shownName(limits.nameLength);
const prompt = z.string().min(1).max(limits.promptLength);

const presetSchema = z
  .object({ id: int, name: z.string(), prompt: z.string(), created_at: int, updated_at: int })
  .meta({ id: 'PlaygroundPreset' });

const viewOf = ({ id, name, prompt, created_at, updated_at }: PresetRow): z.infer<typeof presetSchema> => ({
  id,
  name,
  prompt,
  created_at,
  updated_at,
});

export function presetRoutes(deps: PlaygroundDeps): Route[] {
  const { db } = deps;
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List your saved system prompts by name',
      answers: { 200: answered(z.object({ presets: z.array(presetSchema) })) },
      handle: async (call) => ok(call, { presets: (await listPresets(db, call.principal.user.id)).map(viewOf) }),
    }),
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Save a system prompt under a name',
      idempotent: true,
      body: z.strictObject({ name, prompt }),
      answers: { 201: answered(presetSchema) },
      handle: async (call) => ok(call, viewOf(await createPreset(deps, call.principal.user.id, call.body)), 201),
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Update a saved system prompt or its name',
      params,
      body: z.strictObject({ name: name.optional(), prompt: prompt.optional() }),
      answers: { 200: answered(presetSchema) },
      handle: async (call) =>
        ok(call, viewOf(await changePreset(deps, call.principal.user.id, call.params.id, call.body))),
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Delete a saved system prompt',
      params,
      answers: { 200: done },
      handle: async (call) => {
        if (!(await deletePreset(db, call.principal.user.id, call.params.id))) throw noPreset();
        return json(call, { success: true, message: 'The preset is deleted.' });
      },
    }),
  ];
}

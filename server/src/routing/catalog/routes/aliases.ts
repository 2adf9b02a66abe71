import { z } from 'zod';
import { answered, listed } from '../../../platform/http/answers.ts';
import type { Subject } from '../../../platform/http/audit-rule.ts';
import { idParams, pageQuery, rangeOf } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import type { Candidate } from '../../candidate.ts';
import type { CircuitState } from '../../circuit.ts';
import { type PreviewSource, previewAlias } from '../alias-preview.ts';
import { addAlias, changeAlias, removeAlias } from '../aliases.ts';
import type { CatalogContext } from '../channels.ts';
import { type AliasFields, type AliasRecord, findAlias, pageAliases } from '../store/aliases.ts';
import { enabled } from '../store/tables.ts';
import { admin } from './channels.ts';
import { given } from './fields.ts';
import { answers, modelName, status } from './schemas.ts';

const fields = {
  name: modelName.describe('Name that clients request; a model with the same name takes precedence'),
  models: z.array(modelName).min(1).max(20).describe('In the order in which they are tried'),
  status,
};
const aliasChange = z.strictObject(fields).partial();
const aliasCreate = aliasChange.required({ name: true, models: true });
const aliasView = z
  .object({ id: z.int(), ...fields, created_at: z.int(), updated_at: z.int() })
  .meta({ id: 'ModelAlias' });

const viewAlias = (alias: AliasRecord): z.infer<typeof aliasView> => ({
  id: alias.id,
  name: alias.name,
  models: alias.models,
  status: alias.status as 1 | 2,
  created_at: alias.createdAt,
  updated_at: alias.updatedAt,
});

const aliasGiven = (body: z.infer<typeof aliasChange>): Partial<AliasFields> =>
  given<AliasFields>({
    name: body.name,
    models: body.models && [...new Set(body.models)],
    status: body.status,
  });

const aliasSubject = ({ db }: Pick<CatalogContext, 'db'>): Subject => ({
  type: 'model_alias',
  look: async (id) => {
    const alias = await findAlias(db, Number(id));
    if (!alias) return null;
    const { name, models, status: state } = alias;
    return { name, state: { name, models, status: state } };
  },
});

const path = '/api/admin/model-aliases';

export type AliasRouteDeps = CatalogContext & {
  catalog: PreviewSource;
  /** The circuit state of a candidate; without it all count as closed. */
  circuit?(candidate: Candidate): CircuitState;
};

const previewQuery = z.strictObject({
  name: modelName.or(z.literal('')).default(''),
  models: z
    .string()
    .max(5_000)
    .transform((text) => text.split(',').filter((name) => name !== ''))
    .pipe(fields.models)
    .meta({ type: 'string' })
    .describe('Model names, separated by commas, in the order in which they are tried'),
});
const preview = z.object({
  shadowed_by: z.string().nullable().describe('Model with the same name, which takes precedence'),
  answers: z.string().nullable().describe('Model that would currently be tried first; null if none is available'),
  models: z.array(
    z.object({
      name: z.string(),
      model_id: z.string().nullable().describe('Null if there is no such model'),
      serving: z.array(
        z.object({ provider: z.string(), channel_id: z.int(), circuit: z.enum(['closed', 'half_open', 'open']) }),
      ),
    }),
  ),
});

const previewRoute = (room: AliasRouteDeps): Route =>
  defineRoute({
    ...admin,
    method: 'get',
    path: `${path}/preview`,
    summary: 'Preview which model would currently answer for an alias',
    query: previewQuery,
    answers: { 200: answered(preview) },
    handle: async (call) => {
      const { catalog, circuit = () => 'closed' } = room;
      const group = call.principal.user.group;
      const { shadowedBy, answers: first, models } = previewAlias({ catalog, circuit }, { ...call.query, group });
      const shown = models.map(({ name, modelId, serving }) => ({
        ...{ name, model_id: modelId },
        serving: serving.map(({ provider, channelId, circuit: state }) => ({
          ...{ provider, channel_id: channelId, circuit: state },
        })),
      }));
      return ok(call, { shadowed_by: shadowedBy, answers: first, models: shown });
    },
  });

export function aliasRoutes(room: AliasRouteDeps): Route[] {
  const subject = aliasSubject(room);
  const one = answered(aliasView);
  return [
    previewRoute(room),
    defineRoute({
      ...admin,
      method: 'get',
      path,
      summary: 'List model aliases and groups',
      query: pageQuery,
      answers: { 200: listed({ aliases: z.array(aliasView) }) },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { aliases, total } = await pageAliases(room.db, rangeOf(call.query));
        return ok(call, { aliases: aliases.map(viewAlias), total, page, page_size });
      },
    }),
    defineRoute({
      ...admin,
      method: 'post',
      path,
      summary: 'Create an alias for a model, or one name for several models',
      idempotent: true,
      body: aliasCreate,
      audit: { action: 'model_alias_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: one },
      handle: async (call) => {
        const { name, models } = call.body;
        const alias = await addAlias(room, { status: enabled, ...{ name, models }, ...aliasGiven(call.body) });
        return ok(call, viewAlias(alias), 201);
      },
    }),
    defineRoute({
      ...admin,
      method: 'put',
      path: `${path}/{id}`,
      summary: 'Update an alias; omitted fields stay unchanged',
      params: idParams,
      body: aliasChange,
      audit: { action: 'model_alias_updated', subject, id: (call) => call.params.id },
      answers: { 200: one },
      handle: async (call) => ok(call, viewAlias(await changeAlias(room, call.params.id, aliasGiven(call.body)))),
    }),
    defineRoute({
      ...admin,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Delete an alias; its models stay',
      params: idParams,
      audit: { action: 'model_alias_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        await removeAlias(room, call.params.id);
        return ok(call, { id: call.params.id });
      },
    }),
  ];
}

import { z } from 'zod';
import { keyChangeSchema, keyViewSchema, newKeySchema } from '../../identity/keys.ts';
import { rotationSchema } from '../../identity/rotate-key.ts';
import { answered, done } from '../../platform/http/answers.ts';
import { cursorField, cursorOf, nextCursor } from '../../platform/http/cursor.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import type { OrganisationsContext } from '../context.ts';
import {
  changePlacedKey,
  createPlacedKey,
  endPlacedOverlap,
  placedKeys,
  removePlacedKey,
  rotatePlacedKey,
} from '../keys.ts';
import { base, int, organisationParams, root, standing, told } from './shared.ts';

const placedKeySchema = keyViewSchema
  .extend({
    owner: z.object({ type: z.enum(['user', 'team']), id: int }),
    team_id: int.nullable(),
    outside_teams: z
      .boolean()
      .describe("True for a key in no team whose owner is in one: no team's budgets and limits apply to it"),
  })
  .meta({ id: 'OrganisationKey' });
const newPlacedKey = newKeySchema.extend({
  owner: z.enum(['user', 'team']).default('user').describe('A team key stays when its creator leaves'),
  team_id: int.min(1).optional(),
});
const keyChange = keyChangeSchema.extend({
  team_id: int
    .min(1)
    .nullable()
    .optional()
    .describe('Moves the key to this team; requests in progress are charged to the previous team'),
});
const params = organisationParams.extend({ key_id: idText });

export const keyRoutes = (room: OrganisationsContext): Route[] => [
  defineRoute({
    ...base,
    method: 'get',
    path: `${root}/{id}/keys`,
    summary:
      'List the API keys of an organisation, masked: all or only your own, depending on your role; 5,000 at once',
    params: organisationParams,
    query: z.strictObject({
      cursor: cursorField(1).meta({ type: 'string', description: '`next_cursor` of the previous part' }),
    }),
    answers: { 200: answered(z.object({ keys: z.array(placedKeySchema), ...nextCursor })) },
    handle: async (call) => {
      const { keys, last } = await placedKeys(room, await standing(room, call, 'see'), call.query.cursor?.[0]);
      return ok(call, { keys, next_cursor: last === null ? null : cursorOf([last]) });
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${root}/{id}/keys`,
    summary: 'Create an API key for yourself or for a team; the full key is shown only once',
    idempotent: true,
    params: organisationParams,
    body: newPlacedKey,
    audit: {
      ...told,
      action: 'organisation_key_created',
      also: (_, { data }) => ({ key_id: data.id, name: data.name, owner: data.owner, team_id: data.team_id }),
    },
    answers: { 200: answered(placedKeySchema) },
    handle: async (call) => {
      const acting = await standing(room, call, 'use');
      call.headers['cache-control'] = 'no-store';
      return ok(call, await createPlacedKey(room, acting, call.principal.sessionId, call.body));
    },
  }),
  defineRoute({
    ...base,
    method: 'put',
    path: `${root}/{id}/keys/{key_id}`,
    summary: 'Update an API key of an organisation, or move it to another team',
    params,
    body: keyChange,
    audit: {
      ...told,
      action: 'organisation_key_updated',
      also: ({ params: { key_id } }, { data }) => ({ key_id, name: data.name, team_id: data.team_id }),
    },
    answers: { 200: answered(placedKeySchema) },
    handle: async (call) => {
      const acting = await standing(room, call, 'use');
      return ok(call, await changePlacedKey(room, acting, call.params.key_id, call.body));
    },
  }),
  defineRoute({
    ...base,
    method: 'post',
    path: `${root}/{id}/keys/{key_id}/rotate`,
    summary:
      'Rotate an API key of an organisation; the new secret is shown only once, and the old one keeps working for a while',
    idempotent: true,
    params,
    body: rotationSchema,
    audit: {
      ...told,
      action: 'organisation_key_rotated',
      also: ({ params: { key_id }, body: { overlap_seconds } }) => ({ key_id, overlap_seconds }),
    },
    answers: { 200: answered(placedKeySchema) },
    handle: async (call) => {
      const acting = await standing(room, call, 'use');
      call.headers['cache-control'] = 'no-store';
      const { sessionId } = call.principal;
      return ok(call, await rotatePlacedKey(room, acting, sessionId, call.params.key_id, call.body));
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${root}/{id}/keys/{key_id}/previous`,
    summary: 'Revoke the previous secret of a rotated API key of an organisation',
    params,
    audit: { ...told, action: 'organisation_key_overlap_ended', also: ({ params: { key_id } }) => ({ key_id }) },
    answers: { 200: done },
    handle: async (call) => {
      await endPlacedOverlap(room, await standing(room, call, 'use'), call.params.key_id);
      return json(call, { success: true, message: 'The old secret was revoked.' });
    },
  }),
  defineRoute({
    ...base,
    method: 'delete',
    path: `${root}/{id}/keys/{key_id}`,
    summary: 'Delete an API key of an organisation',
    params,
    audit: { ...told, action: 'organisation_key_deleted', also: ({ params: { key_id } }) => ({ key_id }) },
    answers: { 200: done },
    handle: async (call) => {
      await removePlacedKey(room, await standing(room, call, 'use'), call.params.key_id);
      return json(call, { success: true, message: 'The API key was deleted.' });
    },
  }),
];

import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import { answered } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../platform/http/route.ts';
import type { CatalogContext } from '../../routing/catalog/channels.ts';
import { ownKeySubject } from '../../routing/routes/own-keys.ts';
import { findOwnKey } from '../../routing/store/own-keys.ts';
import type { RelayDeps } from '../deps.ts';
import { testOwnKey } from '../endpoints/key-tests.ts';
import { testResult } from './channel-tools.ts';

export const ownKeyTestRoutes = (deps: RelayDeps, room: CatalogContext): Route[] => [
  defineRoute({
    tag: 'Routing',
    auth: 'session',
    errors: 'management',
    limit: { option: 'RateLimitApi', by: 'principal' },
    method: 'post',
    path: '/api/routing/own-keys/{id}/test',
    summary: 'Test one of your own provider keys with a minimal request',
    params: z.object({ id: idText }),
    audit: {
      action: 'own_key_tested',
      subject: ownKeySubject(room.db),
      id: (call) => call.params.id,
      also: (_, { data }) => ({ ok: data.ok }),
    },
    answers: { 200: answered(testResult) },
    handle: async (call) => {
      const record = await findOwnKey(room.db, call.params.id);
      if (!record || !('userId' in record.owner) || record.owner.userId !== call.principal.user.id)
        throw new AppError('not_found', `There is no key ${call.params.id}.`);
      return ok(call, await testOwnKey(deps, room, record, call));
    },
  }),
];

import { management } from '../../../platform/http/answers.ts';
import { idParams, nothingAsked, pageQuery, rangeOf } from '../../../platform/http/paging.ts';
import { defineRoute, ok, type Route } from '../../../platform/http/route.ts';
import type { SignInContext } from '../context.ts';
import {
  addProvider,
  changeProvider,
  getProvider,
  providerDefaults,
  removeProvider,
  testProvider,
} from '../providers.ts';
import { pageProviders } from '../store/providers.ts';
import { answers, providerChange, providerCreate } from './schemas.ts';
import { givenOf, providerSubject, viewProvider } from './views.ts';

const base = { ...management, tag: 'Administration', auth: 'admin', query: nothingAsked } as const;
const path = '/api/admin/identity-providers';

export const providerRoutes = (room: SignInContext): Route[] => [...readRoutes(room), ...writeRoutes(room)];

function readRoutes(room: SignInContext): Route[] {
  return [
    defineRoute({
      ...base,
      method: 'get',
      path,
      summary: 'List identity providers',
      query: pageQuery,
      answers: { 200: answers.providers },
      handle: async (call) => {
        const { page, page_size } = call.query;
        const { providers, total } = await pageProviders(room.db, rangeOf(call.query));
        return ok(call, { providers: providers.map((one) => viewProvider(room, one)), total, page, page_size });
      },
    }),
    defineRoute({
      ...base,
      method: 'get',
      path: `${path}/{id}`,
      summary: 'Get an identity provider',
      params: idParams,
      answers: { 200: answers.provider },
      handle: async (call) => ok(call, viewProvider(room, await getProvider(room, call.params.id))),
    }),
  ];
}

function writeRoutes(room: SignInContext): Route[] {
  const subject = providerSubject(room);
  return [
    defineRoute({
      ...base,
      method: 'post',
      path,
      summary: 'Connect an identity provider: OpenID Connect or GitHub',
      idempotent: true,
      body: providerCreate,
      audit: { action: 'identity_provider_created', subject, id: (_, answer) => answer?.data.id },
      answers: { 201: answers.provider },
      handle: async (call) => {
        const { slug, kind = providerDefaults.kind, name, issuer, client_id, ...rest } = call.body;
        const provider = await addProvider(room, call.principal.user, {
          ...{ ...providerDefaults, ...givenOf(rest) },
          ...{ slug, kind, name, issuer, clientId: client_id },
        });
        return ok(call, viewProvider(room, provider), 201);
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: `${path}/{id}`,
      summary:
        'Update an identity provider; omitted fields stay unchanged. Changing the origin requires the secret again',
      params: idParams,
      body: providerChange,
      audit: { action: 'identity_provider_updated', subject, id: (call) => call.params.id },
      answers: { 200: answers.provider },
      handle: async (call) => {
        const provider = await changeProvider(room, call.principal.user, call.params.id, givenOf(call.body));
        return ok(call, viewProvider(room, provider));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: `${path}/{id}`,
      summary: 'Disconnect an identity provider and all accounts connected through it',
      params: idParams,
      audit: { action: 'identity_provider_deleted', subject, id: (call) => call.params.id },
      answers: { 200: answers.done },
      handle: async (call) => {
        await removeProvider(room, call.params.id);
        return ok(call, { id: call.params.id });
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: `${path}/{id}/test`,
      summary: 'Fetch the current metadata of an identity provider',
      params: idParams,
      audit: {
        action: 'identity_provider_tested',
        subject,
        id: (call) => call.params.id,
        also: (_, { data }) => ({ ok: data.ok }),
      },
      answers: { 200: answers.test },
      handle: async (call) => ok(call, await testProvider(room, call.params.id)),
    }),
  ];
}

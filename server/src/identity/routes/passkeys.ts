import { z } from 'zod';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { answered, done, management } from '../../platform/http/answers.ts';
import { idText } from '../../platform/http/paging.ts';
import { type Call, defineRoute, json, ok, type Route } from '../../platform/http/route.ts';
import { shownName } from '../../platform/http/shown-text.ts';
import type { FactorDeps } from '../factors/deps.ts';
import { confirmAdding, dropUselessCodes, firstRecoveryCodes } from '../factors/enrol-totp.ts';
import { registerPasskey, registrationOptions } from '../factors/passkeys.ts';
import { factorsChanged } from '../factors/required.ts';
import type { LinkDeps } from '../links/deps.ts';
import { notifyOwner } from '../notices.ts';
import { factorsOf } from '../store/factors.ts';
import { deletePasskey, renamePasskey } from '../store/passkeys.ts';
import { noteFactor } from '../store/sessions.ts';
import { passkeySchema } from './factors.ts';
import { optionsAnswer, registrationBody, registrationOf } from './passkey-bodies.ts';

const base = { ...management, tag: 'Account', auth: 'session' } as const;
const nameRule = shownName(64);
const idOfCaller = (call: Call<'session'>) => call.principal.user.id;
const unknown = () => new AppError('not_found', 'There is no such passkey.');

export function passkeyRoutes(deps: FactorDeps & LinkDeps): Route[] {
  const subject = { type: 'passkey' };
  const shown = async (userId: number, id: number) =>
    (await factorsOf(deps.db, userId)).passkeys.find((passkey) => passkey.id === id);
  return [
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/passkeys/options',
      summary: 'Start registering a passkey; returns the options for the browser',
      body: z.object({ password: z.string().max(1000).optional() }),
      answers: { 200: answered(optionsAnswer) },
      handle: async (call) => {
        await confirmAdding(deps, call.principal, { password: call.body.password, ip: call.ip });
        return ok(call, await registrationOptions(deps, call.principal.user));
      },
    }),
    defineRoute({
      ...base,
      method: 'post',
      path: '/api/user/passkeys',
      summary: 'Register a passkey; the first factor comes with recovery codes, shown only once',
      body: z.object({ name: nameRule, response: registrationBody }),
      audit: {
        action: 'passkey_added',
        subject,
        id: (_, answer) => answer?.data.passkey.id,
        also: ({ body }) => ({ name: body.name }),
      },
      answers: {
        200: answered(z.object({ passkey: passkeySchema, recovery_codes: z.array(z.string()).optional() })),
      },
      handle: async (call) => {
        const userId = idOfCaller(call);
        const id = await registerPasskey(deps, call.principal.user, call.body.name, registrationOf(call.body.response));
        await noteFactor(deps.db, call.principal.sessionId, nowSeconds(deps.clock));
        notifyOwner(deps, userId, 'factor_added');
        const codes = await firstRecoveryCodes(deps, userId);
        call.headers['cache-control'] = 'no-store';
        return ok(call, { passkey: await shown(userId, id), ...(codes && { recovery_codes: codes }) });
      },
    }),
    defineRoute({
      ...base,
      method: 'put',
      path: '/api/user/passkeys/{id}',
      summary: 'Rename one of your passkeys',
      params: z.object({ id: idText }),
      body: z.object({ name: nameRule }),
      audit: {
        action: 'passkey_renamed',
        subject,
        id: (call) => call.params.id,
        also: ({ body }) => ({ name: body.name }),
      },
      answers: { 200: answered(passkeySchema) },
      handle: async (call) => {
        const { id } = call.params;
        if (!(await renamePasskey(deps.db, idOfCaller(call), id, call.body.name))) throw unknown();
        return ok(call, await shown(idOfCaller(call), id));
      },
    }),
    defineRoute({
      ...base,
      method: 'delete',
      path: '/api/user/passkeys/{id}',
      summary: 'Remove one of your passkeys',
      params: z.object({ id: idText }),
      audit: { action: 'passkey_removed', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        if (!(await deletePasskey(deps.db, idOfCaller(call), call.params.id))) throw unknown();
        await factorsChanged(deps, idOfCaller(call));
        await dropUselessCodes(deps, idOfCaller(call));
        notifyOwner(deps, idOfCaller(call), 'factor_removed');
        return json(call, { success: true, message: 'The passkey was removed.' });
      },
    }),
  ];
}

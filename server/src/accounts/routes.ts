import { z } from 'zod';
import { nowhere } from '../identity/audit/log.ts';
import { confirmClosing } from '../identity/close-account.ts';
import { withdrawInvitation } from '../identity/links/invitations.ts';
import type {} from '../identity/principals.ts';
import { requireLowerRole } from '../identity/role-checks.ts';
import { done, management } from '../platform/http/answers.ts';
import { generatedFile } from '../platform/http/generated-file.ts';
import { idText } from '../platform/http/paging.ts';
import { defineRoute, json, type Route } from '../platform/http/route.ts';
import type { AccountDataDeps } from './deps.ts';
import { exportText } from './export.ts';
import { deleteAccount } from './forget.ts';

/** Grouped by category; a download. */
const exportAnswer = z.looseObject({ exported_at: z.int(), user_id: z.int() });

/** Without a state: the account's own data has to go. */
const subject = { type: 'user' };

export function accountDataRoutes(deps: AccountDataDeps): Route[] {
  return [
    defineRoute({
      ...management,
      method: 'get',
      path: '/api/user/self/export',
      summary: 'Export all data stored about you, without secrets',
      tag: 'Account',
      auth: 'session',
      answers: { 200: exportAnswer },
      handle: (call) => {
        const { id } = call.principal.user;
        const file = { name: `svc-user-${id}.json`, type: 'application/json' };
        return generatedFile(call, file, exportText(deps, id));
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/user/self',
      summary: 'Delete your account and all its data; requires the password if one is set',
      tag: 'Account',
      auth: 'session',
      body: z.object({ password: z.string().min(1).max(1000).optional() }),
      audit: 'recorded',
      answers: { 200: done },
      handle: async (call) => {
        const { user } = call.principal;
        const { audit } = deps.accounts;
        await confirmClosing(deps.accounts, call.principal, { password: call.body.password, ip: call.ip });
        // Pending audit entries are written before they are anonymised; the address the account was closed from is
        // never kept.
        await audit.flush();
        await deleteAccount(deps, user.id);
        audit.record({
          action: 'user_deleted',
          actor: user.id,
          target: { ...subject, id: user.id },
          origin: nowhere,
        });
        await audit.flush();
        call.headers['set-cookie'] = deps.accounts.sessions.clearCookie;
        return json(call, { success: true, message: 'Your account is closed. Its data is being deleted.' });
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/admin/users/{id}',
      summary: 'Delete a user and all their data',
      tag: 'Administration',
      auth: 'admin',
      params: z.object({ id: idText }),
      audit: { action: 'user_deleted', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await requireLowerRole(deps.accounts.db, call.principal.user, call.params.id, 'delete');
        await deps.requirePerson(call.params.id);
        await deleteAccount(deps, call.params.id);
        return json(call, { success: true, message: 'The account is closed. Its data is being deleted.' });
      },
    }),
    defineRoute({
      ...management,
      method: 'delete',
      path: '/api/admin/invitations/{id}',
      summary: 'Revoke an invitation by the ID of its user; the link stops working and the unused account is closed',
      tag: 'Administration',
      auth: 'admin',
      params: z.object({ id: idText }),
      audit: { action: 'invitation_withdrawn', subject, id: (call) => call.params.id },
      answers: { 200: done },
      handle: async (call) => {
        await requireLowerRole(deps.accounts.db, call.principal.user, call.params.id, 'revoke the invitation of');
        await withdrawInvitation(deps.accounts, call.params.id);
        await deleteAccount(deps, call.params.id);
        return json(call, { success: true, message: 'The invitation was revoked.' });
      },
    }),
  ];
}

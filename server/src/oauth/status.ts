import type { Options } from '../identity/options.ts';
import { statuses } from '../identity/user.ts';
import { AppError } from '../lib/errors.ts';

/** States of an application; deleted is final. */
export const applicationStatus = { active: 1, suspended: 2, deleted: 3 } as const;

/** Columns of an unverified application. */
export const unverified = { is_verified: 0, verified_by: null, verified_at: null };

/** Owners who may log in. */
export const ownerEnabled = statuses.enabled;

/** Option `OAuth2Enabled`: if off, only revocation and reading work. */
export function requireEnabled(options: Options): void {
  if (!options.get('OAuth2Enabled')) throw new AppError('access_denied', 'OAuth is turned off on this server.');
}

/** Option `OAuth2RequireApproval`: only verified applications. */
export function requireVerified(options: Options, application: { is_verified: number }): void {
  if (options.get('OAuth2RequireApproval') && application.is_verified !== 1)
    throw new AppError('access_denied', 'This application has not been verified by an administrator.');
}

export const suspended = (): AppError => new AppError('access_denied', 'This application is suspended.');

/** Option `OAuth2ClientDocuments`: clients described by a document at their client id. */
export const readsDocuments = (options: Options): boolean =>
  options.get('OAuth2OpenIDConnect') && options.get('OAuth2ClientDocuments');

/** Whether an unowned application's way of access is enabled. */
export function takesPart(options: Options, application: { owner_id: number | null; source: string }): boolean {
  if (application.owner_id !== null) return true;
  return application.source === 'document' ? readsDocuments(options) : options.get('OAuth2OpenIDConnect');
}

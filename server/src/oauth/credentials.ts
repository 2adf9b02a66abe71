import { randomString } from '../lib/ids.ts';

/** Formats of spec §2.1. What does not look like a credential is not looked up. */
export const newClientId = (): string => `svc_${randomString(32)}`;
export const newClientSecret = (): string => `svcsec_${randomString(48)}`;
export const newCode = (): string => randomString(40);
export const newAccessToken = (): string => `svcat_${randomString(48)}`;
export const newRefreshToken = (): string => `svcrt_${randomString(48)}`;
export const newWebhookSecret = (): string => `svcwh_${randomString(48)}`;

export const isCode = (text: string): boolean => /^[0-9A-Za-z]{40}$/.test(text);
export const isAccessToken = (text: string): boolean => /^svcat_[0-9A-Za-z]{48}$/.test(text);
export const isRefreshToken = (text: string): boolean => /^svcrt_[0-9A-Za-z]{48}$/.test(text);

import type { Call } from '../../platform/http/route.ts';
import { relayRoute } from './json-endpoint.ts';

/** Settings shared by all endpoints in Google's format. */
export const geminiRoute = { ...relayRoute, auth: 'googleKey', errors: 'google' } as const;

export type GeminiCall = Call<'googleKey', unknown, unknown, { model: string }>;

/** The prefix is part of Google's names, and clients may add it twice. */
export const modelIn = ({ params }: Pick<GeminiCall, 'params'>): string => params.model.replace(/^models\//, '');

import type { Call } from '../../platform/http/route.ts';
import { relayRoute } from './json-endpoint.ts';

/** What all endpoints in Google's format say about themselves. */
export const geminiRoute = { ...relayRoute, auth: 'googleKey', errors: 'google' } as const;

export type GeminiCall = Call<'googleKey', unknown, unknown, { model: string }>;

/** The prefix is part of a name at Google's, and clients that have it from a list put it before the name once more. */
export const modelIn = ({ params }: Pick<GeminiCall, 'params'>): string => params.model.replace(/^models\//, '');

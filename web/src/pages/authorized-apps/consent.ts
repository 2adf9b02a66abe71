import type { Result } from '../../api.ts';

export type Consent = Result<'/api/oauth2/consents', 'get'>['consents'][number];

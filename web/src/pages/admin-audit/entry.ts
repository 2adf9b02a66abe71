import type { Result } from '../../api.ts';

export type Entry = Result<'/api/admin/audit', 'get'>['logs'][number];

import { queryOptions } from '@tanstack/react-query';
import { get } from '../../api.ts';

export const optionsQuery = queryOptions({
  queryKey: ['options'],
  queryFn: ({ signal }) => get('/api/admin/options', { signal }),
});

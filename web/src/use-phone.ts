import { useMediaQuery } from '@mantine/hooks';

/** The same breakpoint as in the styles that turn rows into cards. Known at the first paint, so that nothing shifts. */
export const usePhone = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

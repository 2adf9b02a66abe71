import { useMediaQuery } from '@mantine/hooks';

/** As wide as where the styles make cards of rows; known at the first paint, so that nothing changes places after it. */
export const usePhone = (): boolean => useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });

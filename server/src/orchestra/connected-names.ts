import { z } from 'zod';

/** The most tools that vendors accept in one request. */
export const mostTools = 128;
export const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 characters of A-Z a-z 0-9 _ -');

/** Which tools of connected servers may be used: the named ones, or (`true`) all that the user may use. */
export const connectedNames = z.union([z.literal(true), z.array(toolName).max(mostTools)], {
  error: 'must be true or a list of names',
});
export type ConnectedNames = z.infer<typeof connectedNames>;

export const namesAny = (names: ConnectedNames | undefined): names is ConnectedNames =>
  names === true || (names !== undefined && names.length > 0);

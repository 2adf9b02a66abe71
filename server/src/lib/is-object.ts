/** Whether a value of unknown making has members: lists have none that anybody would name. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

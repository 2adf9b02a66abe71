/** No room, none left for us, a disk that broke or only reads; or the bucket that takes its place. */
export const isUnkept = (thrown: unknown): boolean => {
  // Anything may be thrown.
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return name === 'S3Error' || ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String(code));
};

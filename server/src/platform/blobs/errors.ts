/** The disk is full, over quota, broken or read-only, or the bucket that replaces it is unavailable. */
export const isStorageFailure = (thrown: unknown): boolean => {
  // Anything may be thrown.
  const { code, name } = (thrown ?? {}) as { code?: unknown; name?: unknown };
  return name === 'S3Error' || ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String(code));
};

/** The blob was deleted after its answer had begun. */
export const isGone = (error: NodeJS.ErrnoException): boolean => error.code === 'ENOENT' || error.code === 'NoSuchKey';

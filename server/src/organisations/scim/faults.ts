import { AppError, type ErrorCode } from '../../lib/errors.ts';

/** RFC 7644 §3.12, table 9. */
type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidValue' | 'mutability' | 'noTarget' | 'tooMany' | 'uniqueness';

export const fault = (scimType: ScimType, message: string, code: ErrorCode = 'invalid_value'): AppError =>
  new AppError(code, message, { body: { scimType } });

export const taken = (message: string): AppError => fault('uniqueness', message, 'conflict');

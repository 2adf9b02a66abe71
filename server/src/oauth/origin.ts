/** Where a request came from, for the audit log. */
export interface Origin {
  ip: string;
  userAgent: string;
}

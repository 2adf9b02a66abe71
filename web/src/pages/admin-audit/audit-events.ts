interface EventWords {
  label: string;
  color: string;
}

/** Each kind of entry in words. */
export const auditEvents: Record<string, EventWords> = {
  authorization_granted: { label: 'Access granted', color: 'teal' },
  authorization_denied: { label: 'Access denied', color: 'orange' },
  token_issued: { label: 'Tokens issued', color: 'gray' },
  token_refreshed: { label: 'Tokens refreshed', color: 'gray' },
  token_revoked: { label: 'Token revoked', color: 'orange' },
  consent_revoked: { label: 'Access revoked', color: 'orange' },
  app_created: { label: 'Application registered', color: 'teal' },
  app_updated: { label: 'Application changed', color: 'gray' },
  app_deleted: { label: 'Application deleted', color: 'red' },
  secret_rotated: { label: 'Secret rotated', color: 'orange' },
  app_verified: { label: 'Application verified', color: 'teal' },
  app_suspended: { label: 'Application suspended', color: 'red' },
  app_activated: { label: 'Application activated', color: 'teal' },
};

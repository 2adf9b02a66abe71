interface EventWords {
  label: string;
  color: string;
}

/** Each kind of entry in words, by what it is about. */
const groups: Record<string, Record<string, [label: string, color: string]>> = {
  'Sign-in': {
    login_succeeded: ['Signed in', 'gray'],
    login_failed: ['Sign-in failed', 'orange'],
    logged_out: ['Signed out', 'gray'],
    session_ended: ['Session ended', 'gray'],
    other_sessions_ended: ['Other sessions ended', 'gray'],
    user_registered: ['Registered', 'teal'],
    identity_linked: ['Account connected', 'teal'],
    identity_unlinked: ['Account disconnected', 'orange'],
    step_up_succeeded: ['Second factor shown', 'gray'],
    step_up_failed: ['Second factor wrong', 'orange'],
  },
  Accounts: {
    user_created: ['User created', 'teal'],
    user_updated: ['User changed', 'indigo'],
    user_deleted: ['User deleted', 'red'],
    credits_granted: ['Credits given', 'teal'],
    codes_made: ['Codes made', 'teal'],
    code_updated: ['Code changed', 'orange'],
    code_redeemed: ['Code redeemed', 'teal'],
    topup_begun: ['Payment begun', 'gray'],
    topup_credited: ['Payment credited', 'teal'],
    topup_taken_back: ['Payment taken back', 'orange'],
    profile_changed: ['Profile changed', 'gray'],
    password_changed: ['Password changed', 'orange'],
    totp_enabled: ['Codes of an app turned on', 'teal'],
    totp_disabled: ['Codes of an app turned off', 'orange'],
    recovery_codes_renewed: ['Recovery codes renewed', 'orange'],
    user_invited: ['User invited', 'teal'],
    link_issued: ['Link issued', 'orange'],
    verification_sent: ['Verification sent', 'gray'],
    email_verified: ['Address verified', 'teal'],
    password_reset: ['Password reset', 'orange'],
    factors_removed: ['Second factors removed', 'orange'],
    passkey_added: ['Passkey added', 'teal'],
    passkey_renamed: ['Passkey renamed', 'gray'],
    passkey_removed: ['Passkey removed', 'orange'],
    key_created: ['Key created', 'teal'],
    key_updated: ['Key changed', 'gray'],
    key_deleted: ['Key deleted', 'red'],
    own_key_created: ['Own key for a provider added', 'teal'],
    own_key_updated: ['Own key for a provider changed', 'gray'],
    own_key_deleted: ['Own key for a provider removed', 'red'],
  },
  Service: {
    option_set: ['Option changed', 'indigo'],
    channel_created: ['Channel added', 'teal'],
    channel_updated: ['Channel changed', 'indigo'],
    channel_deleted: ['Channel deleted', 'red'],
    channel_tested: ['Channel tested', 'gray'],
    channel_models_synced: ['Models synced', 'gray'],
    channel_models_updated: ['Models changed', 'gray'],
    credential_created: ['Credential added', 'teal'],
    credential_updated: ['Credential changed', 'indigo'],
    credential_deleted: ['Credential deleted', 'red'],
    provider_model_created: ['Model added', 'teal'],
    provider_model_updated: ['Model changed', 'indigo'],
    provider_model_deleted: ['Model deleted', 'red'],
    model_alias_created: ['Alias added', 'teal'],
    model_alias_updated: ['Alias changed', 'indigo'],
    model_alias_deleted: ['Alias deleted', 'red'],
    routing_config_set: ['Routing changed', 'indigo'],
    routing_config_removed: ['Routing reset', 'gray'],
    identity_provider_created: ['Identity provider added', 'teal'],
    identity_provider_updated: ['Identity provider changed', 'indigo'],
    identity_provider_deleted: ['Identity provider deleted', 'red'],
    identity_provider_tested: ['Identity provider tested', 'gray'],
    encryption_key_rotated: ['Encryption key rotated', 'orange'],
  },
  Applications: {
    app_created: ['Application registered', 'teal'],
    app_updated: ['Application changed', 'gray'],
    app_deleted: ['Application deleted', 'red'],
    secret_rotated: ['Secret rotated', 'orange'],
    app_verified: ['Application verified', 'teal'],
    app_suspended: ['Application suspended', 'red'],
    app_activated: ['Application activated', 'teal'],
  },
  'Access through OAuth': {
    authorization_granted: ['Access granted', 'teal'],
    authorization_denied: ['Access denied', 'orange'],
    token_issued: ['Tokens issued', 'gray'],
    token_refreshed: ['Tokens refreshed', 'gray'],
    token_revoked: ['Token revoked', 'orange'],
    consent_revoked: ['Access revoked', 'orange'],
    consent_limit_changed: ['Spending limit changed', 'indigo'],
    token_exchanged: ['Token exchanged', 'gray'],
  },
};

const words = new Map<string, EventWords>(
  Object.values(groups).flatMap((events) =>
    Object.entries(events).map(([action, [label, color]]) => [action, { label, color }] as const),
  ),
);

/** Events without a text here are shown by the service's own name. */
export const wordsOf = (action: string): EventWords => words.get(action) ?? { label: action, color: 'gray' };

export const eventChoices = Object.entries(groups).map(([group, events]) => ({
  group,
  items: Object.entries(events).map(([value, [label]]) => ({ value, label })),
}));

const kinds: Record<string, string> = {
  api_key: 'key',
  identity: 'account at',
  identity_provider: 'identity provider',
  provider_model: 'model',
  routing_config: 'routing of',
};

export const kindOf = (type: string): string => kinds[type] ?? type;

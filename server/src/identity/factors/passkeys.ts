import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { nowSeconds } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { sha256Hex } from '../../lib/hashing.ts';
import { inTurn } from '../../platform/db/with-lock.ts';
import { insertOneTime, type OneTimeRow, takeOneTime } from '../store/one-time.ts';
import { findPasskey, insertPasskey, listPasskeys, notePasskeyUse, type PasskeyRow } from '../store/passkeys.ts';
import type { User } from '../user.ts';
import type { FactorDeps } from './deps.ts';
import { factorsChanged } from './required.ts';

/** Loaded with the first passkey: it takes longer than the rest of a start. */
const loadWebAuthn = () => import('@simplewebauthn/server');

/** Time to find the device and authenticate. */
const challengeSeconds = 300;
/** More than anybody owns, and few enough to list. */
const mostPasskeys = 20;

const tooMany = () =>
  new AppError('conflict', `You have reached the limit of ${mostPasskeys} passkeys. Remove one first.`);

export type Purpose = 'passkey_registration' | 'passkey_sign_in' | 'passkey_step_up';

/** The relying party: the web app's public address, never taken from a request. */
const partyOf = ({ webUrl }: FactorDeps) => {
  const { hostname, origin } = new URL(webUrl);
  return { rpID: hostname, origin };
};

async function keepChallenge(deps: FactorDeps, challenge: string, purpose: Purpose, userId: number | null) {
  const now = nowSeconds(deps.clock);
  await insertOneTime(deps.db, {
    secret_hash: sha256Hex(challenge),
    purpose,
    user_id: userId,
    about: '',
    created_at: now,
    expires_at: now + challengeSeconds,
  });
}

/** The answered challenge, if it was issued for this purpose and is unused. */
async function takeChallenge(
  deps: FactorDeps,
  clientDataJSON: string,
  purpose: Purpose,
): Promise<{ challenge: string; given: OneTimeRow } | null> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === null) return null;
  const shown = { secretHash: sha256Hex(challenge), purpose, now: nowSeconds(deps.clock) };
  const given = await takeOneTime(deps.db, shown);
  return given && { challenge, given };
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

export async function registrationOptions(
  deps: FactorDeps,
  user: User,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const own = await listPasskeys(deps.db, user.id);
  if (own.length >= mostPasskeys) throw tooMany();
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'svc',
    rpID: partyOf(deps).rpID,
    userName: user.username,
    userDisplayName: user.display_name,
    userID: new TextEncoder().encode(`${user.id}`),
    attestationType: 'none',
    excludeCredentials: own.map((passkey) => ({ id: passkey.credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    timeout: challengeSeconds * 1000,
  });
  await keepChallenge(deps, options.challenge, 'passkey_registration', user.id);
  return options;
}

const notRegistered = (detail?: unknown) =>
  new AppError('invalid_value', 'The passkey could not be registered. Start again.', { param: 'response' }, detail);

export async function registerPasskey(
  deps: FactorDeps,
  user: User,
  name: string,
  response: RegistrationResponseJSON,
): Promise<number> {
  const taken = await takeChallenge(deps, response.response.clientDataJSON, 'passkey_registration');
  if (taken?.given.user_id !== user.id) throw notRegistered();
  const { rpID, origin } = partyOf(deps);
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: taken.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw notRegistered(error);
  });
  if (!verified.verified) throw notRegistered();
  const { credential } = verified.registrationInfo;
  const passkey = {
    user_id: user.id,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    name,
    created_at: nowSeconds(deps.clock),
    last_used_at: null,
  };
  const id = await inTurn(deps.db, 'passkeys', user.id, async (tx) => {
    // Again: several registrations may have begun before.
    if ((await listPasskeys(tx, user.id)).length >= mostPasskeys) throw tooMany();
    return insertPasskey(tx, passkey);
  });
  if (id === null) throw new AppError('conflict', 'This passkey is already registered.');
  await factorsChanged(deps, user.id);
  return id;
}

/** Names no credentials: the device offers its own, so that nobody learns who has one. */
export async function authenticationOptions(
  deps: FactorDeps,
  purpose: Purpose,
  userId: number | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: partyOf(deps).rpID,
    userVerification: 'required',
    allowCredentials: [],
    timeout: challengeSeconds * 1000,
  });
  await keepChallenge(deps, options.challenge, purpose, userId);
  return options;
}

const notProven = (detail?: unknown) =>
  new AppError('wrong_credentials', 'This passkey was not accepted. Try again.', {}, detail);

/** WebAuthn §7.2: the user handle must match our record, if the device sends one. */
const isOf = ({ user_id }: PasskeyRow, userHandle: string | undefined): boolean =>
  userHandle === undefined || Buffer.from(userHandle, 'base64url').toString('utf8') === `${user_id}`;

/** The user whose passkey answered the challenge. */
export async function provePasskey(
  deps: FactorDeps,
  purpose: Purpose,
  response: AuthenticationResponseJSON,
): Promise<{ passkey: PasskeyRow; given: OneTimeRow }> {
  const taken = await takeChallenge(deps, response.response.clientDataJSON, purpose);
  const passkey = await findPasskey(deps.db, response.id);
  if (!taken || !passkey || !isOf(passkey, response.response.userHandle)) throw notProven();
  const { rpID, origin } = partyOf(deps);
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: taken.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      counter: passkey.counter,
      transports: JSON.parse(passkey.transports),
    },
  }).catch((error: unknown) => {
    throw notProven(error);
  });
  if (!verified.verified) throw notProven();
  const { newCounter } = verified.authenticationInfo;
  if (!(await notePasskeyUse(deps.db, passkey, newCounter, nowSeconds(deps.clock)))) throw notProven();
  return { passkey, given: taken.given };
}

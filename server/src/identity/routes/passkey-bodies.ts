import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';

/** Binary values in base64url; authenticators send far shorter ones. */
const bytes = z
  .string()
  .max(16_384)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');
const credentialId = bytes.max(1400);

const common = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
};
/** Extension results are not used. */
const nothing = z.object({}).default({});

/** What `navigator.credentials.create` gave, as JSON (WebAuthn §5.1, `RegistrationResponseJSON`). */
export const registrationBody = z.object({
  ...common,
  clientExtensionResults: nothing,
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z
      .array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']))
      .max(10)
      .optional(),
  }),
});

/** What `navigator.credentials.get` gave, as JSON (WebAuthn §5.1, `AuthenticationResponseJSON`). */
export const assertionBody = z.object({
  ...common,
  clientExtensionResults: nothing,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.optional(),
  }),
});

/* The same for the library, whose types do not allow undefined members. */
export const registrationOf = (body: z.infer<typeof registrationBody>) => body as RegistrationResponseJSON;
export const assertionOf = (body: z.infer<typeof assertionBody>) => body as AuthenticationResponseJSON;

/** Passed to the browser as it is. */
export const optionsAnswer = z.looseObject({ challenge: z.string() });

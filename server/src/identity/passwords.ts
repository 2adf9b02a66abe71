/** OWASP's least for argon2id: strong enough, and thirty logins at once still fit into memory. */
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, cost);

/** Compared against when there is no such user, so that both answers take the same time. */
let decoy: Promise<string> | null = null;

export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  decoy ??= hashPassword('decoy for unknown users');
  const matches = await Bun.password.verify(password, hash ?? (await decoy));
  return matches && hash !== null;
}

import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { McpServer, McpTool } from './mcp-servers.ts';

/** The administrator's settings for a tool. */
export interface Choice {
  allowed: boolean;
  askFirst: boolean;
  /** Price per call; may be partially typed. */
  usd: number | string;
  /** Whether to approve the server's current definition; irrelevant if it has not changed. */
  approve: boolean;
}

export type Choices = Record<string, Choice>;

type Priced = Pick<McpServer, 'tools' | 'owner_id'>;

const allowedOf = (server: Priced, name: string) => server.tools.find((tool) => tool.name === name);

/** Payments go to the operator, so tools of a user's or organisation's own server are free. */
export const hasPrices = ({ owner_id }: Pick<McpServer, 'owner_id'>): boolean => owner_id === null;

export const choicesOf = (tools: readonly McpTool[], server: Priced): Choices =>
  Object.fromEntries(
    tools.map(({ name, approved, state }) => {
      const usd = usdOfQuota(allowedOf(server, name)?.price ?? 0);
      const askFirst = approved?.ask_first ?? false;
      return [name, { allowed: approved !== null, askFirst, usd, approve: state === 'new' }];
    }),
  );

/** The largest possible balance. */
const mostQuota = 1e12;

/** Validation errors of the prices, by tool name. */
export const priceFaultsOf = (choices: Choices): Record<string, string> =>
  Object.fromEntries(
    Object.entries(choices)
      .filter(([, { allowed, usd }]) => {
        const quota = quotaOfUsd(Number(usd));
        return allowed && (usd === '' || !Number.isSafeInteger(quota) || quota < 0 || quota > mostQuota);
      })
      .map(([name]) => [name, t('Enter an amount from $0 to $2,000,000.')]),
  );

/** All allowed tools. A changed tool keeps its previous definition until the new one is approved. */
export const wantedOf = (tools: readonly McpTool[], choices: Choices, server: Priced) =>
  tools.flatMap(({ name, definition }) => {
    const choice = choices[name];
    if (!choice?.allowed) return [];
    const before = allowedOf(server, name)?.definition;
    return [
      {
        ...{ name, definition: choice.approve ? definition : (before ?? definition), ask_first: choice.askFirst },
        ...(hasPrices(server) && { price: quotaOfUsd(Number(choice.usd)) }),
      },
    ];
  });

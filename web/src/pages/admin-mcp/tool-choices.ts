import { quotaOfUsd, usdOfQuota } from '../../format.ts';
import { t } from '../../language/words.ts';
import type { McpServer, McpTool } from './mcp-servers.ts';

/** What is wanted of a tool. */
export interface Choice {
  allowed: boolean;
  askFirst: boolean;
  /** Of each call; may be half typed. */
  usd: number | string;
  /** What the server says now is what is approved; where nothing changed there is nothing to say. */
  approve: boolean;
}

export type Choices = Record<string, Choice>;

type Priced = Pick<McpServer, 'tools' | 'owner_id'>;

const allowedOf = (server: Priced, name: string) => server.tools.find((tool) => tool.name === name);

/** What is paid goes to the operator: tools of a user's own server cost nothing. */
export const hasPrices = ({ owner_id }: Pick<McpServer, 'owner_id'>): boolean => owner_id === null;

export const choicesOf = (tools: readonly McpTool[], server: Priced): Choices =>
  Object.fromEntries(
    tools.map(({ name, approved, state }) => {
      const usd = usdOfQuota(allowedOf(server, name)?.price ?? 0);
      const askFirst = approved?.ask_first ?? false;
      return [name, { allowed: approved !== null, askFirst, usd, approve: state === 'new' }];
    }),
  );

/** As much as a balance can be. */
const mostQuota = 1e12;

/** What the service would refuse of the prices, by the tools' names. */
export const priceFaultsOf = (choices: Choices): Record<string, string> =>
  Object.fromEntries(
    Object.entries(choices)
      .filter(([, { allowed, usd }]) => {
        const quota = quotaOfUsd(Number(usd));
        return allowed && (usd === '' || !Number.isSafeInteger(quota) || quota < 0 || quota > mostQuota);
      })
      .map(([name]) => [name, t('An amount from $0 to $2,000,000.')]),
  );

/** All that is allowed. A tool that changed keeps the definition from before until the new one is approved. */
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

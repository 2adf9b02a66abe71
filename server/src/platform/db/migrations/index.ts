import type { Migration } from '../migration.ts';
import { migration as identity } from './0001-identity.ts';
import { migration as jobs } from './0002-jobs.ts';
import { migration as billing } from './0003-billing.ts';
import { migration as catalog } from './0004-catalog.ts';
import { migration as routing } from './0005-routing.ts';
import { migration as oauth } from './0006-oauth.ts';
import { migration as orchestra } from './0007-orchestra.ts';
import { migration as video } from './0008-video.ts';
import { migration as autonomous } from './0009-autonomous.ts';
import { migration as tokenIds } from './0010-oauth-token-ids.ts';
import { migration as leanHolds } from './0011-lean-holds.ts';
import { migration as chargesOnce } from './0012-charges-once.ts';
import { migration as openingBalances } from './0013-opening-balances.ts';
import { migration as reserves } from './0014-reserves.ts';
import { migration as decisionChoices } from './0015-decision-choices.ts';
import { migration as filedUsage } from './0016-filed-usage.ts';

/** In order; a room that adds tables adds a file here and one line. */
export const migrations: Migration[] = [
  identity,
  jobs,
  billing,
  catalog,
  routing,
  oauth,
  orchestra,
  video,
  autonomous,
  tokenIds,
  leanHolds,
  chargesOnce,
  openingBalances,
  reserves,
  decisionChoices,
  filedUsage,
];

import { writePage } from './page/write.ts';
import { before } from './suites/before.ts';
import { disk } from './suites/disk.ts';
import { firstPage } from './suites/first-page.ts';
import { growth } from './suites/growth.ts';
import { levels } from './suites/levels.ts';
import { lists } from './suites/lists.ts';
import { locomo } from './suites/locomo.ts';
import { mcp } from './suites/mcp.ts';
import { oauth } from './suites/oauth.ts';
import { objects } from './suites/objects.ts';
import { orchestration } from './suites/orchestration.ts';
import { recall } from './suites/recall.ts';
import { relay } from './suites/relay.ts';
import { responses } from './suites/responses.ts';
import { retrieval } from './suites/retrieval.ts';
import { scale } from './suites/scale.ts';
import { startUp } from './suites/start.ts';
import { stream } from './suites/stream.ts';
import { talks } from './suites/talks.ts';

/** To add a benchmark, add a file and a line here. */
const suites: Record<string, () => Promise<void>> = {
  relay,
  objects,
  responses,
  stream,
  levels,
  mcp,
  oauth,
  start: startUp,
  'first-page': firstPage,
  growth,
  lists,
  scale,
  disk,
  orchestration,
  retrieval,
  recall,
  talks,
  locomo,
  before,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !suites[name]);
if (unknown.length > 0) {
  console.error(`There is no benchmark named ${unknown.join(', ')}. Choose from: ${Object.keys(suites).join(', ')}.`);
  process.exit(1);
}
for (const name of asked.length > 0 ? asked : Object.keys(suites)) await suites[name]!();
writePage();

// Imports run one way: main → app → feature rooms → platform → lib, and among feature rooms as this table says.
// The README draws it; a test holds the two together.
export const below = {
  identity: [],
  billing: ['identity'],
  routing: [],
  relay: ['routing', 'billing', 'identity'],
  mcp: ['identity'],
  agents: ['mcp'],
  batches: ['relay', 'billing', 'identity'],
  orchestra: ['relay', 'routing', 'billing', 'identity'],
  video: ['routing', 'billing', 'identity'],
  topups: ['billing', 'identity'],
  playground: ['identity'],
  oauth: ['identity'],
  organisations: ['routing', 'billing', 'identity'],
  requests: ['orchestra', 'relay', 'routing', 'billing', 'identity'],
  intake: ['topups', 'routing', 'identity'],
  overview: ['organisations', 'routing', 'billing', 'identity'],
  accounts: [
    'requests',
    'organisations',
    'batches',
    'mcp',
    'orchestra',
    'video',
    'topups',
    'playground',
    'oauth',
    'relay',
    'routing',
    'billing',
    'identity',
  ],
};
const rooms = Object.keys(below);
const tests = '\\.(test|fixture)\\.tsx?$';
const room = (names) => `^server/src/(${names.join('|')})/`;

const roomDirection = rooms.map((name) => ({
  name: `${name}-imports-downwards`,
  comment: `${name} may import ${below[name].join(', ') || 'no other feature room'}, platform and lib`,
  severity: 'error',
  from: { path: room([name]), pathNot: tests },
  to: { path: room(rooms.filter((other) => other !== name && !below[name].includes(other))) },
}));

const storesOwnRoom = rooms.map((name) => ({
  name: `${name}-store-stays-home`,
  comment: "a store writes its own room's tables and asks no other room",
  severity: 'error',
  from: { path: `^server/src/${name}/.*\\bstore\\b`, pathNot: tests },
  to: { path: '^server/src/(?!lib/|platform/)', pathNot: `^server/src/${name}/` },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^bun(:|$)|\\.gen\\.ts$' },
    },
    {
      name: 'lib-is-pure',
      comment: 'lib imports nothing of ours but lib',
      severity: 'error',
      from: { path: '^server/src/lib/', pathNot: tests },
      to: { path: '^(server/src/(?!lib/)|web/|e2e/|bench/|scripts/)' },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^server/src/platform/', pathNot: tests },
      to: { path: '^(server/src/(?!lib/|platform/)|web/|e2e/|bench/|scripts/)' },
    },
    {
      name: 'rooms-do-not-know-the-app',
      severity: 'error',
      from: { path: room(rooms), pathNot: tests },
      to: { path: '^server/src/[^/]+\\.ts$' },
    },
    {
      name: 'only-main-knows-the-commands',
      severity: 'error',
      from: { path: '^server/src/', pathNot: `^server/src/(main\\.ts$|cli/)|${tests}` },
      to: { path: '^server/src/cli/' },
    },
    {
      name: 'only-main-starts-the-server',
      severity: 'error',
      from: { path: '^server/src/', pathNot: `^server/src/main\\.ts$|${tests}` },
      to: { path: '^server/src/main\\.ts$' },
    },
    ...roomDirection,
    ...storesOwnRoom,
    {
      name: 'only-routes-know-http',
      comment: "below a room's routes are plain functions; outgoing calls and paging are not about our own HTTP",
      severity: 'error',
      from: { path: room(rooms), pathNot: `\\broutes?\\b|${tests}` },
      to: {
        path: '^server/src/platform/http/(mount|route|renderers|limits|parse|body|headers|openapi|server|web-assets)',
        // Declaring a kind of caller (`declare module …`) needs the name of the module, not its functions.
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-stores-write-sql',
      comment: 'Kysely below stores and migrations only; everything else asks a store',
      severity: 'error',
      from: { path: room(rooms), pathNot: `\\bstore\\b|${tests}` },
      to: { path: 'node_modules/kysely', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'wire-and-providers-are-pure',
      comment: 'wire formats and providers know nothing of users, money or storage',
      severity: 'error',
      from: { path: '^server/src/relay/(wire|providers)/', pathNot: tests },
      to: { path: '^server/src/(?!lib/|relay/(wire|providers)/|platform/http/outgoing|routing/candidate\\.ts)' },
    },
    {
      name: 'web-stands-alone',
      comment: 'the web app knows the server by its OpenAPI document only',
      severity: 'error',
      from: { path: '^web/', pathNot: tests },
      to: { path: '^(server|e2e|bench|scripts)/' },
    },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '^(server|web)/', pathNot: tests },
      to: { path: `${tests}|^e2e/` },
    },
    {
      name: 'no-development-dependency-in-the-product',
      severity: 'error',
      from: { path: '^(server|web)/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API in JavaScript; swc reads the same syntax and sees `import type` too.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // The peers of the benchmarks and the clients have dependencies of their own, installed on first use.
    exclude: { path: '\\.gen\\.ts$|\\.css$|^bench/peers/|^e2e/clients/(sdk|node_modules)/|^e2e/conformance/programs/' },
    builtInModules: { add: ['bun', 'bun:test', 'bun:sqlite', 'bun:ffi'] },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};

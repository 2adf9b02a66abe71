/**
 * The program that the protocol's tests start as the client under test, with the address of a server. The gateway is the
 * client; the run that started the tests (`as-client.ts`) drives it. Exits with 1 if that failed.
 */
const { SVC_WALK = '', MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const answer = await fetch(SVC_WALK, {
  method: 'POST',
  body: JSON.stringify({ url: process.argv.at(-1), scenario, context: JSON.parse(context) }),
  signal: AbortSignal.timeout(60_000),
});
console.log(await answer.text());
process.exit(answer.ok ? 0 : 1);

export {};

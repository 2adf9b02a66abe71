/**
 * What the protocol's tests start as the client under test, with the address of a server: the gateway is the client, and the
 * run that started the tests (`as-client.ts`) makes it one. Ends with 1 where that failed.
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

/** Tools of the server with sessions that ask the client something while they run. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { ScriptedTool } from '../../server/src/mcp/mcp.fixture.ts';

type Elicitation = Parameters<ServerContext['mcpReq']['elicitInput']>[0];
type Properties = Extract<Elicitation, { requestedSchema: unknown }>['requestedSchema']['properties'];

async function elicited({ mcpReq }: ServerContext, message: string, properties: Properties, required: string[] = []) {
  const requestedSchema = { type: 'object' as const, properties, required };
  const { action, content } = await mcpReq.elicitInput({ mode: 'form', message, requestedSchema });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}

/** SEP-1034: a default value of each type. */
const withDefaults: Properties = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = (kind: string) =>
  ['First', 'Second', 'Third'].map((which, at) => ({ const: `value${at + 1}`, title: `${which} ${kind}` }));

/** SEP-1330: the five ways to choose from a list. */
const choices: Properties = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

const text = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });

export const askingBack: ScriptedTool[] = [
  {
    name: 'test_sampling',
    inputSchema: text('prompt'),
    answer: async ({ prompt }, { mcpReq }) => {
      const content = { type: 'text' as const, text: String(prompt) };
      const said = await mcpReq.requestSampling({ messages: [{ role: 'user', content }], maxTokens: 100 });
      return `LLM response: ${JSON.stringify(said.content)}`;
    },
  },
  {
    name: 'test_elicitation',
    inputSchema: text('message'),
    answer: async ({ message }, context) => {
      const asked: Properties = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      };
      return `User response: ${await elicited(context, String(message), asked, ['username', 'email'])}`;
    },
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    answer: async (_, context) =>
      `Elicitation completed: ${await elicited(context, 'Please look this over', withDefaults)}`,
  },
  {
    name: 'test_elicitation_sep1330_enums',
    answer: async (_, context) => `Elicitation completed: ${await elicited(context, 'Please choose', choices)}`,
  },
];

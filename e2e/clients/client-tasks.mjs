/** What clients are asked to do, and what they must bring back; a client's file in sdk/ says how it is told to. */
export const prompt = 'hi';
export const toolPrompt = 'What is the weather in Paris?';
export const weather = ({ city }) => `sunny in ${city}`;
export const weatherSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

export const asks = {
  whole: { means: 'a whole answer', expected: 'Hello, world' },
  stream: { means: 'a streamed answer', expected: 'Hello, world' },
  tools: { means: 'a tool called, its result given back, the answer to it', expected: 'It is sunny.' },
  structured: { means: 'an object of a schema', expected: 'Paris' },
  turns: { means: 'a second turn on the first by its id alone', expected: 'Hello again' },
  embeddings: { means: 'vectors of texts', expected: 2 },
  rerank: { means: 'documents by relevance', expected: 2 },
};

export const textOf = async (stream, pick) => {
  let text = '';
  for await (const piece of stream) text += pick(piece) ?? '';
  return text;
};

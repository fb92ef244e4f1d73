/** The same question in every client. */
export const MESSAGES = [{ role: 'user', content: 'What is the weather?' }]
export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'The weather of a city',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
      },
    },
  },
]

/** The body of a kind, as OpenAI's own clients send it. */
export function bodyOf(kind, model) {
  const body = { model, messages: MESSAGES }
  if (kind.startsWith('tools')) body.tools = TOOLS
  if (kind.includes('stream')) body.stream = true
  if (kind === 'stream-usage') body.stream_options = { include_usage: true }
  return body
}

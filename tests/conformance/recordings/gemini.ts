import { type Recording, stream, whole } from './recording.ts'

const GOOGLE = 24
const protocol = 'gemini' as const

const USAGE = {
  promptTokenCount: 12,
  candidatesTokenCount: 5,
  thoughtsTokenCount: 2,
  cachedContentTokenCount: 4,
  totalTokenCount: 19,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 12 }],
}
const reply = (parts: readonly object[], finishReason = 'STOP', more: object = {}): object => ({
  candidates: [
    {
      content: { role: 'model', parts },
      index: 0,
      ...(finishReason !== '' && { finishReason }),
      ...more,
    },
  ],
  usageMetadata: USAGE,
  modelVersion: 'served-model',
  responseId: 'resp-1',
})
const CALLS = [
  {
    functionCall: { id: 'call-1', name: 'weather', args: { city: 'Bern' } },
    thoughtSignature: 'CvcB',
  },
  { functionCall: { id: 'call-2', name: 'weather', args: { city: 'Oslo' } } },
]
/** An event stream as Google writes one: with carriage returns, without an event that ends it. */
const events = (values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join('')

const error = (
  code: number,
  status: string,
  message: string,
  details?: readonly object[],
): object => ({
  error: { code, message, status, ...(details && { details }) },
})
const RETRY = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]

/** Answers of Google's Gemini API. */
export const GEMINI_RECORDINGS: readonly Recording[] = [
  whole('gemini-whole', GOOGLE, reply([{ text: 'Think', thought: true }, { text: 'Hello' }]), {
    protocol,
  }),
  whole(
    'gemini-grounded',
    GOOGLE,
    reply([{ text: 'Hello' }], 'STOP', {
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
      groundingMetadata: {
        webSearchQueries: ['weather'],
        groundingChunks: [{ web: { uri: 'https://example.com', title: 'A' } }],
      },
      avgLogprobs: -0.5,
    }),
    { protocol },
  ),
  whole(
    'gemini-blocked',
    GOOGLE,
    {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
      modelVersion: 'served-model',
    },
    { protocol },
  ),
  whole('gemini-calls', GOOGLE, reply(CALLS), { protocol, kinds: ['tools'] }),
  stream(
    'gemini-stream',
    GOOGLE,
    events([
      reply([{ text: 'Think', thought: true }], ''),
      reply([{ text: 'Hel' }], ''),
      reply([{ text: 'lo', thoughtSignature: 'CvcB' }]),
    ]),
    { protocol, kinds: ['stream'] },
  ),
  stream('gemini-calls-stream', GOOGLE, events([reply(CALLS, ''), reply([{ text: '' }])]), {
    protocol,
    kinds: ['tools-stream'],
  }),
  ...[
    error(400, 'INVALID_ARGUMENT', 'Please use a valid role: user, model.'),
    error(404, 'NOT_FOUND', 'models/served-model is not found'),
    error(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota', RETRY),
    error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
  ].map((body) => {
    const { code } = (body as { error: { code: number } }).error
    return whole(`gemini-${code}`, GOOGLE, body, {
      status: code,
      protocol,
      kinds: ['chat', 'stream'],
    })
  }),
]

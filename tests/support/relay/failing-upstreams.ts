import type { ServerResponse } from 'node:http'
import type { JsonObject } from '@tollgate/relay/json.ts'
import { awsEvent, awsException } from './aws-message.ts'

/** For tests: how providers of a protocol fail, and the answer that they fail within. */
export interface FailingProtocol {
  /** The body of an answer of another status than 200. */
  refusal(status: number, message: string): object
  /** Headers that go with it. */
  refusalHeaders?(status: number): Readonly<Record<string, string>>
  /** A mistake of the client's, told in an answer of status 200. */
  refusalWithin(message: string): object
  /** A whole answer that says {@link SAID}. */
  readonly whole: object
  readonly streamType: string
  /** The stream's beginning, before its content. */
  readonly begun: string | Buffer
  /** Its content, in two pieces: {@link SAID}. */
  readonly content: readonly (string | Buffer)[]
  /** An error within a stream: too many requests. */
  error(message: string): string | Buffer
  readonly garbage: string | Buffer
  /** Tokens of prompt and output that `begun` and `content` report; null = none. */
  readonly reported: { readonly input: number | null; readonly output: number | null }
}

export const SAID = 'Half an answer'
const PIECES = ['Half an', ' answer'] as const
const INPUT = 100
const OUTPUT = 3
const NOT_REPORTED = { input: null, output: null } as const

const event = (data: JsonObject, name = ''): string =>
  `${name === '' ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

/** Types of errors at Anthropic (platform.claude.com/docs/en/api/errors) and OpenAI. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [429, 'rate_limit_error'],
])
const typeOf = (status: number): string => TYPES.get(status) ?? 'api_error'
const openAiRefusal = (status: number, message: string): object => ({
  error: { message, type: typeOf(status), param: null, code: `code_${status}` },
})
const OPENAI_USAGE = { prompt_tokens: INPUT, completion_tokens: OUTPUT, total_tokens: 103 }
const chunk = (delta: JsonObject): string =>
  event({ id: 'chat_1', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })

const chat: FailingProtocol = {
  refusal: openAiRefusal,
  refusalWithin: (said) => openAiRefusal(400, said),
  whole: {
    id: 'chat_1',
    choices: [{ index: 0, message: { role: 'assistant', content: SAID }, finish_reason: 'stop' }],
    usage: OPENAI_USAGE,
  },
  streamType: 'text/event-stream',
  begun: ': wait\n\n',
  content: PIECES.map((content) => chunk({ content })),
  error: (message) =>
    event({ error: { message, type: 'rate_limit_error', code: 'rate_limit_exceeded' } }),
  garbage: 'data: <html>\n\n',
  reported: NOT_REPORTED,
}

const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: SAID, annotations: [] }],
}
const made = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5-mini' }
const responses: FailingProtocol = {
  refusal: openAiRefusal,
  refusalWithin: (said) => openAiRefusal(400, said),
  whole: {
    ...made,
    status: 'completed',
    output: [message],
    usage: { input_tokens: INPUT, output_tokens: OUTPUT, total_tokens: 103 },
  },
  streamType: 'text/event-stream',
  begun: event(
    { type: 'response.created', sequence_number: 0, response: { ...made, status: 'in_progress' } },
    'response.created',
  ),
  content: PIECES.map((delta, index) =>
    event(
      {
        type: 'response.output_text.delta',
        sequence_number: index + 1,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta,
      },
      'response.output_text.delta',
    ),
  ),
  error: (said) =>
    event(
      {
        type: 'error',
        sequence_number: 3,
        code: 'rate_limit_exceeded',
        message: said,
        param: null,
      },
      'error',
    ),
  garbage: 'event: x\ndata: <html>\n\n',
  reported: NOT_REPORTED,
}

const claudeError = (type: string, said: string): JsonObject => ({
  type: 'error',
  error: { type, message: said },
  request_id: 'req_1',
})
const claudeHead = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' }
const claudeBegun = {
  type: 'message_start',
  message: { ...claudeHead, content: [], usage: { input_tokens: INPUT, output_tokens: 1 } },
}
const claudeContent: readonly JsonObject[] = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ...PIECES.map((text) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  })),
]
const named = (one: JsonObject): string => event(one, String(one['type']))

const claude: FailingProtocol = {
  refusal: (status, said) => claudeError(typeOf(status), said),
  refusalWithin: (said) => claudeError(typeOf(400), said),
  whole: {
    ...claudeHead,
    content: [{ type: 'text', text: SAID }],
    stop_reason: 'end_turn',
    usage: { input_tokens: INPUT, output_tokens: OUTPUT },
  },
  streamType: 'text/event-stream',
  begun: named(claudeBegun),
  content: claudeContent.map(named),
  error: (said) => named(claudeError('rate_limit_error', said)),
  garbage: 'event: content_block_delta\ndata: <html>\n\n',
  reported: { input: INPUT, output: null },
}

/** Bedrock's exceptions (docs.aws.amazon.com/bedrock/latest/APIReference, InvokeModel). */
const EXCEPTIONS: ReadonlyMap<number, string> = new Map([
  [400, 'ValidationException'],
  [401, 'UnrecognizedClientException'],
  [429, 'ThrottlingException'],
])
const bedrock: FailingProtocol = {
  ...claude,
  refusal: (_status, said) => ({ message: said }),
  refusalHeaders: (status) => ({
    'x-amzn-errortype': EXCEPTIONS.get(status) ?? 'InternalServerException',
  }),
  streamType: 'application/vnd.amazon.eventstream',
  begun: awsEvent(claudeBegun),
  content: claudeContent.map(awsEvent),
  error: (said) => awsException('throttlingException', said),
  garbage: Buffer.from('<html>it is no message of a stream</html>'),
}

/** Google's names of statuses (google.rpc.Code). */
const GOOGLE_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [429, 'RESOURCE_EXHAUSTED'],
])
const googleError = (status: number, said: string): JsonObject => ({
  error: { code: status, message: said, status: GOOGLE_STATUS.get(status) ?? 'INTERNAL' },
})
const frame = (text: string, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: INPUT, candidatesTokenCount: OUTPUT, totalTokenCount: 103 },
})
const gemini: FailingProtocol = {
  refusal: googleError,
  refusalWithin: (said) => googleError(400, said),
  whole: frame(SAID, { finishReason: 'STOP' }),
  streamType: 'text/event-stream',
  begun: ': wait\n\n',
  content: PIECES.map((text) => event(frame(text))),
  error: (said) => event(googleError(429, said)),
  garbage: 'data: <html>\n\n',
  reported: { input: INPUT, output: OUTPUT },
}

/** The protocol that an address of a request belongs to. */
export function protocolAt(path: string): FailingProtocol {
  if (path.startsWith('/v1/responses')) return responses
  if (path.startsWith('/model/')) return bedrock
  if (/^\/v1\/messages|awPredict/.test(path)) return claude
  return path.includes('enerateContent') ? gemini : chat
}

/** A provider refuses a request. */
export function refuse(
  response: ServerResponse,
  protocol: FailingProtocol,
  [status, said, more]: readonly [number, string, Readonly<Record<string, string>>],
): void {
  const headers = {
    'content-type': 'application/json',
    ...protocol.refusalHeaders?.(status),
    ...more,
  }
  response.writeHead(status, headers).end(JSON.stringify(protocol.refusal(status, said)))
}

/** Channel type, model and key of one channel for each protocol of an upstream; models tell them apart. */
export const FAILING_CHANNELS = {
  openai: { type: 1, model: 'gpt-5-mini' },
  chat: { type: 43, model: 'deepseek-reasoner' },
  claude: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3-pro' },
  bedrock: { type: 33, model: 'claude-haiku-4-5' },
  'vertex-claude': { type: 41, model: 'claude-opus-4-5' },
  'vertex-gemini': { type: 41, model: 'gemini-3-flash' },
} as const satisfies Readonly<Record<string, { type: number; model: string }>>

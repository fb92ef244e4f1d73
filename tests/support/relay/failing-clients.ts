import { isObject, type JsonObject, parseForeign } from '@tollgate/relay/json.ts'
import { z } from 'zod'
import type { LOOP_CLIENTS } from './tool-loop-clients.ts'

/** An error as a client of a protocol reads it; everything that its SDK relies on has been checked. */
export interface ReadError {
  readonly message: string
  /** The HTTP status that the body repeats; null where the protocol's does not. */
  readonly status: number | null
}

const openAiObject = z.object({
  message: z.string(),
  type: z.string(),
  param: z.string().nullable(),
  code: z.string().nullable(),
})
const openAiBody = z.strictObject({ error: openAiObject })
const claudeBody = z.strictObject({
  type: z.literal('error'),
  error: z.strictObject({ type: z.string(), message: z.string() }),
  request_id: z.string(),
})
/** Names of google.rpc.Code that errors have. */
const GOOGLE_STATUSES = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'DEADLINE_EXCEEDED',
  'ABORTED',
  'RESOURCE_EXHAUSTED',
  'CANCELLED',
  'UNIMPLEMENTED',
  'UNAVAILABLE',
  'INTERNAL',
] as const
const googleBody = z.strictObject({
  error: z.strictObject({
    code: z.int(),
    message: z.string(),
    status: z.enum(GOOGLE_STATUSES),
    details: z.array(z.looseObject({ '@type': z.string() })).optional(),
  }),
})
/** `openai.responses.ResponseErrorEvent`, and the object that the SDKs raise. */
const responsesEvent = z.strictObject({
  type: z.literal('error'),
  sequence_number: z.int(),
  code: z.string().nullable(),
  message: z.string(),
  param: z.string().nullable(),
  error: openAiObject.optional(),
})

const fromOpenAi = (body: unknown): ReadError => {
  const { message } = openAiBody.parse(body).error
  return { message, status: null }
}
const fromClaude = (body: unknown): ReadError => {
  const { message } = claudeBody.parse(body).error
  return { message, status: null }
}
const fromGoogle = (body: unknown): ReadError => {
  const { message, code } = googleBody.parse(body).error
  return { message, status: code }
}

/** An event of a stream: its name, '' = none, and its data. */
interface ReadEvent {
  readonly name: string
  readonly data: JsonObject
}

interface FailingClient {
  /** The error in a body of an answer. */
  error(body: unknown): ReadError
  /** The error that a stream ends with. */
  errorEvent(event: ReadEvent): ReadError
  /** The text of the answer in an event; '' = none. */
  text(event: ReadEvent): string
}

/** The event of an error has that name in some protocols. */
const namedError = ({ name, data }: ReadEvent): JsonObject => {
  if (name !== 'error') throw new Error(`the event is named "${name}"`)
  return data
}
const first = (value: unknown): JsonObject => objectOf(Array.isArray(value) ? value[0] : null)
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** For tests: one client for each protocol, as it reads answers that fail. */
export const FAILING_CLIENTS: Readonly<Record<keyof typeof LOOP_CLIENTS, FailingClient>> = {
  openai: {
    error: fromOpenAi,
    errorEvent: ({ data }) => fromOpenAi(data),
    text: ({ data }) => textOf(objectOf(first(data['choices'])['delta'])['content']),
  },
  claude: {
    error: fromClaude,
    errorEvent: (event) => fromClaude(namedError(event)),
    text: ({ data }) => textOf(objectOf(data['delta'])['text']),
  },
  gemini: {
    error: fromGoogle,
    errorEvent: ({ data }) => fromGoogle(data),
    text: ({ data }) =>
      textOf(first(objectOf(first(data['candidates'])['content'])['parts'])['text']),
  },
  responses: {
    error: fromOpenAi,
    errorEvent: (event) => ({
      message: responsesEvent.parse(namedError(event)).message,
      status: null,
    }),
    text: ({ data }) =>
      data['type'] === 'response.output_text.delta' ? textOf(data['delta']) : '',
  },
}

/** The events of a stream that have data, as far as it came. */
export const eventsIn = (stream: string): readonly ReadEvent[] =>
  stream.split('\n\n').flatMap((block) => {
    const line = (field: string): string =>
      new RegExp(`^${field}: (.*)$`, 'm').exec(block)?.[1] ?? ''
    const data = parseForeign(line('data'))
    return isObject(data) ? [{ name: line('event'), data }] : []
  })

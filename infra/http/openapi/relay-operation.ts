import type { RelayOperation } from '@tollgate/relay/reference.ts'
import type { JsonSchema } from './json-schema.ts'

/** The tag of all calls of the relay. */
export const RELAY_TAG = 'relay'

const TEXT: JsonSchema = { type: 'string' }

/** Bodies of failures by protocol, as each vendor documents them. */
export const RELAY_ERRORS: Readonly<Record<string, JsonSchema>> = {
  OpenAiError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'param', 'code'],
        properties: {
          message: TEXT,
          type: { type: ['string', 'null'] },
          param: { type: ['string', 'null'] },
          code: { type: ['string', 'integer', 'null'] },
        },
      },
    },
  },
  AnthropicError: {
    type: 'object',
    required: ['type', 'error'],
    properties: {
      type: { type: 'string', const: 'error' },
      error: {
        type: 'object',
        required: ['type', 'message'],
        properties: { type: TEXT, message: TEXT },
      },
    },
  },
  GoogleError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: { code: { type: 'integer' }, message: TEXT, status: TEXT },
      },
    },
  },
}

const ERROR_OF = {
  openai: 'OpenAiError',
  anthropic: 'AnthropicError',
  google: 'GoogleError',
} as const

const VENDOR = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
} as const

/** The relay's call as an OpenAPI operation; members beyond the required ones are the vendor's to document. */
export const relayOperation = (call: RelayOperation): Readonly<Record<string, unknown>> => ({
  operationId: [
    call.method.toLowerCase(),
    ...call.path.split(/\W+/).filter((part) => part !== ''),
  ].join('_'),
  tags: [RELAY_TAG],
  summary: call.summary,
  description: `${VENDOR[call.protocol]} documents the members of request and answer. Prompts and answers are charged unless the summary says otherwise.`,
  security: call.bySession === true ? [{ session: [], userId: [] }] : [{ apiToken: [] }],
  parameters: [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: TEXT,
  })),
  ...(call.body !== undefined && {
    requestBody: { required: true, content: { 'application/json': { schema: bodyOf(call) } } },
  }),
  responses: {
    200: { description: 'As the vendor documents it', content: contentOf(call) },
    '4XX': failure(
      call,
      'The call was refused: by Tollgate (key, model, quota, limits) or by the provider',
    ),
    '5XX': failure(call, 'Tollgate or the provider failed'),
  },
})

/** In the shape of the protocol. */
const failure = ({ protocol }: RelayOperation, description: string) => ({
  description,
  content: {
    'application/json': { schema: { $ref: `#/components/schemas/${ERROR_OF[protocol]}` } },
  },
})

function bodyOf({ body = {}, streams }: RelayOperation): JsonSchema {
  const members = Object.entries(body).map(([name, type]) => [name, schemaOf(type)] as const)
  return {
    type: 'object',
    required: Object.keys(body),
    properties: {
      ...Object.fromEntries(members),
      ...(streams === 'by member' && { stream: { type: 'boolean' } }),
    },
  }
}

const schemaOf = (type: NonNullable<RelayOperation['body']>[string]): JsonSchema => {
  if (type === 'any') return {}
  return type === 'array' ? { type, items: {} } : { type }
}

const contentOf = ({ streams }: RelayOperation): Readonly<Record<string, unknown>> => ({
  'application/json': { schema: schemaOf(streams === 'always' ? 'array' : 'object') },
  ...(streams !== undefined && { 'text/event-stream': { schema: TEXT } }),
})

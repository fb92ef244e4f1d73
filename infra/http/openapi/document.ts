import {
  type ApiRoute,
  type FailureStatus,
  type Schema,
  takesIdempotencyKey,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { codedSuccess } from '@tollgate/command-api/http-contract/success-code.ts'
import type { RelayOperation } from '@tollgate/relay/reference.ts'
import { ENVELOPE_SCHEMAS, envelopeSchema, FAILURE, FAILURE_RESPONSES } from './envelope.ts'
import { answerJson, type JsonSchema, openJson, requestJson } from './json-schema.ts'
import { RELAY_ERRORS, RELAY_TAG, relayOperation } from './relay-operation.ts'
import { TAGS } from './tags.ts'

/** The OpenAPI 3.1 document of the console's routes, and of the relay's in short. */
export const openApiDocument = (
  routes: readonly ApiRoute[],
  relay: readonly RelayOperation[],
  version: string,
) => ({
  openapi: '3.1.0',
  info: {
    title: 'Tollgate',
    version,
    description:
      'Paths are served with and without a trailing slash. Bodies are read as JSON whatever their Content-Type; unknown keys are ignored, keys match in any case, and what is missing or null counts as the zero value. A call that is refused answers HTTP 200 with success=false, message, code and params unless another status is listed: read success first.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  // Wherever the document was loaded from.
  servers: [{ url: '/' }],
  tags: [...new Set([...routes.map(({ path }) => tagOf(path)), RELAY_TAG])].map((name) => ({
    name,
    description: TAGS[name],
  })),
  paths: byPath([
    ...routes.map((route) => [openApiPath(route.path), route.method, operation(route)] as const),
    ...relay.map((call) => [call.path, call.method, relayOperation(call)] as const),
  ]),
  components: {
    securitySchemes: SECURITY_SCHEMES,
    schemas: { ...ENVELOPE_SCHEMAS, ...RELAY_ERRORS },
    responses: FAILURE_RESPONSES,
  },
})

/** `/api/token/:id` → `/api/token/{id}`, without a trailing slash. */
export const openApiPath = (path: string): string =>
  path.replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}')

/** The part of the path after /api names the group of routes. */
const tagOf = (path: string): string => path.replace(/^\/api(?=\/)/, '').split('/')[1] ?? path

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'Set by POST /api/user/login.',
  },
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The system access token of GET /api/user/token, with or without "Bearer ".',
  },
  userId: {
    type: 'apiKey',
    in: 'header',
    name: 'New-Api-User',
    description: 'The id of the user who calls; needed beside session and access token alike.',
  },
  apiToken: { type: 'http', scheme: 'bearer', description: 'An API token: sk-…' },
} as const

const SIGNED_IN = [
  { session: [], userId: [] },
  { accessToken: [], userId: [] },
]

const ACCESS_TEXTS = {
  public: 'Open to everybody.',
  visitor: 'Open to everybody; whoever is signed in sees what is theirs.',
  user: 'Role 1 and above.',
  admin: 'Role 10 and above.',
  root: 'Role 100.',
} as const satisfies Record<ApiRoute['access'], string>

type Operation = Readonly<Record<string, unknown>>

function operation(route: ApiRoute): Operation {
  const { access, example = {} } = route
  const isOpen = access === 'public' || access === 'visitor'
  return {
    operationId: operationId(route),
    tags: [tagOf(route.path)],
    summary: route.summary,
    description: [ACCESS_TEXTS[access], ...(route.details ? [route.details] : [])].join(' '),
    // For programs; the text is for people.
    'x-access': access,
    security: isOpen ? [] : SIGNED_IN,
    parameters: [
      ...parameters('path', route.params, example.params),
      ...parameters('query', route.query, example.query),
      ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(route.body !== undefined && {
      requestBody: {
        content: jsonContent(requestBody(route.body, example.body), example.body),
      },
    }),
    responses: {
      [route.answer?.status ?? 200]: {
        description: 'Done; with success=false why not',
        content: contentOf(route),
      },
      ...failureResponses(route),
    },
  }
}

/** Each HTTP status that the route may fail with. A refusal with none of them is a 200 with success=false. */
function failureResponses(route: ApiRoute): Operation {
  const { access, body, method } = route
  const isOpen = access === 'public' || access === 'visitor'
  const statuses = new Set<FailureStatus>([
    400,
    429,
    500,
    503,
    ...(isOpen ? [] : [401 as const]),
    ...(method === 'GET' ? [] : [403 as const]),
    ...(body === undefined ? [] : [408 as const, 413 as const]),
    ...(takesIdempotencyKey(route) ? [405 as const, 409 as const, 422 as const] : []),
    ...(route.failureStatuses ?? []),
  ])
  const ofRefusal = route.answer?.status === undefined ? [] : [['200', REFUSED] as const]
  return Object.fromEntries([
    ...ofRefusal,
    ...[...statuses].map((status) => [String(status), failureResponse(route, `Failure${status}`)]),
    ['default', failureResponse(route, 'Failure')],
  ])
}

/** A reference to the shared response, unless the route has a failure of its own beside it. */
function failureResponse(
  { answer }: ApiRoute,
  name: keyof typeof FAILURE_RESPONSES,
): Operation | { readonly $ref: string } {
  if (answer?.failure === undefined) return { $ref: `#/components/responses/${name}` }
  const schema = { anyOf: [openJson(answerJson(answer.failure)), FAILURE] }
  return { ...FAILURE_RESPONSES[name], content: jsonContent(schema, undefined) }
}

/** Beside the status of success, where that is another. */
const REFUSED = { $ref: '#/components/responses/Failure' } as const

/**
 * The schema of a body, with the members it must hold: those of the example without which its schema takes the example
 * no more.
 */
function requestBody(schema: Schema<unknown>, example: unknown): JsonSchema {
  const json = requestJson(schema)
  const required = isObject(example)
    ? Object.keys(example).filter((name) => {
        const rest = Object.fromEntries(Object.entries(example).filter(([key]) => key !== name))
        return isRefused(schema, rest)
      })
    : []
  return required.length === 0 ? json : { ...json, required }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isRefused(schema: Schema<unknown>, value: unknown): boolean {
  const result = schema['~standard'].validate(value)
  return !(result instanceof Promise) && result.issues !== undefined
}

const IDEMPOTENCY_KEY: Operation = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description:
    'Of your choice, such as a UUID: for 24 hours the same call with the same key is carried out once and gets the first answer, with Idempotency-Replayed: true. 409 while the first is still running; 422 with another body. When nobody knows whether it was done, 503 with the code outcome_unknown and the key in params.key: send the call again with it.',
}

const operationId = ({ method, path }: ApiRoute): string =>
  [method.toLowerCase(), ...path.split(/\W+/).filter((part) => part !== '' && part !== 'api')].join(
    '_',
  )

function parameters(
  place: 'path' | 'query',
  schema: Schema<unknown> | undefined,
  example: Readonly<Record<string, string>> = {},
): readonly Operation[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = requestBody(schema, example)
  return Object.entries(properties).map(([name, type]) => {
    // Generators of clients read a parameter's own description, not its schema's.
    const { description, ...rest } = isObject(type) ? type : {}
    return {
      name,
      in: place,
      ...(description !== undefined && { description }),
      required: place === 'path' || required.includes(name),
      schema: rest,
      ...(example[name] !== undefined && { example: typedExample(type, example[name]) }),
    }
  })
}

/** Queries travel as texts; an example has its parameter's type. */
function typedExample(schema: unknown, text: string): unknown {
  const types = typesOf(schema)
  const isJson = !types.includes('string') && types.some((type) => JSON_TYPES.has(type))
  return isJson ? JSON.parse(text) : text
}

const JSON_TYPES: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean'])

/** The types that a schema takes, also one of several schemas. */
function typesOf(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return []
  const { type, anyOf } = schema
  return Array.isArray(anyOf) ? anyOf.flatMap(typesOf) : [type].flat()
}

const contentOf = (route: ApiRoute): Operation =>
  route.csv === undefined
    ? answerContent(route)
    : {
        ...answerContent(route),
        'text/csv': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
      }

function answerContent({ access, answer = {}, example = {} }: ApiRoute): Operation {
  // A caller without the right is refused by the envelope, with 200.
  const mayRefuse = access !== 'public' && access !== 'visitor'
  if (answer.file !== undefined) {
    // Bytes have no schema (OpenAPI 3.1, "Considerations for File Uploads").
    const bytes = Object.fromEntries(answer.file.map((type) => [type, {}]))
    return mayRefuse ? { ...bytes, ...jsonContent(FAILURE, undefined) } : bytes
  }
  if (answer.whole === undefined) {
    const { message = '', data, extra } = example
    const told = { message, ...codedSuccess(message) }
    const envelope = { success: true, ...told, ...(data !== undefined && { data }), ...extra }
    const success = openJson(envelopeSchema(answer, message))
    const schema = answer.status === undefined ? { oneOf: [success, FAILURE] } : success
    return jsonContent(schema, envelope)
  }
  const schema = openJson(answerJson(answer.whole))
  if (schema.type === 'string') return { 'text/plain': { schema, example: example.whole } }
  return jsonContent(mayRefuse ? { anyOf: [schema, FAILURE] } : schema, example.whole)
}

const jsonContent = (schema: JsonSchema, example: unknown): Operation => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

function byPath(
  operations: ReadonlyArray<readonly [path: string, method: string, operation: Operation]>,
): Readonly<Record<string, Operation>> {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [path, method, described] of operations) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
  }
  return paths
}

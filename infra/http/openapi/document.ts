import {
  type ApiRoute,
  type Schema,
  takesIdempotencyKey,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { codedSuccess } from '@tollgate/command-api/http-contract/success-code.ts'
import type { RelayOperation } from '@tollgate/relay/reference.ts'
import { ENVELOPE_SCHEMAS, envelopeSchema, FAILURE_RESPONSES } from './envelope.ts'
import { answerJson, type JsonSchema, requestJson } from './json-schema.ts'

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
      'Paths are served with and without a trailing slash. Bodies are read as JSON whatever their Content-Type; unknown keys are ignored, keys match in any case, and what is missing or null counts as the zero value. Failures answer HTTP 200 with success=false unless another status is listed.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  // Wherever the document was loaded from.
  servers: [{ url: '/' }],
  tags: [...new Set([...routes.map(({ path }) => tagOf(path)), RELAY_TAG])].map((name) => ({
    name,
  })),
  paths: byPath([
    ...routes.map((route) => [openApiPath(route.path), route.method, operation(route)] as const),
    ...relay.map((call) => [call.path, call.method, relayOperation(call)] as const),
  ]),
  components: {
    securitySchemes: SECURITY_SCHEMES,
    schemas: ENVELOPE_SCHEMAS,
    responses: FAILURE_RESPONSES,
  },
})

/** `/api/token/:id` → `/api/token/{id}`, without a trailing slash. */
export const openApiPath = (path: string): string =>
  path.replace(/(?<=.)\/$/, '').replaceAll(/:(\w+)/g, '{$1}')

const RELAY_TAG = 'relay'

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
    description: ACCESS_TEXTS[access],
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
        content: jsonContent(requestJson(route.body), example.body),
      },
    }),
    responses: {
      200: { description: 'Done, or why not (success=false)', content: contentOf(route) },
      ...(!isOpen && { 401: { $ref: '#/components/responses/NotSignedIn' } }),
      ...(route.isCritical === true && { 429: { $ref: '#/components/responses/TooMany' } }),
      default: { $ref: '#/components/responses/Failure' },
    },
  }
}

const IDEMPOTENCY_KEY: Operation = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description:
    'Of your choice, such as a UUID: for 24 hours the same call with the same key is carried out once and gets the first answer, with Idempotency-Replayed: true. 409 while the first is still running; 422 with another body.',
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
  return Object.entries(requestJson(schema).properties ?? {}).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: type,
    ...(example[name] !== undefined && { example: example[name] }),
  }))
}

const contentOf = (route: ApiRoute): Operation =>
  route.csv === undefined
    ? answerContent(route)
    : {
        ...answerContent(route),
        'text/csv': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
      }

function answerContent({ answer = {}, example = {} }: ApiRoute): Operation {
  // Bytes have no schema (OpenAPI 3.1, "Considerations for File Uploads").
  if (answer.file !== undefined) return Object.fromEntries(answer.file.map((type) => [type, {}]))
  if (answer.whole === undefined) {
    const { message = '', data, extra } = example
    const told = { message, ...codedSuccess(message) }
    const envelope = { success: true, ...told, ...(data !== undefined && { data }), ...extra }
    return jsonContent(envelopeSchema(answer, message), envelope)
  }
  const schema = answerJson(answer.whole)
  return schema.type === 'string'
    ? { 'text/plain': { schema, example: example.whole } }
    : jsonContent(schema, example.whole)
}

const jsonContent = (schema: JsonSchema, example: unknown): Operation => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const relayOperation = ({ summary, bySession, method, path }: RelayOperation): Operation => ({
  operationId: [method.toLowerCase(), ...path.split(/\W+/).filter((part) => part !== '')].join('_'),
  tags: [RELAY_TAG],
  summary,
  security: bySession === true ? [{ session: [], userId: [] }] : [{ apiToken: [] }],
  parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: { default: { description: 'As the protocol has it, errors too' } },
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

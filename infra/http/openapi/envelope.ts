import type {
  Answer,
  FailureStatus,
  Schema,
} from '@tollgate/command-api/http-contract/api-route.ts'
import { FAILURE_TEXTS, FOREIGN_WORDS } from '@tollgate/command-api/http-contract/failure-texts.ts'
import { failureEnvelope } from '../failure-envelope.ts'
import { codedSuccess } from '@tollgate/command-api/http-contract/success-code.ts'
import { answerJson, type JsonSchema } from './json-schema.ts'

const SUCCESS: JsonSchema = { type: 'boolean', const: true }
const MESSAGE: JsonSchema = { type: 'string' }
const NO_PARAMS: JsonSchema = { type: 'object', additionalProperties: false }

/** The schema of every failure's answer. */
export const ENVELOPE_SCHEMAS = {
  Failure: {
    type: 'object',
    properties: {
      success: { type: 'boolean', const: false },
      message: MESSAGE,
      code: {
        type: 'string',
        description: `Which text the message is; later versions may add codes. ${FOREIGN_WORDS}: words of an upstream or another server, in params.words`,
      },
      params: {
        type: 'object',
        description: 'The values within the message',
        additionalProperties: { type: ['string', 'number'] },
      },
    },
    required: ['success', 'message', 'code', 'params'],
    'x-codes': [...Object.keys(FAILURE_TEXTS), FOREIGN_WORDS],
  },
} as const

const failing = (description: string, message: string) => ({
  description,
  content: {
    'application/json': { schema: FAILURE, example: failureEnvelope(message) },
  },
})

/** Reference to the schema of a failure. */
export const FAILURE: JsonSchema = { $ref: '#/components/schemas/Failure' }

const RETRY_AFTER = {
  'Retry-After': {
    schema: { type: 'integer', minimum: 0 },
    description: 'Seconds until the call is worth repeating',
  },
} as const

/** The response of each HTTP status of a failure, by the name of its component. */
export const FAILURE_RESPONSES = {
  Failure400: failing('The request is malformed', '无效的参数'),
  Failure401: failing('Not signed in', '无权进行此操作，未登录且未提供 access token'),
  Failure403: failing(
    'Not allowed to this caller, or sent by a page of another site',
    '无效的请求',
  ),
  Failure404: failing('No such thing', 'record not found'),
  Failure405: failing('Not on a demonstration site', '本站仅作演示之用，无服务端！'),
  Failure408: failing('The body came too slowly', '请求体发送过慢，请重试'),
  Failure409: {
    ...failing(
      'The same work is under way',
      '带有该 Idempotency-Key 的请求仍在处理中，请稍后用同一个 Key 重试',
    ),
    headers: RETRY_AFTER,
  },
  Failure413: failing('The body is too large', '无效的参数'),
  Failure422: failing(
    'The Idempotency-Key came with another body before',
    '该 Idempotency-Key 已用于内容不同的请求，请更换后重试',
  ),
  Failure429: {
    ...failing('Too many calls from this address', '请求次数过多，请稍后再试！'),
    headers: RETRY_AFTER,
  },
  Failure500: failing('Tollgate failed; its log says why', '服务器内部错误，请联系管理员！'),
  Failure503: {
    ...failing('A database or the ledger is unavailable', '服务暂时不可用，请稍后重试'),
    headers: RETRY_AFTER,
  },
  Failure: failing('Any other failure', '无效的参数'),
} as const satisfies Record<`Failure${FailureStatus}` | 'Failure', unknown>

/** The envelope around what a route answers when it succeeds, with a text of what was done or ''. */
export function envelopeSchema({ data, extra = {} }: Answer, message: string): JsonSchema {
  const { code } = codedSuccess(message)
  const beside = Object.entries(extra).map(([name, schema]) => [name, answerJson(schema)] as const)
  return {
    type: 'object',
    properties: {
      success: SUCCESS,
      message: MESSAGE,
      ...(code !== undefined && { code: { const: code }, params: NO_PARAMS }),
      ...(data !== undefined && { data: answerJson(data) }),
      ...Object.fromEntries(beside),
    },
    required: [
      'success',
      'message',
      ...(code === undefined ? [] : ['code', 'params']),
      ...(data === undefined ? [] : ['data']),
      ...Object.keys(extra).filter((name) => !mayBeMissing(extra[name])),
    ],
    additionalProperties: false,
  }
}

/** A key that only some answers have takes undefined. */
function mayBeMissing(schema: Schema<unknown> | undefined): boolean {
  const result = schema?.['~standard'].validate(undefined)
  return result !== undefined && !(result instanceof Promise) && result.issues === undefined
}

import type { Answer, Schema } from '@tollgate/command-api/http-contract/api-route.ts'
import { FAILURE_TEXTS, FOREIGN_WORDS } from '@tollgate/command-api/http-contract/failure-texts.ts'
import { failureEnvelope } from '../failure-envelope.ts'
import { codedSuccess } from '@tollgate/command-api/http-contract/success-code.ts'
import { answerJson, type JsonSchema } from './json-schema.ts'

const SUCCESS: JsonSchema = { type: 'boolean' }
const MESSAGE: JsonSchema = { type: 'string' }
const NO_PARAMS: JsonSchema = { type: 'object', additionalProperties: false }

/** What every failure answers. */
export const ENVELOPE_SCHEMAS = {
  Failure: {
    type: 'object',
    properties: {
      success: { const: false },
      message: MESSAGE,
      code: {
        enum: [...Object.keys(FAILURE_TEXTS), FOREIGN_WORDS],
        description: `Which text the message is. ${FOREIGN_WORDS}: words of an upstream or another server, in params.words`,
      },
      params: {
        type: 'object',
        description: 'The values within the message',
        additionalProperties: { type: ['string', 'number'] },
      },
    },
    required: ['success', 'message', 'code', 'params'],
  },
} as const

const failing = (description: string, message: string) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Failure' },
      example: failureEnvelope(message),
    },
  },
})

export const FAILURE_RESPONSES = {
  NotSignedIn: failing('Not signed in', '无权进行此操作，未登录且未提供 access token'),
  TooMany: {
    ...failing('Too many calls from this address; see Retry-After', '请求次数过多，请稍后再试！'),
    headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds' } },
  },
  Failure: failing('Refused or failed', '无效的参数'),
} as const

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

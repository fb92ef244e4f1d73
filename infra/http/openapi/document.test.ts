import { type ApiRoute, route } from '@tollgate/command-api/http-contract/api-route.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument, openApiPath } from './document.ts'
import { envelopeSchema } from './envelope.ts'

const operationOf = (described: Omit<ApiRoute, 'access' | 'summary' | 'handle'>) => {
  const whole = route({
    ...described,
    access: 'user',
    summary: 'Does it',
    handle: () => Promise.resolve({}),
  })
  const { paths } = openApiDocument([whole], [], '1')
  return paths[openApiPath(whole.path)]?.[whole.method.toLowerCase()]
}

test('given what a route reads, when described, then it requires the path and what its schema insists on', () => {
  const operation = operationOf({
    method: 'PUT',
    path: '/api/thing/:id/',
    params: z.object({ id: z.string().transform(Number).pipe(z.int()) }),
    query: z.object({ p: z.preprocess(Number, z.int()) }),
    body: z.object({ required: z.boolean(), additionalProperties: z.array(z.int()) }),
    answer: {},
    example: { params: { id: '3' }, body: { required: true, additionalProperties: [1] } },
  })
  expect(operation).toMatchObject({
    operationId: 'put_thing_id',
    tags: ['thing'],
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' }, example: 3 },
      { name: 'p', in: 'query', required: false, schema: { type: 'integer' } },
      { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string' } },
    ],
    requestBody: {
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['required', 'additionalProperties'],
            properties: {
              required: { type: 'boolean' },
              additionalProperties: { type: 'array', items: { type: 'integer' } },
            },
          },
          example: { required: true, additionalProperties: [1] },
        },
      },
    },
  })
})

test('given what callers have to know besides, when described, then it follows who may call', () => {
  const route = { method: 'DELETE', path: '/api/thing', answer: {} } as const
  expect(operationOf(route)).toMatchObject({ description: 'Role 1 and above.' })
  expect(operationOf({ ...route, details: 'It cannot be undone.' })).toMatchObject({
    description: 'Role 1 and above. It cannot be undone.',
  })
})

test('given what a route answers, when described, then all is listed and only what is certain is required', () => {
  const answer = {
    data: z.strictObject({ id: z.int() }),
    extra: { time: z.number(), note: z.string().optional() },
  }
  const example = { data: { id: 1 }, extra: { time: 0.5 } }
  const operation = operationOf({ method: 'GET', path: '/api/thing', answer, example })
  const envelope = { success: true, message: '', data: { id: 1 }, time: 0.5 }
  expect(operation).toMatchObject({
    responses: { 200: { content: { 'application/json': { example: envelope } } } },
  })
  expect(envelopeSchema(answer, '')).toMatchObject({
    required: ['success', 'message', 'data', 'time'],
    additionalProperties: false,
    properties: {
      data: { required: ['id'], additionalProperties: false },
      note: { type: 'string' },
    },
  })
})

test('given a route that answers a text, when described, then it is text', () => {
  const operation = operationOf({
    method: 'GET',
    path: '/api/told',
    answer: { whole: z.literal(['success', 'fail']) },
    example: { whole: 'success' },
  })
  expect(operation).toMatchObject({
    responses: { 200: { content: { 'text/plain': { example: 'success' } } } },
  })
})

test('given a route that says what it did, when described, then with the code of the text', () => {
  const operation = operationOf({
    method: 'POST',
    path: '/api/thing',
    answer: {},
    example: { message: '划转成功' },
  })
  const code = 'affiliate_quota_transferred'
  expect(operation).toMatchObject({
    responses: {
      200: {
        content: { 'application/json': { example: { message: '划转成功', code, params: {} } } },
      },
    },
  })
  expect(envelopeSchema({}, '划转成功')).toMatchObject({
    required: ['success', 'message', 'code', 'params'],
    properties: { code: { const: code } },
  })
})

test('given a route that succeeds with 200, when described, then success tells its two outcomes apart', () => {
  const operation = operationOf({ method: 'GET', path: '/api/thing', answer: {} })
  expect(operation).toMatchObject({
    responses: {
      200: {
        content: {
          'application/json': {
            schema: {
              oneOf: [
                { properties: { success: { const: true } } },
                { $ref: '#/components/schemas/Failure' },
              ],
            },
          },
        },
      },
    },
  })
})

test('given a route that starts a job, when described, then success is 202 and a refusal 200', () => {
  const operation = operationOf({ method: 'POST', path: '/api/job', answer: { status: 202 } })
  expect(operation).toMatchObject({
    responses: {
      200: { $ref: '#/components/responses/Failure' },
      202: { content: { 'application/json': { schema: { type: 'object' } } } },
    },
  })
})

test('given members that later versions may add, when an answer is described, then its schema takes them', () => {
  const operation = operationOf({
    method: 'GET',
    path: '/api/thing',
    answer: { data: z.strictObject({ id: z.int() }) },
  })
  expect(JSON.stringify(operation)).not.toContain('additionalProperties')
})

test('given a query of numbers that may be left out, when described, then its example is a number', () => {
  const operation = operationOf({
    method: 'GET',
    path: '/api/thing',
    query: z.object({
      quota: z.preprocess(Number, z.int().nullable()).describe('At least so much'),
    }),
    answer: {},
    example: { query: { quota: '1000' } },
  })
  expect(operation).toMatchObject({
    parameters: [{ name: 'quota', description: 'At least so much', example: 1000 }],
  })
})

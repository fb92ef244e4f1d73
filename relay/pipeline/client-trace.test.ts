import { expect, test } from 'vitest'
import { openRelayFixture } from '@tollgate/tests/support/relay/relay-fixture.ts'
import { clientTrace } from './client-trace.ts'

const { relay, upstream } = await openRelayFixture()

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const NAMED = {
  'x-client-request-id': 'order-7',
  traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
}
const NOTED = { clientRequestId: 'order-7', traceId: TRACE_ID }
const HELLO = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] }
const ask = (headers: Record<string, string>) => relay.post('/v1/chat/completions', HELLO, headers)

const answer = (status: number, text: string) =>
  upstream.behave((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
const ANSWER =
  '{"choices":[{"message":{"content":"Hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}'

test('given a client that names its request, when answered, then the charge has its name and its trace', async () => {
  answer(200, ANSWER)
  expect((await ask(NAMED)).status).toBe(200)
  expect(relay.holds.settled).toMatchObject([{ request: NOTED }])
})

test('given a client that names its request, when it fails, then the failure has its name and its trace', async () => {
  answer(500, '{}')
  expect((await ask(NAMED)).status).toBe(500)
  expect(relay.failures).toMatchObject([NOTED])
})

test('given a client that names its request, when something breaks here, then the log has both names', async () => {
  answer(200, ANSWER)
  const refused = Promise.reject(new Error('no such stream'))
  refused.catch(() => undefined)
  relay.holds.journal = refused
  expect((await ask(NAMED)).status).toBe(500)
  relay.holds.journal = Promise.resolve()
  expect(relay.logged.splice(0)).toHaveLength(1)
  expect(relay.loggedFacts).toMatchObject([NOTED])
})

test.each([
  ['a sentence', { 'x-client-request-id': 'to Ann, with love' }],
  ['a name that is too long', { 'x-client-request-id': 'x'.repeat(201) }],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
  ['a trace that is cut off', { traceparent: `00-${TRACE_ID}` }],
])('given %s, when a request comes with it, then it is not noted', (_what, headers) => {
  expect(clientTrace(headers)).toEqual({})
})

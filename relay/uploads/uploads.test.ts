import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { bodyBudgetLimits } from './body-budget.ts'
import { type Received, type UploadTerms, Uploads } from './uploads.ts'

const SECOND_MS = 20
const LIMITS = { ...bodyBudgetLimits(1), accountBytesMax: 300_000 }

let uploads: Uploads
let server: Server
let received: Received[]
let begun: number
let terms: UploadTerms
let sockets: Socket[]
/** The promise that a request waits for before its upload ends. */
let held: Promise<void>

beforeEach(async () => {
  uploads = new Uploads({ limits: LIMITS, addressKey: (ip) => ip, secondMs: SECOND_MS })
  received = []
  begun = 0
  sockets = []
  held = Promise.resolve()
  terms = { bytesMax: 1_000_000, seconds: 1_000 }
  server = createServer((request, response) => {
    begun += 1
    const upload = uploads.begin(request, response, { account: 7, ip: '10.0.0.1' })
    void (async () => {
      const one = await upload.receive(terms)
      received.push(one)
      await held
      upload.end()
      upload.end()
      response.end(one.status)
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  await eventually(() => uploads.bytesInFlight === 0)
})

function send(head: string, body: string | Buffer = ''): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  sockets.push(socket)
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`)
  socket.write(body)
  return socket
}
const post = (body: string | Buffer) => send(`content-length: ${Buffer.byteLength(body)}`, body)
const statuses = () => received.map(({ status }) => status)
const bytesOf = (one: Received | undefined): string =>
  one?.status === 'received' ? Buffer.concat(one.parts).toString() : (one?.status ?? 'nothing')

test('given a body of any size, when received, then it is whole', async () => {
  for (const length of [1, 16_384, 16_385, 65_536, 200_001]) {
    received = []
    const body = Array.from({ length }, (_, at) => String.fromCharCode(97 + (at % 26))).join('')
    post(body)
    await eventually(() => received.length === 1)
    expect(bytesOf(received[0])).toBe(body)
  }
})

test('given chunks of one byte without a length, when received, then they take hardly more than that', async () => {
  const chunks = 100_000
  let isDone = (): void => undefined
  held = new Promise((resolve) => (isDone = resolve))
  send('transfer-encoding: chunked', `${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\n`)
  await eventually(() => received.length === 1)
  expect(bytesOf(received[0])).toBe('a'.repeat(chunks))
  expect(uploads.bytesInFlight).toBeLessThan(3 * chunks)
  isDone()
  await eventually(() => uploads.bytesInFlight === 0)
})

test('given no body at all, when received, then it is empty', async () => {
  send('content-length: 0')
  send('x: y')
  await eventually(() => received.length === 2)
  expect(received.map(bytesOf)).toEqual(['', ''])
})

test('given more than allowed, when declared or sent, then it is too large', async () => {
  terms = { ...terms, bytesMax: 10 }
  send('content-length: 11')
  send('transfer-encoding: chunked', 'b\r\nhello world\r\n')
  await eventually(() => received.length === 2)
  expect(statuses()).toEqual(['too-large', 'too-large'])
})

test('given a body that trickles, when ten seconds have passed, then it is too slow; a faster one goes on', async () => {
  const slow = send('content-length: 900000')
  const trickle = setInterval(() => slow.write('x'), SECOND_MS)
  const fast = send('content-length: 250000')
  const stream = setInterval(() => fast.write('x'.repeat(40_000)), SECOND_MS)
  await eventually(() => received.length === 2)
  clearInterval(trickle)
  clearInterval(stream)
  expect(statuses().toSorted()).toEqual(['received', 'too-slow'])
})

test('given a body that comes fast enough and never ends, when its time is up, then it is too long', async () => {
  terms = { ...terms, seconds: 15 }
  const socket = send('content-length: 299000')
  socket.write('x'.repeat(200_000))
  await eventually(() => received.length === 1)
  expect(statuses()).toEqual(['too-long'])
})

test('given an account’s budget in use, when more comes, then there is no room until it is given back', async () => {
  const first = send('content-length: 290000', 'x'.repeat(250_000))
  await eventually(() => uploads.bytesInFlight >= 250_000)
  post('y'.repeat(100_000))
  await eventually(() => received.length === 1)
  expect(statuses()).toEqual(['no-room'])
  first.write('x'.repeat(40_000))
  await eventually(() => received.length === 2)
  await eventually(() => uploads.bytesInFlight === 0)
  post('y'.repeat(100_000))
  await eventually(() => received.length === 3)
  expect(statuses()).toEqual(['no-room', 'received', 'received'])
})

test('given a client that leaves midway, when it is gone, then the upload is aborted and nothing kept', async () => {
  const socket = send('content-length: 200000', 'x'.repeat(100_000))
  await eventually(() => uploads.bytesInFlight > 0)
  socket.destroy()
  await eventually(() => received.length === 1)
  expect(statuses()).toEqual(['aborted'])
  await eventually(() => uploads.bytesInFlight === 0)
})

test.each([
  ['declared', 'content-length: 90000', 0],
  ['sent', 'transfer-encoding: chunked', 70_000],
])(
  'given a large body that is not welcome, when it is %s, then nothing more is taken in',
  async (_how, head, bytes) => {
    let asked = 0
    const isWelcome = async () => {
      asked += 1
      return false
    }
    terms = { ...terms, large: { bytes: 65_536, isWelcome } }
    send(head, bytes === 0 ? '' : `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`)
    await eventually(() => received.length === 1)
    expect([statuses(), asked]).toEqual([['unwelcome'], 1])
  },
)

test.each([
  ['declared', (body: string) => post(body)],
  [
    'sent in chunks',
    (body: string) =>
      send('transfer-encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`),
  ],
])(
  'given a large body that is welcome, when it was %s, then it is asked for once and whole',
  async (_how, start) => {
    let asked = 0
    const isWelcome = async () => {
      asked += 1
      return true
    }
    terms = { ...terms, large: { bytes: 65_536, isWelcome } }
    const body = 'x'.repeat(200_000)
    start(body)
    await eventually(() => received.length === 1)
    expect([bytesOf(received[0]) === body, asked]).toEqual([true, 1])
  },
)

test('given a question whether a body is welcome that fails, when it is asked, then the body is not', async () => {
  const isWelcome = () => Promise.reject(new Error('the owner is away'))
  terms = { ...terms, large: { bytes: 0, isWelcome } }
  post('hello')
  await eventually(() => received.length === 1)
  expect(statuses()).toEqual(['unwelcome'])
})

test('given many uploads that never end, when their clients stay, then all are ended in time', async () => {
  for (let i = 0; i < 15; i += 1) send('content-length: 100000', 'x'.repeat(10_000))
  await eventually(() => begun === 15)
  await eventually(() => received.length === 15)
  expect(new Set(statuses())).toEqual(new Set(['too-slow']))
  await eventually(() => uploads.bytesInFlight === 0)
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, expect, test } from 'vitest'
import { callUpstream, type UpstreamAnswer } from './call.ts'
import { makeDispatchers } from './dispatchers.ts'

const dispatchers = makeDispatchers(1_000)
const open: Array<() => void> = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})
afterAll(() => dispatchers.close())

/** The port of a TCP server, which ends with the test. */
async function listening(take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    take(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** An upstream that answers each request with bytes, in pieces. */
const upstream = (...pieces: readonly string[]): Promise<number> =>
  listening((socket) => {
    socket.setNoDelay(true)
    const send = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1')
        await new Promise(setImmediate)
      }
    }
    socket.on('data', () => void send())
  })

const ask = (port: number, proxy = ''): Promise<UpstreamAnswer> =>
  callUpstream({
    dispatcher: dispatchers.through(proxy),
    address: { origin: `http://127.0.0.1:${port}`, path: '/' },
    method: 'POST',
    headers: {},
    body: Buffer.from('{}'),
    firstByteMs: 5_000,
    idleMs: 5_000,
  }).answer

/** Status and body of an answer, whole or streamed. */
async function received(answer: UpstreamAnswer): Promise<unknown> {
  if (answer.kind === 'whole') return [answer.status, answer.body.toString()]
  if (answer.kind === 'unreachable') return answer
  const { status, stream } = answer
  return new Promise((resolve) => {
    let text = ''
    stream.attach({
      onBytes: (chunk) => (text += chunk.toString()),
      onEnd: (failure) => resolve(failure ?? [status, 'streamed', text]),
    })
  })
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
/** Its body looks like an interim answer. */
const WHOLE = `HTTP/1.1 200 OK\r\ncontent-length: ${CONTINUE.length}\r\n\r\n${CONTINUE}`
const EVENTS = 'data: {"x":"HTTP/1.1 100 Continue"}\n\ndata: [DONE]\n\n'
const STREAMED = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${EVENTS.length.toString(16)}\r\n${EVENTS}\r\n0\r\n\r\n`
const IN_WHOLE = [200, CONTINUE]
const IN_STREAM = [200, 'streamed', EVENTS]

test.each<[what: string, pieces: readonly string[], answer: readonly unknown[]]>([
  ['before a whole answer', [CONTINUE, WHOLE], IN_WHOLE],
  ['before a stream', [CONTINUE, STREAMED], IN_STREAM],
  ['with an answer', [CONTINUE + WHOLE], IN_WHOLE],
  ['with a stream', [CONTINUE + STREAMED], IN_STREAM],
  ['twice', [CONTINUE + CONTINUE, CONTINUE, STREAMED], IN_STREAM],
  ['with headers', [`HTTP/1.1 100\r\nx-a: HTTP/1.1 100\r\nb: c\r\n\r\n`, WHOLE], IN_WHOLE],
  [
    'after another interim answer',
    [`HTTP/1.1 103 E\r\nlink: <a>\r\n\r\n${CONTINUE}`, WHOLE],
    IN_WHOLE,
  ],
  ['byte by byte', `${CONTINUE}${CONTINUE}${STREAMED}`.split(''), IN_STREAM],
  ['not at all', [WHOLE], IN_WHOLE],
])('given 100 Continue %s, when upstream answers, then the answer is received', async (...row) => {
  const [, pieces, answer] = row
  const port = await upstream(...pieces)
  expect(await received(await ask(port))).toEqual(answer)
  // And so is that of the next request.
  expect(await received(await ask(port))).toEqual(answer)
})

test('given 100 Continue through a proxy, when upstream answers, then the answer is received', async () => {
  const port = await upstream(CONTINUE, STREAMED)
  const proxy = await listening((client) => {
    client.once('data', () => {
      const there = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        there.pipe(client).pipe(there)
      })
      open.push(() => there.destroy())
    })
  })
  expect(await received(await ask(port, `http://127.0.0.1:${proxy}`))).toEqual(IN_STREAM)
})

test.each([
  ['a connection that breaks', CONTINUE],
  ['garbage', `${CONTINUE}garbage\r\n\r\n`],
])('given 100 Continue and then %s, when called, then upstream is broken', async (_what, bytes) => {
  let asked = 0
  const port = await listening((socket) => {
    socket.on('data', () => {
      asked += 1
      socket.end(bytes)
    })
  })
  expect(await ask(port)).toMatchObject({ kind: 'unreachable', reason: 'broken' })
  expect(asked).toBe(1)
})

test('given a kept connection, when it breaks after 100 Continue, then it was not stale', async () => {
  const port = await listening((socket) => {
    let asked = 0
    socket.on('data', () => {
      asked += 1
      if (asked === 1) socket.write(WHOLE)
      else socket.end(CONTINUE)
    })
  })
  let answer = await ask(port)
  // A connection is free again a moment after its answer: until then another is made.
  for (let i = 0; i < 50 && answer.kind === 'whole'; i += 1) {
    await new Promise(setImmediate)
    answer = await ask(port)
  }
  expect(answer).toMatchObject({ kind: 'unreachable', reason: 'broken' })
})

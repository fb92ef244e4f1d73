import { expect, test } from 'vitest'
import { ThreadQueue, ThreadUnanswered } from './thread-queue.ts'

/** Echoes what it is asked; hangs, or dies, when that is what it is asked for. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (question) => {
      if (question === 'hang') for (;;);
      if (question === 'die') throw new Error('died')
      if (question === 'reject') void Promise.reject(new Error('unheard'))
      parentPort.postMessage(question)
    })
  `)}`,
)

const queueOf = (options: { overrunMs?: number; waitingMax?: number; patienceMs?: number } = {}) =>
  new ThreadQueue<string, string>({
    script: SCRIPT,
    overrunMs: 60_000,
    waitingMax: 10,
    patienceMs: 60_000,
    ...options,
  })
const ask = (queue: ThreadQueue<string, string>, question: string, signal?: AbortSignal) =>
  queue.ask(() => ({ question }), signal).catch((error: unknown) => codeOf(error))
const codeOf = (error: unknown): unknown => (error instanceof ThreadUnanswered ? error.code : error)

test('given questions, when asked together, then each gets its own answer, in order', async () => {
  const queue = queueOf()
  expect(await Promise.all(['a', 'b', 'c'].map((question) => ask(queue, question)))).toEqual([
    'a',
    'b',
    'c',
  ])
  await queue.close()
})

test('given a thread that hangs, when it overruns, then it is replaced and the next are answered', async () => {
  const queue = queueOf({ overrunMs: 500 })
  expect(await Promise.all([ask(queue, 'hang'), ask(queue, 'next')])).toEqual(['overran', 'next'])
  await queue.close()
})

test('given a thread that dies, when another question waits, then a new thread answers it', async () => {
  const queue = queueOf()
  expect(await Promise.all([ask(queue, 'die'), ask(queue, 'next')])).toEqual(['ended', 'next'])
  await queue.close()
})

test('given a rejection in the thread that nobody handles, when asked again, then it answers', async () => {
  const queue = queueOf()
  // The thread may have answered before it ends of the rejection: the process goes on either way.
  expect(['reject', 'ended']).toContain(await ask(queue, 'reject'))
  await expect.poll(() => ask(queue, 'next')).toBe('next')
  await queue.close()
})

test('given a question whose asker left, when its turn comes, then it is not made', async () => {
  const queue = queueOf({ overrunMs: 500 })
  const left = new AbortController()
  let made = 0
  const hanging = ask(queue, 'hang')
  const make = () => ({ question: `made ${(made += 1)}` })
  const dropped = queue.ask(make, left.signal).catch((error: unknown) => error)
  left.abort('left')
  expect(await dropped).toMatchObject({ cause: 'left' })
  await hanging
  expect(await ask(queue, 'next')).toBe('next')
  expect(made).toBe(0)
  await queue.close()
})

test('given a queue that is full or slow, when asked, then the question is given up', async () => {
  const queue = queueOf({ waitingMax: 1, patienceMs: 300 })
  const asked = [ask(queue, 'hang'), ask(queue, 'waits'), ask(queue, 'too many')]
  expect(await Promise.all(asked)).toEqual(['overdue', 'overdue', 'full'])
  await queue.close()
})

test('given a queue that is closed, when questions wait, then they end, and later ones are answered', async () => {
  const queue = queueOf()
  const asked = [ask(queue, 'hang'), ask(queue, 'waits')]
  await queue.close()
  expect(await Promise.all(asked)).toEqual(['ended', 'ended'])
  expect(await ask(queue, 'again')).toBe('again')
  await queue.close()
})

import { expect, test } from 'vitest'
import { announce } from './run-process.ts'

const url = 'http://127.0.0.1:3000'

test('given a process that cannot work yet, when announced, then it waits and tells the cause once', async () => {
  const answers = ['the event log takes no writes', 'the event log takes no writes', null]
  const said: string[] = []
  await announce(
    'Tollgate',
    { url, readinessProblem: async () => answers.shift() ?? null },
    new AbortController().signal,
    (line) => said.push(line),
  )
  expect(said).toEqual([
    `Tollgate listens at ${url} and is not ready yet: the event log takes no writes\n`,
    `Tollgate is ready at ${url}\n`,
  ])
})

test('given a process that ends before it is ready, when announced, then it is never said to be ready', async () => {
  const ended = new AbortController()
  const said: string[] = []
  const announced = announce(
    'Tollgate',
    { url, readinessProblem: async () => 'no' },
    ended.signal,
    (line) => {
      said.push(line)
      ended.abort()
    },
  )
  await announced
  expect(said).toHaveLength(1)
  expect(said[0]).not.toContain('is ready')
})

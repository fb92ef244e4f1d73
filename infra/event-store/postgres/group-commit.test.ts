import { expect, test } from 'vitest'
import type { ChainedAppend } from '../chain.ts'
import { createGroupCommit, type AppendOutcome } from './group-commit.ts'

const appendTo = (stream: string, revision = -1, bytes = 100): ChainedAppend => ({
  stream,
  expected: { revision, hash: '' },
  events: [],
  head: { revision: revision + 1, hash: '' },
  bytes,
})

/** A server whose transactions end when the test says so. */
function manualServer() {
  const groups: Array<{
    streams: string[]
    finish(outcomes: AppendOutcome[]): void
    fail(error: Error): void
  }> = []
  const commits = createGroupCommit((group) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly AppendOutcome[]>()
    groups.push({ streams: group.map((one) => one.stream), finish: resolve, fail: reject })
    return promise
  })
  return { groups, commits }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const stored = (position: number): AppendOutcome => ({ status: 'stored', position })

test('given a group under way, when more appends arrive, then they leave together, each with its outcome', async () => {
  const { groups, commits } = manualServer()
  const first = commits.append(appendTo('a'))
  await turn()
  const second = commits.append(appendTo('b'))
  const third = commits.append(appendTo('c'))
  await turn()
  expect(groups.map((group) => group.streams)).toEqual([['a']])

  groups[0]?.finish([stored(0)])
  expect(await first).toEqual(stored(0))
  await turn()
  expect(groups[1]?.streams).toEqual(['b', 'c'])
  groups[1]?.finish([{ status: 'not-stored', actualRevision: 4 }, stored(1)])
  expect(await second).toEqual({ status: 'not-stored', actualRevision: 4 })
  expect(await third).toEqual(stored(1))
})

test('given several appends of one stream, when grouped, then each goes in its own group, in order', async () => {
  const { groups, commits } = manualServer()
  const all = [
    commits.append(appendTo('a')),
    commits.append(appendTo('a', 0)),
    commits.append(appendTo('b')),
  ]
  await turn()
  expect(groups[0]?.streams).toEqual(['a', 'b'])
  groups[0]?.finish([stored(0), stored(1)])
  await turn()
  expect(groups[1]?.streams).toEqual(['a'])
  groups[1]?.finish([stored(2)])
  expect(await Promise.all(all)).toEqual([stored(0), stored(2), stored(1)])
})

test('given many and large appends, when grouped, then a group has at most 500 appends and 4 MiB', async () => {
  const { groups, commits } = manualServer()
  const small = Array.from({ length: 600 }, (_, index) => commits.append(appendTo(`s${index}`)))
  await turn()
  expect(groups[0]?.streams.length).toBe(500)
  groups[0]?.finish(Array.from({ length: 500 }, (_, index) => stored(index)))
  const large = Array.from({ length: 6 }, (_, index) =>
    commits.append(appendTo(`l${index}`, -1, 1024 * 1024)),
  )
  await turn()
  groups[1]?.finish(groups[1].streams.map((_, index) => stored(index)))
  await Promise.all(small)
  await turn()
  const sizes = groups
    .slice(1)
    .map((group) => group.streams.filter((name) => name.startsWith('l')).length)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
  for (let index = 2; index < groups.length; index += 1) {
    groups[index]?.finish(groups[index]?.streams.map((_, at) => stored(at)) ?? [])
    await turn()
  }
  expect((await Promise.all(large)).length).toBe(6)
})

test('given a failing server, when a group fails, then all its appends fail and the next group is sent', async () => {
  const { groups, commits } = manualServer()
  const failing = [commits.append(appendTo('a')), commits.append(appendTo('b'))]
  await turn()
  groups[0]?.fail(new Error('gone'))
  expect(await Promise.allSettled(failing)).toMatchObject([
    { reason: { message: 'gone' } },
    { reason: { message: 'gone' } },
  ])
  const next = commits.append(appendTo('a'))
  await turn()
  groups[1]?.finish([stored(9)])
  expect(await next).toEqual(stored(9))
})

test('given too much waiting or a closed store, when appending, then it is refused and not stored', async () => {
  const { groups, commits } = manualServer()
  const waiting = [commits.append(appendTo('a', -1, 60 * 1024 * 1024))]
  await expect(commits.append(appendTo('b', -1, 5 * 1024 * 1024))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    outcome: 'none',
  })
  await turn()
  groups[0]?.finish([stored(0)])
  await Promise.all(waiting)
  await commits.close()
  await expect(commits.append(appendTo('b'))).rejects.toMatchObject({ outcome: 'none' })
})

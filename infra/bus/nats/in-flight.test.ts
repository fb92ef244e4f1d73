import { expect, test } from 'vitest'
import { quietLogger } from '@tollgate/tests/support/bus-under-test.ts'
import type { NatsLink } from './connection.ts'
import { inFlight, NatsUnavailable } from './in-flight.ts'

/** A connection that is lost on demand. */
function linkUnderTest() {
  const listeners = new Set<() => void>()
  let isConnected = true
  const link = {
    logger: quietLogger,
    isConnected: () => isConnected,
    onDisconnect(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as NatsLink
  const lose = (): void => {
    isConnected = false
    for (const listener of listeners) listener()
  }
  return { link, lose }
}

test('given as much under way as is allowed, when more comes, then it fails until something has ended', async () => {
  const bounded = inFlight(linkUnderTest().link, 2)
  const works = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const answers = works.map(({ promise }) => bounded(() => promise))
  await expect(bounded(() => Promise.resolve(3))).rejects.toMatchObject({ outcome: 'none' })
  works[0]?.resolve(1)
  expect(await answers[0]).toBe(1)
  expect(await bounded(() => Promise.resolve(3))).toBe(3)
  works[1]?.reject(new Error('refused'))
  await expect(answers[1]).rejects.toThrow('refused')
})

test('given work under way, when the connection is lost, then it fails as unknown and no new work begins', async () => {
  const { link, lose } = linkUnderTest()
  const bounded = inFlight(link, 2)
  const answer = bounded(() => new Promise<never>(() => undefined))
  lose()
  await expect(answer).rejects.toBeInstanceOf(NatsUnavailable)
  await expect(answer).rejects.toMatchObject({ outcome: 'unknown', retryable: true })
  let hasBegun = false
  const begin = async (): Promise<void> => void (hasBegun = true)
  await expect(bounded(begin)).rejects.toMatchObject({ outcome: 'none' })
  expect(hasBegun).toBe(false)
})

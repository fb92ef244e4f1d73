import type { Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OptionSecrets, optionSecrets } from '../secrets/option-secrets.ts'
import { changeOption } from './change-option.ts'
import { followOptions } from './live-options.ts'

let fixture: CommandApiFixture
let secrets: OptionSecrets
beforeAll(async () => {
  fixture = await openCommandApiFixture()
  secrets = optionSecrets(fixture.db, fixture.vault)
})
afterAll(() => fixture.close())

test('given PostgreSQL away when a secret changes, when it is back, then that and later changes are known', async () => {
  let isUnavailable = true
  const get = (key: string): Promise<string | null> =>
    isUnavailable ? Promise.reject(new Error('connect ECONNREFUSED')) : secrets.get(key)
  const warnings: string[] = []
  const log = { warn: (_: object, message: string): unknown => warnings.push(message) }
  const options = await followOptions({ ...fixture, log, secrets: { ...secrets, get } })
  expect(options.isFollowing()).toBe(true)
  await change('SMTPToken', 'hush')
  await vi.waitFor(() => expect(options.isFollowing()).toBe(false), 5_000)
  expect(warnings).toContain('changes of options could not be followed; trying again')

  isUnavailable = false
  const position = await change('SystemName', 'Renamed')
  await vi.waitFor(() => expect(options.isFollowing()).toBe(true), 5_000)
  expect(await options.waitFor(position)).toBe(true)
  expect(options.secret('SMTPToken')).toBe('hush')
  expect(options.current().text('SystemName')).toBe('Renamed')
})

test('given a subscription that breaks behind a change, when followed again, then it goes on behind it', async () => {
  const ending = new AbortController()
  const after: number[] = []
  let breaking = Promise.withResolvers<never>()
  const subscribeAll: EventStore['subscribeAll'] = async function* (...asked) {
    after.push(asked[0])
    const batches = fixture.store.subscribeAll(...asked)[Symbol.asyncIterator]()
    for (;;) {
      const next = await Promise.race([batches.next(), breaking.promise])
      if (next.done === true) return
      yield next.value
    }
  }
  const options = await followOptions({
    ...fixture,
    secrets,
    store: {
      headPosition: () => fixture.store.headPosition(),
      readStream: (...asked) => fixture.store.readStream(...asked),
      subscribeAll,
    },
    signal: AbortSignal.any([ending.signal, fixture.signal]),
  })
  const first = await change('RetryTimes', '4')
  expect(await options.waitFor(first)).toBe(true)
  const broken = breaking
  breaking = Promise.withResolvers<never>()
  broken.reject(new Error('the consumer was too slow'))
  await vi.waitFor(() => expect(after).toHaveLength(2), 5_000)
  expect(after[1]).toBe(first)
  const second = await change('RetryTimes', '5')
  expect(await options.waitFor(second)).toBe(true)
  expect(options.current().number('RetryTimes')).toBe(5)
  ending.abort()
  await options.ended
})

async function change(key: string, text: string): Promise<Position> {
  const cause = { actor: 'user:1', correlationId: 'test', causationId: null } as const
  const outcome = await changeOption({ ...fixture, secrets }, { key, text }, cause)
  if (outcome.status === 'rejected') throw new Error(outcome.rejection.message)
  return outcome.position
}

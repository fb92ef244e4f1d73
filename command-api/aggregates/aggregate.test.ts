import type { Decider } from '@tollgate/domain/decision.ts'
import { type DomainEvent, userStream } from '@tollgate/domain/event.ts'
import {
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executeOn } from './aggregate.ts'

let fixture: CommandApiFixture

beforeAll(async () => {
  fixture = await openCommandApiFixture()
})
afterAll(() => fixture.close())

/** Decides an event whose data is what the runtime told. */
const teller: Decider<null, string, DomainEvent, never> = {
  initial: null,
  decide: (_state, type, context) => ({
    status: 'decided',
    events: [{ type, data: context }],
  }),
  evolve: () => null,
}
const cause = { actor: 'system', correlationId: 'test', causationId: null } as const

test('given a clock that steps back, when commands are decided, then time stands and revisions go on', async () => {
  const stream = userStream(1)
  const told: unknown[] = []
  for (const now of [2_000, 1_000, 3_000]) {
    const writer = { ...fixture, clock: { ...fixture.clock, now: () => now } }
    const outcome = await executeOn(writer, { stream, decider: teller, command: 'Told' }, cause)
    if (outcome.status === 'done') told.push(...outcome.events.map(({ data }) => data))
  }
  expect(told).toEqual([
    { at: 2_000, nextRevision: 0 },
    { at: 2_000, nextRevision: 1 },
    { at: 3_000, nextRevision: 2 },
  ])
})

test('given events that were decided, when they stand, then the outcome has them as the log does', async () => {
  const stream = userStream(2)
  await executeOn(fixture, { stream, decider: teller, command: 'First' }, cause)
  const outcome = await executeOn(fixture, { stream, decider: teller, command: 'Second' }, cause)
  expect(outcome).toMatchObject({ status: 'done', events: [{ type: 'Second', revision: 1 }] })
  const [, second] = await readAll(stream)
  if (outcome.status === 'done') expect(second).toMatchObject(outcome.events[0] ?? {})
  expect(second?.position).toBe(outcome.status === 'done' ? outcome.position : null)
})

test('given a command that is done once, when it is asked for again, then the answer is the first one', async () => {
  const stream = userStream(3)
  const named = { ...cause, causationId: 'command-1' }
  const first = await executeOn(fixture, { stream, decider: teller, command: 'Named' }, named, {
    isOnce: true,
  })
  await executeOn(fixture, { stream, decider: teller, command: 'Other' }, cause)
  const again = await executeOn(fixture, { stream, decider: teller, command: 'Named' }, named, {
    isOnce: true,
  })
  expect((await readAll(stream)).map(({ type }) => type)).toEqual(['Named', 'Other'])
  expect(again).toMatchObject(first)
})

test('given commands without an id, when they are asked for as ones that are done once, then each is done', async () => {
  const stream = userStream(4)
  for (const type of ['One', 'Two']) {
    await executeOn(fixture, { stream, decider: teller, command: type }, cause, { isOnce: true })
  }
  expect((await readAll(stream)).map(({ type }) => type)).toEqual(['One', 'Two'])
})

const readAll = (stream: string) => Array.fromAsync(fixture.store.readStream(stream))

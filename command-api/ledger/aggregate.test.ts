import type { Decider } from '@tollgate/domain/decision.ts'
import { type DomainEvent, userStream } from '@tollgate/domain/event.ts'
import { type CommandApiGround, openCommandApiGround } from '@tollgate/tests/support/command-api.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { executeOn } from './aggregate.ts'

let ground: CommandApiGround

beforeAll(async () => {
  ground = await openCommandApiGround()
})
afterAll(() => ground.close())

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
    const writer = { ...ground, clock: { ...ground.clock, now: () => now } }
    const outcome = await executeOn(writer, stream, teller, 'Told', cause)
    if (outcome.status === 'done') told.push(...outcome.events.map(({ data }) => data))
  }
  expect(told).toEqual([
    { at: 2_000, nextRevision: 0 },
    { at: 2_000, nextRevision: 1 },
    { at: 3_000, nextRevision: 2 },
  ])
})

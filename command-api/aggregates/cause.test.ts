import type { DomainEvent } from '@tollgate/domain/event.ts'
import { expect, test } from 'vitest'
import { type CommandCause, newEvents } from './cause.ts'

const CAUSE: CommandCause = { actor: 'user:1', correlationId: 'request', causationId: null }
const TWO: readonly DomainEvent[] = [
  { type: 'First', data: { at: 1 } },
  { type: 'Second', data: { at: 1 } },
]

const commandIds = (cause: CommandCause) => {
  let ids = 0
  const randomness = { uuid: () => `event-${(ids += 1)}`, fraction: () => 0 }
  return newEvents(TWO, cause, randomness).map(({ metadata }) => metadata.commandId)
}

test.each<[string, Partial<CommandCause>, string]>([
  ['a command with an id of its own', { commandId: 'own', causationId: 'cause' }, 'own'],
  ['a step that is known by its cause', { causationId: 'cause' }, 'cause'],
  ['a command that nobody named', {}, 'event-1'],
])('given %s, when events are made, then all of them name it', (_, named, id) => {
  expect(commandIds({ ...CAUSE, ...named })).toEqual([id, id])
})

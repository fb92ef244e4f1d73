import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openInOrder, type Opening } from './opening.ts'
import type { StopStep } from './in-order.ts'

const logger = pino({ level: 'silent' })
const closed: string[] = []
const step = (name: string): StopStep => [name, async () => closed.push(name)]

test('given a start of several steps, when a later one fails, then what was opened is closed, last first', async () => {
  closed.length = 0
  const start = openInOrder({ logger }, async (opening) => {
    opening.opened(step('database'))
    opening.opened(step('first of console'), step('second of console'))
    throw new Error('the port is taken')
  })
  await expect(start).rejects.toThrow('the port is taken')
  expect(closed).toEqual(['first of console', 'second of console', 'database'])
})

test('given a start told to stop, when a step opens something all the same, then that is closed too', async () => {
  closed.length = 0
  const stopping = new AbortController()
  const slow = Promise.withResolvers<void>()
  const open = async (opening: Opening): Promise<void> => {
    opening.opened(step('database'))
    await slow.promise
    opening.opened(step('connections'))
    closed.push('never')
  }
  const start = openInOrder({ logger, stopping: stopping.signal }, open)
  stopping.abort(new Error('told to stop'))
  await expect(start).rejects.toThrow('told to stop')
  expect(closed).toEqual(['database'])
  slow.resolve()
  await expect.poll(() => closed).toEqual(['database', 'connections'])
})

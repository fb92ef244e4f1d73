import { pino } from 'pino'
import { expect, test } from 'vitest'
import { lazyChildLogger } from './lazy-child-logger.ts'

test('given a lazy child, when something is logged, then it has its bindings, and none was made before', () => {
  const lines: string[] = []
  const parent = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  let children = 0
  const counting = Object.assign(Object.create(parent) as typeof parent, {
    child: (...made: Parameters<typeof parent.child>) => {
      children += 1
      return parent.child(...made)
    },
  })
  const child = lazyChildLogger(counting, { requestId: 'r1' })
  for (const method of ['info', 'error', 'debug', 'fatal', 'warn', 'trace', 'child'] as const) {
    // Fastify looks at every request's logger like this.
    expect(typeof child[method]).toBe('function')
  }
  expect(children).toBe(0)
  child.warn({ more: 1 }, 'said')
  child.error('again')
  expect(children).toBe(1)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, requestId: 'r1', more: 1, msg: 'said' },
    { level: 50, requestId: 'r1', msg: 'again' },
  ])
})

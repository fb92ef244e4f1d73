import { seededChance } from '@tollgate/infra/demo/seeded-chance.ts'
import { randomHistory } from '@tollgate/tests/support/histories/ledger-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { journal } from '../journal/projector.ts'
import { readLines, type StatementLine, type WantedLines } from './lines.ts'
import { ANYTHING } from './sums.ts'

const MINUTE_MS = 60_000
const USERS = [1, 2]
const START = Date.UTC(2026, 8, 20)
const PERIOD = { from: START - 86_400_000, to: START + 30 * 86_400_000 }

let log: ProjectionLog

/** Many events an hour, several at the very same moment, some after a clock has stepped back. */
beforeAll(async () => {
  log = await openProjectionLog()
  const chance = seededChance(5)
  const shape = { steps: 900, users: USERS.length, stepMs: 10 * MINUTE_MS }
  for (const { stream, event } of randomHistory({ seed: 4, from: START, ...shape }).events) {
    const at = event.data.at - (chance() < 0.3 ? Math.floor(chance() * 90) * MINUTE_MS : 0)
    await log.append(stream, { ...event, data: { ...event.data, at } })
  }
  await log.project([journal])
})
afterAll(() => log.close())

async function linesOf(
  wanted: Pick<WantedLines, 'userId' | 'group' | 'zone'> & Partial<WantedLines>,
): Promise<readonly StatementLine[]> {
  const lines: StatementLine[] = []
  let after: string | null = null
  do {
    const fields = { period: PERIOD, filter: ANYTHING, withHolds: false, limit: 7 }
    const page = await readLines(log.reads, { ...fields, ...wanted, after })
    lines.push(...page.lines)
    after = page.next
  } while (after !== null)
  return lines
}

test.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])(
  'given days by model in %s, when an event stands in one, then its balance is the one right after it',
  async (zone) => {
    let parted = 0
    for (const userId of USERS) {
      const events = await linesOf({ userId, zone, group: 'none' })
      const lines = await linesOf({ userId, zone, group: 'day-model' })
      const singles = lines.filter((line) => line.type === 'event')
      for (const line of singles) {
        const alone = events.find((one) => one.type === 'event' && one.position === line.position)
        expect(line).toEqual(alone)
      }
      const sums = lines.filter((line) => line.type === 'sum')
      for (const { first_position: first, last_position: last, ...sum } of sums) {
        expect(singles.filter(({ position }) => first < position && position < last)).toEqual([])
        const { from, source, model } = sum
        const alike = sums.filter((one) => one.source === source && one.model === model)
        if (alike.some((one) => one.from === from && one.first_position > last)) parted += 1
      }
    }
    expect(parted).toBeGreaterThan(10)
  },
)

test('given a day parted by an event, when each of its lines is opened, then every event is in one', async () => {
  for (const userId of USERS) {
    const zone = 'Asia/Kathmandu'
    const inside: StatementLine[] = []
    for (const line of await linesOf({ userId, zone, group: 'day-model' })) {
      if (line.type === 'event') {
        inside.push(line)
        continue
      }
      const { from, to, source, model, events, first_position: first, last_position: last } = line
      const filter = { ...ANYTHING, source: source === '' ? null : source, model: model || null }
      const period = { from, to }
      const wanted = { userId, zone, period, filter, positions: { first, last } }
      const opened = await linesOf({ ...wanted, group: 'none' })
      expect(opened).toHaveLength(events)
      inside.push(...opened)
    }
    const positions = inside.flatMap((line) => (line.type === 'event' ? [line.position] : []))
    const all = await linesOf({ userId, zone, group: 'none' })
    expect(positions.toSorted((a, b) => a - b)).toEqual(
      all.flatMap((line) => (line.type === 'event' ? [line.position] : [])),
    )
  }
})

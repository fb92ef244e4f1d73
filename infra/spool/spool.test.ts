import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ForeignEvent } from '@tollgate/domain/ports/event-store.ts'
import { report } from '@tollgate/tests/support/bus-under-test.ts'
import { deliverFile } from './deliver-lines.ts'
import { diskSpool } from './disk-spool.ts'
import { spoolDelivery } from './spool-delivery.ts'

let folder: string
let printed: string[]
const logged: string[] = []
const log = (_: unknown, message: string): void => void logged.push(message)
const logger = { info: log, warn: log, error: log }

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'tollgate-spool-')), 'spool')
  printed = []
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

const openSpool = () =>
  diskSpool({ folder, now: () => Date.now(), printLine: (line) => void printed.push(line) })

const files = (): Promise<readonly string[]> => readdir(folder).catch(() => [])

/** A ledger that knows each charge once, as the real one does. */
function ledger() {
  const charged = new Set<string>()
  let calls = 0
  let failure: Error | null = null
  return {
    charged,
    calls: () => calls,
    failWith: (error: Error | null) => (failure = error),
    journal: {
      publish({ hold, sequence }: { hold: string; sequence: number }): Promise<void> {
        calls += 1
        if (failure !== null) return Promise.reject(failure)
        charged.add(`${hold}/${sequence}`)
        return Promise.resolve()
      },
    },
  }
}

/** Another process, or the next run of this one, goes through the folder. */
const roundOf = async ({ journal }: ReturnType<typeof ledger>) => {
  const delivery = spoolDelivery({
    folder,
    journal,
    logger,
    now: () => Date.now(),
    spool: openSpool(),
  })
  await delivery.round(new AbortController().signal)
  return delivery
}

const unavailable = Object.assign(new Error('the ledger is away'), { retryable: true })

describe('given charges that were saved,', () => {
  test('when the next run looks, then each is delivered and the file is gone', async () => {
    openSpool().saveNow([report(1), report(2)])
    expect(await openSpool().save([report(3)])).toBe(true)
    expect(await files()).toHaveLength(2)
    const books = ledger()
    const delivery = await roundOf(books)
    expect(books.charged.size).toBe(3)
    expect(await files()).toEqual([])
    expect(delivery.warning()).toBeNull()
  })

  test('when the ledger is away, then they stay and come with a later round', async () => {
    openSpool().saveNow([report(1)])
    const books = ledger()
    books.failWith(unavailable)
    expect((await roundOf(books)).warning()).toMatch(/^1 files of charges wait/u)
    expect(await files()).toHaveLength(1)
    books.failWith(null)
    await roundOf(books)
    expect(books.charged.size).toBe(1)
    expect(await files()).toEqual([])
  })

  test('when several processes find them, or one crashes on the way, then each is charged once', async () => {
    openSpool().saveNow(Array.from({ length: 200 }, (_, n) => report(n + 1)))
    const [name = ''] = await files()
    const copy = await readFile(join(folder, name))
    const books = ledger()
    await Promise.all([roundOf(books), roundOf(books), roundOf(books)])
    await writeFile(join(folder, name), copy)
    await roundOf(books)
    expect(books.charged.size).toBe(200)
    expect(await files()).toEqual([])
  })

  test('when they are delivered in memory after all, then their file goes with the last of them', async () => {
    const spool = openSpool()
    const charges = [report(1), report(2)]
    const saving = spool.save(charges)
    spool.delivered(charges[0] as UsageReport)
    await saving
    expect(await files()).toHaveLength(1)
    spool.delivered(charges[1] as UsageReport)
    await expect.poll(files).toEqual([])
  })

  test('when the ledger refuses one for good, then it is kept apart with the reason and the rest is charged', async () => {
    openSpool().saveNow([report(1)])
    const books = ledger()
    books.failWith(Object.assign(new Error('no such account'), { retryable: false }))
    await roundOf(books)
    const [name = ''] = await files()
    expect(name).toMatch(/^refused-.*\.jsonl$/u)
    expect(await readFile(join(folder, name), 'utf8')).toContain('no such account')
    books.failWith(null)
    expect((await roundOf(books)).warning()).toContain('npm run charges -- deliver')
    expect(books.charged.size).toBe(0)
    const deliveredByHand = await deliverByHand(join(folder, name), books)
    expect(deliveredByHand).toEqual({ delivered: 1, refused: 0, problems: 0 })
  })
})

describe('given a crash while the spool is written,', () => {
  /** Leaves the file of a crash behind: no name yet, cut off in the middle of the last line. */
  async function leaveHalfWritten(ageMs: number): Promise<void> {
    openSpool().saveNow([report(1), report(2), report(3)])
    const [name = ''] = await files()
    const text = await readFile(join(folder, name), 'utf8')
    await rm(join(folder, name))
    const path = join(folder, `${name}.part`)
    await writeFile(path, text.slice(0, -40))
    const then = (Date.now() - ageMs) / 1_000
    await utimes(path, then, then)
  }

  test('when the next run looks, then the whole lines are charged and the torn one is kept apart', async () => {
    await leaveHalfWritten(120_000)
    const books = ledger()
    await roundOf(books)
    expect([...books.charged]).toEqual(['7@3/1', '7@3/2'])
    expect(await files()).toEqual([expect.stringMatching(/^refused-/u)])
    expect(logged.join('\n')).toContain('a line cannot be delivered')
  })

  test('when it may still be written by another process, then it is left alone', async () => {
    await leaveHalfWritten(0)
    const books = ledger()
    await roundOf(books)
    expect(books.charged.size).toBe(0)
    expect(await files()).toHaveLength(1)
  })
})

describe('given a disk that takes nothing,', () => {
  test('when charges are saved, then each is printed once as a line of JSON that can be delivered', async () => {
    await writeFile(folder, 'a file where the folder should be')
    const spool = openSpool()
    const charges = [report(1), report(2)]
    expect(await spool.save(charges)).toBe(false)
    spool.saveNow(charges)
    await spool.setAside(report(3), 'too large')
    expect(printed).toHaveLength(3)
    for (const line of printed) expect(JSON.parse(line)).toMatchObject({ level: 60 })

    const log = join(folder, '..', 'tollgate.log')
    const around = [
      'relay-1  | {"level":30,"msg":"started"}\n',
      ...printed.map((l) => `relay-1  | ${l}`),
    ]
    await writeFile(
      log,
      `${around.join('')}not json\n\n{"level":50,"charge":"of something else"}\n`,
    )
    const books = ledger()
    expect(await deliverByHand(log, books)).toEqual({ delivered: 3, refused: 0, problems: 0 })
    expect(await deliverByHand(log, books)).toEqual({ delivered: 3, refused: 0, problems: 0 })
    expect(books.charged.size).toBe(3)
  })
})

test('given charges of a locked account among others, when rounds go on, then only those wait for it', async () => {
  const { journal, charged, failWith } = ledger()
  const locked = new ForeignEvent('account-7', 3, 'it cannot be read')
  const choosy = {
    async publish(charge: UsageReport): Promise<void> {
      failWith(isLocked && charge.sequence % 2 === 0 ? locked : null)
      await journal.publish(charge)
    },
  }
  let isLocked = true
  const spool = openSpool()
  await spool.save([2, 3, 4].map((sequence) => report(sequence)))
  await spool.save([report(6)])
  await spool.save([report(5)])
  const now = (): number => Date.now()
  const next = spoolDelivery({ folder, journal: choosy, logger, now, spool: openSpool() })
  for (let round = 1; round <= 3; round += 1) {
    await next.round(new AbortController().signal)
    expect(charged.size).toBe(2)
    expect(next.warning()).toMatch(/^3 charges in DATA_DIR\/spool wait for accounts .* locked/u)
    expect((await files()).filter((name) => name.startsWith('refused-'))).toEqual([])
  }
  isLocked = false
  await next.round(new AbortController().signal)
  expect(charged.size).toBe(5)
  expect(await files()).toEqual([])
  expect(next.warning()).toBeNull()
})

test('given a line of a newer format, when it is delivered, then it is told and not guessed at', async () => {
  const path = join(folder, '..', 'newer.jsonl')
  await writeFile(path, '{"charge":{"format":2,"message":{"new":"shape"}}}\n')
  const problems: string[] = []
  const books = ledger()
  await deliverFile(path, {
    journal: books.journal,
    onRefused: () => undefined,
    onProblem: (_, problem) => void problems.push(problem),
  })
  expect(problems).toEqual([expect.stringContaining('a newer Tollgate wrote it')])
  expect(books.calls()).toBe(0)
})

const deliverByHand = (path: string, { journal }: ReturnType<typeof ledger>) =>
  deliverFile(path, { journal, onRefused: () => undefined, onProblem: () => undefined })

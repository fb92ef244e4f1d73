import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import {
  type PostgresAuditedLog,
  postgresAuditedLog,
} from '@tollgate/tests/support/histories/audited-log.ts'
import { openProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { type CommandRun, runCommand } from '@tollgate/tests/support/run-command.ts'
import { readModels } from '@tollgate/projections/read-models.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let log: PostgresAuditedLog
let folder: string
beforeAll(async () => {
  log = await postgresAuditedLog()
  folder = await mkdtemp(join(tmpdir(), 'tollgate-audit-'))
})
afterAll(async () => {
  await log.close()
  await rm(folder, { recursive: true, force: true })
})

const audit = (
  words: readonly string[],
  env: NodeJS.ProcessEnv = { DATABASE_URL: log.database.url },
): Promise<CommandRun> => run('audit-cli.ts', words, env)

const run = (file: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandRun> =>
  runCommand(new URL(file, import.meta.url), words, env)

const credit = (amount: number): DomainEvent =>
  ({ type: 'QuotaCredited', data: { at: 1, amount, source: 'grant', reason: '' } }) as DomainEvent

test('given a log, when sealed, exported, tampered with and verified, then each command tells the truth', async () => {
  expect(await audit(['head'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no seal yet'),
  })
  await log.append('account-1', credit(1), credit(2))
  const sealed = await audit(['seal'])
  expect(sealed).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(sealed.out)).toMatchObject({ position: 1, seal: 1 })
  expect(await audit(['seal'])).toMatchObject({
    code: 0,
    out: sealed.out,
    err: expect.stringContaining('Nothing has changed'),
  })

  const head = await audit(['head'])
  expect(head).toMatchObject({ code: 0, out: sealed.out })
  const file = join(folder, 'head.json')
  await writeFile(file, head.out)
  const whole = await audit(['verify', '--head', file])
  expect(whole.code).toBe(0)
  expect(whole.out).toContain(
    'The log is whole: 3 events in 2 streams up to position 2, 1 seal.\nThe newest seal (1) is 0 minutes old and covers everything up to position 1: nothing is unsealed.\nThe exported head (seal 1, position 1) is part of the chain.',
  )
  expect(whole.err).toMatch(/verify .*100% \| 3 events/)

  await log.tamper('account-1', 1, '2', '3')
  const broken = await audit(['verify'])
  expect(broken.code).toBe(1)
  expect(broken.out).toMatch(/^The log is broken\.\n {2}position {5}1\n {2}stream {7}account-1\n/)
  const asJson = await audit(['verify', '--json'])
  expect(asJson.code).toBe(1)
  expect(JSON.parse(asJson.out)).toMatchObject({ first_break: { position: 1, revision: 1 } })
})

test('given credits, when the trial balance is asked for now or earlier, then debits equal credits', async () => {
  const books = await postgresAuditedLog()
  try {
    await books.append('account-1', credit(500), credit(700))
    await books.append('account-2', { ...credit(90), data: { ...credit(90).data, at: 5_000 } })
    const at = { DATABASE_URL: books.database.url }
    const now = await audit(['trial-balance'], at)
    expect(now).toMatchObject({ code: 0 })
    expect(now.out).toMatch(/^wallet \(2 accounts\) +0 +1,290 +1,290$/m)
    expect(now.out).toMatch(/^total +1,290 +1,290 +0$/m)
    const then = await audit(['trial-balance', '--at', '1970-01-01T00:00:04Z', '--json'], at)
    expect(JSON.parse(then.out)).toMatchObject({
      at: '1970-01-01T00:00:04.000Z',
      position: 2,
      events: 2,
      total: { debits: '1200', credits: '1200', balance: '0' },
    })
    const same = await audit(['trial-balance', '--at', '4000', '--json'], at)
    expect(same.out).toBe(then.out)
    const first = await audit(['trial-balance', '--position', '0', '--each', '--json'], at)
    expect(JSON.parse(first.out)).toMatchObject({
      position: 0,
      rows: [
        { account: 'wallet:1', balance: '500' },
        { account: 'adjustments', balance: '-500' },
      ],
    })
  } finally {
    await books.close()
  }
})

test('given read models, when one figure is changed, then reconcile names it and a rebuild mends it', async () => {
  const books = await openProjectionLog()
  try {
    await books.append('account-1', { type: 'AccountOpened', data: { at: 1 } }, credit(500))
    await books.project(readModels)
    const at = { DATABASE_URL: books.url }
    const whole = await audit(['reconcile'], at)
    expect(whole).toMatchObject({ code: 0 })
    expect(whole.out).toContain('Every figure compared is what the ledger says (2 events).')
    await books.pool.query('update balances.accounts set wallet = 501')
    const broken = await audit(['reconcile'], at)
    expect(broken.code).toBe(1)
    expect(broken.out).toContain(
      'balances accounts: user 1: wallet: the ledger says 500, the table 501',
    )
    expect(broken.out).toContain('2 figures are not what the ledger says')
    await run('projections-cli.ts', ['rebuild', 'balances'], at)
    expect(JSON.parse((await audit(['reconcile', '--json'], at)).out)).toMatchObject({
      differences: 0,
    })
  } finally {
    await books.close()
  }
})

test('given a position not yet written, when the trial balance is asked for, then it is refused', async () => {
  const { code, out, err } = await audit(['trial-balance', '--position', '99999999'])
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toMatch(/The log ends at position \d+: 99999999 is beyond it\.\n$/)
})

test.each([
  [['trial-balance', '--at', 'noon'], '"noon" is no time with its zone, no date and no number'],
  [['trial-balance', '--position', 'noon'], '"noon" is no position.'],
  [['trial-balance', '--at', '1', '--position', '1'], 'Only one of --at and --position'],
  [['destroy'], 'There is no command "destroy".'],
  [['verify', '--loud'], "Unknown option '--loud'"],
  [['trial-balance', '--at', '2026-02-30'], '"2026-02-30" is no time with its zone'],
  [['trial-balance', '--at', '2026-02-03T10:00'], '"2026-02-03T10:00" is no time with its zone'],
  [['verify', '--head', '/nowhere.json'], '/nowhere.json cannot be read (ENOENT'],
])('given %j, when it is run, then it fails and says what can be done', async (words, problem) => {
  const { code, out, err } = await audit(words)
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain(problem)
  expect(err).toContain('npm run audit -- head')
})

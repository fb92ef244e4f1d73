import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { priceBookFrom } from '@tollgate/domain/pricing/price-book.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { optionsFrom } from '@tollgate/domain/settings/options.ts'
import { chargeAt } from '@tollgate/tests/support/histories/charge-history.ts'
import { openProjectionLog, type ProjectionLog } from '@tollgate/tests/support/projection-log.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { productArguments } from '@tollgate/tests/support/product-arguments.ts'
import { type CommandRun, runCommand } from '@tollgate/tests/support/run-command.ts'
import { backUp } from '../../backup/back-up.ts'
import { VERSION } from '../version.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const CLI = new URL('replay-cli.ts', import.meta.url)

let log: ProjectionLog
let folder: string
beforeAll(async () => {
  log = await openProjectionLog()
  folder = await mkdtemp(join(tmpdir(), 'replay-'))
  const book = priceBookFrom(optionsFrom([]), -1)
  const usage = { ...NO_USAGE, textIn: 1_000 }
  const at = Date.UTC(2026, 1, 3, 23, 30)
  await log.append(
    'account-1',
    chargeAt(at, 'a', book, { usage }),
    chargeAt(at, 'b', book, { usage }),
  )
})
afterAll(async () => {
  await log.close()
  await rm(folder, { recursive: true, force: true })
})

const replay = (...words: readonly string[]): Promise<CommandRun> =>
  runCommand(CLI, words, { DATABASE_URL: log.url })
const RANGE = ['--from', '2026-02-03', '--to', '2026-02-05'] as const

test('given charges, when replayed at a draft by day and model, then the file has both amounts', async () => {
  const draft = join(folder, 'draft.json')
  const out = join(folder, 'out.csv')
  await writeFile(draft, '{"ModelRatio": {"gpt-4o": 2.5}}')
  const by = ['--by', 'day,model', '--zone', 'Asia/Shanghai']
  const run = await replay(...RANGE, ...by, '--prices', draft, '--out', out)
  expect(run).toMatchObject({ code: 0, err: expect.stringContaining('2 charges') as string })
  const [head, line] = (await readFile(out, 'utf8')).split('\r\n')
  expect(head).toContain('start,model,requests,failures,quota,repriced')
  expect(line).toContain('2026-02-03T16:00:00.000Z,gpt-4o,2,0,2500,5000,0')
  const { rows } = await log.pool.query('select id from replays.replays')
  expect(rows).toEqual([])
})

test('given a name, when replayed, then the replay stays in the list', async () => {
  const run = await replay(...RANGE, '--name', 'kept')
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining(',2,0,2500,2500,') as string })
  const { rows } = await log.pool.query('select name, status from replays.replays')
  expect(rows).toEqual([{ name: 'kept', status: 'done' }])
})

test('given positions and an endpoint, when replayed, then the charges there count, whatever their time', async () => {
  const one = await replay('--positions', '..0', '--endpoint', '/v1/chat/completions,/v1/messages')
  expect(one).toMatchObject({ code: 0, out: expect.stringContaining(',1,0,1250,') as string })
  const none = await replay('--positions', '0..', '--endpoint', '/v1/messages')
  expect(none.err).toContain('0 charges up to position 1')
})

async function backUpInto(backup: string): Promise<void> {
  await backUp({
    databaseUrl: log.url,
    folder: backup,
    masterKey: randomBytes(32),
    isKeyIncluded: false,
    readLog: null,
    version: VERSION,
    now: 1,
    onProgress: () => undefined,
  })
}

test('given a backup, when its log is replayed, then the file has its charges, and nothing is kept', async () => {
  const backup = join(folder, 'backup')
  await backUpInto(backup)
  const alone = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TMPDIR: folder }
  const run = await runCommand(CLI, [...RANGE, '--backup', backup], alone)
  expect(run).toMatchObject({ code: 0, out: expect.stringContaining(',2,0,2500,') as string })
  expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^tollgate-replay-/u))
  await appendFile(join(backup, 'ledger.events.copy.gz'), 'x')
  const damaged = await runCommand(CLI, [...RANGE, '--backup', backup], alone)
  expect(damaged).toMatchObject({
    code: 1,
    err: expect.stringContaining('ledger.events.copy.gz has another checksum') as string,
  })
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'given a backup that loads, when %s comes, then the command ends and its folder is gone',
  async (signal) => {
    const [backup, temporary] = [join(folder, signal), join(folder, `tmp-${signal}`)]
    await backUpInto(backup)
    await mkdir(temporary)
    const words = [...productArguments(fileURLToPath(CLI)), ...RANGE, '--backup', backup]
    const child = spawn(process.execPath, words, {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, ended] = [text(child.stderr), once(child, 'exit')]
    await until('it makes a folder', async () =>
      (await readdir(temporary)).some((name) => name.includes('replay-')),
    )
    child.kill(signal)
    expect(await ended).toEqual([1, null])
    expect(await said).toContain('The command was interrupted')
    expect(await readdir(temporary)).not.toContainEqual(expect.stringMatching(/^tollgate-replay-/u))
  },
)

test.each([
  [['--positions', '5-7'], 'no range of positions'],
  [['--positions', '7..5'], 'must not be below'],
  [[...RANGE, '--backup', 'x', '--name', 'kept'], 'write a file by --out'],
  [[...RANGE, '--backup', '/nowhere'], 'is no backup'],
  [['--from', '2026-02-03'], '--to is missing.'],
  [['--from', '2026-02-03T12:00:00', '--to', '2026-02-05'], 'no time with its zone'],
  [[...RANGE, '--prices', 'cheap'], 'say as-charged, today'],
  [[...RANGE, '--by', 'day,model,user,token'], 'take up to two'],
  [[...RANGE, '--zone', 'Mars'], 'no time zone'],
  [[...RANGE, '--user', 'ann'], '"ann" is no number'],
])('given %j, when it is run, then it fails and says what can be done', async (words, problem) => {
  const { code, err } = await replay(...words)
  expect(code).toBe(1)
  expect(err).toContain(problem)
  expect(err.includes('Usage:')).toBe(problem !== 'is no backup')
})

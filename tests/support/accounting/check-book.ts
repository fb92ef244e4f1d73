import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type AccountingProgram, BEAN_CHECK, HLEDGER } from './programs.ts'

const MOST_MS = 60_000

/** The complaints of `hledger check --strict` about a journal; '' when there are none. */
export const hledgerProblems = (journal: string): Promise<string> =>
  run(HLEDGER, journal, (file) => ['-f', file, 'check', '--strict', 'ordereddates'], problemsOf)

/** The complaints of `bean-check` about a ledger; '' when there are none. */
export const beanProblems = (ledger: string): Promise<string> =>
  run(BEAN_CHECK, ledger, (file) => [file], problemsOf)

/** Balances of each account of a journal as hledger adds them up, by their names. */
export async function hledgerBalances(journal: string): Promise<ReadonlyMap<string, string>> {
  const args = (file: string): readonly string[] => [
    '-f',
    file,
    ...'bal --flat -E -N -O csv'.split(' '),
  ]
  const csv = await run(HLEDGER, journal, args, ({ code, output }) => {
    if (code !== 0) throw new Error(output)
    return output
  })
  const rows = csv.trim().split('\n').slice(1)
  return new Map(
    rows.map((row) => {
      const [account = '', amount = ''] = row.slice(1, -1).split('","')
      return [account, amount]
    }),
  )
}

interface Ended {
  readonly code: number
  readonly output: string
}
const problemsOf = ({ code, output }: Ended): string =>
  code === 0 && output.trim() === '' ? '' : `exit ${code}: ${output}`

async function run(
  program: AccountingProgram,
  book: string,
  argsOf: (file: string) => readonly string[],
  read: (ended: Ended) => string,
): Promise<string> {
  const found = program.find(process.env)
  if (found === null) throw new Error(`no ${program.name} found: ${program.advice}`)
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-book-'))
  try {
    const file = join(folder, 'book')
    await writeFile(file, book)
    return await new Promise<string>((resolve, reject) => {
      const options = { timeout: MOST_MS, env: { ...process.env, LC_ALL: 'C.UTF-8' } }
      execFile(found, [...argsOf(file)], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code
        if (typeof code !== 'number') reject(error ?? new Error('no exit code'))
        else resolve(read({ code, output: stdout + stderr }))
      })
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportedHead } from '@tollgate/command-api/audit/exported-head.ts'
import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import type { Pool } from 'pg'
import { z } from 'zod'
import { HeadFileInvalid } from './head-file.ts'

/** Below DATA_DIR; one seal a line, as `npm run audit -- head` prints it, with the database whose log it seals. */
const FILE = 'seals.jsonl'

/**
 * Seals noted outside of the log: who cuts off the log's end together with its seals leaves them behind here. Several
 * processes, and databases, may share the file; each line is written by one call.
 */
export interface NotedSeals {
  readonly file: string
  /** In the order in which they were noted. Fails with HeadFileInvalid for a file with other lines. */
  read(): Promise<readonly LedgerHead[]>
  /** Notes a seal that is not the last one noted. */
  note(head: LedgerHead): Promise<void>
}

/** `pool` is of the database that the log belongs to; one without an identity, not made by Tollgate, has no notes. */
export function notedSeals(dataDir: string, pool: Pick<Pool, 'query'>): NotedSeals {
  const file = join(dataDir, FILE)
  let last: string | null = null

  async function lines(): Promise<readonly string[]> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
      throw error
    })
    return text.split('\n').filter((line) => line !== '')
  }

  return {
    file,
    async read() {
      const database = await databaseOf(pool)
      const noted = (await lines()).map((line) => lineIn(file, line))
      return noted.flatMap(({ database: of, ...head }) => (of === database ? [head] : []))
    },
    async note({ position, seal, root, hash, at }) {
      const database = await databaseOf(pool)
      if (database === null) return
      const line = JSON.stringify({ position, seal, root, hash, at, database })
      if (line === last || (await lines()).includes(line)) return
      await mkdir(dataDir, { recursive: true })
      await appendFile(file, `${line}\n`, { mode: 0o600 })
      last = line
    },
  }
}

/** The identity of a database; null for one that has none. */
async function databaseOf(pool: Pick<Pool, 'query'>): Promise<string | null> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('audit.database') is not null as there`,
  )
  if (rows[0]?.there !== true) return null
  const found = await pool.query<{ id: string }>('select id from audit.database')
  return found.rows[0]?.id ?? null
}

const notedLine = exportedHead.extend({ database: z.string() })

function lineIn(file: string, line: string): z.output<typeof notedLine> {
  const parsed = notedLine.safeParse(jsonIn(file, line))
  if (parsed.success) return parsed.data
  throw new HeadFileInvalid(`${file} has a line that is no seal: ${line.slice(0, 80)}`)
}

function jsonIn(file: string, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new HeadFileInvalid(`${file} has a line that is no seal: ${line.slice(0, 80)}`, error)
  }
}

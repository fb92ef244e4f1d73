import { readConfig } from '../processes/config.ts'
import { openPsql, promptForQueries, runQuery, withDatabase } from './sql-session.ts'
import type { SqlTarget } from './sql-session.ts'

/** `npm run sql`: psql, or a prompt where there is none; `npm run sql -- "select 1"`: one query and its result. */
async function main(query: string): Promise<number> {
  const { databaseUrl, dataDir } = readConfig(process.env)
  const target: SqlTarget = { databaseUrl, dataDir, logger: quietLog }
  return withDatabase(target, async (url) => {
    if (query !== '') {
      process.stdout.write(`${await runQuery(url, query)}\n`)
      return 0
    }
    const code = await openPsql(url, process.env)
    if (code !== null) return code
    await promptForQueries(url, process.stdin, process.stdout)
    return 0
  })
}

/** A failure comes as an error at the end; the rest would stand in the way of the answer. */
const quietLog = { info() {}, warn() {}, debug() {} }

// Ctrl-C reaches psql too, where it ends a query. Node would end at once and leave PostgreSQL running.
process.on('SIGINT', () => undefined)

try {
  process.exitCode = await main(process.argv.slice(2).join(' ').trim())
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

import { readFile } from 'node:fs/promises'
import { exportedHead } from '@tollgate/command-api/audit/exported-head.ts'
import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'

/** The file holds no exported head; the message says what it should hold. */
export class HeadFileUnfit extends Error {
  readonly code = 'HEAD_FILE_UNFIT'
  readonly retryable = false
  constructor(file: string, problem: string, cause?: unknown) {
    super(
      `${file} holds no exported head: ${problem}. It should be what "npm run audit -- head" printed.`,
      { cause },
    )
    this.name = 'HeadFileUnfit'
  }
}

/** Reads a head that was exported earlier. Fails with HeadFileUnfit. */
export async function readHeadFile(file: string): Promise<LedgerHead> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new HeadFileUnfit(file, error instanceof Error ? error.message : String(error), error)
  }
  const parsed = exportedHead.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HeadFileUnfit(file, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

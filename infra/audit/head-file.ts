import { readFile } from 'node:fs/promises'
import { exportedHead } from '@tollgate/command-api/audit/exported-head.ts'
import type { LedgerHead } from '@tollgate/command-api/audit/seals.ts'
import { messageOf } from '../event-store/message-of.ts'

/** The file is not there or holds no exported head; the message says what it should hold. */
export class HeadFileInvalid extends Error {
  readonly code = 'HEAD_FILE_UNFIT'
  readonly retryable = false
  constructor(problem: string, cause?: unknown) {
    super(`${problem}. It should be what "npm run audit -- head" printed.`, { cause })
    this.name = 'HeadFileInvalid'
  }
}

/** Reads a head that was exported earlier. Fails with HeadFileInvalid. */
export async function readHeadFile(file: string): Promise<LedgerHead> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new HeadFileInvalid(`${file} cannot be read (${messageOf(error)})`, error)
  })
  const parsed = exportedHead.safeParse(jsonIn(file, text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new HeadFileInvalid(`${file} holds no exported head: ${issue?.message ?? ''}`)
}

function jsonIn(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HeadFileInvalid(`${file} holds no exported head: ${messageOf(error)}`, error)
  }
}

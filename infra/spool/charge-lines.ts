import type { UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { z } from 'zod'
import { decodeUsage, encodeUsage } from '../bus/nats/usage-message.ts'

/**
 * A charge as one line of JSON, in a spool file and in the log alike: an object with the member `charge`. Text around
 * the object (a time, the name of a container) and further members are passed over.
 */

/** Raised when an older Tollgate could misread what a newer one writes. */
const FORMAT = 1

/** One charge as the value of the member `charge`. */
export interface ChargeEntry {
  readonly format: number
  /** Unix milliseconds. */
  readonly savedAt: number
  /** The message as relays publish it (infra/bus/README.md). */
  readonly message: unknown
  /** Why it is kept apart; absent where it was never refused. */
  readonly refused?: string
}

export const chargeEntry = (
  message: UsageReport,
  savedAt: number,
  refused?: string,
): ChargeEntry => ({
  format: FORMAT,
  savedAt,
  message: JSON.parse(encodeUsage(message)),
  ...(refused === undefined ? {} : { refused }),
})

/** With its end of line. */
export const chargeLine = (entry: ChargeEntry): string => `${JSON.stringify({ charge: entry })}\n`

/** The content of one line; `problem` says why a line that speaks of a charge cannot be delivered. */
export type ReadLine =
  | { readonly kind: 'charge'; readonly message: UsageReport }
  | { readonly kind: 'problem'; readonly problem: string }
  | { readonly kind: 'other' }

const OTHER: ReadLine = { kind: 'other' }
const problem = (text: string): ReadLine => ({ kind: 'problem', problem: text })

/** Reads one line of a spool file or a log. Never throws. */
export function readChargeLine(line: string): ReadLine {
  if (!line.includes('"charge":')) return line.trim() === '' ? OTHER : otherOrTorn(line)
  const found = line.indexOf('{')
  const value = parse(line.slice(found))
  if (value === undefined) return problem('the line is torn: it was cut off while it was written')
  const entry = entryIn.safeParse(value)
  if (!entry.success) return OTHER
  const { format, message } = entry.data.charge
  if (format > FORMAT)
    return problem(`a newer Tollgate wrote it (format ${format}): deliver it with that one`)
  return messageOf(message)
}

/** The remains of a first line after a crash; lines of a log without a charge are none of it. */
const otherOrTorn = (line: string): ReadLine =>
  line.startsWith(TORN_START) || TORN_START.startsWith(line)
    ? problem('the line is torn: it was cut off while it was written')
    : OTHER

const TORN_START = '{"charge'

const entryIn = z.object({ charge: z.object({ format: z.int().positive(), message: z.unknown() }) })

function messageOf(message: unknown): ReadLine {
  try {
    const decoded = decodeUsage(new TextEncoder().encode(JSON.stringify(message)))
    if (decoded.type === 'usage') return { kind: 'charge', message: decoded }
    return problem('it is no charge')
  } catch (error) {
    return problem(error instanceof Error ? error.message : String(error))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller says what that means.
    return undefined
  }
}

import { csvLine } from '@tollgate/command-api/http-contract/csv-line.ts'
import type { Names } from '../../http/names.ts'
import type { LineAnswer } from '../answers.ts'
import { tellLines } from '../line-entity.ts'
import { readLines, type WantedLines } from '../lines.ts'
import type { ServiceSource } from '../service-times.ts'
import { COMMODITY } from './book-accounts.ts'
import { dayIn } from './book-entries.ts'
import { bare, type Piece } from '../../archive/zip.ts'

export interface LineReader extends ServiceSource {
  readonly names: Pick<Names, 'tokens' | 'users' | 'notes'>
  readonly isAdministrator: boolean
}

const PAGE_LINES = 1_000

/** Every line of a statement, in pages. */
async function* linePages(
  { reads, store, names, isAdministrator }: LineReader,
  wanted: Omit<WantedLines, 'after' | 'limit'>,
): AsyncGenerator<readonly LineAnswer[]> {
  let after: string | null = null
  do {
    const { lines, next } = await readLines(reads, { ...wanted, after, limit: PAGE_LINES })
    yield await tellLines(names, { reads, store }, lines, isAdministrator)
    after = next
  } while (after !== null)
}

/** Every line as an object on a line of its own, as the statement's answer has it. */
export async function* jsonLines(
  reader: LineReader,
  wanted: Omit<WantedLines, 'after' | 'limit'>,
): AsyncGenerator<Piece> {
  for await (const lines of linePages(reader, wanted)) {
    yield pieceOf(lines, (line) => `${JSON.stringify(line)}\n`)
  }
}

/** Every line of a statement as CSV, with a byte order mark, so that spreadsheets read Chinese. */
export async function* csvLines(
  reader: LineReader,
  wanted: Omit<WantedLines, 'after' | 'limit'>,
): AsyncGenerator<Piece> {
  yield bare(`\uFEFF${csvLine(CSV_COLUMNS)}`)
  const dayOf = dayIn(wanted.zone)
  for await (const lines of linePages(reader, wanted)) {
    yield pieceOf(lines, (line) => csvLine(cellsOf(line, dayOf)))
  }
}

const pieceOf = (lines: readonly LineAnswer[], write: (line: LineAnswer) => string): Piece => ({
  text: lines.map(write).join(''),
  rows: lines.length,
  debits: lines.reduce((sum, { debit }) => sum + BigInt(debit), 0n),
  credits: lines.reduce((sum, { credit }) => sum + BigInt(credit), 0n),
})

const CSV_COLUMNS = [
  'day',
  'from',
  'to',
  'kind',
  'reference',
  'model',
  'token_id',
  'token_name',
  'events',
  'first_position',
  'last_position',
  'debit',
  'credit',
  'balance',
  'unit',
  'late',
  'service_at',
  'reason',
  'actor',
  'note',
] as const

const iso = (at: number): string => new Date(at).toISOString()

function cellsOf(line: LineAnswer, dayOf: (at: number) => string): readonly (string | number)[] {
  const { kind, model, token_id, token_name, debit, credit } = line
  if (line.type === 'sum') {
    const { from, to, events, first_position, last_position } = line
    const what = [kind, '', model, token_id, token_name, events, first_position, last_position]
    const amounts = [debit, credit, line.balance ?? '', COMMODITY]
    return [dayOf(from), iso(from), iso(to), ...what, ...amounts, 0, '', '', '', '']
  }
  const { at, reference, position, facts } = line
  const what = [kind, reference, model, token_id, token_name, 1, position, position]
  const amounts = [debit, credit, line.balance, COMMODITY]
  const { late, service_at: serviceAt, reason, adjustment } = facts
  const service = [late ? 1 : 0, serviceAt === null ? '' : iso(serviceAt)]
  const about = [...service, reason, line.actor, noteOf(adjustment)]
  return [dayOf(at), iso(at), iso(at), ...what, ...amounts, ...about]
}

type Adjustment = Extract<LineAnswer, { type: 'event' }>['facts']['adjustment']
function noteOf(adjustment: Adjustment): string {
  if (adjustment === null) return ''
  return 'note' in adjustment ? adjustment.note : adjustment.legacy_text
}

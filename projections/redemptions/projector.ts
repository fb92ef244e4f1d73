import { numberOfStream } from '@tollgate/domain/event.ts'
import type { RedemptionEvent } from '@tollgate/domain/redemption/events.ts'
import { z } from 'zod'
import { evolveRows, type RowsOfStreams } from '../runner/evolve-rows.ts'
import type { Recorded } from '../runner/projected-events.ts'
import type { Projector } from '../runner/projector.ts'

const tables = `
  create table codes (
    code_id bigint primary key,
    creator bigint not null,
    status text not null,
    quota bigint not null,
    issued_at bigint not null,
    used_by bigint,
    used_at bigint,
    deleted_at bigint
  )`

const indexes = `
  create index on codes (code_id desc) where deleted_at is null;
  create index on codes (used_by, used_at desc) where used_by is not null`

const comparison = `
  select 'code ' || code_id as key, jsonb_build_object('status', status, 'quota', quota, 'used_by', used_by,
    'deleted_at', deleted_at) as figures
  from {codes}`

const eventTypes = [
  'CodeIssued',
  'CodeRevised',
  'CodeDisabled',
  'CodeEnabled',
  'CodeRedeemed',
  'CodeDeleted',
] as const

/** A row of `redemptions.codes`. Times in unix milliseconds. */
export const codeRow = z.object({
  code_id: z.number(),
  creator: z.number(),
  status: z.enum(['unused', 'disabled', 'used']),
  quota: z.number(),
  issued_at: z.number(),
  used_by: z.number().nullable(),
  used_at: z.number().nullable(),
  deleted_at: z.number().nullable(),
})
export type CodeRow = Readonly<z.output<typeof codeRow>>

/** Every redemption code with its worth and its use; deleted ones stay, marked, as credits still name them. */
export const redemptions: Projector<(typeof eventTypes)[number]> = {
  name: 'redemptions',
  version: 2,
  streamPrefixes: ['redemption-'],
  eventTypes,
  tables,
  indexes,
  comparison,
  handle: (batch, tx) => evolveRows(tx, ROWS, batch),
}

/** The row after one more event; undefined when the event concerns no code that was issued. */
function evolve(row: CodeRow | undefined, event: Recorded<RedemptionEvent>): CodeRow | undefined {
  if (event.type === 'CodeIssued') {
    const { at, quota, creator } = event.data
    return {
      code_id: numberOfStream(event.stream),
      creator,
      status: 'unused',
      quota,
      issued_at: at,
      used_by: null,
      used_at: null,
      deleted_at: null,
    }
  }
  if (row === undefined) return undefined
  switch (event.type) {
    case 'CodeRevised':
      return { ...row, quota: event.data.quota }
    case 'CodeDisabled':
      return { ...row, status: 'disabled' }
    case 'CodeEnabled':
      return { ...row, status: 'unused' }
    case 'CodeRedeemed':
      return { ...row, status: 'used', used_by: event.data.user, used_at: event.data.at }
    case 'CodeDeleted':
      return { ...row, deleted_at: event.data.at }
    default:
      return event satisfies never
  }
}

const COLUMNS = {
  code_id: 'bigint',
  creator: 'bigint',
  status: 'text',
  quota: 'bigint',
  issued_at: 'bigint',
  used_by: 'bigint',
  used_at: 'bigint',
  deleted_at: 'bigint',
} as const satisfies Record<keyof CodeRow, string>

const ROWS: RowsOfStreams<CodeRow, Recorded<RedemptionEvent>> = {
  table: 'codes',
  columns: COLUMNS,
  key: 'code_id',
  keyOf: numberOfStream,
  changing: ['status', 'quota', 'used_by', 'used_at', 'deleted_at'],
  evolve,
}

import type { CodeStatus } from '@tollgate/domain/redemption/state.ts'
import { objectSchema } from './json-schema.ts'

/** A redemption code as known when its object is built, from the ledger's state or a read model's row. */
export interface DescribedCode {
  readonly id: number
  readonly creator: number
  readonly name: string
  readonly code: string
  readonly status: CodeStatus
  readonly quota: number
  /** Unix milliseconds. */
  readonly issuedAtMs: number
  /** Null until it is used. */
  readonly use: { readonly user: number; readonly atMs: number } | null
}

/** The redemption object of console-api 4, with all its fields; times in unix seconds. */
export const redemptionEntity = (code: DescribedCode) => ({
  id: code.id,
  user_id: code.creator,
  key: code.code,
  status: STATUS_NUMBER[code.status],
  name: code.name,
  quota: code.quota,
  created_time: Math.floor(code.issuedAtMs / 1000),
  redeemed_time: code.use === null ? 0 : Math.floor(code.use.atMs / 1000),
  count: 0,
  used_user_id: code.use?.user ?? 0,
  DeletedAt: null,
})

const STATUS_NUMBER = { unused: 1, disabled: 2, used: 3 } as const satisfies Record<
  CodeStatus,
  number
>

/** A code as answers carry it. */
export type RedemptionEntity = ReturnType<typeof redemptionEntity>

/** A code as lists carry it: also with the names of the users who made and who redeemed it, '' for nobody. */
export type ListedRedemption = RedemptionEntity & {
  readonly username: string
  readonly used_username: string
}

const MEMBERS = {
  id: 'integer',
  user_id: 'integer',
  key: 'string',
  status: 'integer',
  name: 'string',
  quota: 'integer',
  created_time: 'integer',
  redeemed_time: 'integer',
  count: 'integer',
  used_user_id: 'integer',
  DeletedAt: 'null',
} as const

export const REDEMPTION_SCHEMA = objectSchema<RedemptionEntity>(MEMBERS)
export const LISTED_REDEMPTION_SCHEMA = objectSchema<ListedRedemption>({
  ...MEMBERS,
  username: 'string',
  used_username: 'string',
})

/** For the API reference. */
export const EXAMPLE_REDEMPTION: RedemptionEntity = redemptionEntity({
  id: 5,
  creator: 1,
  name: 'spring',
  code: '1f0c2a9be64d4c7c8b1f3f5a7d9e2b40',
  status: 'used',
  quota: 100_000,
  issuedAtMs: Date.UTC(2026, 0, 1),
  use: { user: 7, atMs: Date.UTC(2026, 0, 2) },
})

/** The same in a list. */
export const EXAMPLE_LISTED_REDEMPTION: ListedRedemption = {
  ...EXAMPLE_REDEMPTION,
  username: 'root',
  used_username: 'ann',
}

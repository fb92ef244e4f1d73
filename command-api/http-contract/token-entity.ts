import { objectSchema } from './json-schema.ts'

/** A token as known when its object is built, from the ledger's state or a read model's row. */
export interface DescribedToken {
  readonly id: number
  readonly userId: number
  readonly name: string
  /** Without `sk-`. */
  readonly key: string
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  readonly status: number
  /** Unix milliseconds, as are the other times. */
  readonly createdAtMs: number
  readonly accessedAtMs: number
  /** Null = never. */
  readonly expiresAtMs: number | null
  readonly remain: number
  readonly used: number
  readonly unlimited: boolean
  /** Null = all. */
  readonly models: readonly string[] | null
  /** Models that its form keeps while all are allowed. */
  readonly modelList: readonly string[]
  readonly allowedIps: readonly string[]
  readonly group: string
}

/** The token object of console-api 4, with all its fields; times in unix seconds, −1 = never expires. */
export const tokenEntity = (token: DescribedToken) => ({
  id: token.id,
  user_id: token.userId,
  key: token.key,
  status: token.status,
  name: token.name,
  created_time: Math.floor(token.createdAtMs / 1000),
  accessed_time: Math.floor(token.accessedAtMs / 1000),
  expired_time: token.expiresAtMs === null ? -1 : Math.floor(token.expiresAtMs / 1000),
  remain_quota: token.remain,
  unlimited_quota: token.unlimited,
  model_limits_enabled: token.models !== null,
  model_limits: (token.models ?? token.modelList).join(','),
  allow_ips: token.allowedIps.join('\n'),
  used_quota: token.used,
  group: token.group,
  DeletedAt: null,
})

/** A token as answers carry it. */
export type TokenEntity = ReturnType<typeof tokenEntity>

export const TOKEN_SCHEMA = objectSchema<TokenEntity>({
  id: 'integer',
  user_id: 'integer',
  key: 'string',
  status: 'integer',
  name: 'string',
  created_time: 'integer',
  accessed_time: 'integer',
  expired_time: 'integer',
  remain_quota: 'integer',
  unlimited_quota: 'boolean',
  model_limits_enabled: 'boolean',
  model_limits: 'string',
  allow_ips: 'string',
  used_quota: 'integer',
  group: 'string',
  DeletedAt: 'null',
})

/** For the API reference. */
export const EXAMPLE_TOKEN: TokenEntity = tokenEntity({
  id: 12,
  userId: 7,
  name: 'notebook',
  key: 'q3sUeVb7tJzK0yXcW1dLm9RfA5hPgN2oTi6BvEkC4lMxZwSr',
  status: 1,
  createdAtMs: Date.UTC(2026, 1, 3, 12),
  accessedAtMs: Date.UTC(2026, 1, 4, 9),
  expiresAtMs: null,
  remain: 500_000,
  used: 1_250,
  unlimited: false,
  models: ['gpt-4o-mini'],
  modelList: [],
  allowedIps: ['10.0.0.0/8'],
  group: '',
})

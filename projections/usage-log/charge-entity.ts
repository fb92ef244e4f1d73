import { accountStream } from '@tollgate/domain/event.ts'
import { CHARGE_KINDS, FACTOR_NAMES } from '@tollgate/domain/pricing/charge.ts'
import { z } from 'zod'
import { ATTEMPT, attemptsOf } from './attempts.ts'
import { detailOf, explain, type ReadCharge, type RowNames, tokenName } from './entity.ts'
import type { LogRow } from './row.ts'

const TEXT = z.string().nullable()
const TOLD = {
  request_id: TEXT,
  response_id: TEXT,
  model: TEXT,
  service_tier: TEXT,
  speed: TEXT,
  region: TEXT,
}

/** One request's charge: what was used, what it cost and how that was worked out, and the event that says so. */
export const CHARGE = z.strictObject({
  request_id: z.string(),
  /** As the client calls it (x-client-request-id), and the id of its trace; null where it did not say. */
  client_request_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  /** Where the ledger has it. */
  event: z.strictObject({ id: z.string(), stream: z.string(), type: z.literal('UsageCharged') }),
  /** Unix seconds; when the ledger took it. */
  created_at: z.int(),
  user_id: z.int(),
  username: z.string(),
  token_id: z.int(),
  token_name: z.string(),
  model: z.string(),
  upstream_model: z.string(),
  group: z.string(),
  endpoint: z.string(),
  is_stream: z.boolean(),
  duration_ms: z.int(),
  first_byte_ms: z.int().nullable(),
  amount: z.int(),
  from_hold: z.int(),
  from_wallet: z.int(),
  hold: z.string(),
  sequence: z.int(),
  /** Token and tool counts by kind, as domain/pricing/usage.ts has them. */
  usage: z.record(z.string(), z.int()),
  /** The price of the charge, frozen when the request was admitted. */
  price: z.looseObject({ by: z.enum(['tokens', 'call']), groupRatio: z.string() }),
  /** The price worked out line by line; null where an older price lacks what that needs. */
  arithmetic: z
    .strictObject({
      lines: z.array(
        z.strictObject({
          kind: z.enum(CHARGE_KINDS),
          /** The price has no ratio for this kind: it costs as much as this other. */
          pricedAs: z.enum(CHARGE_KINDS).exactOptional(),
          count: z.int(),
          factors: z.array(z.strictObject({ name: z.enum(FACTOR_NAMES), value: z.string() })),
          rate: z.string(),
          quota: z.string(),
        }),
      ),
      exact: z.string(),
      rounding: z.enum(['none', 'half-up', 'minimum']),
    })
    .nullable(),
  /** Channels in the order in which they were tried, the last one answered; empty for users, who see no channels. */
  attempts: z.array(ATTEMPT),
  attempt_count: z.int(),
  /** Facts that upstream told beside its answer; null for users, and where it told nothing. */
  upstream: z.strictObject(TOLD).nullable(),
  estimated: z.boolean(),
  cancelled: z.boolean(),
  cut_short: z.boolean(),
  late: z.boolean(),
})
type ChargeEntity = z.infer<typeof CHARGE>

/** Null for a row that is no charge. */
export function chargeEntity(
  row: LogRow,
  names: RowNames,
  showsChannels: boolean,
): ChargeEntity | null {
  const detail = detailOf(row)
  if (detail === null || !('usage' in detail)) return null
  const { price, usage } = detail
  const attempts = attemptsOf(detail, names.channels)
  return {
    request_id: row.request_id,
    client_request_id: detail.clientRequestId ?? null,
    trace_id: detail.traceId ?? null,
    event: { id: row.event_id, stream: accountStream(row.user_id), type: 'UsageCharged' },
    created_at: row.created_at,
    user_id: row.user_id,
    username: names.users.get(row.user_id) ?? '',
    token_id: row.token_id,
    token_name: tokenName(row, names),
    model: row.model,
    upstream_model: detail.upstreamModel ?? row.model,
    group: row.group_name,
    endpoint: detail.endpoint,
    is_stream: row.is_stream,
    duration_ms: detail.durationMs,
    first_byte_ms: detail.firstByteMs,
    amount: row.quota,
    from_hold: row.quota - detail.fromWallet,
    from_wallet: detail.fromWallet,
    hold: detail.hold,
    sequence: detail.sequence,
    usage: { ...usage },
    price: { ...price },
    arithmetic: arithmeticOf(explain(price, usage)),
    attempts: showsChannels ? [...attempts] : [],
    attempt_count: attempts.length,
    upstream: showsChannels ? toldBy(detail) : null,
    estimated: detail.estimated ?? false,
    cancelled: detail.cancelled ?? false,
    cut_short: detail.cutShort ?? false,
    late: detail.late ?? false,
  }
}

function toldBy({ upstream }: ReadCharge): ChargeEntity['upstream'] {
  if (upstream === undefined) return null
  return {
    request_id: upstream.requestId ?? null,
    response_id: upstream.responseId ?? null,
    model: upstream.model ?? null,
    service_tier: upstream.serviceTier ?? null,
    speed: upstream.speed ?? null,
    region: upstream.region ?? null,
  }
}

const arithmeticOf = (explained: ReturnType<typeof explain>): ChargeEntity['arithmetic'] =>
  explained && {
    ...explained,
    lines: explained.lines.map((line) => ({ ...line, factors: [...line.factors] })),
  }

/** For the API reference. */
export const EXAMPLE_CHARGE: ChargeEntity = {
  request_id: '20260203120000123456789aB3dE5fG',
  client_request_id: 'order-4711',
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  event: {
    id: '0b9d5a3e-6f0c-4a57-9d1e-2f6f3f1c8a70',
    stream: accountStream(7),
    type: 'UsageCharged',
  },
  created_at: 1_770_120_000,
  user_id: 7,
  username: 'ann',
  token_id: 12,
  token_name: 'notebook',
  model: 'gpt-4o-mini',
  upstream_model: 'gpt-4o-mini',
  group: 'default',
  endpoint: '/v1/chat/completions',
  is_stream: true,
  duration_ms: 2_140,
  first_byte_ms: 310,
  amount: 135,
  from_hold: 135,
  from_wallet: 0,
  hold: '7@41',
  sequence: 3,
  usage: { textIn: 1_000, textOut: 200 },
  price: { by: 'tokens', groupRatio: '1', modelRatio: '0.075', completionRatio: '4' },
  arithmetic: {
    lines: [
      {
        kind: 'text-in',
        count: 1_000,
        factors: [
          { name: 'model-ratio', value: '0.075' },
          { name: 'group-ratio', value: '1' },
        ],
        rate: '0.075',
        quota: '75',
      },
      {
        kind: 'text-out',
        count: 200,
        factors: [
          { name: 'model-ratio', value: '0.075' },
          { name: 'completion-ratio', value: '4' },
          { name: 'group-ratio', value: '1' },
        ],
        rate: '0.3',
        quota: '60',
      },
    ],
    exact: '135',
    rounding: 'none',
  },
  attempts: [
    {
      channel_id: 4,
      channel_name: 'Backup',
      started_at: 1_770_119_997_400,
      ms: 220,
      status: 500,
      code: 'server_error',
      why: 'The server had an error while processing your request.',
    },
    {
      channel_id: 3,
      channel_name: 'OpenAI',
      started_at: 1_770_119_997_640,
      ms: 2_110,
      status: 200,
      code: null,
      why: null,
    },
  ],
  attempt_count: 2,
  upstream: {
    request_id: 'req_7f3c9a2b5d8e4f61',
    response_id: 'chatcmpl-Dk2a8x',
    model: null,
    service_tier: 'default',
    speed: null,
    region: null,
  },
  estimated: false,
  cancelled: false,
  cut_short: false,
  late: false,
}

import {
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { pause } from '../../time/pause.ts'
import type { NatsLink } from './connection.ts'
import { isNoResponders, reasonOf } from './failure.ts'
import {
  CONSUMPTION_SUBJECTS,
  PROBE_STREAM,
  PROBE_SUBJECT,
  REFUSED_STREAM,
  REFUSED_SUBJECTS,
  USAGE_STREAM,
  USAGE_SUBJECTS,
} from './subjects.ts'

/** The same message again within this is not stored twice; the ledger takes each only once in any case. */
const DUPLICATE_WINDOW_MS = 2 * 60_000
/** Some 300,000 refused messages; NATS sets the space aside. Beyond, they stay where they are and come again. */
const REFUSED_BYTES_MAX = 256 * 1024 * 1024
const PROBE_BYTES_MAX = 64 * 1024
/** JetStream's own API answers within milliseconds, or not at all. */
const API_DEADLINE_MS = 2_000

export interface UsageStreamOptions {
  readonly link: NatsLink
  /** Servers that store each message: 1, or 3 in a cluster. */
  readonly replicas: number
  /** Bytes of waiting messages; beyond, publishing fails until the ledger has caught up. */
  readonly bytesMax: number
  /** The deployment whose charges they are: told apart by name, so that two ledgers never take in each other's. */
  readonly deployment: string
}

/** The JetStream streams of consumption events. */
export interface UsageStream {
  readonly link: NatsLink
  readonly manager: JetStreamManager
  /**
   * Makes the streams, or brings existing ones to these settings. Fails with UsageStreamInvalid when that cannot be,
   * and with NATS's own errors while it is unavailable. Calls at the same time share one round.
   */
  ensure(): Promise<void>
  /** Resolves when JetStream has stored a message, which replaces the one before. Fails as NATS does. */
  proveWrite(): Promise<void>
}

/** NATS cannot keep the streams as configured; the message says what to change. */
export class UsageStreamInvalid extends Error {
  readonly code = 'USAGE_STREAM_UNFIT'
  readonly retryable = false
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UsageStreamInvalid'
  }
}

/** The streams over one connection; nothing is asked of NATS before `ensure`. */
async function usageStream(options: UsageStreamOptions): Promise<UsageStream> {
  const { link } = options
  const manager = await link.client.jetstreamManager({ checkAPI: false, timeout: API_DEADLINE_MS })
  let ensuring: Promise<void> | null = null
  return {
    link,
    manager,
    ensure() {
      ensuring ??= ensureAll(manager, options).finally(() => {
        ensuring = null
      })
      return ensuring
    },
    async proveWrite() {
      const published = { timeout: API_DEADLINE_MS, expect: { streamName: PROBE_STREAM } }
      await link.client.jetstream().publish(PROBE_SUBJECT, '', published)
    },
  }
}

/**
 * The streams, made or brought up to date. Waits, saying so, while NATS or its JetStream is not there yet; fails with
 * UsageStreamInvalid when waiting does not help, and with the signal's reason when that aborts.
 */
export async function openUsageStream(
  options: UsageStreamOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<UsageStream> {
  const stream = await usageStream(options)
  let told = ''
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted()
    try {
      await stream.ensure()
      return stream
    } catch (error) {
      if (error instanceof UsageStreamInvalid) throw error
      const reason = reasonOf(error)
      const text =
        'the streams of consumption events cannot be made yet, trying again until they can'
      if (reason !== told) options.link.logger.warn({ reason }, text)
      told = reason
      await pause(backOffMs(failures), signal)
    }
  }
}

async function ensureAll(manager: JetStreamManager, options: UsageStreamOptions): Promise<void> {
  for (const wanted of [usageConfig(options), refusedConfig(options), probeConfig(options)]) {
    try {
      await ensureStream(manager, wanted)
    } catch (error) {
      throw invalidOr(error, wanted)
    }
  }
}

/** Both discard what is new: a message that was acknowledged is never dropped to make room. */
const durable = ({ replicas, bytesMax, deployment }: UsageStreamOptions) => ({
  description: `Tollgate deployment ${deployment}`,
  storage: StorageType.File,
  discard: DiscardPolicy.New,
  max_age: 0,
  duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  max_bytes: bytesMax,
  num_replicas: replicas,
})

const usageConfig = (options: UsageStreamOptions): WantedStream => ({
  ...durable(options),
  name: USAGE_STREAM,
  subjects: [USAGE_SUBJECTS],
  retention: RetentionPolicy.Workqueue,
  republish: { src: USAGE_SUBJECTS, dest: CONSUMPTION_SUBJECTS },
})

const refusedConfig = (options: UsageStreamOptions): WantedStream => ({
  ...durable({ ...options, bytesMax: Math.min(options.bytesMax, REFUSED_BYTES_MAX) }),
  name: REFUSED_STREAM,
  subjects: [REFUSED_SUBJECTS],
  retention: RetentionPolicy.Limits,
})

/** One message, of which the newest stays: what shows that the server stores what is published. */
const probeConfig = (options: UsageStreamOptions): WantedStream => ({
  ...durable({ ...options, bytesMax: PROBE_BYTES_MAX }),
  name: PROBE_STREAM,
  subjects: [PROBE_SUBJECT],
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  max_msgs: 1,
})

type WantedStream = Partial<StreamConfig> &
  Pick<
    StreamConfig,
    'name' | 'description' | 'retention' | 'storage' | 'num_replicas' | 'max_bytes'
  >

async function ensureStream(manager: JetStreamManager, wanted: WantedStream): Promise<void> {
  const present = await presentConfig(manager, wanted.name)
  if (present === null) {
    await manager.streams.add(wanted)
    return
  }
  const fixed = (['retention', 'storage'] as const).filter((key) => present[key] !== wanted[key])
  if (fixed.length > 0) {
    const differences = fixed.map((key) => `${key} is ${present[key]}, not ${wanted[key]}`)
    throw new UsageStreamInvalid(
      `stream ${wanted.name} exists with settings that cannot be changed (${differences.join(', ')}): empty and remove it, it is made again`,
    )
  }
  if (present.description !== wanted.description) {
    throw new UsageStreamInvalid(
      `stream ${wanted.name} on this NATS carries the charges of another Tollgate (${present.description ?? 'unnamed'}): use another NATS server or account for this one, or the MASTER_KEY that the other has if it is the same`,
    )
  }
  if (!isSubset(wanted, present)) await manager.streams.update(wanted.name, wanted)
}

async function presentConfig(
  manager: JetStreamManager,
  name: string,
): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(name)).config
  } catch (error) {
    if (error instanceof NatsError && error.jsError()?.code === 404) return null
    throw error
  }
}

/** Whether every setting of `wanted` is in `present` with the same value. */
const isSubset = (wanted: object, present: object): boolean => {
  const values: Readonly<Record<string, unknown>> = { ...present }
  return Object.entries(wanted).every(([key, value]) => isSame(value, values[key]))
}

/** NATS leaves out what is 0 or empty. */
const isSame = (wanted: unknown, present: unknown): boolean =>
  JSON.stringify(wanted) === JSON.stringify(present ?? 0)

/** JetStream answered that it will not; while it is unavailable or electing leaders, time helps. */
function invalidOr(error: unknown, wanted: WantedStream): unknown {
  if (!(error instanceof NatsError)) return error
  if (isNoResponders(error)) {
    return new Error('NATS has no JetStream (yet): nats-server needs jetstream in its settings', {
      cause: error,
    })
  }
  const refusal = error.jsError()
  if (refusal === null || refusal.code === 503) return error
  const { name, num_replicas, max_bytes } = wanted
  return new UsageStreamInvalid(
    `NATS cannot keep stream ${name} with ${num_replicas} replicas and ${max_bytes} bytes (${reasonOf(error)}): change NATS_REPLICAS or NATS_USAGE_MAX_MB, or give NATS the servers and the space`,
    error,
  )
}

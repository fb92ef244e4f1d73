import { exampleTimelines } from '../support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import type { HoldService } from '@tollgate/command-api/holds/hold-service.ts'
import { PARTITIONS } from '@tollgate/domain/account/partition.ts'
import type { HoldId } from '@tollgate/domain/ids.ts'
import { openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { consumeUsage } from '@tollgate/infra/bus/nats/usage-consumer.ts'
import type { UsageStream } from '@tollgate/infra/bus/nats/usage-stream.ts'
import {
  systemClock as clock,
  systemRandomness as randomness,
} from '@tollgate/infra/processes/runtime.ts'
import { startNatsServer } from '../support/engines/nats-server.ts'
import { until } from '../support/processes.ts'
import { chargeOf, holdServiceOf, openAccounts } from './charges.ts'
import { copyLog, type EmbeddedLog, logger, withEmbeddedLog } from './embedded-log.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'
import { openBenchStream } from './bench-stream.ts'
import { type Publisher, startPublisher } from './publisher.ts'
import { scaled } from './scale.ts'

const ACCOUNTS = 64
/** Charges of each measurement. */
const CHARGES = 30_000
/** A slow machine settles a tenth of what a quick one does. */
const SETTLED_WITHIN_MS = 90_000

/**
 * Settlement over NATS: a publisher of its own, JetStream on disk, every partition consumed and appended by this
 * process. First the publisher alone, bare; then the ledger alone, which finds all of that waiting; then both together.
 */
export const natsFigures = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async (log) => {
    const server = await startNatsServer()
    const link = await openNats({ url: server.url, credsFile: null, name: 'bench', logger })
    try {
      const stream = await openBenchStream(link)
      const publisher = await startPublisher(server.url)
      try {
        return await measured(log, stream, publisher, say)
      } finally {
        await publisher.stop()
      }
    } finally {
      await link.close()
      await server.dispose()
    }
  })

async function measured(
  log: EmbeddedLog,
  stream: UsageStream,
  publisher: Publisher,
  say: (line: string) => void,
): Promise<Figure[]> {
  const ledger = new AccountLedger({
    timelines: exampleTimelines,
    store: log.store,
    clock,
    randomness,
  })
  const holdService = holdServiceOf(ledger)
  const holds = await openAccounts(ledger, holdService, ACCOUNTS)
  const count = Math.ceil(scaled(CHARGES) / ACCOUNTS)
  const charges = count * ACCOUNTS
  const warm = Math.max(1, Math.ceil(count / 10))
  await warmUp(holdService, holds, warm)
  say(`nats: ${whole(charges)} messages to bare JetStream`)
  const bare = await publisher.publish({ way: 'bare', holds, from: warm + 1, count })
  say('nats: the ledger settles what waits')
  const settling = settle(stream, holdService)
  const drainedMs = await settling.settled(charges)
  say(`nats: ${whole(charges)} charges published and settled at once`)
  const startedAt = performance.now()
  const job = { way: 'journal', holds, from: warm + 1 + count, count } as const
  const [published] = await Promise.all([publisher.publish(job), settling.settled(2 * charges)])
  const settledMs = performance.now() - startedAt
  await settling.stop()
  ledger.stop()
  await expectCharges(log, holds.length * (warm + 2 * count))
  say('nats: COPY of the same rows')
  const copied = await copyLog(log.pool)
  return figuresOf({
    bare: (charges * 1000) / bare.elapsedMs,
    drained: (charges * 1000) / drainedMs,
    settled: (charges * 1000) / settledMs,
    copied,
    repeated: published.repeated,
  })
}

/** The first appends compile code and fill caches, as they do once in a process's life. */
async function warmUp(
  holdService: HoldService,
  holds: readonly HoldId[],
  count: number,
): Promise<void> {
  for (let sequence = 1; sequence <= count; sequence += 1) {
    await Promise.all(holds.map((hold) => holdService.publish(chargeOf(hold, sequence))))
  }
}

/** Takes every partition's messages into the ledger, as the api processes do together. */
function settle(stream: UsageStream, holdService: HoldService) {
  let firstAt = Number.NaN
  const seen = new Set<string>()
  const refused: string[] = []
  const consumers = Array.from({ length: PARTITIONS }, (_, partition) =>
    consumeUsage({
      stream,
      partition,
      async take(message) {
        firstAt = Number.isNaN(firstAt) ? performance.now() : firstAt
        await holdService.publish(message)
        seen.add(`${message.hold}/${message.sequence}`)
      },
      onRefused: ({ reason }) => void refused.push(reason),
    }),
  )
  return {
    /** Milliseconds from the first message until so many different charges were in the log. */
    async settled(count: number): Promise<number> {
      const isThere = (): boolean => {
        if (refused.length > 0) throw new Error(`a charge was refused: ${refused[0]}`)
        return seen.size >= count
      }
      await until(`${count} charges are settled`, isThere, SETTLED_WITHIN_MS).catch((cause) => {
        throw new Error(`${seen.size} of ${count} charges were settled`, { cause })
      })
      return performance.now() - firstAt
    },
    stop: () => Promise.all(consumers.map((consumer) => consumer.stop())),
  }
}

/** A rate that lost or doubled charges would be no rate. */
async function expectCharges({ pool }: EmbeddedLog, expected: number): Promise<void> {
  const { rows } = await pool.query<{ charges: number }>(
    "select count(*)::integer as charges from ledger.events where type = 'UsageCharged'",
  )
  const found = rows[0]?.charges
  if (found !== expected) throw new Error(`${found} charges are in the log, not ${expected}`)
}

interface Rates {
  /** All a second. */
  readonly bare: number
  readonly drained: number
  readonly settled: number
  readonly copied: number
  readonly repeated: number
}

function figuresOf({ bare, drained, settled, copied, repeated }: Rates): Figure[] {
  const ratios = (rate: number): string => `${fraction(rate / copied)} × COPY (${whole(copied)}/s)`
  const again = repeated === 0 ? '' : `, ${whole(repeated)} sent again`
  return [
    {
      what: 'settlement over NATS, published and appended at once',
      measured: `${whole(settled)} charges/s = ${fraction(settled / bare)} × bare JetStream (${whole(bare)}/s) = ${ratios(settled)}${again}`,
      target: '',
      isReached: null,
    },
    {
      what: 'settlement over NATS, of charges that wait',
      measured: `${whole(drained)} charges/s = ${ratios(drained)}`,
      target: '',
      isReached: null,
    },
  ]
}

import { isTransient } from '@tollgate/domain/kernel/transient.ts'
import process from 'node:process'
import type { HoldId } from '@tollgate/domain/ids.ts'
import type { UsageJournal, UsageReport } from '@tollgate/domain/ports/usage-journal.ts'
import { openNats } from '@tollgate/infra/bus/nats/connection.ts'
import { usageSubject } from '@tollgate/infra/bus/nats/subjects.ts'
import { natsUsageJournal } from '@tollgate/infra/bus/nats/usage-journal.ts'
import { encodeUsage, messageIdOf } from '@tollgate/infra/bus/nats/usage-message.ts'
import { openBenchStream } from './bench-stream.ts'
import { chargeOf } from './charges.ts'
import { logger } from './embedded-log.ts'

/** The order to a publisher: charges `from` to `from + count - 1` of each hold. */
export interface PublishJob {
  /** Through the relay's journal, or through JetStream's client alone. */
  readonly way: 'journal' | 'bare'
  readonly holds: readonly HoldId[]
  readonly from: number
  readonly count: number
}

/** The result of a job. */
export interface PublishReport {
  /** Until the last was acknowledged. */
  readonly elapsedMs: number
  /** Messages that had to be sent again because they were not acknowledged in time. */
  readonly repeated: number
}

/** A relay's charges without the relay: a process of its own, so that it shares no thread with the ledger. */
const [url = ''] = process.argv.slice(2)
/** Messages of one hold, unacknowledged at a time. */
const IN_FLIGHT_PER_HOLD = 16

const link = await openNats({ url, credsFile: null, name: 'bench publisher', logger })
const stream = await openBenchStream(link)
const natsJournal = natsUsageJournal(stream)
const jetStream = link.client.jetstream()
const ways: Readonly<Record<PublishJob['way'], UsageJournal['publish']>> = {
  journal: (message) => natsJournal.publish(message),
  async bare(message) {
    await jetStream.publish(usageSubject(message.account), encodeUsage(message), {
      msgID: messageIdOf(message),
    })
  },
}

process.on('message', (job: PublishJob) => {
  void publish(job).then((report) => process.send?.(report))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

async function publish({ way, holds, from, count }: PublishJob): Promise<PublishReport> {
  // Made before the clock starts: what a relay does for its charge besides is measured elsewhere.
  const messages = holds.map((hold) =>
    Array.from({ length: count }, (_, index) => chargeOf(hold, from + index)).reverse(),
  )
  let repeated = 0
  const publishOne = async (message: UsageReport): Promise<void> => {
    for (;;) {
      try {
        return await ways[way](message)
      } catch (error) {
        if (way === 'bare' || !isTransient(error)) throw error
        repeated += 1
      }
    }
  }
  const worker = async (waiting: UsageReport[]): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await publishOne(next)
  }
  const startedAt = performance.now()
  await Promise.all(
    messages.flatMap((waiting) =>
      Array.from({ length: IN_FLIGHT_PER_HOLD }, () => worker(waiting)),
    ),
  )
  return { elapsedMs: performance.now() - startedAt, repeated }
}
